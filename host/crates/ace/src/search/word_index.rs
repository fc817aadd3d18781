//! An index of words, and the scores of its documents by BM25.
//!
//! Owns: the formula, and that the words of a lesson's advice count half and make it no longer: who asks about an error
//! has its message, and not the advice.
//! Never: removes a document, or holds its text.

use std::collections::HashMap;

use super::words::{for_each_word, is_function_word};
use crate::limits::MAX_SEARCH_WORDS;

/// How soon repetitions of a word count less, and how much long documents are held back: the usual values.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// How much a word of the subject counts, and one of the advice.
const SUBJECT_WEIGHT: u16 = 2;
const ADVICE_WEIGHT: u16 = 1;

/// Which documents have which words. A document is known by its number: how many were added before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordIndex {
    postings: HashMap<Box<str>, Vec<Posting>>,
    lengths: Vec<u16>,
    total_length: u64,
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    document: u32,
    weight: u16,
}

/// A word of a query.
struct QueryWord {
    text: String,
    /// How much it tells: the rarer, the more.
    idf: f32,
}

/// A query whose words were weighed by all documents of some indexes.
pub(super) struct WeighedQuery {
    words: Vec<QueryWord>,
    mean_length: f32,
}

impl WordIndex {
    /// Returns how many documents there are.
    pub(crate) const fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Adds a document: what a lesson is about, and what it advises.
    pub(crate) fn add<'t>(&mut self, subject: impl Iterator<Item = &'t str>, advice: &str) {
        let document = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let mut length = 0_u16;
        for text in subject {
            for_each_word(text, |word| {
                length = length.saturating_add(1);
                self.add_word(word, document, SUBJECT_WEIGHT);
            });
        }
        for_each_word(advice, |word| self.add_word(word, document, ADVICE_WEIGHT));
        self.lengths.push(length);
        self.total_length += u64::from(length);
    }

    fn add_word(&mut self, word: &str, document: u32, weight: u16) {
        let postings = match self.postings.get_mut(word) {
            Some(postings) => postings,
            None => self.postings.entry(word.into()).or_default(),
        };
        match postings.last_mut().filter(|last| last.document == document) {
            Some(last) => last.weight = last.weight.saturating_add(weight),
            None => postings.push(Posting { document, weight }),
        }
    }

    /// Returns the score of each document; 0 for those that have no word of the query.
    pub(super) fn scores(&self, query: &WeighedQuery) -> Vec<f32> {
        let mut scores = vec![0.0; self.lengths.len()];
        for word in &query.words {
            for posting in self.postings.get(word.text.as_str()).into_iter().flatten() {
                let at = posting.document as usize;
                let (Some(score), Some(length)) = (scores.get_mut(at), self.lengths.get(at)) else { continue };
                let frequency = f32::from(posting.weight) / f32::from(SUBJECT_WEIGHT);
                let norm = K1 * (1.0 - B + B * f32::from(*length) / query.mean_length);
                *score += word.idf * frequency * (K1 + 1.0) / (frequency + norm);
            }
        }
        scores
    }
}

impl WeighedQuery {
    /// Weighs the words of a query. The rarest ones are kept where there are many.
    #[expect(clippy::cast_precision_loss, reason = "a weight needs no more digits")]
    pub(super) fn new(text: &str, indexes: &[&WordIndex]) -> Self {
        let n_documents: usize = indexes.iter().map(|index| index.len()).sum();
        let total_length: u64 = indexes.iter().map(|index| index.total_length).sum();
        let mut words: Vec<QueryWord> = Vec::new();
        for_each_word(text, |word| {
            if words.iter().any(|known| known.text == word) {
                return;
            }
            let of_index = |index: &&WordIndex| index.postings.get(word).map_or(0, Vec::len);
            let n_with_word: usize = indexes.iter().map(of_index).sum();
            if n_with_word > 0 {
                let (n, with) = (n_documents as f32, n_with_word as f32);
                let idf = (1.0 + (n - with + 0.5) / (with + 0.5)).ln();
                words.push(QueryWord { text: word.to_owned(), idf });
            }
        });
        // A query of nothing else is searched all the same.
        if words.iter().any(|word| !is_function_word(&word.text)) {
            words.retain(|word| !is_function_word(&word.text));
        }
        words.sort_by(|a, b| b.idf.total_cmp(&a.idf));
        words.truncate(MAX_SEARCH_WORDS);
        Self { words, mean_length: (total_length as f32 / n_documents.max(1) as f32).max(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(documents: &[(&str, &str)]) -> WordIndex {
        let mut index = WordIndex::default();
        documents.iter().for_each(|(subject, advice)| index.add([*subject].into_iter(), advice));
        index
    }

    #[track_caller]
    fn order(index: &WordIndex, query: &str) -> Vec<usize> {
        let scores = index.scores(&WeighedQuery::new(query, &[index]));
        let mut found: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
        found.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        found
    }

    #[test]
    fn rare_words_and_subjects_count_more() {
        let index = index(&[
            ("cannot find module PATH", "check the import"),
            ("cannot find name", "declare it"),
            ("TS2307: cannot find module PATH", "build the package first"),
            ("timeout of the import", "raise the limit"),
        ]);
        assert_eq!(order(&index, "TS2307"), [2]);
        assert_eq!(order(&index, "Cannot find module './x.js'")[..2], [0, 2]);
        // In the subject before in the advice.
        assert_eq!(order(&index, "import"), [3, 0]);
        assert_eq!(order(&index, "nothing of this kind"), [3]);
        assert!(order(&index, "zebra").is_empty());
    }

    #[test]
    fn function_words_count_in_a_query_of_nothing_else_only() {
        let index = index(&[("take it from the list", "x"), ("borrow of moved value", "y"), ("not a value", "z")]);
        assert_eq!(order(&index, "take the value from it"), [0, 2, 1]);
        assert_eq!(order(&index, "moved from the start"), [1]);
        assert_eq!(order(&index, "from the"), [0]);
        // A negation is no function word.
        assert_eq!(order(&index, "is not from"), [2]);
    }

    #[test]
    fn long_advice_holds_no_lesson_back() {
        let long = "word ".repeat(50);
        let index = index(&[("alpha beta", "do it"), ("alpha beta", &long)]);
        let scores = index.scores(&WeighedQuery::new("alpha", &[&index]));
        assert!(scores[0] > 0.0 && (scores[0] - scores[1]).abs() < f32::EPSILON, "{scores:?}");
    }

    #[test]
    fn words_beyond_the_limit_are_the_common_ones() {
        let mut documents: Vec<(String, String)> =
            (0..MAX_SEARCH_WORDS).map(|n| (format!("common w{n}x"), String::new())).collect();
        documents.push(("common".to_owned(), String::new()));
        let mut index = WordIndex::default();
        documents.iter().for_each(|(subject, advice)| index.add([subject.as_str()].into_iter(), advice));
        let query: String = documents.iter().map(|(subject, _)| format!("{subject} ")).collect();
        assert!(!order(&index, &query).contains(&MAX_SEARCH_WORDS));
        assert!(order(&index, "common").contains(&MAX_SEARCH_WORDS));
    }
}
