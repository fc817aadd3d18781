//! The limits of the command line, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- HTTP ----------------------------------------------------------------------------------------------------------

/// Server files that `wardroom status` reads. Each server that was killed leaves one until the next server starts.
pub const MAX_SERVER_FILES: usize = 10_000;
/// Largest server file, in bytes. Any writer of the AppDir could make the command read a file of any size.
pub const MAX_SERVER_FILE_BYTES: u64 = 16 * 1024;

/// Largest file that says what a server does, in bytes. Any writer of the AppDir could make `wardroom top` read a file of any
/// size.
pub const MAX_ACTIVITY_FILE_BYTES: u64 = 64 * 1024;
/// Calls that such a file has: the oldest. A page of a terminal has no room for more.
pub const MAX_REPORTED_CALLS: usize = 20;

// ---- Runs ----------------------------------------------------------------------------------------------------------

/// Time that a paused run keeps its processes. They hold memory, and other runs need workers.
pub const WARM_RUN_IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Characters of a prompt in the preview of `alc_status`, unless the environment sets another number. A model reads
/// them.
pub const DEFAULT_PROMPT_PREVIEW_CHARS: usize = 200;

// ---- Files ---------------------------------------------------------------------------------------------------------

/// Output that a probed program may write before its handshake, in bytes; one that writes more does not count as a
/// server. Endless output would hold up the command.
pub const MAX_HANDSHAKE_OUTPUT_BYTES: u64 = 1024 * 1024;

/// Largest list of digests, signature or public key that `wardroom verify` reads, in bytes. A server that offers a download
/// could send any.
pub const MAX_SIGNED_LIST_BYTES: u64 = 64 * 1024;

/// Largest stamp of a checked file system that is read, in bytes. Any writer of the AppDir could make a server read a file of
/// any size.
pub const MAX_STAMP_BYTES: u64 = 4 * 1024;

// ---- Processes -----------------------------------------------------------------------------------------------------

/// Address space of a worker process, in bytes: its Lua state, the binary, and a message while it is converted. A
/// worker could fill the machine's memory.
pub const WORKER_ADDRESS_SPACE_BYTES: u64 = 768 * 1024 * 1024;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// Time that a probed server has to answer its first request. A server that hangs would hold up the command.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

// ---- Strategies ----------------------------------------------------------------------------------------------------

/// Time that the command of `wardroom run --model` has for one answer. A question that it leaves open waits for another one.
pub const MAX_MODEL_TIME: Duration = Duration::from_secs(120);
/// Largest answer of such a command, in bytes. The journal of a run keeps it.
pub const MAX_MODEL_ANSWER_BYTES: u64 = 1024 * 1024;
/// Processes of such a command at once. Most models refuse more, and each takes the memory of a program.
pub const MAX_MODEL_PROCESSES: usize = 4;
/// Largest file of `--answers`, of a strategy or of a field that the command line reads, in bytes. All of it is kept in memory.
pub const MAX_ARGUMENT_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Largest file of tests, in bytes. All of it is kept in memory.
pub const MAX_TEST_FILE_BYTES: u64 = 1024 * 1024;
/// Files and folders that `wardroom test` copies. A copy is made for each call.
pub const MAX_TEST_COPY_ENTRIES: usize = 20_000;
/// What `wardroom test` copies, in bytes. It is written to the folder for temporary files.
pub const MAX_TEST_COPY_BYTES: u64 = 256 * 1024 * 1024;
/// Entries of a folder in which `wardroom test` looks for files of tests.
pub const MAX_TEST_FOLDER_ENTRIES: usize = 20_000;

// ---- The learning log ----------------------------------------------------------------------------------------------

/// Output of a command of `wardroom ace run` that is kept, in bytes: one half of its beginning, and one of its end. All of
/// it is shown.
pub const MAX_CAPTURED_OUTPUT_BYTES: usize = 8 * 1024 * 1024;
/// Time after which such a command is ended, unless `--timeout` says otherwise.
pub const MAX_COMMAND_TIME: Duration = Duration::from_secs(60 * 60);
/// Time that such a command has to end what it started, before it is killed.
pub const COMMAND_END_TIMEOUT: Duration = Duration::from_secs(2);
/// Files and folders of a project that are looked at for what fixed a failure. A larger project would hold up the command.
pub const MAX_VISITED_PROJECT_FILES: usize = 50_000;
/// Time that the search for changed files has. A larger project would hold up the command.
pub const MAX_CHANGE_SEARCH_TIME: Duration = Duration::from_secs(2);
/// Largest list of what a project ignores that is read, in bytes.
pub const MAX_IGNORE_FILE_BYTES: u64 = 64 * 1024;
/// Time that the output of a command may stay open after it ended: a process that it started may hold it for good.
pub const MAX_OUTPUT_DELAY: Duration = Duration::from_secs(2);
/// Largest event of an agent's hook that is read, in bytes. It has the output of a command.
pub const MAX_HOOK_EVENT_BYTES: u64 = 16 * 1024 * 1024;
/// Cards that `wardroom cards plot` reads: the newest.
pub const MAX_PLOTTED_CARDS: usize = 5_000;
