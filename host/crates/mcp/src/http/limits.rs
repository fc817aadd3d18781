//! The limits of HTTP: connections, heads, bodies, streams and their timeouts, each with what a client could exhaust
//! without it.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. `config/src/limits.rs` has those that an operator sets.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

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
/// How long `/healthz` looks at the AppDir. A load balancer gives up after some seconds, and a file system may hang for
/// minutes.
pub const HEALTH_PROBE_TIMEOUT: Duration = Duration::from_secs(1);
/// Time without a byte in the middle of a body.
pub const REQUEST_BODY_STALL_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a body may take while another connection waits for a slot. A client that sends slowly on all connections
/// would lock others out.
pub const CONTENDED_BODY_TIMEOUT: Duration = Duration::from_secs(1);
/// Bodies up to this size are read however much others send, since all connections together hold little of them. They are
/// decoded when they run.
pub const ALWAYS_ACCEPTED_BODY_BYTES: usize = 32 * 1024;
/// Longer bodies are decoded on other threads, because the protocol's thread would do nothing else for that long.
pub const MAX_INLINE_DECODE_BYTES: usize = 256 * 1024;
/// Bodies that are decoded on other threads at the same time.
pub const MAX_CONCURRENT_DECODES: usize = 2;
/// How long writing to a client may be blocked before it must have taken [`MIN_WRITE_PROGRESS_BYTES`].
pub const WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes that a client takes in that time, if there are as many for it: 17 KB/s. Others wait until long answers are
/// taken.
pub const MIN_WRITE_PROGRESS_BYTES: usize = 1024 * 1024;
/// Requests over HTTP that wait to make a large answer. Another one is refused at once, so that permits are left for
/// other requests, also of [`MAX_RUNNING_REQUESTS_PER_CALLER`].
pub const MAX_QUEUED_LARGE_RESPONSES: usize = 32;
/// Of those, how many one caller has at most.
pub const MAX_QUEUED_LARGE_RESPONSES_PER_CALLER: usize = 24;
/// How long a stalled reply may hold up others before its connection is closed.
pub const CONTENDED_WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(2);
/// Requests that run at the same time, of all clients together.
pub const MAX_HTTP_RUNNING_REQUESTS: usize = 64;
/// Of those, how many one caller has at most.
pub const MAX_RUNNING_REQUESTS_PER_CALLER: usize = 48;
/// How long a request waits for its permit to run.
pub const REQUEST_PERMIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Unsent bytes of answers over HTTP above which no request gets its permit. Large answers wait from
/// [`MAX_UNSENT_BYTES`](crate::limits::MAX_UNSENT_BYTES) on, so that a few stalled clients hold up no others.
pub const MAX_HTTP_UNSENT_BYTES: usize = 64 * 1024 * 1024;
/// Open subscriptions of the modern revision and streams of sessions, of all clients together.
pub const MAX_HTTP_LISTEN_STREAMS: usize = 256;
/// Of those, how many one caller has at most.
pub const MAX_LISTEN_STREAMS_PER_CALLER: usize = 192;
/// Time between two lines of the log about refused tokens, or about refused hosts and origins. Each guess would be a line
/// otherwise.
pub const REFUSAL_LOG_INTERVAL: Duration = Duration::from_secs(10);
/// Time between two updates of the count of refused tokens that `wardroom status` shows. Each guess would write a file
/// otherwise.
pub const REFUSED_TOKEN_REPORT_INTERVAL: Duration = Duration::from_secs(1);
/// How often a silent stream sends a keep-alive.
pub const SSE_KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// Messages of one stream that its client has not taken. The sender of another one waits.
pub const MAX_QUEUED_SSE_MESSAGES: usize = 16;
/// Longest token that is compared, in bytes.
pub const MAX_BEARER_TOKEN_BYTES: usize = 256;
/// Pages for people that are made at the same time, and versions that are read. Each takes a thread.
pub const MAX_PAGE_REQUESTS: usize = 8;
/// How often an open page learns whether it shows the current state.
pub const PAGE_VERSION_INTERVAL: Duration = Duration::from_secs(1);
