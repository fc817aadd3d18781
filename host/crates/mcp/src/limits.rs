//! The limits of the protocol, by name, each with what a client could exhaust without it.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. Whatever can grow has a limit here, and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;
use wardroom_service::limits::MAX_MESSAGE_BYTES;

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
/// Subscriptions that a stdio client keeps open. Each holds a task and a name.
pub const MAX_STDIO_LISTEN_STREAMS: usize = 64;
/// Resources that clients subscribe to, in all subscriptions together. Each costs a scan whenever something changes in
/// its folders.
pub const MAX_WATCHED_RESOURCES: usize = 1024;
/// Requests that were read and wait to run. A client that never stops sending would fill memory.
pub const MAX_QUEUED_REQUESTS: usize = 16 * 1024;
/// Bytes of the waiting requests, against a client that sends few but large ones.
pub const MAX_QUEUED_REQUEST_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of answers that the client has not read yet. Above this no further request is started; with as many bytes of
/// refusals nothing more is read.
pub const MAX_UNSENT_BYTES: usize = 16 * 1024 * 1024;
/// Notifications of progress and log messages of one call that are not sent yet. Further ones are dropped.
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
/// How often a running task checks whether it was ended elsewhere.
pub const TASK_CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(200);
/// How often the status message of a task changes at most.
pub const TASK_STATUS_MESSAGE_MIN_INTERVAL: Duration = Duration::from_millis(200);
/// How often a client is advised to poll a task.
pub const TASK_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How long a client may take to call again with its responses. An older continuation token is refused.
pub const CONTINUATION_TOKEN_TTL: Duration = Duration::from_secs(24 * 60 * 60);

// ---- HTTP ----------------------------------------------------------------------------------------------------------

/// Connections at the same time; others wait until they are accepted. Each holds some buffers and a descriptor, of
/// which a process often has 1024.
pub const MAX_HTTP_CONNECTIONS: usize = 512;
/// Bytes of the head of a request.
pub const MAX_REQUEST_HEAD_BYTES: usize = 64 * 1024;
/// Headers of a request.
pub const MAX_REQUEST_HEADERS: usize = 64;
/// Time for the head of a request, which is also how long a connection stays open without one. A client that sends a
/// byte now and then would hold a connection for ever.
pub const REQUEST_HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// Time for the body of a request, for the same reason.
pub const REQUEST_BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Time without a byte in the middle of a body.
pub const REQUEST_BODY_STALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Bodies up to this size are read however much others send, since all connections together hold little of them.
pub const ALWAYS_ACCEPTED_BODY_BYTES: usize = 32 * 1024;
/// Longer bodies are decoded on other threads, because the protocol's thread would do nothing else for that long.
pub const MAX_INLINE_DECODE_BYTES: usize = 256 * 1024;
/// Bodies that are decoded on other threads at the same time.
pub const MAX_CONCURRENT_DECODES: usize = 2;
/// Bytes that a waiting message counts for at most: one with more values is refused before it is decoded.
pub const MAX_ESTIMATED_MESSAGE_BYTES: usize = MAX_MESSAGE_BYTES + 128 * MAX_MESSAGE_VALUES;
/// How long writing to a client may be blocked before it must have taken [`MIN_WRITE_PROGRESS_BYTES`].
pub const WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes that a client takes in that time, if there are as many for it: 17 KB/s. Others wait until long answers are
/// taken.
pub const MIN_WRITE_PROGRESS_BYTES: usize = 1024 * 1024;
/// Requests over HTTP that wait to make a large answer. Another one is refused at once, so that permits are left for
/// other requests, also of [`MAX_RUNNING_REQUESTS_PER_CALLER`].
pub const MAX_QUEUED_LARGE_RESPONSES: usize = 32;
/// How long a stalled reply may hold up others before its connection is closed.
pub const CONTENDED_WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(2);
/// Requests that run at the same time, of all clients together.
pub const MAX_HTTP_RUNNING_REQUESTS: usize = 64;
/// Of those, how many one caller has at most.
pub const MAX_RUNNING_REQUESTS_PER_CALLER: usize = 48;
/// How long a request waits for its permit to run.
pub const REQUEST_PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Unsent bytes of answers over HTTP above which no request gets its permit. Large answers wait from
/// [`MAX_UNSENT_BYTES`] on, so that a few stalled clients hold up no others.
pub const MAX_HTTP_UNSENT_BYTES: usize = 64 * 1024 * 1024;
/// Open subscriptions of the modern revision and streams of sessions, of all clients together.
pub const MAX_HTTP_LISTEN_STREAMS: usize = 256;
/// Of those, how many one caller has at most.
pub const MAX_LISTEN_STREAMS_PER_CALLER: usize = 192;
/// How often a silent stream sends a keep-alive.
pub const SSE_KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// Messages of one stream that its client has not taken. The sender of another one waits.
pub const MAX_QUEUED_SSE_MESSAGES: usize = 16;
/// Longest token that is compared, in bytes.
pub const MAX_BEARER_TOKEN_BYTES: usize = 256;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// How long cancelled work may take to stop before the process ends without it.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(300);
