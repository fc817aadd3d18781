//! The limits of the protocol, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;
use wardroom_service::limits::MAX_MESSAGE_BYTES;

// ---- Requests and responses ----------------------------------------------------------------------------------------

/// Bytes that are read from standard input at a time.
pub const STDIO_READ_CHUNK_BYTES: usize = 64 * 1024;
/// Prefix that is kept of an oversized line, in bytes; it may name the request to refuse. The whole line could fill
/// memory.
pub const OVERSIZED_MESSAGE_PREFIX_BYTES: usize = 4096;
/// JSON values in one message. Decoded, the shortest values take a hundred times their length.
pub const MAX_MESSAGE_VALUES: usize = 100_000;
/// Requests that run at the same time over stdio. Each may hold a thread and a file.
pub const MAX_STDIO_RUNNING_REQUESTS: usize = 64;
/// Running requests that do slow work at the same time. Each holds a thread.
pub const MAX_BLOCKING_REQUESTS: usize = 32;
/// Slow requests of one caller over HTTP. One caller would take all threads.
pub const MAX_BLOCKING_REQUESTS_PER_CALLER: usize = 24;
/// Large responses that are made at the same time, from reading to encoding. One character can be six bytes in JSON, so
/// that all workers together would make gigabytes.
pub const MAX_CONCURRENT_LARGE_RESPONSES: usize = 2;
/// Subscriptions that a stdio client keeps open. Each holds a task and a name.
pub const MAX_STDIO_LISTEN_STREAMS: usize = 64;
/// Resources that clients subscribe to, all subscriptions together. Each is checked whenever a file near it changes.
pub const MAX_WATCHED_RESOURCES: usize = 1024;
/// Requests that were read and wait to run. A client that never stops sending would fill memory.
pub const MAX_QUEUED_REQUESTS: usize = 16 * 1024;
/// Bytes of the requests that wait to run, or that are received over HTTP. A client that sends few but large requests
/// would fill memory.
pub const MAX_QUEUED_REQUEST_BYTES: usize = 64 * 1024 * 1024;
/// Unsent response bytes above which stdio starts no request and HTTP no large response. With as many bytes of unsent
/// errors, stdio reads no further input.
pub const MAX_UNSENT_BYTES: usize = 16 * 1024 * 1024;
/// Progress notifications of one call that are not sent yet; further ones are dropped. A script that reports in a loop
/// would fill memory.
pub const MAX_QUEUED_PROGRESS_NOTIFICATIONS: usize = 64;
/// Calls that wait for a client's model or user at the same time. Each holds a worker thread.
pub const MAX_SAMPLING_REQUESTS: usize = 16;
/// Such calls of one caller over HTTP. One caller would leave no slot to the others.
pub const MAX_SAMPLING_REQUESTS_PER_CALLER: usize = 12;
/// Such calls of one session. One session would leave no slot to the caller's others.
pub const MAX_SAMPLING_REQUESTS_PER_SESSION: usize = 4;
/// Time that a call waits for a client's model or user. A client that never answers would hold a worker thread forever.
pub const SAMPLING_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// Time that a cancelled call tries to withdraw its requests to the client. A client that does not read would hold the
/// call.
pub const INPUT_REQUEST_CANCEL_TIMEOUT: Duration = Duration::from_millis(200);
/// Tasks that this server executes at the same time. Each holds a thread.
pub const MAX_RUNNING_TASKS: usize = 32;
/// Running tasks of one caller over HTTP. One caller would take all threads.
pub const MAX_RUNNING_TASKS_PER_CALLER: usize = 24;
/// Interval at which a running task checks whether another process ended it. Each check reads a file.
pub const TASK_CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Shortest time between two status messages of a task. Each is a file that is written; a handler that reports in a
/// loop would occupy the disk.
pub const TASK_STATUS_MESSAGE_MIN_INTERVAL: Duration = Duration::from_millis(200);
/// Poll interval that a task suggests to its client. A client that polls without pause would occupy the server.
pub const TASK_POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Age up to which a continuation token (`requestState`) is accepted. An old token could be replayed without end.
pub const CONTINUATION_TOKEN_TTL: Duration = Duration::from_secs(24 * 60 * 60);

// ---- HTTP ----------------------------------------------------------------------------------------------------------

