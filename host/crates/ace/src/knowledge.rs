//! A bullet as clients see it.
//!
//! Owns: its score.
//! Never: changes a file.

use schemars::JsonSchema;
use serde::Serialize;

use crate::playbook::Bullet;

/// A bullet as clients see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct BulletItem {
    pub(crate) id: String,
    pub(crate) content: String,
    pub(crate) helpful: u64,
    pub(crate) harmful: u64,
    pub(crate) section: String,
    /// helpful - harmful.
    pub(crate) score: i64,
}

impl BulletItem {
    pub(crate) fn new(bullet: &Bullet) -> Self {
        Self {
            id: bullet.id.clone(),
            content: bullet.content.clone(),
            helpful: bullet.helpful,
            harmful: bullet.harmful,
            section: bullet.section.clone(),
            score: score(bullet),
        }
    }
}

/// A counter has at most 18 digits.
pub(crate) fn score(bullet: &Bullet) -> i64 {
    let counter = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    counter(bullet.helpful) - counter(bullet.harmful)
}
