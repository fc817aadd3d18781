//! The limits of guest instances, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- Guests --------------------------------------------------------------------------------------------------------

/// Guest instances at the same time. The pool reserves memory for each.
pub const MAX_GUEST_INSTANCES: u32 = 8;
/// Time that a caller waits for a guest instance. Waiting callers hold worker threads.
pub const GUEST_QUEUE_TIMEOUT: Duration = Duration::from_secs(10);
/// Time that a caller waits for another one to end before there are more guest instances than processors. They would end no sooner,
/// and the pool keeps memory of each.
pub const PROCESSOR_WAIT: Duration = Duration::from_millis(20);
/// Linear memory of a guest instance, in bytes. A document could make its parser fill memory.
pub const MAX_GUEST_MEMORY_BYTES: usize = 32 * 1024 * 1024;
/// Elements of a guest instance's tables. A hostile guest could grow them to fill memory.
pub const MAX_GUEST_TABLE_ELEMENTS: usize = 10_000;
/// Stack of a guest instance, in bytes. A nested document could overflow the stack of its thread.
pub const MAX_GUEST_STACK_BYTES: usize = 512 * 1024;
/// Wall time of one guest call. A document that keeps its parser busy would hold an instance and a thread.
pub const GUEST_CALL_TIMEOUT: Duration = Duration::from_secs(1);
/// Interval at which running instances check their deadline. A call may run this much longer.
pub const GUEST_EPOCH_INTERVAL: Duration = Duration::from_millis(10);
/// Largest result of one guest call, in bytes. A hostile guest could fill the server's memory.
pub const MAX_GUEST_OUTPUT_BYTES: usize = 1024 * 1024;
/// Linear memory that the pool keeps resident for each instance, in bytes. It saves the page faults of typical
/// packages.
pub const GUEST_RESIDENT_BYTES: usize = 2 * 1024 * 1024;

// ---- Documents of a blog -------------------------------------------------------------------------------------------

/// Largest result of one call of the documents guest, in bytes: the text of the longest document, its links, or a preview.
pub const MAX_DOCUMENT_OUTPUT_BYTES: usize = 8 * 1024 * 1024;
/// Linear memory that the pool keeps resident for each instance of the documents guest, in bytes. It saves the page
/// faults of typical posts.
pub const DOCUMENT_RESIDENT_BYTES: usize = 1024 * 1024;
/// Pictures that are decoded at the same time. Each may take a large part of the server's memory.
pub const MAX_PICTURE_INSTANCES: u32 = 1;
/// Linear memory of an instance that decodes a picture, in bytes: that of 24 megapixels with the decoder's buffers.
pub const MAX_PICTURE_MEMORY_BYTES: usize = 256 * 1024 * 1024;
/// Wall time of a call for one picture. The largest pictures take about a second.
pub const PICTURE_CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest thumbnail, in bytes.
pub const MAX_PICTURE_OUTPUT_BYTES: usize = 16 * 1024 * 1024;
