//! Snippets: the part of a body in which a query matches, with marks.
//!
//! Owns: where a snippet begins and ends, and the marks.
//! Never: parses Markdown: a snippet is a part of the source, on one line.

use std::collections::VecDeque;

use super::query::{Exactness, QueryPart};
use super::words::{Stemmers, VisitedWord, WordStemmer, visit_words};
use crate::limits::{MAX_SNIPPET_HITS, SNIPPET_CHARS};

const MARK_START: &str = "<<";
const MARK_END: &str = ">>";

/// The words of a query, as they are looked for in a body.
pub(crate) struct SnippetWords {
    /// The forms of single words, each with the number of its part.
    exact: Vec<(String, usize)>,
    /// The letters with which these forms begin: most words of a body begin with others, and need not be stemmed.
    first_letters: Vec<char>,
    prefixes: Vec<(String, usize)>,
    /// The words of phrases, each phrase with the number of its part.
    phrases: Vec<(Vec<String>, usize)>,
    n_parts: usize,
    stemmers: Stemmers,
    exactness: Exactness,
}

/// A part of a body on one line, in parts that match and others.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Snippet {
    pub(crate) parts: Vec<SnippetPart>,
    /// Whether the text so far ends with space, of which one is written before more text.
    ends_with_space: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SnippetPart {
    pub(crate) text: String,
    pub(crate) is_match: bool,
}

impl Snippet {
    fn push(&mut self, text: &str, is_match: bool) {
        // A match begins with its word.
        if is_match {
            self.write_space();
        }
        if self.parts.last().is_none_or(|last| last.is_match || is_match) {
            self.parts.push(SnippetPart { text: String::new(), is_match });
        }
        for word in text.split_inclusive(char::is_whitespace) {
            let trimmed = word.trim_end();
            if !trimmed.is_empty() {
                self.write_space();
                self.append(trimmed);
            }
            self.ends_with_space |= trimmed.len() < word.len();
        }
    }

    fn write_space(&mut self) {
        let is_inside = self.parts.iter().any(|part| !part.text.is_empty());
        if std::mem::take(&mut self.ends_with_space) && is_inside {
            self.append(" ");
        }
    }

    fn append(&mut self, text: &str) {
        if let Some(last) = self.parts.last_mut() {
            last.text.push_str(text);
        }
    }

    /// Returns the text with marks around what matches.
    pub(crate) fn to_marked_text(&self) -> String {
        let marked = |part: &SnippetPart| match part.is_match {
            true => format!("{MARK_START}{}{MARK_END}", part.text),
            false => part.text.clone(),
        };
        self.parts.iter().map(marked).collect()
    }
}

/// A place in a body that matches a part of the query.
struct Hit {
    start: usize,
    end: usize,
    part: usize,
}

impl SnippetWords {
    pub(crate) fn new(parts: &[QueryPart], languages: &[String], exactness: Exactness) -> Self {
        let mut stemmers = Stemmers::default();
        let (mut exact, mut prefixes, mut phrases) = (Vec::new(), Vec::new(), Vec::new());
        for (number, part) in parts.iter().enumerate() {
            match part {
                QueryPart::Word(word) => {
                    exact.push((word.folded.clone(), number));
                    for stemmer in stemmers.of_all(languages) {
                        exact.extend(stemmer.stem(word.as_visited()).map(|stem| (stem.to_owned(), number)));
                    }
                }
                QueryPart::Prefix(word) => prefixes.push((word.folded.clone(), number)),
                QueryPart::Phrase(words) => {
                    phrases.push((words.iter().map(|word| word.folded.clone()).collect(), number));
                }
            }
        }
        let first_letters = exact.iter().filter_map(|(form, _)| form.chars().next()).collect();
        Self { exact, first_letters, prefixes, phrases, n_parts: parts.len(), stemmers, exactness }
    }

    /// Returns the part of a body in some languages with the most different parts of the query; `None` if none is in it.
    pub(crate) fn snippet(&mut self, body: &str, languages: &[String]) -> Option<Snippet> {
        let mut all_stemmers = std::mem::take(&mut self.stemmers);
        let hits = self.hits(body, &mut all_stemmers.of_all(languages));
        self.stemmers = all_stemmers;
        let mut best: Option<(usize, usize)> = None;
        for (at, first) in hits.iter().enumerate() {
            let within = hits.iter().skip(at).take_while(|hit| hit.end <= first.start + SNIPPET_CHARS);
            let n_parts = count_parts(within);
            if best.is_none_or(|(_, most)| n_parts > most) {
                best = Some((at, n_parts));
            }
        }
        let (first, _) = best?;
        let start = hits.get(first)?.start;
        let from = floor_boundary(body, start.saturating_sub(SNIPPET_CHARS / 3));
        let to = ceil_boundary(body, start + SNIPPET_CHARS * 2 / 3);
        Some(render(body, from, to, &hits))
    }

