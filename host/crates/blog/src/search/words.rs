//! Words: how text is split for the index and for queries, folded, and stemmed.
//!
//! Owns: the rules for both sides, so that a query finds what the index has. A word is a run of letters, marks and digits.
//! Accents and case are folded. Scripts without spaces between words (Han, kana, Hangul, Thai and their like) become
//! overlapping pairs of characters, and the last character of a run stands alone too: a dictionary would cut 了一本新书 so
//! that 新书 is not found.
//! Never: depends on how the index stores words.

use std::borrow::Cow;
use std::collections::HashMap;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

use crate::limits::{MAX_MEMOISED_WORDS, MAX_WORD_BYTES};

/// The language of texts whose language is not known.
pub(crate) const DEFAULT_LANGUAGE: &str = "en";

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// The folded characters.
    pub(crate) folded: String,
    /// The characters in lower case, for a stemmer. Equal to `folded` in most languages.
    pub(crate) lower: String,
    /// Where it is in the text, in bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// A pair of characters of a script without spaces, or the last one of a run.
    pub(crate) is_pair: bool,
}

/// A word while its text is visited.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisitedWord<'w> {
    pub(crate) folded: &'w str,
    pub(crate) lower: &'w str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) is_pair: bool,
}

impl Word {
    pub(crate) fn as_visited(&self) -> VisitedWord<'_> {
        let Self { folded, lower, start, end, is_pair } = self;
        VisitedWord { folded, lower, start: *start, end: *end, is_pair: *is_pair }
    }
}

/// Splits a text into words, from its start to its end.
pub(crate) fn split_words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    visit_words(text, |word| {
        let VisitedWord { folded, lower, start, end, is_pair } = word;
        words.push(Word { folded: folded.to_owned(), lower: lower.to_owned(), start, end, is_pair });
    });
    words
}

/// Calls `visit` with each word of a text.
pub(crate) fn visit_words(text: &str, mut visit: impl FnMut(VisitedWord<'_>)) {
    let mut buffers = WordBuffers::default();
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        let kind = CharKind::of(first);
        if kind == CharKind::Separator {
            continue;
        }
        let mut end = start + first.len_utf8();
        while let Some((at, next)) = rest.next_if(|(_, next)| CharKind::of(*next) == kind || is_combining_mark(*next)) {
            end = at + next.len_utf8();
        }
        let run = text.get(start..end).unwrap_or_default();
        if kind == CharKind::Unspaced {
            buffers.visit_pairs(run, start, &mut visit);
        } else if run.len() <= MAX_WORD_BYTES {
            buffers.visit_word(run, start, &mut visit);
        }
    }
}

/// The texts of the word that is visited.
#[derive(Default)]
struct WordBuffers {
    lower: String,
    folded: String,
}

