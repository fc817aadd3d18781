//! The memory of one request: what it may hold while it runs, and what its answer holds until it is sent.
//!
//! Owns: the lease of the answer, which outlives the work.
//! Never: waits for memory.

use std::sync::{Arc, Mutex, PoisonError};

use super::ServiceError;
use wardroom_base::memory::{MemoryLease, MemoryShare, OutOfMemory};

/// How often a text is there while an answer is made of it: as it was received, as the text of the answer, and
/// escaped and structured in the message.
const ANSWER_COPIES: usize = 5;

/// Answers that are not counted: few requests run at a time, and most answers are small.
const UNCOUNTED_ANSWER_BYTES: usize = 64 * 1024;

/// The memory of a request. Clones are of the same request.
#[derive(Debug, Clone)]
pub struct RequestMemory {
    share: MemoryShare,
    answer: Arc<Mutex<MemoryLease>>,
}

impl RequestMemory {
    #[must_use]
    pub fn new(share: &MemoryShare) -> Self {
        Self { share: share.clone(), answer: Arc::new(Mutex::new(share.lease_none())) }
    }

    /// Returns what the request's caller may hold.
    #[must_use]
    pub const fn share(&self) -> &MemoryShare {
        &self.share
    }

    /// Takes bytes for a part of the work.
    ///
    /// # Errors
    /// When the caller or the server has no more.
    pub fn lease(&self, bytes: usize) -> Result<MemoryLease, ServiceError> {
        self.share.lease(bytes).map_err(ServiceError::out_of_memory)
    }

    /// Takes the bytes of an answer until it was sent: of its text and of its value, if one is built.
    ///
    /// # Errors
    /// As [`Self::lease`].
    pub fn hold_answer(&self, text_bytes: usize, value_bytes: usize) -> Result<(), OutOfMemory> {
        let text_bytes = if text_bytes > UNCOUNTED_ANSWER_BYTES { text_bytes * ANSWER_COPIES } else { 0 };
        let value_bytes = if value_bytes > UNCOUNTED_ANSWER_BYTES { value_bytes } else { 0 };
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).resize(text_bytes + value_bytes)
    }

    /// Whether the answer holds memory. Its sender keeps this value until it was sent.
    #[must_use]
    pub fn has_answer(&self) -> bool {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).bytes() > 0
    }
}