    /// Returns the places that match, up to the first line where all parts of the query stand together.
    fn hits(&self, body: &str, stemmers: &mut [&mut WordStemmer]) -> Vec<Hit> {
        let longest = self.phrases.iter().map(|(words, _)| words.len()).max().unwrap_or(0);
        let mut recent = RecentWords::new(longest);
        let mut hits: Vec<Hit> = Vec::new();
        let mut start = 0;
        for line in body.split_inclusive('\n') {
            let before = hits.len();
            visit_words(line, |word| {
                if hits.len() >= MAX_SNIPPET_HITS {
                    return;
                }
                let (from, to) = (start + word.start, start + word.end);
                if let Some(part) = self.part_of(word, stemmers) {
                    hits.push(Hit { start: from, end: to, part });
                }
                if longest > 0 {
                    recent.push(word.folded, from, to);
                    for (phrase, part) in &self.phrases {
                        hits.extend(recent.place_of(phrase).map(|(start, end)| Hit { start, end, part: *part }));
                    }
                }
            });
            start += line.len();
            // No phrase reaches from one paragraph into another.
            if line.trim().is_empty() {
                recent.clear();
            }
            let is_together = |last: &Hit| {
                let near = hits.iter().rev().skip_while(|hit| hit.start > last.start);
                count_parts(near.take_while(|hit| hit.start + SNIPPET_CHARS >= last.end)) == self.n_parts
            };
            if hits.get(before..).is_some_and(|new| new.iter().any(is_together)) {
                break;
            }
        }
        hits.sort_by_key(|hit| hit.start);
        hits
    }

    /// Returns the number of the part of the query that a word alone matches.
    fn part_of(&self, word: VisitedWord<'_>, stemmers: &mut [&mut WordStemmer]) -> Option<usize> {
        let number = |form: &str| self.exact.iter().find(|(known, _)| known == form).map(|(_, part)| *part);
        let begins_alike = word.folded.chars().next().is_some_and(|first| self.first_letters.contains(&first));
        if let Some(part) = Some(word.folded).filter(|_| begins_alike).and_then(number) {
            return Some(part);
        }
        if let Some((_, part)) = self.prefixes.iter().find(|(prefix, _)| word.folded.starts_with(prefix.as_str())) {
            return Some(*part);
        }
        if self.exact.is_empty() {
            return None;
        }
        if self.exactness == Exactness::OneLetterOff {
            let near = |(known, _): &&(String, usize)| is_one_letter_off(known, word.folded);
            return self.exact.iter().find(near).map(|(_, part)| *part);
        }
        let may_match = |stemmer: &&mut &mut WordStemmer| begins_alike || stemmer.may_change_first_letter();
        stemmers.iter_mut().filter(may_match).find_map(|stemmer| number(stemmer.stem(word)?))
    }
}

/// Whether two words differ by one letter: another one, one more, one less, or two that changed places.
fn is_one_letter_off(one: &str, other: &str) -> bool {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let rest = |word: &str, skipped: usize| word.chars().skip(same + skipped).collect::<Vec<_>>();
    let (one, other) = ((rest(one, 0), rest(one, 1)), (rest(other, 0), rest(other, 1)));
    let swapped = match (one.0.as_slice(), other.0.as_slice()) {
        ([a, b, one @ ..], [c, d, other @ ..]) => (a, b) == (d, c) && one == other,
        _ => false,
    };
    one.1 == other.1 || one.0 == other.1 || one.1 == other.0 || swapped
}

fn count_parts<'h>(hits: impl Iterator<Item = &'h Hit>) -> usize {
    // A query has fewer parts than this number bits.
    hits.fold(0_u64, |parts, hit| parts | 1 << hit.part).count_ones() as usize
}

/// The last words of a paragraph.
struct RecentWords {
    words: VecDeque<(String, usize, usize)>,
    most: usize,
}

impl RecentWords {
    fn new(most: usize) -> Self {
        Self { words: VecDeque::with_capacity(most), most }
    }

    fn push(&mut self, folded: &str, start: usize, end: usize) {
        let mut text = if self.words.len() >= self.most { self.words.pop_front() } else { None }
            .map(|(text, ..)| text)
            .unwrap_or_default();
        text.clear();
        text.push_str(folded);
        self.words.push_back((text, start, end));
    }

    fn clear(&mut self) {
        self.words.clear();
    }

