//! Whether two bullets say the same.
//!
//! Owns: the normal form of a bullet's text, and how alike two patterns and two recommendations have to be.
//! Never: takes a sentence and its negation, or two error codes, for the same.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::sanitize::unescape_markdown;

/// Tokens that two patterns share, in hundredths of all of them, from which on they are one.
const SAME_PATTERN: usize = 85;
/// The same of two recommendations.
const SAME_RECOMMENDATION: usize = 60;
/// Words without which a sentence says the opposite.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "cannot", "without", "none", "isn", "aren", "doesn", "don", "didn", "won", "can", "t",
    "unless",
];

/// The text of a bullet in the form in which bullets are compared. An update compares each insight with each bullet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComparedText {
    normal: u64,
    pattern: Tokens,
    recommendation: Tokens,
}

/// The words of a text by their hashes, sorted, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Tokens {
    all: Vec<u64>,
    /// Of numbers, codes and negations: they are the meaning.
    keys: Vec<u64>,
    /// Of the words in their order.
    sequence: u64,
}

impl ComparedText {
    /// Reads the content of a bullet: a pattern, and after ` - ` a recommendation.
    pub(crate) fn new(content: &str) -> Self {
        let plain = unescape_markdown(content);
        let (pattern, recommendation) = plain.split_once(" - ").unwrap_or((&plain, ""));
        let normal = hash(&normalized(&plain));
        Self { normal, pattern: Tokens::new(pattern), recommendation: Tokens::new(recommendation) }
    }

    fn keys(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.pattern.keys, &self.recommendation.keys).hash(&mut hasher);
        hasher.finish()
    }

    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        self.normal == other.normal
            || self.pattern.is_like(&other.pattern, SAME_PATTERN)
                && self.recommendation.is_like(&other.recommendation, SAME_RECOMMENDATION)
    }
}

/// Texts in which one that says the same is looked for. A playbook and a log may have thousands of each.
#[derive(Debug, Default)]
pub(crate) struct ComparedTexts {
    texts: Vec<ComparedText>,
    by_normal: HashMap<u64, usize>,
    /// Texts that say the same have the same numbers, codes and negations.
    by_keys: HashMap<u64, Vec<usize>>,
}

impl ComparedTexts {
    pub(crate) fn push(&mut self, text: ComparedText) {
        let number = self.texts.len();
        self.by_normal.entry(text.normal).or_insert(number);
        self.by_keys.entry(text.keys()).or_default().push(number);
        self.texts.push(text);
    }

    pub(crate) fn get(&self, number: usize) -> Option<&ComparedText> {
        self.texts.get(number)
    }

    /// Returns the number of the first text that says the same.
    pub(crate) fn find(&self, text: &ComparedText) -> Option<usize> {
        let same = self.by_normal.get(&text.normal).copied();
        let alike = self.by_keys.get(&text.keys()).into_iter().flatten().copied();
        let mut alike = alike.filter(|number| self.texts.get(*number).is_some_and(|other| text.is_same_as(other)));
        same.into_iter().chain(alike.next()).min()
    }
}

impl FromIterator<ComparedText> for ComparedTexts {
    fn from_iter<I: IntoIterator<Item = ComparedText>>(texts: I) -> Self {
        let mut collected = Self::default();
        texts.into_iter().for_each(|text| collected.push(text));
        collected
    }
}

impl Tokens {
    fn new(text: &str) -> Self {
        let text = normalized(text);
        let words = || text.split(' ').filter(|word| !word.is_empty());
        let is_key = |word: &&str| word.bytes().any(|b| b.is_ascii_digit()) || NEGATIONS.contains(word);
        Self { all: sorted_hashes(words()), keys: sorted_hashes(words().filter(is_key)), sequence: hash(&text) }
    }

    fn is_like(&self, other: &Self, least: usize) -> bool {
        let (fewer, more) = (self.all.len().min(other.all.len()), self.all.len().max(other.all.len()));
        if self.keys != other.keys || fewer * 100 < more * least {
            return false;
        }
        // `A instead of B` and `B instead of A` have the same words.
        if self.all == other.all {
            return self.sequence == other.sequence;
        }
        let shared = count_shared(&self.all, &other.all);
        shared * 100 >= (fewer + more - shared) * least
    }
}

fn sorted_hashes<'w>(words: impl Iterator<Item = &'w str>) -> Vec<u64> {
    let mut hashes: Vec<u64> = words.map(hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Returns how many values two sorted lists share.
fn count_shared(one: &[u64], other: &[u64]) -> usize {
    let mut rest = other.iter().peekable();
    let is_shared = |value: &&u64| {
        while rest.next_if(|next| next < value).is_some() {}
        rest.next_if_eq(value).is_some()
    };
    one.iter().filter(is_shared).count()
}

/// Returns the words of a text in lower case, with one space between two.
fn normalized(text: &str) -> String {
    let words: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is_same(one: &str, other: &str) -> bool {
        let (one, other) = (ComparedText::new(one), ComparedText::new(other));
        assert_eq!(one.is_same_as(&other), other.is_same_as(&one));
        one.is_same_as(&other)
    }

    #[test]
    fn wording_matters_and_marks_do_not() {
        let pattern = "Cannot find module PATH - Check that the imported module exists under this name";
        assert!(is_same(
            pattern,
            "cannot find module `PATH`:  - check that the imported module exists under this name."
        ));
        assert!(is_same(
            pattern,
            "Cannot find module PATH - Check that the imported module exists under exactly this name"
        ));
        assert!(is_same("a \\[b\\] - c", "a [b] - c"));
        assert!(!is_same(pattern, "Cannot find module PATH - Fixed by: add the build step"));
        assert!(!is_same(pattern, "Cannot find name PATH - Check that the imported module exists under this name"));
    }

    #[test]
    fn first_text_that_says_the_same_is_found() {
        let texts: ComparedTexts = ["retry 3 times", "Retry: 3 times!", "build it - with the new flag", "x"]
            .map(ComparedText::new)
            .into_iter()
            .collect();
        let find = |text: &str| texts.find(&ComparedText::new(text));
        assert_eq!(find("retry 3 times."), Some(0));
        assert_eq!(find("build it - with the new flag now"), Some(2));
        assert_eq!((find("X"), find("retry 4 times")), (Some(3), None));
    }

    #[test]
    fn negation_and_codes_tell_apart() {
        let advice = "- use the one long sentence of advice that both of these have";
        let long = "the value of this rather long type is assignable to the value of that other type here";
        assert!(is_same(&format!("{long} {advice}"), &format!("{long} too {advice}")));
        assert!(!is_same(&format!("{long} {advice}"), &format!("{} {advice}", long.replace(" is ", " is not "))));
        assert!(!is_same(&format!("TS2307: {long}"), &format!("TS2305: {long}")));
        assert!(!is_same("retry 3 times", "retry 5 times"));
        assert!(!is_same("Use yarn instead of npm here", "Use npm instead of yarn here"));
        assert!(!is_same("'string' is not assignable to 'number' - x", "'number' is not assignable to 'string' - x"));
    }
}
