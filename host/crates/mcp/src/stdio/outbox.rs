//! The output buffer: answers gather in it, and leave in one write before the transport waits. One task writes what the
//! client does not take at once.
//!
//! Owns: the buffer, and who writes.
//! Never: writes a part of a message between two others.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{RequestId, ServerJsonRpcMessage};
use serde_json::Value;
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;

use super::ready_tasks::after_ready_tasks;
use super::streams::StdoutWriter;
use crate::backpressure::Backpressure;
use crate::encode::append_message;
use crate::in_place::append_answer;
use crate::limits::{MAX_UNSENT_BYTES, UNCOUNTED_REQUEST_BYTES};
use wardroom_base::memory::{MemoryLease, MemoryShare};

/// A handle on the buffer.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<OutboxInner>);

struct OutboxInner {
    state: Mutex<OutboxState>,
    output: StdoutWriter,
    /// There is something for the task to write.
    announced: Notify,
    /// Bytes were written, or the client is gone.
    progress: Notify,
    /// The client is gone.
    closed: Notify,
}

struct OutboxState {
    pending: Vec<u8>,
    /// Bytes that the task writes.
    writing_bytes: usize,
    /// The client is gone.
    is_broken: bool,
    /// The memory of all these bytes, unless they are few.
    memory: MemoryLease,
}

impl OutboxState {
    fn account_memory(&mut self) {
        let bytes = self.pending.len() + self.writing_bytes;
        self.memory.resize_held(if bytes > UNCOUNTED_REQUEST_BYTES { bytes } else { 0 });
    }
}

impl Outbox {
    #[expect(clippy::disallowed_methods, reason = "the transport holds the handle and aborts the task")]
    pub(super) fn start(output: StdoutWriter, memory: &MemoryShare) -> (Self, JoinHandle<()>) {
        let (pending, memory) = (Vec::new(), memory.lease_none());
        let state = OutboxState { pending, writing_bytes: 0, is_broken: false, memory };
        let outbox = Self(Arc::new(OutboxInner {
            state: Mutex::new(state),
            output,
            announced: Notify::new(),
            progress: Notify::new(),
            closed: Notify::new(),
        }));
        let writer = outbox.clone();
        (outbox, tokio::spawn(async move { writer.run_writer().await }))
    }

    /// Adds a message, which [`Self::write_now`] or [`Self::announce`] sends.
    pub(super) fn push(&self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        self.push_encoded(|pending| append_message(pending, message))
    }

    /// Adds the answer with a result that is JSON, as [`Self::push`] does.
    pub(super) fn push_result(&self, id: &RequestId, result: &[u8]) -> io::Result<()> {
        self.push_encoded(|pending| append_answer(pending, id, result))
    }

    /// Adds a message whose ids were rewritten, as [`Self::push`] does.
    pub(super) fn push_value(&self, message: &Value) -> io::Result<()> {
        self.push_encoded(|pending| Ok(serde_json::to_writer(pending, message)?))
    }

    fn push_encoded(&self, append: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
        let mut state = self.lock();
        if state.is_broken {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let start = state.pending.len();
        if let Err(error) = append(&mut state.pending) {
            state.pending.truncate(start);
            return Err(error);
        }
        state.pending.push(b'\n');
        state.account_memory();
        Ok(())
    }

    /// Writes what was added, as far as the client takes it at once. The task writes the rest.
    pub(super) fn write_now(&self) {
        /// More than most systems take at once. The rest of a larger answer would be copied.
        const MAX_DIRECT_BYTES: usize = 64 * 1024;
        let mut state = self.lock();
        if state.pending.is_empty() || state.writing_bytes > 0 {
            return;
        }
        if state.pending.len() <= MAX_DIRECT_BYTES {
            match self.0.output.try_write(&state.pending) {
                Ok(count) if count == state.pending.len() => {
                    clear_and_shrink(&mut state.pending);
                    state.account_memory();
                    drop(state);
                    return self.0.progress.notify_waiters();
                }
                Ok(count) => drop(state.pending.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return self.lose_client(state, &error),
            }
        }
        drop(state);
        self.announce();
    }

    /// Has the task write what was added, after the other tasks that are ready.
    pub(super) fn announce(&self) {
        self.0.announced.notify_one();
    }

    /// Returns the bytes that the client has not taken.
    pub(super) fn unsent_bytes(&self) -> usize {
        let state = self.lock();
        state.pending.len() + state.writing_bytes
    }

    pub(super) fn is_broken(&self) -> bool {
        self.lock().is_broken
    }

    /// Waits until the client takes bytes that the task writes, or is gone.
    pub(super) async fn wait_for_progress(&self) {
        self.0.progress.notified().await;
    }

    /// Waits until the client is gone. Wakes only one caller.
    pub(super) async fn wait_closed(&self) {
        self.0.closed.notified().await;
    }

    /// Waits until everything is written, or the client is gone.
    pub(super) async fn flush(&self) {
        self.wait_until_at_most(0).await;
    }

    async fn wait_until_at_most(&self, unsent: usize) {
        loop {
            let progress = self.0.progress.notified();
            if self.unsent_bytes() <= unsent || self.is_broken() {
                return;
            }
            self.announce();
            progress.await;
        }
    }

    async fn run_writer(&self) {
        let mut batch = Vec::new();
        loop {
            self.0.announced.notified().await;
            // Other tasks that are ready add their answers first; then one write takes all of them.
            after_ready_tasks().await;
            {
                let mut state = self.lock();
                if state.is_broken {
                    return;
                }
                std::mem::swap(&mut state.pending, &mut batch);
                state.writing_bytes = batch.len();
            }
            let written = self.0.output.write_all(&mut batch).await;
            let mut state = self.lock();
            state.writing_bytes = 0;
            if let Err(error) = written {
                return self.lose_client(state, &error);
            }
            state.account_memory();
            let again = !state.pending.is_empty();
            drop(state);
            self.0.progress.notify_waiters();
            if again {
                self.announce();
            }
            clear_and_shrink(&mut batch);
        }
    }

    /// Nothing is written any more.
    fn lose_client(&self, mut state: MutexGuard<'_, OutboxState>, error: &io::Error) {
        tracing::debug!(%error, "cannot write to standard output");
        (state.is_broken, state.pending) = (true, Vec::new());
        state.account_memory();
        drop(state);
        self.0.progress.notify_waiters();
        self.0.closed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, OutboxState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Clears a batch, without keeping the memory of a large answer.
fn clear_and_shrink(batch: &mut Vec<u8>) {
    const MAX_RETAINED_BYTES: usize = 256 * 1024;
    batch.clear();
    batch.shrink_to(MAX_RETAINED_BYTES);
}

impl Backpressure for Outbox {
    /// Ends when the client is gone, too.
    fn wait_for_capacity(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.wait_until_at_most(MAX_UNSENT_BYTES))
    }

    fn admission_timeout(&self) -> Option<Duration> {
        None
    }

    fn max_waiting(&self) -> usize {
        Semaphore::MAX_PERMITS
    }
}
