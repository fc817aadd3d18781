//! The words of names and sentences.
//!
//! Owns: where a word ends, what is a form of the same word, and how far a mistyped word may differ.

use frostem::{Algorithm, Stemmer};

/// Longest word, in characters. Longer ones are data.
const MAX_WORD_CHARS: usize = 64;

/// Words that say nothing of a subject. Negations are none of them.
const FUNCTION_WORDS: &[&str] = &[
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "does",
    "each", "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of",
    "on", "one", "or", "our", "so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "up", "us", "was", "we", "were", "what", "when", "where", "which", "while", "who", "will",
    "with", "would", "you", "your",
];

/// Splits texts. It holds the tables of the stemmer.
pub(super) struct WordSplitter(Stemmer);

impl Default for WordSplitter {
    fn default() -> Self {
        Self(Stemmer::new(Algorithm::English))
    }
}

impl std::fmt::Debug for WordSplitter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WordSplitter")
    }
}

impl WordSplitter {
    /// Returns the words of a text in lower case, without their endings. Names are split at `_` and at capitals.
    pub(super) fn split(&self, text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for run in text.split(|c: char| !c.is_alphanumeric()).flat_map(split_at_ideographs) {
            if run.starts_with(is_ideograph) {
                // No blanks separate the words of these scripts.
                words.extend(run.chars().map(String::from));
                continue;
            }
            for part in split_at_capitals(run) {
                if part.chars().count() > MAX_WORD_CHARS {
                    continue;
                }
                let lower = part.to_lowercase();
                if is_function_word(&lower) {
                    words.push(lower);
                } else if !lower.is_empty() {
                    words.push(self.0.stem(&lower).to_string());
                }
            }
        }
        words
    }
}

/// Splits `Rust入門` into `Rust` and `入門`.
pub fn split_at_ideographs(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = run;
    std::iter::from_fn(move || {
        let is_first_ideograph = is_ideograph(rest.chars().next()?);
        let end = rest.find(|c| is_ideograph(c) != is_first_ideograph).unwrap_or(rest.len());
        let (part, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(part)
    })
}

/// Splits `readPost` into `read` and `Post`.
fn split_at_capitals(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut was_lower) = (0, false);
    for (at, c) in run.char_indices() {
        if c.is_uppercase() && was_lower {
            parts.push(run.get(start..at).unwrap_or_default());
            start = at;
        }
        was_lower = c.is_lowercase();
    }
    parts.push(run.get(start..).unwrap_or_default());
    parts
}

pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word)
}

/// Whether a word may be a mistyped form of a known one: with one mistake, or with two in a long one.
pub(super) fn is_mistyped(word: &str, known: &str) -> bool {
    let n_chars = word.chars().count();
    let most = match n_chars {
        0..4 => return false,
        4..8 => 1,
        _ => 2,
    };
    known.chars().count().abs_diff(n_chars) <= most && strsim::osa_distance(word, known) <= most
}

/// Whether a character is of a script that puts no blanks between words.
#[must_use]
pub const fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_scripts_without_blanks_are_their_characters() {
        let splitter = WordSplitter::default();
        assert_eq!(splitter.split("Rust入門readPosts"), ["rust", "入", "門", "read", "post"]);
        assert_eq!(splitter.split("v2版"), ["v2", "版"]);
        assert_eq!(splitter.split(&"語".repeat(100)).len(), 100);
        assert!(splitter.split(&"a".repeat(100)).is_empty());
    }
}
