//! Why the sandbox has no result. `Display` may be shown to a client; nothing in it comes from the host.

use std::time::Duration;

use wardroom_base::byte_size::ByteSize;
use wasmtime::Trap;

use crate::limits::MAX_GUEST_STACK_BYTES;
use crate::runner::InstanceLimits;

#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Every instance was in use until the caller's timeout.
    #[error("the sandbox is busy, try again")]
    Busy,
    #[error("the sandbox stopped the document after {} s", .0.as_secs())]
    Timeout(Duration),
    /// Carries the limit in bytes, as the next two.
    #[error("the sandbox stopped the document at {} of memory", ByteSize(*.0 as u64))]
    MemoryLimit(usize),
    #[error("the sandbox stopped the document at {} of stack", ByteSize(*.0 as u64))]
    StackLimit(usize),
    #[error("the sandbox stopped the document: its result is larger than {}", ByteSize(*.0 as u64))]
    OutputLimit(usize),
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
    pub(super) fn from_call(error: &wasmtime::Error, limits: &InstanceLimits, memory_refused: bool) -> Self {
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => Self::Timeout(limits.call_timeout),
            Some(Trap::StackOverflow) => Self::StackLimit(MAX_GUEST_STACK_BYTES),
            Some(_) if memory_refused => Self::MemoryLimit(limits.memory_bytes),
            None if is_out_of_fuel(error) => Self::OutputLimit(limits.output_bytes),
            _ => Self::Trap(format!("{error:#}")),
        }
    }

    /// Whether the document itself is the reason, and not the state of the server.
    #[must_use]
    pub const fn is_of_document(&self) -> bool {
        !matches!(self, Self::Busy | Self::Unavailable(_))
    }
}

/// The runtime has no error type for this, only a message; the hostile guest `huge_string` fails when it changes.
fn is_out_of_fuel(error: &wasmtime::Error) -> bool {
    error.chain().any(|cause| cause.to_string().contains("fuel"))
}
