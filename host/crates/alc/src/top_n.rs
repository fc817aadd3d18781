//! The first few of any number of items, in bounded memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;

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

    /// Returns the items in sorted order. Those that are not asked for are not sorted.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = T> {
        let mut rest: BinaryHeap<Reverse<T>> = self.heap.into_iter().map(Reverse).collect();
        iter::from_fn(move || rest.pop().map(|Reverse(item)| item))
    }
}
