//! How much of one kind an AppDir stores, for limits: of all owners together, and of each one.
//!
//! Owns: counts and bytes by the owners' tags, and when they were counted.
//! Never: reads a folder, or sets a limit.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::Owner;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub count: usize,
    pub bytes: u64,
}

/// What was found in a folder, plus what this process stored since then.
#[derive(Debug)]
pub struct StoredUsage {
    counted_at: Instant,
    total: Usage,
    /// By tag; that of owners without a tag is empty.
    by_owner: HashMap<String, Usage>,
}

impl Usage {
    /// One file of this size.
    #[must_use]
    pub const fn file(bytes: u64) -> Self {
        Self { count: 1, bytes }
    }

    const fn add(&mut self, more: Self) {
        self.count += more.count;
        self.bytes += more.bytes;
    }
}

impl StoredUsage {
    /// Nothing, as counted now.
    #[must_use]
    pub fn empty() -> Self {
        Self { counted_at: Instant::now(), total: Usage::default(), by_owner: HashMap::new() }
    }

    pub fn add(&mut self, tag: Option<&str>, more: Usage) {
        self.total.add(more);
        self.by_owner.entry(tag.unwrap_or_default().to_owned()).or_default().add(more);
    }

    /// Returns how long ago the folder was counted.
    #[must_use]
    pub fn age(&self) -> Duration {
        self.counted_at.elapsed()
    }

    /// Returns what all owners have.
    #[must_use]
    pub const fn total(&self) -> Usage {
        self.total
    }

    /// Returns what counts against an owner's own limits: nothing of the operator's. What has no tag counts for callers
    /// without a token.
    #[must_use]
    pub fn own(&self, owner: &Owner) -> Usage {
        match owner {
            Owner::Operator => Usage::default(),
            Owner::Anonymous | Owner::Named(_) => {
                self.by_owner.get(&owner.tag().unwrap_or_default()).copied().unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_owner_has_its_own_part_and_the_operator_none() {
        let (a, b) = (Owner::Named("a".to_owned()), Owner::Named("b".to_owned()));
        let mut usage = StoredUsage::empty();
        usage.add(a.tag().as_deref(), Usage::file(3));
        usage.add(a.tag().as_deref(), Usage { count: 0, bytes: 4 });
        usage.add(None, Usage::file(5));
        assert_eq!(usage.total(), Usage { count: 2, bytes: 12 });
        let own = [&a, &b, &Owner::Anonymous, &Owner::Operator].map(|owner| usage.own(owner));
        assert_eq!(own, [Usage { count: 1, bytes: 7 }, Usage::default(), Usage::file(5), Usage::default()]);
    }
}