impl WordBuffers {
    fn visit_word(&mut self, run: &str, start: usize, visit: &mut impl FnMut(VisitedWord<'_>)) {
        let end = start + run.len();
        self.lower.clear();
        if run.is_ascii() {
            self.lower.push_str(run);
            self.lower.make_ascii_lowercase();
            return visit(VisitedWord { folded: &self.lower, lower: &self.lower, start, end, is_pair: false });
        }
        self.lower.extend(run.nfc().flat_map(char::to_lowercase));
        self.folded.clear();
        fold_onto(&self.lower, &mut self.folded);
        // Marks alone are no word.
        if !self.folded.is_empty() {
            visit(VisitedWord { folded: &self.folded, lower: &self.lower, start, end, is_pair: false });
        }
    }

    /// Visits the overlapping pairs of a run, and its last character.
    fn visit_pairs(&mut self, run: &str, start: usize, visit: &mut impl FnMut(VisitedWord<'_>)) {
        if is_nfkc_quick(run.chars()) == IsNormalized::Yes {
            visit_overlapping(run, |pair, at, end| {
                visit(VisitedWord { folded: pair, lower: pair, start: start + at, end: start + end, is_pair: true });
            });
            return;
        }
        self.folded.clear();
        self.folded.extend(run.nfkc());
        // What a character of the normal form was made of is not known: its place is the run.
        let end = start + run.len();
        visit_overlapping(&self.folded, |pair, _, _| {
            visit(VisitedWord { folded: pair, lower: pair, start, end, is_pair: true });
        });
    }
}

fn visit_overlapping(run: &str, mut visit: impl FnMut(&str, usize, usize)) {
    let mut characters = run.char_indices().peekable();
    while let Some((at, first)) = characters.next() {
        let next = characters.peek().map_or(0, |(_, next)| next.len_utf8());
        let end = at + first.len_utf8() + next;
        visit(run.get(at..end).unwrap_or_default(), at, end);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Separator,
    Letter,
    /// Of a script that does not separate words.
    Unspaced,
}

impl CharKind {
    fn of(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' => Self::Letter,
            '\0'..='\u{7f}' => Self::Separator,
            _ if is_unspaced(character) => Self::Unspaced,
            _ if character.is_alphanumeric() || is_combining_mark(character) => Self::Letter,
            _ => Self::Separator,
        }
    }
}

const fn is_unspaced(character: char) -> bool {
    matches!(character as u32,
        0x0E01..=0x0E4E | 0x0E80..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17D3
        | 0x1100..=0x11FF | 0x3005..=0x3007 | 0x3041..=0x309F | 0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x3130..=0x318F
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F
        | 0x2_0000..=0x3_134F)
}

/// Folds the accents of a text in lower case.
fn fold(lower: &str) -> Cow<'_, str> {
    if lower.is_ascii() {
        return Cow::Borrowed(lower);
    }
    let mut folded = String::with_capacity(lower.len());
    fold_onto(lower, &mut folded);
    Cow::Owned(folded)
}

fn fold_onto(lower: &str, folded: &mut String) {
    for character in lower.nfkd() {
        match character {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            'þ' => folded.push_str("th"),
            'ς' => folded.push('σ'),
            // Accents of Latin, Greek and Cyrillic, and the vowel points of Hebrew and Arabic. In other scripts a mark is a letter.
            '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5C7}' | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{640}' => {}
            other => folded.push(other),
        }
    }
}

/// Folds a name of a tag or a category, as which it is compared.
pub(crate) fn fold_name(name: &str) -> String {
    name.trim().nfc().collect::<String>().to_lowercase()
}

/// A stemmer with the words that it has stemmed.
pub(crate) struct WordStemmer {
    stemmer: Stemmer,
    /// Whether every stem begins as its word does.
    keeps_first_letter: bool,
    /// The stems that differ from their word.
    memo: HashMap<Box<str>, Option<Box<str>>>,
}

impl WordStemmer {
    /// Creates the stemmer of a language; `None` where the language has none.
    pub(crate) fn new(language: &str) -> Option<Self> {
        let keeps_first_letter = SUFFIX_STEMMED.contains(&language);
        Some(Self { stemmer: Stemmer::new(algorithm(language)?), keeps_first_letter, memo: HashMap::new() })
    }

    /// Whether the stem of a word may begin with another letter than the word.
    pub(crate) const fn may_change_first_letter(&self) -> bool {
        !self.keeps_first_letter
    }

    /// Returns the folded stem of a word, if it differs from the folded word.
    pub(crate) fn stem(&mut self, word: VisitedWord<'_>) -> Option<&str> {
        if word.is_pair || word.lower.len() < 3 {
            return None;
        }
        if !self.memo.contains_key(word.lower) {
            if self.memo.len() >= MAX_MEMOISED_WORDS {
                self.memo.clear();
            }
            let stem = self.stemmer.stem(word.lower);
            let stem = fold(&stem).into_owned();
            let stem = Some(stem).filter(|stem| stem != word.folded && !stem.is_empty()).map(String::into_boxed_str);
            self.memo.insert(word.lower.into(), stem);
        }
        self.memo.get(word.lower)?.as_deref()
    }
}

/// Languages whose stemmers remove endings alone.
const SUFFIX_STEMMED: &[&str] =
    &["da", "de", "en", "es", "fi", "fr", "hu", "it", "nb", "nn", "no", "pt", "ro", "ru", "sv"];

/// The stemmers of all languages that occurred.
#[derive(Default)]
pub(crate) struct Stemmers(HashMap<String, Option<WordStemmer>>);

impl Stemmers {
    /// Returns the stemmers of some languages.
    pub(crate) fn of_all(&mut self, languages: &[String]) -> Vec<&mut WordStemmer> {
        let names: Vec<&str> = languages.iter().map(|language| primary_language(language)).collect();
        for name in &names {
            let _ = self.of(name);
        }
        let named = self.0.iter_mut().filter(|(name, _)| names.contains(&name.as_str()));
        named.filter_map(|(_, stemmer)| stemmer.as_mut()).collect()
    }

