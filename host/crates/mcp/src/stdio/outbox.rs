//! The output buffer: answers gather in it, and one task writes them.
//!
//! Owns: the buffer. Answers that become ready together leave in one write.
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
    /// A message was added.
    changed: Notify,
    /// Bytes were written, or the client is gone.
    progress: Notify,
    /// The client is gone.
    closed: Notify,
}

struct OutboxState {
    pending: Vec<u8>,
    /// Bytes that are being written.
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
            changed: Notify::new(),
            progress: Notify::new(),
            closed: Notify::new(),
        }));
        let writer = outbox.clone();
        (outbox, tokio::spawn(async move { writer.run_writer(output).await }))
    }

    /// Adds a message.
    pub(super) fn push(&self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        self.push_encoded(|pending| append_message(pending, message))
    }

    /// Adds the answer with a result that is JSON.
    pub(super) fn push_result(&self, id: &RequestId, result: &[u8]) -> io::Result<()> {
        self.push_encoded(|pending| append_answer(pending, id, result))
    }

    /// Adds a message whose ids were rewritten.
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
        drop(state);
        self.0.changed.notify_one();
        Ok(())
    }

    /// Returns the bytes that the client has not taken.
    pub(super) fn unsent_bytes(&self) -> usize {
        let state = self.lock();
        state.pending.len() + state.writing_bytes
    }

    pub(super) fn is_broken(&self) -> bool {
        self.lock().is_broken
    }

    /// Waits until the client takes bytes, or is gone.
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
            progress.await;
        }
    }

    async fn run_writer(&self, mut output: StdoutWriter) {
        let mut batch = Vec::new();
        loop {
            self.0.changed.notified().await;
            // Other tasks that are ready add their answers first; then one write takes all of them.
            after_ready_tasks().await;
            {
                let mut state = self.lock();
                std::mem::swap(&mut state.pending, &mut batch);
                state.writing_bytes = batch.len();
            }
            let written = output.write_all(&mut batch).await;
            let mut state = self.lock();
            state.writing_bytes = 0;
            if let Err(error) = written {
                tracing::debug!(%error, "cannot write to standard output");
                (state.is_broken, state.pending) = (true, Vec::new());
            }
            state.account_memory();
            let (broken, again) = (state.is_broken, !state.pending.is_empty());
            drop(state);
            self.0.progress.notify_waiters();
            if broken {
                self.0.closed.notify_one();
                return;
            }
            if again {
                self.0.changed.notify_one();
            }
            clear_and_shrink(&mut batch);
        }
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
