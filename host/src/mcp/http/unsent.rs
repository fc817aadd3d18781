//! Bytes that the server holds for clients that are slow: requests that are not read whole, and answers that are not taken.
//!
//! Owns: the count of them, for all clients together.
//! Never: holds up an answer that is made; who waits is whoever would make another large one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// A number of bytes, and how large it may get.
pub(in crate::mcp) struct Tally {
    bytes: AtomicUsize,
    most: usize,
    fewer: Notify,
}

/// A part of the number, for as long as this is held.
pub(super) struct Held {
    tally: Arc<Tally>,
    bytes: usize,
}

impl Tally {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { bytes: AtomicUsize::new(0), most, fewer: Notify::new() })
    }

    /// Counts so many more, whatever there is.
    pub(super) fn hold(self: &Arc<Self>, bytes: usize) -> Held {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Held { tally: Arc::clone(self), bytes }
    }

    /// How many more there are than `most`.
    pub(super) fn over(&self, most: usize) -> usize {
        self.bytes.load(Ordering::Relaxed).saturating_sub(most)
    }

    /// Waits until there are no more than may be.
    pub(in crate::mcp) async fn has_room(&self) {
        self.at_most(self.most).await;
    }

    /// The same for another number, which is larger.
    pub(super) async fn at_most(&self, most: usize) {
        loop {
            let fewer = self.fewer.notified();
            if self.bytes.load(Ordering::Relaxed) <= most {
                return;
            }
            fewer.await;
        }
    }
}

impl Held {
    /// Counts so many more, if that may be.
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        let before = self.tally.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        before + bytes <= self.tally.most
    }

    pub(super) fn give_back(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        let before = self.tally.bytes.fetch_sub(bytes, Ordering::Relaxed);
        if before > self.tally.most {
            self.tally.fewer.notify_waiters();
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.give_back(self.bytes);
    }
}
