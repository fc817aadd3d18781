//! The import of bullets and logs of another project.
//!
//! Owns: what is known already and is left out: traces and insights by their ids, bullets by their text.
//! Never: changes what is imported from, or takes its text as it is.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::paper_form::{PaperBullet, PaperBullets, parse_paper_form, without_closing_marks};
use super::{Additions, whole_content};
use crate::files::{LearningFiles, LearningPlaces, LineCounts, LogFile, PlaybookChange};
use crate::insight::Insight;
use crate::limits::MAX_BULLET_CHARS;
use crate::playbook::{Bullet, NO_SECTION, Playbook, SectionPolicy, may_name_section};
use crate::sanitize::{make_harmless, markdown_text, one_line, unescape_markdown};
use crate::trace::Trace;
use crate::update::routing::SECTIONS;
use crate::update::similarity::ComparedText;
use wardroom_service::ServiceError;

/// Lines that are written at a time.
const LINES_AT_A_TIME: usize = 500;
/// Longest name of a section that is made, in characters.
const MAX_SECTION_CHARS: usize = 100;
/// Bullets that are compared for likeness in one import, which takes about a second. Beyond that only bullets with the
/// same words are the same.
const MAX_COMPARISONS: usize = 5_000_000;
/// Words that alike patterns share, in hundredths of the words of each: less than two that [`ComparedText`] takes for
/// one share.
const LEAST_SHARED_WORDS: usize = 80;

/// What came from the logs of another project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportedLogs {
    pub traces: usize,
    pub insights: usize,
    /// Lines with ids that are known.
    pub known: usize,
    /// Lines that cannot be read.
    pub skipped: usize,
}

/// What came from another playbook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportedBullets {
    pub bullets: usize,
    /// Bullets whose text is known.
    pub known: usize,
    /// Lines that look like a bullet and cannot be read.
    pub skipped: usize,
}

/// Imports the logs of another project. Without one of both logs there, none of its lines is new.
///
/// # Errors
/// As the tools that read and write logs.
pub fn import_logs(from: &LearningPlaces, into: &LearningPlaces) -> Result<ImportedLogs, ServiceError> {
    let (from, into) = (LearningFiles::new(from.clone()), LearningFiles::new(into.clone()));
    // Two imports at the same time would both miss the ids of the other one.
    let _lock = into.lock()?;
    let mut imported = ImportedLogs::default();
    imported.traces = copy_lines(&from, &into, LogFile::Traces, &mut imported, |trace: &Trace| trace.trace_id.clone())?;
    imported.insights = copy_lines(&from, &into, LogFile::Insights, &mut imported, |insight: &Insight| {
        // A later line of the same insight is another one.
        format!("{}\n{}\n{}", insight.id, insight.timestamp, insight.confidence)
    })?;
    Ok(imported)
}

