//! The newest of any number of things, in bounded memory.

use std::collections::BinaryHeap;

/// Keeps the things that sort first, at most so many of them.
pub(super) struct TopN<T> {
    /// The one that would go next is on top.
    heap: BinaryHeap<T>,
    limit: usize,
}

impl<T: Ord> TopN<T> {
    pub(super) const fn new(most: usize) -> Self {
        Self { heap: BinaryHeap::new(), limit: most }
    }

    pub(super) fn add(&mut self, thing: T) {
        if self.heap.len() < self.limit {
            self.heap.push(thing);
        } else if let Some(mut last) = self.heap.peek_mut()
            && thing < *last
        {
            *last = thing;
        }
    }

    /// In their order.
    pub(super) fn into_sorted(self) -> Vec<T> {
        self.heap.into_sorted_vec()
    }
}
