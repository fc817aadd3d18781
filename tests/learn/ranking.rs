//! The order of lessons for players that bring none of their own: by the words that they share with a query.
//!
//! Owns: the weight of a word: rare ones count more. Of equals, the later lesson comes first.
//! Never: is used by a player with a search of its own.

use std::collections::{BTreeSet, HashMap};

/// Returns the places of the first `limit` texts for a query. Texts that share no word with it are none.
pub(crate) fn rank(texts: &[String], query: &str, limit: usize) -> Vec<usize> {
    let documents: Vec<BTreeSet<String>> = texts.iter().map(|text| words(text)).collect();
    let mut n_with: HashMap<&str, usize> = HashMap::new();
    for word in documents.iter().flatten() {
        *n_with.entry(word).or_default() += 1;
    }
    let query = words(query);
    let weight = |word: &String| match n_with.get(word.as_str()) {
        // The order of a handful of lessons needs no precision.
        #[expect(clippy::cast_precision_loss, reason = "counts are small")]
        Some(n) => (1.0 + texts.len() as f64 / *n as f64).ln(),
        None => 0.0,
    };
    let score = |at: usize| query.intersection(&documents[at]).map(weight).sum::<f64>();
    let mut places: Vec<(usize, f64)> = (0..texts.len()).map(|at| (at, score(at))).collect();
    places.retain(|(_, score)| *score > 0.0);
    places.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
    places.into_iter().take(limit).map(|(at, _)| at).collect()
}

fn words(text: &str) -> BTreeSet<String> {
    let split = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    split.filter(|word| word.len() > 1).map(str::to_lowercase).collect()
}

#[test]
fn rare_words_count_more_and_unrelated_texts_are_left_out() {
    let texts = ["the table is missing", "the table items is missing", "nothing of it", "the table has rows"];
    let texts: Vec<String> = texts.map(str::to_owned).into();
    assert_eq!(rank(&texts, "no such table: items", 5), [1, 3, 0]);
    assert_eq!(rank(&texts, "no such table: items", 1), [1]);
    assert_eq!(rank(&texts, "else", 5), Vec::<usize>::new());
}
