//! What is alike in failures and in fixes that agents word differently.
//!
//! Owns: which failures are of one kind when only their names differ, and which two reports say the same fix.
//! Never: looks at anything but the texts: whether two are alike does not change with what else is in the log.

use std::ops::Range;

use super::error_kind::ErrorSignature;

/// Words that any report of a fix may have: they say neither what was changed nor where. Sorted.
const FILLERS: &[&str] = &[
    "a", "add", "added", "after", "again", "all", "also", "an", "and", "as", "at", "be", "before", "by", "call",
    "called", "change", "changed", "did", "first", "fix", "fixed", "for", "from", "has", "have", "i", "in", "instead",
    "into", "is", "it", "its", "made", "make", "need", "needs", "now", "of", "on", "or", "problem", "ran", "run",
    "set", "that", "the", "them", "then", "there", "they", "this", "to", "use", "used", "was", "we", "were", "what",
    "which", "with", "work", "worked", "works",
];
/// The quotes of all tools, as pairs.
const QUOTES: &[(char, char)] = &[('\'', '\''), ('"', '"'), ('`', '`'), ('‘', '’'), ('“', '”')];

/// A report of a fix in the form in which reports are compared.
#[derive(Debug)]
pub(super) struct ComparedFix {
    lower: String,
    /// Where its words are, sorted by their texts, each once.
    words: Vec<Range<usize>>,
}

impl ComparedFix {
    pub(super) fn new(fix: &str) -> Self {
        let lower = fix.to_lowercase();
        let parts = lower.split(|c: char| !c.is_alphanumeric() && c != '_');
        let mut start = 0;
        let ranges = parts.map(|part| {
            let range = start..start + part.len();
            // Whatever separates two words is one character.
            start = range.end + lower.get(range.end..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            range
        });
        let is_own = |word: &str| !word.is_empty() && FILLERS.binary_search(&word).is_err();
        let mut words: Vec<_> = ranges.filter(|range| is_own(text_at(&lower, range))).collect();
        words.sort_unstable_by(|a, b| text_at(&lower, a).cmp(text_at(&lower, b)));
        words.dedup_by(|a, b| text_at(&lower, a) == text_at(&lower, b));
        Self { lower, words }
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|range| text_at(&self.lower, range))
    }

    /// Whether a report has no word of its own, as `it works now`.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether two reports share half of the words of the shorter one, and two words where both have more than one.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let shorter = self.words.len().min(other.words.len());
        let (mut others, mut shared) = (other.words().peekable(), 0);
        for word in self.words() {
            while others.next_if(|other| *other < word).is_some() {}
            shared += usize::from(others.next_if_eq(&word).is_some());
        }
        shared * 2 >= shorter && shared >= shorter.min(2)
    }
}

fn text_at<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    text.get(range.clone()).unwrap_or_default()
}

/// Returns what failures of one kind share: the tool, and the code, or where there is none the message without names.
pub(super) fn kind_of(signature: &ErrorSignature) -> String {
    let subject = match &signature.code {
        Some(code) => code.clone(),
        None => without_names(&signature.message).to_lowercase(),
    };
    format!("{}\n{subject}", signature.tool)
}

/// Returns a message with `NAME` for each text in quotes.
pub(super) fn without_names(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    let mut is_in_word = false;
    while let Some(first) = rest.chars().next() {
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        // The quote within `can't` opens nothing.
        let close = QUOTES.iter().find(|(open, _)| *open == first && !is_in_word).map(|(_, close)| *close);
        if let Some((close, end)) = close.and_then(|close| Some((close, after.find(close)?))) {
            out.push(first);
            out.push_str("NAME");
            out.push(close);
            rest = after.get(end + close.len_utf8()..).unwrap_or_default();
            is_in_word = false;
            continue;
        }
        is_in_word = first.is_alphanumeric();
        out.push(first);
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillers_are_sorted() {
        assert!(FILLERS.is_sorted());
    }

    #[test]
    fn names_in_quotes_are_abstracted() {
        for (message, expected) in [
            ("borrow of moved value: `account`", "borrow of moved value: `NAME`"),
            ("KeyError: 'INVENTORY_DB'", "KeyError: 'NAME'"),
            ("can't compare \"a b\" and 'c'", "can't compare \"NAME\" and 'NAME'"),
            ("it's open: ' and no more", "it's open: ' and no more"),
            ("", ""),
        ] {
            assert_eq!(without_names(message), expected);
        }
    }

    #[test]
    fn wordings_of_one_fix_are_alike_and_two_fixes_are_not() {
        let is_like = |one: &str, other: &str| ComparedFix::new(one).is_like(&ComparedFix::new(other));
        assert!(is_like("clone the Arc before the closure", "give the closure a clone of the Arc"));
        assert!(is_like("run `npm run generate` first", "ran npm run generate"));
        assert!(is_like("reinstalled", "reinstalled it"));
        assert!(ComparedFix::new("It works now.").is_empty() && !ComparedFix::new("pinned it").is_empty());
        assert!(!is_like("run npm run generate first", "run npm install first and check the lock file of it"));
        assert!(!is_like("add the module to paths in tsconfig.json", "write the declaration of the module"));
        assert!(!is_like("pinned it", "upgraded it"));
    }
}
