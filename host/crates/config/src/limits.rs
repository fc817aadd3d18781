//! The bounds of the configuration, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- HTTP ----------------------------------------------------------------------------------------------------------

/// Sessions of the older eras at the same time, how long one lasts without a request, and at most (defaults: `[http]`).
/// Each is a task, and some 20 KiB.
pub const DEFAULT_MAX_SESSIONS: usize = 1000;
pub const DEFAULT_SESSION_IDLE_TIMEOUT: Duration = Duration::from_secs(30 * 60);
pub const DEFAULT_SESSION_LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

// ---- Time ----------------------------------------------------------------------------------------------------------

/// After the end of input, how long running requests may go on before they are cancelled, and how long the client may
/// take to read what is left (a default: `[server] grace_ms`).
pub const DEFAULT_GRACE_PERIOD: Duration = Duration::from_secs(10);
