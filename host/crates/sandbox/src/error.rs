//! Why the sandbox has no result. `Display` may be shown to a client; nothing in it comes from the host.

use wardroom_base::byte_size::ByteSize;
use wasmtime::Trap;

use crate::limits::{GUEST_CALL_TIMEOUT, MAX_GUEST_MEMORY_BYTES, MAX_GUEST_OUTPUT_BYTES, MAX_GUEST_STACK_BYTES};

#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Every instance was in use until the caller's timeout.
    #[error("the sandbox is busy, try again")]
    Busy,
    #[error("the sandbox stopped the document after {} s", GUEST_CALL_TIMEOUT.as_secs())]
    Timeout,
    #[error("the sandbox stopped the document at {} of memory", ByteSize(MAX_GUEST_MEMORY_BYTES as u64))]
    MemoryLimit,
    #[error("the sandbox stopped the document at {} of stack", ByteSize(MAX_GUEST_STACK_BYTES as u64))]
    StackLimit,
    #[error("the sandbox stopped the document: its result is larger than {}", ByteSize(MAX_GUEST_OUTPUT_BYTES as u64))]
    OutputLimit,
    /// The guest failed in some other way; the runtime's message is for the log.
    #[error("the sandbox stopped the document: its parser failed")]
    Trap(String),
    /// The guest returned text that is not JSON within the limits.
    #[error("the sandbox stopped the document: its result is malformed")]
    Payload(#[from] wardroom_base::payload::PayloadError),
    /// The image does not load, or the sandbox cannot be set up.
    #[error("the sandbox does not start")]
    Unavailable(String),
}

impl SandboxError {
    /// Maps the error of a call to the limit that caused it.
    pub(super) fn from_call(error: &wasmtime::Error, memory_refused: bool) -> Self {
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => Self::Timeout,
            Some(Trap::StackOverflow) => Self::StackLimit,
            Some(_) if memory_refused => Self::MemoryLimit,
            None if is_out_of_fuel(error) => Self::OutputLimit,
            _ => Self::Trap(format!("{error:#}")),
        }
    }
}

/// The runtime has no error type for this, only a message; the hostile guest `huge_string` fails when it changes.
fn is_out_of_fuel(error: &wasmtime::Error) -> bool {
    error.chain().any(|cause| cause.to_string().contains("fuel"))
}