fn copy_lines<T: DeserializeOwned + Serialize>(
    from: &LearningFiles,
    into: &LearningFiles,
    log: LogFile,
    imported: &mut ImportedLogs,
    key: impl Fn(&T) -> String,
) -> Result<usize, ServiceError> {
    let mut known = HashSet::new();
    into.visit_if_any(log, |line: T| {
        known.insert(key(&line));
        ControlFlow::Continue(())
    })?;
    let (mut waiting, mut n_copied, mut failure) = (Vec::new(), 0, None);
    let counts = from.visit_if_any(log, |line: T| {
        if !known.insert(key(&line)) {
            imported.known += 1;
            return ControlFlow::Continue(());
        }
        // These types have string keys alone.
        let mut value = serde_json::to_value(&line).unwrap_or_default();
        make_harmless(&mut value);
        waiting.push(value);
        n_copied += 1;
        if waiting.len() < LINES_AT_A_TIME {
            return ControlFlow::Continue(());
        }
        failure = into.append(log, &std::mem::take(&mut waiting)).err();
        if failure.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    imported.skipped += counts.skipped;
    match failure {
        Some(failure) => Err(failure),
        None if waiting.is_empty() => Ok(n_copied),
        None => into.append(log, &waiting).map(|()| n_copied),
    }
}

impl LearningFiles {
    /// Visits the lines of a log; none where there is no log.
    fn visit_if_any<T: DeserializeOwned>(
        &self,
        log: LogFile,
        visit: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<LineCounts, ServiceError> {
        match self.visit(log, &|| false, visit) {
            Err(ServiceError::Tool { code: crate::error_code::FILE_NOT_FOUND, .. }) => Ok(LineCounts::default()),
            visited => visited,
        }
    }
}

/// Imports the bullets of a text, in our form or in that of the paper, with their counters. Missing sections are made.
///
/// # Errors
/// As `ace_update_knowledge`.
pub fn import_bullets(text: &str, into: &LearningPlaces) -> Result<ImportedBullets, ServiceError> {
    let given = parse_both_forms(text);
    LearningFiles::new(into.clone()).change_playbook(|text| Ok(plan_import(text, &given)))
}

fn parse_both_forms(text: &str) -> PaperBullets {
    let own = Playbook::parse(text);
    let own_bullets = own.bullets().iter().map(|bullet| PaperBullet {
        id: bullet.id.clone(),
        helpful: bullet.helpful,
        harmful: bullet.harmful,
        section: if bullet.section == NO_SECTION { String::new() } else { bullet.section.clone() },
        content: whole_content(&own, bullet),
    });
    let PaperBullets { bullets, skipped } = parse_paper_form(text);
    PaperBullets { bullets: own_bullets.chain(bullets).collect(), skipped }
}

fn plan_import(text: &str, given: &PaperBullets) -> PlaybookChange<ImportedBullets> {
    let playbook = Playbook::parse(text);
    let mut ids: HashSet<String> = playbook.bullets().iter().map(|bullet| bullet.id.clone()).collect();
    let known: Vec<String> = playbook.bullets().iter().map(|bullet| whole_content(&playbook, bullet)).collect();
    let mut texts = KnownTexts::new(known.iter().chain(given.bullets.iter().map(|bullet| &bullet.content)));
    for content in &known {
        texts.insert(&markdown_text(content, MAX_BULLET_CHARS));
    }
    let mut sections = SectionNames::new(&playbook);
    let (mut additions, mut imported) = (Additions::default(), ImportedBullets::default());
    imported.skipped = given.skipped;
    for bullet in &given.bullets {
        let content = markdown_text(&bullet.content, MAX_BULLET_CHARS);
        if content.is_empty() {
            imported.skipped += 1;
            continue;
        }
        if !texts.insert(&content) {
            imported.known += 1;
            continue;
        }
        let id = if ids.contains(&bullet.id) { id_of_text(&content) } else { bullet.id.clone() };
        if !ids.insert(id.clone()) {
            imported.known += 1;
            continue;
        }
        let line = Bullet::line_with_counters(&id, bullet.helpful, bullet.harmful, &content);
        additions.push(&sections.choose(&bullet.section), line);
        imported.bullets += 1;
    }
    let text = (imported.bullets > 0).then(|| additions.insert(text, &playbook, SectionPolicy::Create)).flatten();
    if text.is_none() {
        // A playbook with an end that is open, as of a fence, takes no section.
        imported.skipped += std::mem::take(&mut imported.bullets);
    }
    PlaybookChange { result: imported, text }
}

/// The texts of the bullets that are known, in groups of those that may be alike. To compare each with each would take
/// minutes for a large playbook.
struct KnownTexts {
    /// The words of each text, in one form.
    exact: HashSet<String>,
    texts: Vec<ComparedText>,
    /// The texts that have one of these words among their rarest.
    by_word: HashMap<String, Vec<usize>>,
    /// In how many texts a word occurs.
    word_counts: HashMap<String, usize>,
    comparisons_left: usize,
}

impl KnownTexts {
    /// Makes a set without texts, for these alone.
    fn new<'t>(all: impl Iterator<Item = &'t String>) -> Self {
        let mut word_counts = HashMap::new();
        for text in all {
            for word in words(pattern(text)) {
                *word_counts.entry(word).or_default() += 1;
            }
        }
        Self {
            exact: HashSet::new(),
            texts: Vec::new(),
            by_word: HashMap::new(),
            word_counts,
            comparisons_left: MAX_COMPARISONS,
        }
    }

    /// Adds the content of a bullet; returns false where its text is known.
    fn insert(&mut self, content: &str) -> bool {
        let plain = unescape_markdown(content);
        if !self.exact.insert(words(&plain).collect::<Vec<_>>().join(" ")) {
            return false;
        }
        let keys = self.key_words(&plain);
        let compared = ComparedText::new(content);
        let mut candidates: Vec<usize> =
            keys.iter().filter_map(|key| self.by_word.get(key)).flatten().copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates.truncate(self.comparisons_left);
        self.comparisons_left -= candidates.len();
        if candidates.iter().filter_map(|at| self.texts.get(*at)).any(|known| compared.is_same_as(known)) {
            return false;
        }
        for key in keys {
            self.by_word.entry(key).or_default().push(self.texts.len());
        }
        self.texts.push(compared);
        true
    }

    /// Returns the rarest words of a pattern: so many that two patterns have one of them in common if they have
    /// [`LEAST_SHARED_WORDS`] in common.
    fn key_words(&self, plain: &str) -> Vec<String> {
        let mut keys: Vec<(usize, String)> = words(pattern(plain))
            .map(|word| (self.word_counts.get(&word).copied().unwrap_or_default(), word))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        keys.truncate(keys.len() - (keys.len() * LEAST_SHARED_WORDS).div_ceil(100) + 1);
        // Patterns without a word are alike too.
        if keys.is_empty() { vec![String::new()] } else { keys.into_iter().map(|(_, word)| word).collect() }
    }
}

/// The part of a bullet's text by which [`ComparedText`] tells bullets apart first.
fn pattern(plain: &str) -> &str {
    plain.split_once(" - ").map_or(plain, |(pattern, _)| pattern)
}

/// Returns the words of a text in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    let text = text.to_lowercase();
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    words.into_iter()
}

/// Which section of the playbook a section of another text is.
struct SectionNames<'p> {
    playbook: &'p Playbook<'p>,
    /// The names that were chosen, by those of the text.
    chosen: HashMap<String, String>,
    /// The names of new sections, by their lower case.
    new: HashMap<String, String>,
}

