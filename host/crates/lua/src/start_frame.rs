//! The message that starts a run or a call.
//!
//! Owns: that its memory is taken before it is encoded, and which bytes of messages count.
//! Never: sends it.

use serde::Serialize;

use super::error::ScriptStartError;
use crate::limits::UNCOUNTED_MESSAGE_BYTES;
use wardroom_base::memory::{MemoryLease, MemoryShare};
use wardroom_process::ipc::{append_frame, frame_len};

/// The message that starts a run or a call, with its memory.
pub(super) struct StartFrame {
    pub(super) bytes: Vec<u8>,
    pub(super) memory: MemoryLease,
}

impl StartFrame {
    /// Encodes a start, once there is the memory for it.
    pub(super) fn new(start: &impl Serialize, memory: &MemoryShare) -> Result<Self, ScriptStartError> {
        let len = frame_len(start)?;
        let memory = memory.lease(counted_bytes(len))?;
        let mut bytes = Vec::with_capacity(len);
        append_frame(&mut bytes, start)?;
        Ok(Self { bytes, memory })
    }
}

/// Returns how many of a run's or call's bytes count as the server's memory: of few, none.
#[must_use]
pub const fn counted_bytes(bytes: usize) -> usize {
    if bytes > UNCOUNTED_MESSAGE_BYTES { bytes } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_start_takes_memory() {
        let memory = MemoryShare::budget(UNCOUNTED_MESSAGE_BYTES * 2);
        let small = StartFrame::new(&"x".repeat(UNCOUNTED_MESSAGE_BYTES / 2), &memory).unwrap();
        assert_eq!(memory.used(), 0);
        let text = "x".repeat(UNCOUNTED_MESSAGE_BYTES);
        let large = StartFrame::new(&text, &memory).unwrap();
        assert_eq!(memory.used(), large.bytes.len());
        assert!(matches!(StartFrame::new(&text, &memory), Err(ScriptStartError::OutOfMemory(_))));
        drop((small, large));
        assert_eq!(memory.used(), 0);
    }
}
