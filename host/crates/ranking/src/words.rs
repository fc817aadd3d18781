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
        for run in text.split(|c: char| !c.is_alphanumeric()) {
            for part in split_at_capitals(run) {
                if part.chars().count() > MAX_WORD_CHARS {
                    continue;
                }
                let lower = part.to_lowercase();
                if lower.chars().any(is_ideograph) {
                    // No blanks separate the words of these scripts.
                    words.extend(lower.chars().map(String::from));
                } else if is_function_word(&lower) {
                    words.push(lower);
                } else if !lower.is_empty() {
                    words.push(self.0.stem(&lower).to_string());
                }
            }
        }
        words
    }
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

const fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
