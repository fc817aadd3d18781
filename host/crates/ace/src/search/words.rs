//! The words of a text, as they are searched.
//!
//! Owns: what a word is. Codes such as `TS2307`, and names with `_`, stay whole; what differs from one occurrence of an
//! error to the next also stands for its kind, as the analysis has it, so that a raw message finds its pattern.
//! Never: stems a word. How rare a word is weighs it, but for the words that hold sentences together: in a small log
//! these are rare too.

use crate::analyze::abstract_message;
use wardroom_ranking::{is_ideograph, split_at_ideographs};

/// Longest word, in characters. Longer ones are data.
const MAX_WORD_CHARS: usize = 64;

/// Words that say nothing of a subject. Negations are none of them.
const FUNCTION_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "do", "does", "for", "from", "had", "has", "have",
    "i", "if", "in", "into", "is", "it", "its", "of", "on", "or", "our", "so", "than", "that", "the", "their", "them",
    "then", "there", "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where", "which",
    "while", "who", "will", "with", "would", "you", "your",
];

pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word)
}

/// Calls `visit` with each word of a text, in lower case.
pub(super) fn for_each_word(text: &str, mut visit: impl FnMut(&str)) {
    let abstracted = abstract_message(text);
    let mut lower = String::new();
    // The abstraction replaces words one by one.
    for (raw, kind) in text.split_whitespace().zip(abstracted.split(' ')) {
        split_word(kind, &mut lower, &mut visit);
        if raw != kind {
            split_word(raw, &mut lower, &mut visit);
        }
    }
}

fn split_word(word: &str, lower: &mut String, visit: &mut impl FnMut(&str)) {
    let runs = word.split(|c: char| !c.is_alphanumeric() && c != '_').flat_map(split_at_ideographs);
    for run in runs.map(|run| run.trim_matches('_')).filter(|run| !run.is_empty()) {
        if run.starts_with(is_ideograph) {
            // No blanks separate the words of these scripts.
            let mut buffer = [0; 4];
            run.chars().for_each(|c| visit(c.encode_utf8(&mut buffer)));
            continue;
        }
        if run.chars().count() > MAX_WORD_CHARS {
            continue;
        }
        lower.clear();
        lower.extend(run.chars().flat_map(char::to_lowercase));
        visit(lower);
        if lower.contains('_') {
            lower.split('_').filter(|part| !part.is_empty()).for_each(&mut *visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each_word(text, |word| found.push(word.to_owned()));
        found
    }

    #[test]
    fn codes_stay_whole_and_what_differs_stands_for_its_kind() {
        for (text, expected) in [
            ("error TS2307: Cannot find 'x'", "error ts2307 cannot find x"),
            ("clippy::needless_return", "clippy needless_return needless return"),
            ("isn't __init__", "isn t init"),
            ("./auth.js", "path auth js"),
            ("took 10ms", "took nms 10ms"),
            ("モジュール x", "モ ジ ュ ー ル x"),
            ("使用Rust_2編", "使 用 rust_2 rust 2 編"),
            ("... -- ``", ""),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
        assert!(words(&"x".repeat(65)).is_empty());
        assert_eq!(words(&"語".repeat(65)).len(), 65);
    }

    #[test]
    fn raw_message_has_the_words_of_its_pattern() {
        let raw = words("open /tmp/x-1a2b/y failed (5 of 10) for 0190d1a2-7c3b-7aaa-8bbb-0123456789ab");
        for word in words("open PATH failed (N of N) for UUID") {
            assert!(raw.contains(&word), "{word}: {raw:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_words_of_bounded_length(text in any::<String>()) {
            prop_assert!(words(&text).iter().all(|word| !word.is_empty() && !word.contains(' ')));
        }
    }
}