    /// Returns where a phrase is, if its words are the last ones.
    fn place_of(&self, phrase: &[String]) -> Option<(usize, usize)> {
        let mut last = self.words.iter().skip(self.words.len().checked_sub(phrase.len())?).peekable();
        let (_, start, _) = *last.peek()?;
        last.map(|(word, ..)| word).eq(phrase).then_some((*start, self.words.back()?.2))
    }
}

/// Moves a place to the start of the word that it is in.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = text.get(..at).unwrap_or_default();
    let word: usize = before.chars().rev().take(20).take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    at - word
}

fn ceil_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    let after = text.get(at..).unwrap_or_default();
    let word: usize = after.chars().take(20).take_while(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    at + word
}

/// Returns the part of a body between two places, on one line.
fn render(body: &str, from: usize, to: usize, hits: &[Hit]) -> Snippet {
    let mut snippet = Snippet::default();
    if from > 0 {
        snippet.push("…", false);
    }
    let mut at = from;
    for Hit { start, end, .. } in hits {
        if *start < at || *start >= to {
            continue;
        }
        // A phrase may be longer than the snippet.
        let end = (*end).min(to);
        snippet.push(body.get(at..*start).unwrap_or_default(), false);
        snippet.push(body.get(*start..end).unwrap_or_default(), true);
        at = end;
    }
    snippet.push(body.get(at..to).unwrap_or_default(), false);
    if to < body.len() {
        snippet.push("…", false);
    }
    snippet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::query::parse_query;

    fn snippet(query: &str, body: &str) -> Option<String> {
        let languages = ["en".to_owned()];
        SnippetWords::new(&parse_query(query).parts, &languages, Exactness::Exact)
            .snippet(body, &languages)
            .map(|snippet| snippet.to_marked_text())
    }

    #[test]
    fn matches_are_marked() {
        assert_eq!(snippet("runs", "He was\n\nrunning, and ran.").as_deref(), Some("He was <<running>>, and ran."));
        assert_eq!(snippet("wor*", "Words of the world").as_deref(), Some("<<Words>> of the <<world>>"));
        assert_eq!(snippet("新书", "了一本新书。").as_deref(), Some("了一本<<新书>>。"));
        assert_eq!(snippet("absent", "nothing here"), None);
    }

    #[test]
    fn snippet_is_where_most_words_are() {
        let filler = "filler ".repeat(100);
        let body = format!("alpha {filler} alpha beta {filler}");
        let text = snippet("alpha beta", &body).unwrap();
        assert!(text.contains("<<alpha>> <<beta>>") && text.starts_with('…') && text.ends_with('…'), "{text}");
        assert!(text.len() < 2 * SNIPPET_CHARS, "{text}");
    }

    #[test]
    fn words_with_one_other_letter_are_marked_where_they_were_found() {
        let languages = ["en".to_owned()];
        let mut words = SnippetWords::new(&parse_query("harbour").parts, &languages, Exactness::OneLetterOff);
        let body = "A harbor, harbours, a harvour, and rahbour.";
        let expected = "A <<harbor>>, <<harbours>>, a <<harvour>>, and rahbour.";
        assert_eq!(words.snippet(body, &languages).unwrap().to_marked_text(), expected);
        assert!(is_one_letter_off("form", "from") && !is_one_letter_off("form", "forest"));
    }

    #[test]
    fn phrases_are_marked_as_a_whole() {
        let body = "beta alpha\n\nalpha\n\nbeta, alpha\nbeta";
        assert_eq!(snippet("\"alpha beta\"", body).as_deref(), Some("beta alpha alpha beta, <<alpha beta>>"));
        assert_eq!(snippet("一本新书", "了一本新书。").as_deref(), Some("了<<一本新书>>。"));
        assert_eq!(snippet("\"alpha gamma\"", body), None);
    }

    #[test]
    fn phrase_longer_than_the_snippet_is_marked_as_far_as_it_is_shown() {
        let text = snippet("\"alpha beta\"", &format!("See alpha{}beta.", "-".repeat(SNIPPET_CHARS * 2))).unwrap();
        assert!(text.starts_with("See <<alpha--") && text.ends_with("-->>…"), "{text}");
        assert!(text.chars().count() < SNIPPET_CHARS, "{text}");
    }

    #[test]
    fn any_body_has_a_snippet() {
        let text = snippet("é", "aéé ").unwrap_or_default();
        assert!(text.is_empty(), "{text}");
        assert!(snippet("x", &format!("{}x{}", "é".repeat(500), "é".repeat(500))).is_none());
        assert!(snippet("x", &format!("{} x {}", "é".repeat(500), "é".repeat(500))).is_some());
    }
}
