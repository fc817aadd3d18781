//! The import of bullets and logs of another project.
//!
//! Owns: what is known already and is left out: traces and insights by their ids, bullets by their text.
//! Never: changes what is imported from, or takes its text as it is.

use std::collections::HashSet;
use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use super::paper_form::{PaperBullet, parse_paper_form};
use crate::files::{LearningFiles, LearningPlaces, LineCounts, LogFile, PlaybookChange};
use crate::insight::Insight;
use crate::limits::{MAX_BULLET_CHARS, MAX_ID_CHARS, MAX_MESSAGE_CHARS};
use crate::playbook::{Bullet, Playbook, PlaybookEdit, SectionPolicy};
use crate::sanitize::{log_text, markdown_text, one_line, unescape_markdown};
use crate::trace::Trace;
use crate::update::routing::SECTIONS;
use crate::update::similarity::ComparedText;
use wardroom_service::ServiceError;

/// Lines that are written at a time.
const LINES_AT_A_TIME: usize = 500;

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

fn make_harmless(value: &mut Value) {
    match value {
        Value::String(text) => *text = log_text(text, MAX_MESSAGE_CHARS),
        Value::Array(items) => items.iter_mut().for_each(make_harmless),
        Value::Object(fields) => fields.values_mut().for_each(make_harmless),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
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
    let own = Playbook::parse(text);
    let own = own.bullets().iter().map(|bullet| PaperBullet {
        id: bullet.id.clone(),
        helpful: bullet.helpful,
        harmful: bullet.harmful,
        section: bullet.section.clone(),
        content: unescape_markdown(&bullet.content),
    });
    let given: Vec<PaperBullet> = own.chain(parse_paper_form(text)).collect();
    LearningFiles::new(into.clone()).change_playbook(|text| Ok(plan_import(text, &given)))
}

fn plan_import(text: &str, given: &[PaperBullet]) -> PlaybookChange<ImportedBullets> {
    let playbook = Playbook::parse(text);
    let mut ids: HashSet<String> = playbook.bullets().iter().map(|bullet| bullet.id.clone()).collect();
    let mut texts: Vec<ComparedText> =
        playbook.bullets().iter().map(|bullet| ComparedText::new(&bullet.content)).collect();
    let (mut edit, mut imported) = (PlaybookEdit::default(), ImportedBullets::default());
    for bullet in given {
        let content = markdown_text(&bullet.content, MAX_BULLET_CHARS);
        let compared = ComparedText::new(&content);
        if content.is_empty() || texts.iter().any(|known| compared.is_same_as(known)) {
            imported.known += 1;
            continue;
        }
        let id = if ids.contains(&bullet.id) { id_of_text(&content) } else { bullet.id.clone() };
        if !ids.insert(id.clone()) {
            imported.known += 1;
            continue;
        }
        let line = Bullet::line_with_counters(&id, bullet.helpful, bullet.harmful, &content);
        let section = one_line(&bullet.section, MAX_ID_CHARS);
        let section = if section.is_empty() { SECTIONS[0] } else { &section };
        // A policy that makes sections refuses none.
        let _ = edit.add_bullet(&playbook, section, &line, SectionPolicy::Create);
        texts.push(compared);
        imported.bullets += 1;
    }
    let text = (imported.bullets > 0).then(|| edit.apply(&playbook));
    PlaybookChange { result: imported, text }
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
        assert_eq!(imported, ImportedBullets { bullets: 3, known: 1 });
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
}
