//! The text of a query, as words, phrases and beginnings of words.
//!
//! Owns: the syntax: words are all required, `"a phrase"` stands as it is, `begin*` stands for every word that begins so.
//! All other characters separate words.
//! Never: fails: what is no word is left out.

use super::words::{Word, split_words};
use crate::limits::{MAX_QUERY_BYTES, MAX_QUERY_WORDS};

/// A part of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum QueryPart {
    Word(Word),
    /// Words that follow each other, at least two.
    Phrase(Vec<Word>),
    /// The beginning of a word.
    Prefix(Word),
}

/// How exactly words must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exactness {
    Exact,
    /// Each word alone may differ in one letter.
    OneLetterOff,
}

/// What a text asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ParsedQuery {
    pub(crate) parts: Vec<QueryPart>,
    /// The text has more words than a query may have; the first ones are here.
    pub(crate) is_cut: bool,
}

/// How many words a query may still have.
struct WordsLeft {
    left: usize,
    is_cut: bool,
}

impl WordsLeft {
    fn take(&mut self, words: usize) -> usize {
        let taken = words.min(self.left);
        self.left -= taken;
        self.is_cut |= taken < words;
        taken
    }
}

/// Splits a query into its parts.
pub(crate) fn parse_query(text: &str) -> ParsedQuery {
    let mut end = text.len().min(MAX_QUERY_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut left = WordsLeft { left: MAX_QUERY_WORDS, is_cut: end < text.len() };
    let text = text.get(..end).unwrap_or_default();
    let mut parts = Vec::new();
    // Every second piece is within quotes. A quote that is not closed is none.
    let mut pieces: Vec<&str> = text.split('"').collect();
    let unclosed = if pieces.len().is_multiple_of(2) { pieces.pop() } else { None };
    for (at, piece) in pieces.into_iter().enumerate() {
        if at % 2 == 1 {
            let mut words = split_words(piece);
            words.truncate(left.take(words.len()));
            push_phrase(&mut parts, words);
        } else {
            push_words(&mut parts, piece, &mut left);
        }
    }
    push_words(&mut parts, unclosed.unwrap_or_default(), &mut left);
    ParsedQuery { parts, is_cut: left.is_cut }
}

fn push_words(parts: &mut Vec<QueryPart>, text: &str, left: &mut WordsLeft) {
    let mut words = split_words(text).into_iter().peekable();
    while let Some(word) = words.next() {
        if left.take(1) == 0 {
            return;
        }
        let is_prefix = text.get(word.end..).is_some_and(|rest| rest.starts_with('*'));
        if word.is_pair {
            // The pairs of one run of characters.
            let mut run = vec![word];
            while let Some(next) =
                words.next_if(|next| next.is_pair && run.last().is_some_and(|last| next.start < last.end))
            {
                run.push(next);
            }
            run.truncate(1 + left.take(run.len() - 1));
            push_run(parts, run);
        } else if is_prefix {
            parts.push(QueryPart::Prefix(word));
        } else {
            parts.push(QueryPart::Word(word));
        }
    }
}

/// Adds a run of a script without spaces: all its pairs, one after the other. The last character alone says nothing more.
fn push_run(parts: &mut Vec<QueryPart>, mut run: Vec<Word>) {
    if run.len() == 1 {
        // One character: it begins a pair, or ends a run.
        parts.extend(run.pop().map(QueryPart::Prefix));
        return;
    }
    run.pop();
    push_phrase(parts, run);
}

fn push_phrase(parts: &mut Vec<QueryPart>, mut words: Vec<Word>) {
    // A single character at the end of a run is part of the pair before it.
    let is_end_of_run = |words: &[Word]| match words {
        [.., before, last] => last.is_pair && before.is_pair && last.start < before.end && last.end <= before.end,
        _ => false,
    };
    if is_end_of_run(&words) {
        words.pop();
    }
    match words.len() {
        0 => {}
        // One character of a script without spaces begins a pair, or ends a run.
        1 => parts.extend(words.pop().map(|word| {
            let is_one = word.is_pair && word.folded.chars().count() == 1;
            if is_one { QueryPart::Prefix(word) } else { QueryPart::Word(word) }
        })),
        _ => parts.push(QueryPart::Phrase(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(query: &str) -> String {
        let words = |words: &[Word]| words.iter().map(|word| word.folded.clone()).collect::<Vec<_>>().join(" ");
        let part = |part: &QueryPart| match part {
            QueryPart::Word(word) => word.folded.clone(),
            QueryPart::Prefix(word) => format!("{}*", word.folded),
            QueryPart::Phrase(phrase) => format!("\"{}\"", words(phrase)),
        };
        parse_query(query).parts.iter().map(part).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn words_phrases_and_prefixes_are_told_apart() {
        assert_eq!(shown("Hello  world"), "hello | world");
        assert_eq!(shown("say \"Hello, world\" twic*"), "say | \"hello world\" | twic*");
        assert_eq!(shown("\"one\""), "one");
        assert_eq!(shown("multi-agent c++ why? foo:bar a\"b"), "multi | agent | c | why | foo | bar | a | b");
        for nothing in ["", "  ", "\"\"", "***", "\"\"\"\"", "?!"] {
            assert_eq!(shown(nothing), "", "{nothing}");
        }
    }

    #[test]
    fn unspaced_scripts_become_phrases_of_pairs() {
        assert_eq!(shown("新书"), "新书");
        assert_eq!(shown("一本新书"), "\"一本 本新 新书\"");
        assert_eq!(shown("\"一本新书\""), "\"一本 本新 新书\"");
        assert_eq!(shown("书"), "书*");
        assert_eq!(shown("rust 新书"), "rust | 新书");
    }

    #[test]
    fn long_queries_are_cut() {
        for (text, parts, is_cut) in [
            ("word ".repeat(MAX_QUERY_WORDS), MAX_QUERY_WORDS, false),
            ("word ".repeat(MAX_QUERY_WORDS + 1), MAX_QUERY_WORDS, true),
            (format!("\"{}\"", "word ".repeat(MAX_QUERY_WORDS + 1)), 1, true),
            ("哈".repeat(300), 1, true),
            ("\"".repeat(10_000), 0, false),
            (format!("{}é", "a".repeat(MAX_QUERY_BYTES - 1)), 0, true),
        ] {
            let query = parse_query(&text);
            assert_eq!((query.parts.len(), query.is_cut), (parts, is_cut), "{} bytes", text.len());
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_query(text in "\\PC{0,80}") {
            for part in parse_query(&text).parts {
                let is_good = match part {
                    QueryPart::Word(word) | QueryPart::Prefix(word) => !word.folded.is_empty(),
                    QueryPart::Phrase(words) => words.len() > 1,
                };
                prop_assert!(is_good);
            }
        }
    }
}
