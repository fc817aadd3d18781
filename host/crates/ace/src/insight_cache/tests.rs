//! Which lines count, and what a cache that is full forgets.

use super::*;
use crate::insight::{InsightSignal, InsightSource};
use crate::limits::{MAX_ID_CHARS, MAX_INSIGHT_TASKS, MAX_RECOMMENDATION_CHARS};

fn row(known: &mut KnownInsights, id: &str, pattern: &str) {
    let insight = Insight {
        id: id.to_owned(),
        signal: InsightSignal { pattern: pattern.to_owned(), evidence: Vec::new() },
        ..Insight::default()
    };
    known.add_row(VisitedRow::Row(&serde_json::to_vec(&insight).unwrap()));
}

fn patterns(known: &KnownInsights) -> Vec<&str> {
    known.iter().map(|insight| &*insight.pattern).collect()
}

#[test]
fn last_line_of_an_id_counts_and_stands_where_it_is() {
    let mut known = KnownInsights::default();
    for (id, pattern) in [("a", "old"), ("b", "other"), ("a", "new")] {
        row(&mut known, id, pattern);
    }
    known.add_row(VisitedRow::Row(b"{\"torn"));
    known.add_row(VisitedRow::TooLong);
    assert_eq!(patterns(&known), ["other", "new"]);
    assert_eq!((known.len(), known.find("a").map(|insight| &*insight.pattern)), (2, Some("new")));
    assert_eq!(known.counts, LineCounts { read: 3, skipped: 2 });
}

#[test]
fn superseded_insights_are_dropped() {
    let mut known = KnownInsights::default();
    row(&mut known, "first", "first");
    for n in 0..5_000 {
        row(&mut known, "same", &n.to_string());
    }
    known.extend(InsightIndexes::Words);
    assert_eq!(patterns(&known), ["first", "4999"]);
    assert!(known.rows.len() < 2_500 && known.counts.read == 5_001, "{}", known.rows.len());
    assert!(known.has(InsightIndexes::Words) && known.find("same").unwrap().pattern == "4999".into());
}

#[test]
fn oldest_insights_give_way() {
    let mut known = KnownInsights::default();
    // The largest insight that is held: with as many tasks as count, each of which has a long id.
    let long = "x".repeat(MAX_ID_CHARS - 20);
    let n_rows = 2 * MAX_CACHED_INSIGHT_BYTES / (MAX_INSIGHT_TASKS * MAX_ID_CHARS);
    for n in 0..n_rows {
        let bead_ids = (0..MAX_INSIGHT_TASKS).map(|task| format!("{n}-{task}-{long}")).collect();
        let insight =
            Insight { id: n.to_string(), source: InsightSource { runner: None, bead_ids }, ..Insight::default() };
        known.add(&insight);
        assert!(known.bytes <= MAX_CACHED_INSIGHT_BYTES);
    }
    let ids: Vec<&str> = known.iter().map(|insight| &*insight.id).collect();
    assert!(known.len() > n_rows / 8 && known.bytes > MAX_CACHED_INSIGHT_BYTES / 2, "{}", known.len());
    assert_eq!((ids.last(), known.find("0").is_none()), (Some(&(n_rows - 1).to_string().as_str()), true));
}

#[test]
fn shared_texts_are_counted_once() {
    let mut texts = TextPool::default();
    let insight = Insight {
        id: "i".to_owned(),
        recommendation: "r".repeat(1_000),
        meta_tags: vec!["tsc".to_owned(), "import".to_owned()],
        ..Insight::default()
    };
    let (first, first_bytes) = texts.store(&insight);
    let (second, second_bytes) = texts.store(&insight);
    assert!(Arc::ptr_eq(&first.recommendation, &second.recommendation));
    assert!(Arc::ptr_eq(&first.meta_tags, &second.meta_tags));
    assert!(
        first_bytes > second_bytes + MAX_RECOMMENDATION_CHARS && second_bytes < 500,
        "{first_bytes}, {second_bytes}"
    );
}
