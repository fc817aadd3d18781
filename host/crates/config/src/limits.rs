//! The defaults of limits that the configuration sets, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- HTTP ----------------------------------------------------------------------------------------------------------

/// Sessions of legacy revisions at the same time (default of `[http] max_sessions`). Each is a task and some 41 KiB.
pub const DEFAULT_MAX_SESSIONS: usize = 1000;
/// Time that a session lasts without a request (default of `[http] session_idle_s`). Abandoned sessions would take up
/// all slots.
pub const DEFAULT_SESSION_IDLE_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// Time that a session lasts at most (default of `[http] session_life_s`). A client that sends a request now and then
/// would hold a session forever.
pub const DEFAULT_SESSION_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

// ---- Processes -----------------------------------------------------------------------------------------------------

/// Memory of all processes that run scripts together, in bytes (default of `[server] worker_memory`). Each may have the
/// memory of a Lua state, and all of them would have gigabytes.
pub const DEFAULT_WORKER_MEMORY_BYTES: usize = 512 * 1024 * 1024;

// ---- Records -------------------------------------------------------------------------------------------------------

/// Cards, evals and logs that lists know of, of each kind, and packages of a folder (default of `[alc] max_records`). The rest
/// is read by its id alone. Each takes memory, and reading all of their names takes time.
pub const DEFAULT_MAX_RECORDS: usize = 200_000;

// ---- Runs ----------------------------------------------------------------------------------------------------------

/// Processor time of a run in all its processes and over all its pauses (default of `[alc] run_cpu_s`). A script that asks
/// now and then would compute for ever. A replay counts apart, with the same limit.
pub const DEFAULT_RUN_PROCESSOR_TIME: Duration = Duration::from_secs(10 * 60);

// ---- Time ----------------------------------------------------------------------------------------------------------

/// Time after the end of input until running requests are cancelled, and for the client to read the rest (default of
/// `[server] grace_ms`). A client that does not read would keep the process alive.
pub const DEFAULT_GRACE_PERIOD: Duration = Duration::from_secs(10);
