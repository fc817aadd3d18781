//! The bounds of the protocol, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;
use wardroom_service::limits::MAX_MESSAGE_BYTES;

// ---- What a client sends -------------------------------------------------------------------------------------------

/// Bytes read from a client at a time.
pub const STDIO_READ_CHUNK_BYTES: usize = 64 * 1024;
/// What is kept of a longer line, in bytes: its beginning, which may name the request.
pub const OVERSIZED_MESSAGE_PREFIX_BYTES: usize = 4096;
/// Most values in one message. Decoded, the shortest of them takes a hundred times its length.
pub const MAX_MESSAGE_VALUES: usize = 100_000;
/// Requests that run at the same time. Each may hold a thread and a file.
pub const MAX_STDIO_RUNNING_REQUESTS: usize = 64;
/// Requests of those that do slow work at the same time, each on a thread of its own.
pub const MAX_BLOCKING_REQUESTS: usize = 32;
/// Of those, what one caller over HTTP takes at most.
pub const MAX_BLOCKING_REQUESTS_PER_CALLER: usize = 24;
/// Requests of those that answer with a large document at the same time, from the reading to the encoding. A character can
/// be six in JSON, so that all workers together would make gigabytes of answers before the first is sent.
pub const MAX_CONCURRENT_LARGE_RESPONSES: usize = 2;
/// Subscriptions that a client keeps open. Each holds a task and a name.
pub const MAX_STDIO_LISTEN_STREAMS: usize = 64;
/// Resources that clients subscribe to, all subscriptions together. Each costs a look whenever something near it changes.
pub const MAX_WATCHED_RESOURCES: usize = 1024;
/// Requests that were read and wait for their turn. A client that never stops sending would fill memory.
pub const MAX_QUEUED_REQUESTS: usize = 16 * 1024;
/// Bytes of the waiting requests, for the client that sends few but large ones.
pub const MAX_QUEUED_REQUEST_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of answers that the client has not read yet. Above it no further request is started; with that many bytes of
/// refusals, nothing more is read.
pub const MAX_UNSENT_BYTES: usize = 16 * 1024 * 1024;
/// How far a call is, as its script says and nobody has sent on yet. What does not fit is not told.
pub const MAX_QUEUED_PROGRESS_NOTIFICATIONS: usize = 64;
/// Calls that wait for the client's model at the same time, each on a worker thread; and how long one waits.
pub const MAX_SAMPLING_REQUESTS: usize = 16;
/// Of one caller over HTTP, and of one session: nobody leaves all others unasked.
pub const MAX_SAMPLING_REQUESTS_PER_CALLER: usize = 12;
pub const MAX_SAMPLING_REQUESTS_PER_SESSION: usize = 4;
pub const SAMPLING_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// How long a call that is cancelled tries to take back what it asked of a client that does not read.
pub const INPUT_REQUEST_CANCEL_TIMEOUT: Duration = Duration::from_millis(200);
/// Calls that became tasks and are worked on by this server at the same time, each on a thread of its own.
pub const MAX_RUNNING_TASKS: usize = 32;
/// Of those, what one caller over HTTP has at most.
pub const MAX_RUNNING_TASKS_PER_CALLER: usize = 24;
/// How often whoever works on one looks whether it was ended elsewhere.
pub const TASK_CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(200);
/// How often the message of one changes at most, and how often a client is told to ask for it.
pub const TASK_STATUS_MESSAGE_MIN_INTERVAL: Duration = Duration::from_millis(200);
pub const TASK_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How long a client may take to call again with what it was asked for. It sees no handle that is older.
pub const CONTINUATION_TOKEN_TTL: Duration = Duration::from_secs(24 * 60 * 60);

// ---- HTTP ----------------------------------------------------------------------------------------------------------

/// Connections at the same time; others wait until they are accepted. Each holds a descriptor, of which a process often has
/// 1024, and some buffers.
pub const MAX_HTTP_CONNECTIONS: usize = 512;
/// The head of a request, in bytes, and its headers.
pub const MAX_REQUEST_HEAD_BYTES: usize = 64 * 1024;
pub const MAX_REQUEST_HEADERS: usize = 64;
/// How long a client may take to send a head, which is also how long a connection stays open without a request, and to
/// send a body. One that sends a byte now and then would hold a connection for ever.
pub const REQUEST_HEAD_TIMEOUT: Duration = Duration::from_secs(15);
pub const REQUEST_BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long it may send nothing in the middle of a body; and the bodies that are taken however much others send, since all
/// connections together hold little of them.
pub const REQUEST_BODY_STALL_TIMEOUT: Duration = Duration::from_secs(5);
pub const ALWAYS_ACCEPTED_BODY_BYTES: usize = 32 * 1024;
/// Bodies longer than that are decoded on other threads, so many at a time: the protocol's thread would do nothing else for
/// that long.
pub const MAX_INLINE_DECODE_BYTES: usize = 256 * 1024;
pub const MAX_CONCURRENT_DECODES: usize = 2;
/// What one message counts for at most while it waits: one with more values is refused before it is built.
pub const MAX_ESTIMATED_MESSAGE_BYTES: usize = MAX_MESSAGE_BYTES + 128 * MAX_MESSAGE_VALUES;
/// How long a client that is waited for may take none of what it is sent.
pub const WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(60);
/// What a client takes in that time, where there is so much for it: 17 KB a second. Others wait until long answers are taken.
pub const MIN_WRITE_PROGRESS_BYTES: usize = 1024 * 1024;
/// Requests over HTTP that wait to make a large answer; another one is refused at once, so that turns are left for others,
/// also of [`MAX_RUNNING_REQUESTS_PER_CALLER`].
pub const MAX_QUEUED_LARGE_RESPONSES: usize = 32;
/// How long a reply that is not taken may hold up others before its connection is ended.
pub const CONTENDED_WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(2);
/// Requests that run at the same time, of all clients together and of one caller, and how long another one waits for its
/// turn.
pub const MAX_HTTP_RUNNING_REQUESTS: usize = 64;
pub const MAX_RUNNING_REQUESTS_PER_CALLER: usize = 48;
pub const REQUEST_PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of answers that clients over HTTP have not taken, from which on no request gets its turn. Large answers wait from
/// [`MAX_UNSENT_BYTES`] on, so that some clients that take nothing hold up no others.
pub const MAX_HTTP_UNSENT_BYTES: usize = 64 * 1024 * 1024;
/// Subscriptions of the newer era that are open at the same time, and streams of sessions: of all clients together, and of
/// one caller.
pub const MAX_HTTP_LISTEN_STREAMS: usize = 256;
pub const MAX_LISTEN_STREAMS_PER_CALLER: usize = 192;
/// How often a stream on which nothing happens says that it is there.
pub const SSE_KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// Messages of one stream that its client has not taken. Whoever sends more waits.
pub const MAX_QUEUED_SSE_MESSAGES: usize = 16;
/// Longest token that is looked at, in bytes.
pub const MAX_BEARER_TOKEN_BYTES: usize = 256;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// How long cancelled work may take to notice, before the process ends without it.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(300);
