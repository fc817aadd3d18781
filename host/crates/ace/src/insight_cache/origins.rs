//! Which insight a bullet came from.
//!
//! Owns: the insights by the digest of their bullet's text, and by the digest of the first digits of their ids.
//! Never: takes two texts with one digest for the same.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::stored_insight::StoredInsight;
use crate::playbook::Bullet;
use crate::sanitize::unescape_markdown;
use crate::update::is_id_of;

/// The numbers of insights by digests, in ascending order.
#[derive(Debug, Clone, Default)]
pub(super) struct OriginIndex {
    n_insights: usize,
    by_content: Vec<(u64, u32)>,
    by_id: Vec<(u64, u32)>,
}

impl OriginIndex {
    /// Returns how many insights are indexed.
    pub(super) const fn len(&self) -> usize {
        self.n_insights
    }

    /// Adds the insights that are not indexed yet.
    pub(super) fn extend(&mut self, insights: &[StoredInsight]) {
        for (number, insight) in (0_u32..).zip(insights).skip(self.n_insights) {
            self.by_content.push((digest(&comparable(&insight.plain_text())), number));
            if let Some(start) = insight.id.get(..8) {
                self.by_id.push((digest(&start.to_lowercase()), number));
            }
        }
        self.n_insights = insights.len();
        self.by_content.sort_unstable();
        self.by_id.sort_unstable();
    }

    /// Returns the insight that a bullet came from: the first one with its text, else the first one with its id.
    pub(super) fn find<'i>(&self, bullet: &Bullet, insights: &'i [StoredInsight]) -> Option<&'i StoredInsight> {
        let text = comparable(&unescape_markdown(&bullet.content));
        let has_text = |insight: &&StoredInsight| comparable(&insight.plain_text()) == text;
        // Earlier programs gave bullets ids of their own.
        with_digest(&self.by_content, digest(&text), insights).find(has_text).or_else(|| {
            let start = bullet.id.get(..8)?.to_lowercase();
            with_digest(&self.by_id, digest(&start), insights).find(|insight| is_id_of(insight, &bullet.id))
        })
    }
}

fn with_digest<'i>(
    table: &[(u64, u32)],
    digest: u64,
    insights: &'i [StoredInsight],
) -> impl Iterator<Item = &'i StoredInsight> {
    let start = table.partition_point(|(other, _)| *other < digest);
    let same = table.get(start..).unwrap_or_default().iter().take_while(move |(other, _)| *other == digest);
    let numbers: Vec<usize> = same.map(|(_, number)| *number as usize).collect();
    numbers.into_iter().filter_map(|number| insights.get(number)).filter(|insight| !insight.is_superseded)
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn comparable(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