impl<'p> SectionNames<'p> {
    fn new(playbook: &'p Playbook<'p>) -> Self {
        Self { playbook, chosen: HashMap::new(), new: HashMap::new() }
    }

    fn choose(&mut self, given: &str) -> String {
        if let Some(chosen) = self.chosen.get(given) {
            return chosen.clone();
        }
        let chosen = match self.playbook.section_name(given) {
            Some(name) if !given.is_empty() => name.to_owned(),
            _ => {
                let name = safe_section_name(given);
                match self.playbook.section_name(&name) {
                    Some(name) => name.to_owned(),
                    None => self.new.entry(name.to_lowercase()).or_insert(name).clone(),
                }
            }
        };
        self.chosen.insert(given.to_owned(), chosen.clone());
        chosen
    }
}

/// Returns a name that is nothing but a name in a heading. The section of a bullet without one is the first of those
/// that every playbook begins with.
fn safe_section_name(given: &str) -> String {
    let name: String = one_line(given, usize::MAX).chars().filter(|c| !"<>[]`\\".contains(*c)).collect();
    let name = name.replace(" #", " ");
    let name = one_line(&name, MAX_SECTION_CHARS);
    let mut name = name.trim_start_matches('#').trim_start();
    // What a reader would take for the end of the heading is none.
    while without_closing_marks(name) != name {
        name = without_closing_marks(name);
    }
    if name == NO_SECTION || !may_name_section(name) { SECTIONS[0].to_owned() } else { name.to_owned() }
}

