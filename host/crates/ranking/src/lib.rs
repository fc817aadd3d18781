//! Ranked search over a few thousand short documents in memory, such as tools and packages: by BM25 over the words of
//! their names and descriptions.
//!
//! Owns: what a word is (parts of names, English stems), the formula, and which known word a mistyped one stands for.
//! Gives: [`RankedIndex`], and [`closest_name`] for names that do not exist.
//! Never: keeps a text, or fails on one. The bm25 crate was not taken: all that it depends on is unmaintained
//! (RUSTSEC-2025-0057).

mod closest;
mod words;

use std::collections::HashMap;

pub use self::closest::{closest_field, closest_name, closest_slip};
use self::words::{WordSplitter, is_function_word};
pub use self::words::{is_ideograph, split_at_ideographs};

/// How soon repetitions of a word count less, and how much long documents are held back: the usual values.
const K1: f32 = 1.2;
const B: f32 = 0.75;
/// How much less a known word counts that only resembles the word of the query.
const RESEMBLANCE_WEIGHT: f32 = 0.5;
/// Words of a query that are looked up.
const MAX_QUERY_WORDS: usize = 64;

/// An index of documents, each known by how many were added before it.
#[derive(Debug, Default)]
pub struct RankedIndex {
    words: WordSplitter,
    postings: HashMap<String, Vec<Posting>>,
    lengths: Vec<f32>,
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    document: usize,
    weight: f32,
}

/// A document that a search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedDocument {
    pub number: usize,
    pub score: f32,
}

impl RankedIndex {
    /// Adds a document: its texts, each with how much its words count.
    pub fn add(&mut self, fields: &[(&str, f32)]) {
        let (document, mut length) = (self.lengths.len(), 0.0);
        for (text, weight) in fields {
            for word in self.words.split(text) {
                length += weight;
                let postings = self.postings.entry(word).or_default();
                match postings.last_mut().filter(|last| last.document == document) {
                    Some(last) => last.weight += weight,
                    None => postings.push(Posting { document, weight: *weight }),
                }
            }
        }
        self.lengths.push(length);
    }

    /// Returns the documents with a word of the query, the best ones first. Equally good ones stay in their order.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a weight needs no more digits")]
    pub fn search(&self, query: &str) -> Vec<RankedDocument> {
        let mean_length = (self.lengths.iter().sum::<f32>() / self.lengths.len().max(1) as f32).max(1.0);
        let mut scores = vec![0.0; self.lengths.len()];
        for (postings, weight) in self.known_words(query) {
            let (n, with) = (self.lengths.len() as f32, postings.len() as f32);
            let idf = weight * (1.0 + (n - with + 0.5) / (with + 0.5)).ln();
            for Posting { document, weight } in postings {
                let (Some(score), Some(length)) = (scores.get_mut(*document), self.lengths.get(*document)) else {
                    continue;
                };
                let norm = K1 * (1.0 - B + B * length / mean_length);
                *score += idf * weight * (K1 + 1.0) / (weight + norm);
            }
        }
        let scored = scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0);
        let mut found: Vec<RankedDocument> = scored.map(|(number, score)| RankedDocument { number, score }).collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found
    }

    /// Returns the documents of each word of a query, and how much it counts. A word that no document has stands for those
    /// that resemble it.
    fn known_words(&self, query: &str) -> Vec<(&[Posting], f32)> {
        let mut words = self.words.split(query);
        // A query of nothing else is searched all the same.
        if words.iter().any(|word| !is_function_word(word)) {
            words.retain(|word| !is_function_word(word));
        }
        words.truncate(MAX_QUERY_WORDS);
        words.sort();
        words.dedup();
        let mut known = Vec::new();
        for word in words {
            match self.postings.get(&word) {
                Some(postings) => known.push((postings.as_slice(), 1.0)),
                None => {
                    let like = self.postings.iter().filter(|(known, _)| words::is_mistyped(&word, known));
                    known.extend(like.map(|(_, postings)| (postings.as_slice(), RESEMBLANCE_WEIGHT)));
                }
            }
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn index(documents: &[(&str, &str)]) -> RankedIndex {
        let mut index = RankedIndex::default();
        documents.iter().for_each(|(name, text)| index.add(&[(name, 2.0), (text, 1.0)]));
        index
    }

    #[track_caller]
    fn order(index: &RankedIndex, query: &str) -> Vec<usize> {
        index.search(query).into_iter().map(|found| found.number).collect()
    }

    const TOOLS: &[(&str, &str)] = &[
        ("quick_vote", "Asks several times and takes the answer of most."),
        ("search_posts", "Searches posts by words, tags and dates."),
        ("postProcess", "Rewrites an answer."),
    ];

    #[test]
    fn word_is_found_in_all_its_forms_and_in_parts_of_names() {
        let index = index(TOOLS);
        assert_eq!(order(&index, "voting"), [0]);
        assert_eq!(order(&index, "Search for a POST")[0], 1);
        assert_eq!(order(&index, "process"), [2]);
        // The shorter document says more of it.
        assert_eq!(order(&index, "answers"), [2, 0]);
        assert!(order(&index, "zebra").is_empty());
    }

    #[test]
    fn mistyped_word_stands_for_the_known_one_and_counts_less() {
        let index = index(TOOLS);
        assert_eq!(order(&index, "serach"), [1]);
        assert_eq!(order(&index, "qick"), [0]);
        let score = |query| index.search(query).first().map(|found| found.score);
        assert!(score("serach") < score("search"));
        // A short word has no room for a mistake.
        assert!(order(&index, "tag").len() == 1 && order(&index, "tog").is_empty());
    }

    #[test]
    fn function_words_count_in_a_query_of_nothing_else_only() {
        let index = index(&[("a", "take it from the list"), ("b", "of the moved value")]);
        assert_eq!(order(&index, "the value from it"), [1]);
        assert_eq!(order(&index, "from the"), [0, 1]);
    }

    proptest! {
        #[test]
        fn no_text_is_an_error(name in any::<String>(), query in any::<String>()) {
            let index = index(&[(&name, &query)]);
            prop_assert!(index.search(&query).len() <= 1);
        }
    }
}
