//! Bytes that the server holds for clients that are slow: requests that are not read whole, and answers that are not taken.
//!
//! Owns: the count of them, for all clients together, and which of them lose their connections since others wait.
//! Never: holds up an answer that is made; who waits is whoever would make another large one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio::time::timeout;

use super::seats::{Seats, Slow};
use wardroom_base::limits::{HOLD_UP_TIME, MAX_HELD_BYTES, MAX_UNSENT_BYTES};

/// A number of bytes, and how large it may get.
pub(super) struct Tally {
    bytes: AtomicUsize,
    most: usize,
    fewer: Notify,
}

/// A part of the number, for as long as this is held.
pub(super) struct Held {
    tally: Arc<Tally>,
    bytes: usize,
}

/// The answers that clients have not taken, and the connections that they are for.
pub(crate) struct Unsent {
    tally: Arc<Tally>,
    pub(super) seats: Arc<Seats>,
}

impl Default for Unsent {
    fn default() -> Self {
        Self { tally: Tally::new(MAX_UNSENT_BYTES), seats: Arc::default() }
    }
}

impl Unsent {
    pub(super) fn hold(&self, bytes: usize) -> Held {
        self.tally.hold(bytes)
    }

    /// Waits until a request may have its turn. Whoever takes its time over an answer meanwhile is not waited for.
    pub(super) async fn has_turn(&self) {
        self.at_most(MAX_HELD_BYTES, Slow::AnyLeft).await;
    }

    /// Waits until another large answer may be made. Whoever takes nothing meanwhile is not waited for.
    pub(crate) async fn has_room(&self) {
        self.at_most(MAX_UNSENT_BYTES, Slow::NoneTaken).await;
    }

    async fn at_most(&self, most: usize, slow: Slow) {
        while timeout(HOLD_UP_TIME, self.tally.at_most(most)).await.is_err() {
            self.seats.shed(self.tally.over(most), slow);
        }
    }
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
    fn over(&self, most: usize) -> usize {
        self.bytes.load(Ordering::Relaxed).saturating_sub(most)
    }

    /// Waits until there are no more than `most`, which is what may be, or more.
    async fn at_most(&self, most: usize) {
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
