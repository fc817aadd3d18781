//! Snippets: the part of a body in which a query matches, with marks.
//!
//! Owns: where a snippet begins and ends, and the marks.
//! Never: parses Markdown: a snippet is a part of the source, on one line.

use super::query::QueryPart;
use super::words::{Stemmers, Word, visit_words};
use crate::limits::{MAX_SNIPPET_HITS, SNIPPET_CHARS};

const MARK_START: &str = "<<";
const MARK_END: &str = ">>";

/// The words of a query, as they are looked for in a body.
pub(crate) struct SnippetWords {
    exact: Vec<String>,
    prefixes: Vec<String>,
    /// The words of the query.
    n_words: usize,
    stemmers: Stemmers,
}

impl SnippetWords {
    pub(crate) fn new(parts: &[QueryPart], languages: &[String]) -> Self {
        let mut stemmers = Stemmers::default();
        let (mut exact, mut prefixes) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                QueryPart::Word(word) => {
                    exact.push(word.folded.clone());
                    for language in languages {
                        let stem = stemmers.of(language).and_then(|stemmer| stemmer.stem(word).map(str::to_owned));
                        exact.extend(stem);
                    }
                }
                QueryPart::Prefix(word) => prefixes.push(word.folded.clone()),
                QueryPart::Phrase(words) => exact.extend(words.iter().map(|word| word.folded.clone())),
            }
        }
        exact.sort_unstable();
        exact.dedup();
        let n_words = parts.iter().map(QueryPart::n_words).sum();
        Self { exact, prefixes, n_words, stemmers }
    }

    /// Returns the part of a body in some languages with the most different words of the query; `None` if none is in it.
    pub(crate) fn snippet(&mut self, body: &str, languages: &[String]) -> Option<String> {
        let mut stemmers = std::mem::take(&mut self.stemmers);
        let mut hits: Vec<(usize, usize, String)> = Vec::new();
        let mut start = 0;
        for line in body.split_inclusive('\n') {
            visit_words(line, |word| {
                if hits.len() < MAX_SNIPPET_HITS
                    && let Some(form) = self.matching_form(&word, languages, &mut stemmers)
                {
                    hits.push((start + word.start, start + word.end, form));
                }
            });
            start += line.len();
            // The first line with a match of a single word is as good as any other.
            if !hits.is_empty() && self.n_words == 1 {
                break;
            }
        }
        self.stemmers = stemmers;
        let window = SNIPPET_CHARS;
        let mut best: Option<(usize, usize)> = None;
        for (at, (start, ..)) in hits.iter().enumerate() {
            let mut forms: Vec<&str> = Vec::new();
            for (_, _, form) in hits.iter().skip(at).take_while(|(_, end, _)| *end <= start + window) {
                if !forms.contains(&form.as_str()) {
                    forms.push(form);
                }
            }
            if best.is_none_or(|(_, most)| forms.len() > most) {
                best = Some((at, forms.len()));
            }
            // No part can have more.
            if forms.len() == self.exact.len() + self.prefixes.len() {
                break;
            }
        }
        let (first, _) = best?;
        let (start, ..) = hits.get(first)?;
        let from = floor_boundary(body, start.saturating_sub(window / 3));
        let to = ceil_boundary(body, start + window * 2 / 3);
        Some(render(body, from, to, &hits))
    }

    fn matching_form(&self, word: &Word, languages: &[String], stemmers: &mut Stemmers) -> Option<String> {
        if self.exact.contains(&word.folded) {
            return Some(word.folded.clone());
        }
        if let Some(prefix) = self.prefixes.iter().find(|prefix| word.folded.starts_with(prefix.as_str())) {
            return Some(prefix.clone());
        }
        languages.iter().find_map(|language| {
            let stem = stemmers.of(language)?.stem(word)?;
            self.exact.iter().find(|known| *known == stem).cloned()
        })
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

fn render(body: &str, from: usize, to: usize, hits: &[(usize, usize, String)]) -> String {
    let mut text = String::new();
    if from > 0 {
        text.push('…');
    }
    let mut at = from;
    for (start, end, _) in hits {
        if *start < at || *end > to {
            continue;
        }
        text.push_str(body.get(at..*start).unwrap_or_default());
        text.push_str(MARK_START);
        text.push_str(body.get(*start..*end).unwrap_or_default());
        text.push_str(MARK_END);
        at = *end;
    }
    text.push_str(body.get(at..to).unwrap_or_default());
    if to < body.len() {
        text.push('…');
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::query::parse_query;

    fn snippet(query: &str, body: &str) -> Option<String> {
        let languages = ["en".to_owned()];
        SnippetWords::new(&parse_query(query), &languages).snippet(body, &languages)
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
    fn any_body_has_a_snippet() {
        let text = snippet("é", "aéé ").unwrap_or_default();
        assert!(text.is_empty(), "{text}");
        assert!(snippet("x", &format!("{}x{}", "é".repeat(500), "é".repeat(500))).is_none());
        assert!(snippet("x", &format!("{} x {}", "é".repeat(500), "é".repeat(500))).is_some());
    }
}
