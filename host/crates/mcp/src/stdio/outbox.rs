//! Writing: answers gather in a buffer, and one task writes whatever has gathered.
//!
//! Owns: the buffer. Answers that become ready together leave in one write.
//! Never: writes a part of a message between two others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::ends::Output;
use wardroom_base::limits::MAX_UNSENT_BYTES;

/// A handle on the buffer.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    /// Something was added, or the end was asked for.
    changed: Notify,
    /// Some of it was written, or nothing can be any more.
    progress: Notify,
    /// The other end is gone.
    gone: Notify,
}

#[derive(Default)]
struct State {
    pending: Vec<u8>,
    /// Bytes that are being written.
    writing: usize,
    /// The other end is gone.
    broken: bool,
}

impl Outbox {
    #[expect(clippy::disallowed_methods, reason = "the transport holds the handle and aborts the task")]
    pub(super) fn start(output: Output) -> (Self, JoinHandle<()>) {
        let outbox = Self(Arc::new(Shared {
            state: Mutex::default(),
            changed: Notify::new(),
            progress: Notify::new(),
            gone: Notify::new(),
        }));
        let writer = outbox.clone();
        (outbox, tokio::spawn(async move { writer.write_all(output).await }))
    }

    /// Adds a message.
    pub(super) fn add(&self, message: &impl Serialize) -> std::io::Result<()> {
        let mut state = self.lock();
        if state.broken {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        let start = state.pending.len();
        if let Err(error) = serde_json::to_writer(&mut state.pending, message) {
            state.pending.truncate(start);
            return Err(error.into());
        }
        state.pending.push(b'\n');
        drop(state);
        self.0.changed.notify_one();
        Ok(())
    }

    /// Bytes that the client has not taken.
    pub(super) fn unsent(&self) -> usize {
        let state = self.lock();
        state.pending.len() + state.writing
    }

    pub(super) fn is_broken(&self) -> bool {
        self.lock().broken
    }

    /// Waits until the client took something, or is gone.
    pub(super) async fn progress(&self) {
        self.0.progress.notified().await;
    }

    /// Waits until the client is gone. Only one caller is told.
    pub(super) async fn gone(&self) {
        self.0.gone.notified().await;
    }

    /// Waits until the client has taken so much that another large answer may be made, or is gone.
    pub(crate) async fn has_room(&self) {
        self.at_most(MAX_UNSENT_BYTES).await;
    }

    /// Waits until everything is written, or nothing can be.
    pub(super) async fn settle(&self) {
        self.at_most(0).await;
    }

    async fn at_most(&self, unsent: usize) {
        loop {
            let progress = self.0.progress.notified();
            if self.unsent() <= unsent || self.is_broken() {
                return;
            }
            progress.await;
        }
    }

    async fn write_all(&self, mut output: Output) {
        let mut batch = Vec::new();
        loop {
            self.0.changed.notified().await;
            // Whoever else is ready answers first; then one write takes all of it.
            tokio::task::yield_now().await;
            {
                let mut state = self.lock();
                std::mem::swap(&mut state.pending, &mut batch);
                state.writing = batch.len();
            }
            let written = output.write_all(&mut batch).await;
            let mut state = self.lock();
            state.writing = 0;
            if let Err(error) = written {
                tracing::debug!(%error, "standard output is gone");
                (state.broken, state.pending) = (true, Vec::new());
            }
            let (broken, again) = (state.broken, !state.pending.is_empty());
            drop(state);
            self.0.progress.notify_waiters();
            if broken {
                self.0.gone.notify_one();
                return;
            }
            if again {
                self.0.changed.notify_one();
            }
            keep_small(&mut batch);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One large answer should not hold its memory for ever.
fn keep_small(batch: &mut Vec<u8>) {
    const KEPT_BYTES: usize = 256 * 1024;
    batch.clear();
    batch.shrink_to(KEPT_BYTES);
}