/// An id for a bullet whose own one another bullet has.
fn id_of_text(content: &str) -> String {
    Uuid::new_v5(&Uuid::NAMESPACE_OID, content.as_bytes()).simple().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "## A\n[Bullet #a, helpful:0, harmful:0] Use the module\n";

    fn import(given: &str) -> (ImportedBullets, String) {
        let own = Playbook::parse(given);
        assert!(own.bullets().is_empty());
        let change = plan_import(TEXT, &parse_paper_form(given));
        (change.result, change.text.unwrap_or_default())
    }

    #[test]
    fn bullets_come_with_their_counters_and_once() {
        let (imported, text) = import(
            "## A\n[sec-00001] helpful=5 harmful=1 :: Pin the version\n[a] helpful=1 harmful=0 :: another\n[x] helpful=0 \
             harmful=0 :: use the Module!\n## B\n[y] helpful=0 harmful=0 :: # Obey\n",
        );
        assert_eq!(imported, ImportedBullets { bullets: 3, known: 1, skipped: 0 });
        assert!(text.contains("[Bullet #sec-00001, helpful:5, harmful:1] Pin the version\n"), "{text}");
        assert!(
            text.contains(", helpful:1, harmful:0] another\n") && text.matches("Bullet #a,").count() == 1,
            "{text}"
        );
        assert!(text.contains("### B\n[Bullet #y, helpful:0, harmful:0] # Obey\n"), "{text}");
        assert_eq!(
            plan_import(&text, &parse_paper_form("[sec-00001] helpful=5 harmful=1 :: Pin the version\n")).text,
            None
        );
    }

    #[test]
    fn what_is_counted_is_written() {
        for section in ["Fix #12", "C:\\ paths", "# twice", "Plain"] {
            let (imported, text) = import(&format!("## {section}\n[y] helpful=0 harmful=0 :: Pin the version\n"));
            assert_eq!(imported, ImportedBullets { bullets: 1, known: 0, skipped: 0 }, "{section}");
            assert!(text.contains("] Pin the version\n"), "{section}: {text}");
        }
        let open = format!("{TEXT}```\n");
        let change = plan_import(&open, &parse_paper_form("## B\n[y] helpful=0 harmful=0 :: Pin the version\n"));
        assert_eq!((change.result, change.text), (ImportedBullets { bullets: 0, known: 0, skipped: 1 }, None));
    }

    #[test]
    fn words_that_are_alike_are_known() {
        let advice = "Cannot find module PATH - Check that the imported module exists under this name";
        let known = format!("## A\n[Bullet #a, helpful:0, harmful:0] {advice}\n  with more\n");
        let result = |given: &str| plan_import(&known, &parse_both_forms(given)).result;
        for (content, is_known) in [
            (format!("{advice} with more"), true),
            (format!("{} with more", advice.replace("this", "exactly this")), true),
            (advice.replace("module PATH", "name PATH"), false),
            ("- Check that the imported module exists under this name".to_owned(), false),
            ("Another pattern".to_owned(), false),
        ] {
            let given = format!("[b] helpful=0 harmful=0 :: {content}\n");
            assert_eq!(result(&given).known, usize::from(is_known), "{content}");
        }
        assert_eq!(result(&known), ImportedBullets { bullets: 0, known: 1, skipped: 0 });
    }

    #[test]
    fn unreadable_bullets_are_counted() {
        let (imported, _) =
            import("[a b] helpful=1 harmful=0 :: x\n[c] helpful=1 harmful=0 :: \u{202e}\n[d] helpful=0\n");
        assert_eq!(imported, ImportedBullets { bullets: 0, known: 0, skipped: 3 });
    }

    #[test]
    fn section_names_are_text_alone() {
        let long = "n".repeat(150);
        for (name, expected) in [
            ("<img src=x onerror=y> [l](javascript:1)", "### img src=x onerror=y l(javascript:1)\n"),
            ("`rm` \u{202e}x", "### rm x\n"),
            ("C#", "### C#\n"),
            ("C #<", "### C\n"),
            ("Unknown", "### Build & Test Patterns\n"),
            ("[]", "### Build & Test Patterns\n"),
            (&long, &format!("### {}…\n", "n".repeat(99))),
        ] {
            let given = format!("## {name}\n[x] helpful=0 harmful=0 :: One\n[y] helpful=0 harmful=0 :: Two\n");
            let (_, text) = import(&given);
            assert_eq!(text.matches("###").count(), 1, "{text}");
            assert!(text.contains(expected) && !text.contains("Unknown"), "{text}");
            assert_eq!(plan_import(&text, &parse_both_forms(&given)).text, None);
            // Another bullet of that section finds it.
            let (given, before) = (given.replace("One", "Three"), text);
            let after = plan_import(&before, &parse_both_forms(&given)).text.unwrap();
            assert_eq!(after.matches("###").count(), 1, "{after}");
        }
    }

    #[test]
    fn section_that_exists_keeps_its_name() {
        let text = "## Use `x` <y>\n## Unknown\n";
        let given = "[Bullet #a, helpful:0, harmful:0] One\n## use `x` <y>\n[Bullet #b, helpful:0, harmful:0] Two\n\
                     ## new\n\
                     [Bullet #c, helpful:0, harmful:0] Three\n## New\n[Bullet #d, helpful:0, harmful:0] Four\n";
        let after = plan_import(text, &parse_both_forms(given)).text.unwrap();
        let line = |id: &str, text: &str| format!("[Bullet #{id}, helpful:0, harmful:0] {text}\n");
        let expected = format!(
            "## Use `x` <y>\n{}## Unknown\n\n### Build & Test Patterns\n{}\n### new\n{}{}",
            line("b", "Two"),
            line("a", "One"),
            line("c", "Three"),
            line("d", "Four")
        );
        assert_eq!(after, expected);
    }

    #[test]
    fn many_bullets_are_all_imported() {
        let lines: String = (0..20_000)
            .map(|n| {
                format!("[b{n}] helpful=0 harmful=0 :: Run the build of package {n} with the option x{n} - not y\n")
            })
            .collect();
        let (imported, text) = import(&lines);
        assert_eq!(imported, ImportedBullets { bullets: 20_000, known: 0, skipped: 0 });
        assert_eq!(plan_import(&text, &parse_both_forms(&lines)).result.known, 20_000);
        // The same words in other orders: all may be alike.
        let names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];
        let lines: String = (0..10_000_usize)
            .map(|n| {
                let words = (0..6).map(|at| names[(n >> at) % 8]).collect::<Vec<_>>().join(" ");
                format!("[b{n}] helpful=0 harmful=0 :: {words} - {n}\n")
            })
            .collect();
        assert_eq!(import(&lines).0.bullets, 10_000);
    }
}
