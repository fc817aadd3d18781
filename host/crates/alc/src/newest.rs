//! The newest of any number of things, in bounded memory.

use std::collections::BinaryHeap;

/// Keeps the things that sort first, at most so many of them.
pub(super) struct Newest<T> {
    /// The one that would go next is on top.
    kept: BinaryHeap<T>,
    most: usize,
}

impl<T: Ord> Newest<T> {
    pub(super) const fn new(most: usize) -> Self {
        Self { kept: BinaryHeap::new(), most }
    }

    pub(super) fn add(&mut self, thing: T) {
        if self.kept.len() < self.most {
            self.kept.push(thing);
        } else if let Some(mut last) = self.kept.peek_mut()
            && thing < *last
        {
            *last = thing;
        }
    }

    /// In their order.
    pub(super) fn into_sorted(self) -> Vec<T> {
        self.kept.into_sorted_vec()
    }
}