/// Connections at the same time; others wait to be accepted. Each holds some buffers and a descriptor, of which a
/// process often has 1024.
pub const MAX_HTTP_CONNECTIONS: usize = 512;
/// Largest head of a request, in bytes. A client that sends an endless head would fill memory.
pub const MAX_REQUEST_HEAD_BYTES: usize = 64 * 1024;
/// Headers of a request. Each takes an entry in memory, however short it is.
pub const MAX_REQUEST_HEADERS: usize = 64;
/// Time that a client has to send a request head, which is also the idle time of a connection. A client that sends a
/// byte now and then would hold a connection forever.
pub const REQUEST_HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// Time that a client has to send a request body. A client that sends a byte now and then would hold a connection
/// forever.
pub const REQUEST_BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Time that a client may pause in a request body. A stalled client would hold part of the receive budget.
pub const REQUEST_BODY_STALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Body size that is accepted even when the receive budget is used up, in bytes. Clients that send large bodies would
/// lock out all others; all connections together hold little of this size.
pub const ALWAYS_ACCEPTED_BODY_BYTES: usize = 32 * 1024;
/// Largest body that is decoded on the protocol thread, in bytes. Decoding a larger one would hold up all other
/// requests.
pub const MAX_INLINE_DECODE_BYTES: usize = 256 * 1024;
/// Larger bodies that are decoded at the same time, each on a thread of its own. Each takes many times its size in
/// memory.
pub const MAX_CONCURRENT_DECODES: usize = 2;
/// Most that one waiting message counts for in the receive budget, in bytes. A message of more values is refused before
/// it is decoded.
pub const MAX_ESTIMATED_MESSAGE_BYTES: usize = MAX_MESSAGE_BYTES + 128 * MAX_MESSAGE_VALUES;
/// Blocked write time within which a client must read [`MIN_WRITE_PROGRESS_BYTES`], or all that is unsent. A client
/// that reads nothing would hold its connection and its response.
pub const WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes that a client must read within [`WRITE_STALL_TIMEOUT`], which is 17 KB/s. Others wait until large responses
/// are read.
pub const MIN_WRITE_PROGRESS_BYTES: usize = 1024 * 1024;
/// Requests over HTTP that wait to make a large response; others are refused at once. Waiting ones would take all
/// permits, also those of [`MAX_RUNNING_REQUESTS_PER_CALLER`].
pub const MAX_QUEUED_LARGE_RESPONSES: usize = 32;
/// Time that a stalled client may hold up other requests before its connection is closed.
pub const CONTENDED_WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(2);
/// Requests that run at the same time over HTTP, of all clients together. Each may hold a thread and a file.
pub const MAX_HTTP_RUNNING_REQUESTS: usize = 64;
/// Running requests of one caller over HTTP. One caller would take all permits.
pub const MAX_RUNNING_REQUESTS_PER_CALLER: usize = 48;
/// Time that a request over HTTP waits for its permit. Waiting requests hold their connections and bodies.
pub const REQUEST_PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Unsent response bytes of all HTTP clients above which no request starts. It is more than [`MAX_UNSENT_BYTES`], where
/// large responses wait, so that some stalled clients hold up nothing else.
pub const MAX_HTTP_UNSENT_BYTES: usize = 64 * 1024 * 1024;
/// Open subscriptions of the modern revision and streams of sessions, of all clients together. Each holds a connection
/// and a task.
pub const MAX_HTTP_LISTEN_STREAMS: usize = 256;
/// Open subscriptions and session streams of one caller. One caller would leave none to the others.
pub const MAX_LISTEN_STREAMS_PER_CALLER: usize = 192;
/// Interval of keep-alive comments on a quiet SSE stream. Proxies close quiet streams, and lost clients would hold
/// theirs.
pub const SSE_KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// Unsent messages of one SSE stream; further senders wait. A client that does not read would fill memory.
pub const MAX_QUEUED_SSE_MESSAGES: usize = 16;
/// Longest bearer token that is hashed, in bytes. A client without a token could make the server hash large headers.
pub const MAX_BEARER_TOKEN_BYTES: usize = 256;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// Time that cancelled work has to stop before the process exits without it. Work that does not stop would keep the
/// process alive.
pub const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(300);
