//! The bounds of guests, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- What runs in the sandbox --------------------------------------------------------------------------------------

/// Instances of the guest that exist at the same time.
pub const MAX_GUEST_INSTANCES: u32 = 8;
/// How long a caller waits for one of them.
pub const GUEST_QUEUE_TIMEOUT: Duration = Duration::from_secs(10);
/// Linear memory of an instance, in bytes.
pub const MAX_GUEST_MEMORY_BYTES: usize = 32 * 1024 * 1024;
/// Elements of an instance's tables.
pub const MAX_GUEST_TABLE_ELEMENTS: usize = 10_000;
/// Stack of an instance, in bytes.
pub const MAX_GUEST_STACK_BYTES: usize = 512 * 1024;
/// Wall time of one call into an instance.
pub const GUEST_CALL_TIMEOUT: Duration = Duration::from_secs(1);
/// How often running instances look at the clock.
pub const GUEST_EPOCH_INTERVAL: Duration = Duration::from_millis(10);
/// What one call may return, in bytes.
pub const MAX_GUEST_OUTPUT_BYTES: usize = 1024 * 1024;
/// What the pool keeps resident in each instance's memory: saves page faults on typical packages, in bytes.
pub const GUEST_RESIDENT_BYTES: usize = 2 * 1024 * 1024;
