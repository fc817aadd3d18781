//! The first few of any number of items, in bounded memory.

use std::collections::BinaryHeap;

/// Keeps the items that sort first, at most `limit`.
pub(super) struct TopN<T> {
    /// The item that would be dropped next is on top.
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

    /// Returns the items in sorted order.
    pub(super) fn into_sorted(self) -> Vec<T> {
        self.heap.into_sorted_vec()
    }
}
