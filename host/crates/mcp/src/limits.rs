//! The limits of the protocol, by name, each with what a client could exhaust without it.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. Those of HTTP are in `http/limits.rs`. Each thing that can grow has its
//! limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- Requests and responses ----------------------------------------------------------------------------------------

/// Bytes that are read from standard input at a time.
pub const STDIO_READ_CHUNK_BYTES: usize = 64 * 1024;
/// Bytes kept of a line over the cap: its beginning, which may name the request.
pub const OVERSIZED_MESSAGE_PREFIX_BYTES: usize = if cfg!(fuzzing) { 80 } else { 4096 };
/// Values in one message. Decoded, the shortest value takes a hundred times its length.
pub const MAX_MESSAGE_VALUES: usize = if cfg!(fuzzing) { 20 } else { 100_000 };
/// Requests that run at the same time over stdio. Each may hold a thread and a file.
pub const MAX_STDIO_RUNNING_REQUESTS: usize = 64;
/// Requests that do slow work at the same time, each on a thread of its own.
pub const MAX_BLOCKING_REQUESTS: usize = 32;
/// Of those, how many one caller over HTTP has at most.
pub const MAX_BLOCKING_REQUESTS_PER_CALLER: usize = 24;
/// Requests that answer with a large document at the same time, from reading to encoding. A character can be six in
/// JSON, so that all workers together would make gigabytes of answers before the first is sent.
pub const MAX_CONCURRENT_LARGE_RESPONSES: usize = 2;
/// Of those, how many one caller over HTTP has at most: one that takes long would hold up the others.
pub const MAX_CONCURRENT_LARGE_RESPONSES_PER_CALLER: usize = 1;
/// Subscriptions that a stdio client keeps open. Each holds a task and a name.
pub const MAX_STDIO_LISTEN_STREAMS: usize = 64;
/// Resources that clients subscribe to, in all subscriptions together; those at an endpoint with `services` of its own count
/// apart. Each costs a scan whenever something changes in its folders.
pub const MAX_WATCHED_RESOURCES: usize = 1024;
/// Of those, how many one caller over HTTP has at most, in all its sessions.
pub const MAX_WATCHED_RESOURCES_PER_CALLER: usize = MAX_WATCHED_RESOURCES / 4 * 3;
/// Requests that were read and wait to run. A client that never stops sending would fill memory.
pub const MAX_QUEUED_REQUESTS: usize = 16 * 1024;
/// Bytes of the waiting requests, against a client that sends few but large ones.
pub const MAX_QUEUED_REQUEST_BYTES: usize = 64 * 1024 * 1024;
/// Of those, how many one caller over HTTP has at most. A few clients that send slowly would have the messages of all
/// others refused.
pub const MAX_QUEUED_REQUEST_BYTES_PER_CALLER: usize = MAX_QUEUED_REQUEST_BYTES / 4 * 3;
/// Messages that are not counted as memory of the server, in bytes: all requests that may wait are few, and most messages
/// are small.
pub const UNCOUNTED_REQUEST_BYTES: usize = 64 * 1024;
/// Bytes of answers that the client has not read yet. Above this no further request is started; with as many bytes of
/// refusals nothing more is read.
pub const MAX_UNSENT_BYTES: usize = 16 * 1024 * 1024;
/// Results of reads that are kept encoded, of all callers. More would hardly be asked for again while they are fresh.
pub const MAX_KEPT_RESULTS: usize = 256;
/// Bytes of one kept result. Longer ones gain little: most of their time is that of sending them.
pub const MAX_KEPT_RESULT_BYTES: usize = 64 * 1024;
/// Bytes of all kept results.
pub const MAX_KEPT_RESULTS_BYTES: usize = 2 * 1024 * 1024;
/// How long a kept result is given. Limits how long a change goes unnoticed that the system does not report, with the time that a
/// small file is cached: of a writer that has the file mapped, that came by a hard link in another folder, or of a mount.
pub const MAX_KEPT_RESULT_AGE: Duration = Duration::from_millis(250);
/// Notifications of progress and log messages of one call that are not sent yet. Further ones are dropped, as are those
/// for which the caller has no memory left.
pub const MAX_QUEUED_PROGRESS_NOTIFICATIONS: usize = 64;
/// Calls that wait for their clients' responses at the same time, each on a worker thread.
pub const MAX_SAMPLING_REQUESTS: usize = 16;
/// Of those, how many one caller over HTTP has at most, so that some are left for others.
pub const MAX_SAMPLING_REQUESTS_PER_CALLER: usize = 12;
/// Of those, how many one session has at most.
pub const MAX_SAMPLING_REQUESTS_PER_SESSION: usize = 4;
/// How long a call waits for its client's response.
pub const SAMPLING_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// How long a cancelled call tries to withdraw its input requests from a client that does not read.
pub const INPUT_REQUEST_CANCEL_TIMEOUT: Duration = Duration::from_millis(200);
/// Tasks that this server runs at the same time, each on a thread of its own.
pub const MAX_RUNNING_TASKS: usize = 32;
/// Of those, how many one caller over HTTP has at most.
pub const MAX_RUNNING_TASKS_PER_CALLER: usize = 24;
/// How long a call waits for one of them.
pub const TASK_SLOT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often a running task checks whether it was ended elsewhere.
pub const TASK_CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(200);
/// How often the status message of a task changes at most.
pub const TASK_STATUS_MESSAGE_MIN_INTERVAL: Duration = Duration::from_millis(200);
/// How often a client is advised to poll a task.
pub const TASK_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How long a client may take to call again with its responses. An older continuation token is refused.
pub const CONTINUATION_TOKEN_TTL: Duration = Duration::from_secs(24 * 60 * 60);

// ---- Time ----------------------------------------------------------------------------------------------------------

/// How long cancelled work may take to stop before the process ends without it.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(300);