    /// Returns the stemmer of a language.
    pub(crate) fn of(&mut self, language: &str) -> Option<&mut WordStemmer> {
        let primary = primary_language(language);
        if !self.0.contains_key(primary) {
            let stemmer = WordStemmer::new(primary);
            self.0.insert(primary.to_owned(), stemmer);
        }
        self.0.get_mut(primary)?.as_mut()
    }
}

fn primary_language(language: &str) -> &str {
    language.split(['-', '_']).next().unwrap_or_default()
}

/// Returns the Snowball algorithm for a language, by its ISO 639-1 code.
fn algorithm(language: &str) -> Option<Algorithm> {
    let algorithm = match language {
        "ar" => Algorithm::Arabic,
        "hy" => Algorithm::Armenian,
        "eu" => Algorithm::Basque,
        "ca" => Algorithm::Catalan,
        "cs" => Algorithm::Czech,
        "da" => Algorithm::Danish,
        "nl" => Algorithm::Dutch,
        "en" => Algorithm::English,
        "eo" => Algorithm::Esperanto,
        "et" => Algorithm::Estonian,
        "fi" => Algorithm::Finnish,
        "fr" => Algorithm::French,
        "de" => Algorithm::German,
        "el" => Algorithm::Greek,
        "hi" => Algorithm::Hindi,
        "hu" => Algorithm::Hungarian,
        "id" => Algorithm::Indonesian,
        "ga" => Algorithm::Irish,
        "it" => Algorithm::Italian,
        "lt" => Algorithm::Lithuanian,
        "ne" => Algorithm::Nepali,
        "nb" | "nn" | "no" => Algorithm::Norwegian,
        "fa" => Algorithm::Persian,
        "pl" => Algorithm::Polish,
        "pt" => Algorithm::Portuguese,
        "ro" => Algorithm::Romanian,
        "ru" => Algorithm::Russian,
        "sr" => Algorithm::Serbian,
        "es" => Algorithm::Spanish,
        "sv" => Algorithm::Swedish,
        "ta" => Algorithm::Tamil,
        "tr" => Algorithm::Turkish,
        "uk" => Algorithm::Ukrainian,
        "yi" => Algorithm::Yiddish,
        _ => return None,
    };
    Some(algorithm)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(text: &str) -> Vec<String> {
        split_words(text).into_iter().map(|word| word.folded).collect()
    }

    #[test]
    fn punctuation_separates_words_and_accents_are_folded() {
        assert_eq!(folded("L'été, c++ & Straße — ŁÓDŹ!"), ["l", "ete", "c", "strasse", "lodz"]);
        assert_eq!(folded("e\u{301}tude"), folded("étude"));
        assert_eq!(folded("עִבְרִית"), folded("עברית"));
        assert_eq!(folded("  \u{202e}?!  "), Vec::<String>::new());
    }

    #[test]
    fn unspaced_scripts_become_overlapping_pairs() {
        assert_eq!(folded("了一本新书"), ["了一", "一本", "本新", "新书", "书"]);
        assert_eq!(folded("ﾃｽﾄ"), folded("テスト"));
        assert_eq!(folded("Rustで書く"), ["rust", "で書", "書く", "く"]);
        assert_eq!(folded("한국어"), ["한국", "국어", "어"]);
    }

    #[test]
    fn positions_are_of_the_text() {
        let text = "Ein Häuschen 新书";
        let found: Vec<&str> = split_words(text).iter().map(|word| &text[word.start..word.end]).collect();
        assert_eq!(found, ["Ein", "Häuschen", "新书", "书"]);
    }

    #[test]
    fn stems_are_of_the_language() {
        let mut stemmers = Stemmers::default();
        let mut stem = |language: &str, word: &str| {
            let word = split_words(word).remove(0);
            stemmers.of(language).and_then(|stemmer| stemmer.stem(word.as_visited()).map(str::to_owned))
        };
        assert_eq!(stem("en", "running").as_deref(), Some("run"));
        assert_eq!(stem("en-GB", "Running").as_deref(), Some("run"));
        assert_eq!(stem("de", "Häuser").as_deref(), Some("haus"));
        assert_eq!(stem("en", "run"), None);
        assert_eq!(stem("ja", "running"), None);
    }

    #[test]
    fn too_long_words_are_left_out() {
        assert_eq!(folded(&format!("a {} b", "x".repeat(MAX_WORD_BYTES + 1))), ["a", "b"]);
    }

    proptest! {
        #[test]
        fn stemmers_of_endings_keep_the_first_letter(word in "\\p{Alphabetic}{1,12}", tail in "[a-zäöüéèçñßøåæőα-ωа-я]{2,10}") {
            for language in SUFFIX_STEMMED {
                let mut stemmer = WordStemmer::new(language).unwrap();
                for text in [&word, &tail] {
                    for word in split_words(text) {
                        let first = word.folded.chars().next();
                        let stem = stemmer.stem(word.as_visited()).map(|stem| stem.chars().next());
                        prop_assert!(stem.is_none_or(|stem| stem == first), "{language}: {word:?}");
                    }
                }
            }
        }
    }
}
