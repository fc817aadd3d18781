//! The state of a directory before its names were read.
//!
//! Owns: when its names are still the same.
//! Never: says anything of the files in it: a change in place does not show.

use super::Stat;

/// The state of a directory before its names were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderSnapshot {
    stat: Stat,
    is_settled: bool,
}

impl FolderSnapshot {
    /// Takes a `stat` from before the names are read.
    #[must_use]
    pub fn from_stat(stat: Stat) -> Self {
        Self { stat, is_settled: stat.is_settled() }
    }

    /// Takes a `stat` that was settled when it was taken, as [`Self::settled`] returned it.
    #[must_use]
    pub const fn from_settled(stat: Stat) -> Self {
        Self { stat, is_settled: true }
    }

    /// Returns the `stat`, if the last change was long enough before it. A later comparison with another one proves nothing.
    #[must_use]
    pub fn settled(self) -> Option<Stat> {
        self.is_settled.then_some(self.stat)
    }

    #[must_use]
    pub const fn stat(&self) -> Stat {
        self.stat
    }

    /// Whether a directory with this `stat` still has the same names.
    #[must_use]
    pub fn is_unchanged(self, stat: Stat) -> bool {
        self.is_settled && self.stat == stat
    }
}
