//! Why the sandbox has no answer. `Display` may be shown to a client; nothing in it comes from the host.

use wasmtime::Trap;

use wardroom_base::limits::{GUEST_MEMORY_BYTES, GUEST_OUTPUT_BYTES, GUEST_STACK_BYTES, GUEST_WALL_TIME};

#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// Every instance was in use for as long as a caller waits.
    #[error("the sandbox is busy, try again")]
    Busy,
    #[error("the sandbox stopped the document after {} ms", GUEST_WALL_TIME.as_millis())]
    Time,
    #[error("the sandbox stopped the document at {} MiB of memory", GUEST_MEMORY_BYTES / (1024 * 1024))]
    Memory,
    #[error("the sandbox stopped the document at {} KiB of stack", GUEST_STACK_BYTES / 1024)]
    Stack,
    #[error("the sandbox stopped the document: its result is larger than {} KiB", GUEST_OUTPUT_BYTES / 1024)]
    Output,
    /// The guest failed in some other way: what the runtime says about it is for the log.
    #[error("the sandbox stopped the document: its parser failed")]
    Trap(String),
    /// The guest returned text that is not JSON within the bounds.
    #[error("the sandbox stopped the document: its result is not usable")]
    Payload(#[from] wardroom_base::payload::PayloadError),
    /// The image does not load, or the sandbox cannot be set up.
    #[error("the sandbox does not start")]
    Unavailable(String),
}

impl SandboxError {
    /// Sorts what came back from a call into the limits that can cause it.
    pub(super) fn of_call(error: &wasmtime::Error, memory_refused: bool) -> Self {
        match error.downcast_ref::<Trap>() {
            Some(Trap::Interrupt) => Self::Time,
            Some(Trap::StackOverflow) => Self::Stack,
            Some(_) if memory_refused => Self::Memory,
            None if is_out_of_fuel(error) => Self::Output,
            _ => Self::Trap(format!("{error:#}")),
        }
    }
}

/// The runtime has no type for it, only this sentence; the hostile guest `huge_string` notices when it changes.
fn is_out_of_fuel(error: &wasmtime::Error) -> bool {
    error.chain().any(|cause| cause.to_string().contains("fuel"))
}
