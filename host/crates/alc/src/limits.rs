//! The bounds of packages, runs and records, by name, with who could exhaust what without each.
//!
//! Owns: the numbers; `docs/LIMITS.md` lists them. What can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- What a client sends -------------------------------------------------------------------------------------------

/// Largest card that is parsed there, in bytes; parsing costs more than reading.
pub const MAX_INLINE_CARD_BYTES: u64 = 4 * 1024;
/// Most rows that are checked there, and most bytes of them.
pub const MAX_INLINE_ROWS: usize = 200;
pub const MAX_INLINE_PAGE_BYTES: usize = 32 * 1024;
/// Of the cards, evals and logs that are listed one by one, the newest of each. A client that collects every page would
/// otherwise be filled by a folder that nobody ever empties.
pub const MAX_LISTED_RECENT_PER_KIND: usize = 100;
/// Names of one folder that are gone through for its newest, of which [`MAX_NAMES_SCANNED`] are kept: a list of the newest
/// that ends before it met them would be wrong.
pub const MAX_DIR_NAMES_SCANNED: usize = 5_000_000;

// ---- Runs ----------------------------------------------------------------------------------------------------------

/// Runs that go on at the same time. Each keeps a worker thread, and a process or more.
pub const MAX_ACTIVE_RUNS: usize = 24;
/// Processes that runs which wait keep, for a quicker answer. Other runs come back from their journals.
pub const MAX_WARM_RUN_PROCESSES: usize = 16;
/// How often runs are looked for that waited that long, and how long a call waits for one that gives up its processes.
pub const WARM_RUN_SWEEP_INTERVAL: Duration = Duration::from_secs(5);
pub const RUN_EVICTION_TIMEOUT: Duration = Duration::from_secs(1);
/// How long an answer waits for another call that carries its run on.
pub const RUN_CLAIM_TIMEOUT: Duration = Duration::from_secs(2);
/// Runs that this process remembers beside their journals.
pub const MAX_TRACKED_RUNS: usize = 1000;
/// How long a script may take between two questions.
pub const RUN_STEP_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a client that has something to answer waits for what other scripts of its run may ask, too.
pub const QUERY_GATHER_TIMEOUT: Duration = Duration::from_secs(2);
/// How long whoever cancels a run waits for the call that carries it on, and how often it looks.
pub const RUN_CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
pub const RUN_CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long a run that waits is kept, since it was last answered, and one that is over. They hold prompts and answers.
pub const PENDING_RUN_TTL: Duration = Duration::from_secs(7 * 24 * 60 * 60);
pub const FINISHED_RUN_TTL: Duration = Duration::from_secs(60 * 60);
/// Runs that wait on an AppDir, whichever server they are of: each is a file of up to [`MAX_JOURNAL_BYTES`]. They are counted
/// this often, and where there were too many, this long after.
pub const MAX_PENDING_RUNS: usize = 10_000;
pub const PENDING_RUN_COUNT_INTERVAL: Duration = Duration::from_secs(60);
pub const PENDING_RUN_RECOUNT_INTERVAL: Duration = Duration::from_secs(1);
/// Those of them that `alc_status` lists which this server has not carried on, the newest.
pub const MAX_LISTED_RUNS: usize = 200;
/// How often a server removes runs whose time is over.
pub const RUN_SWEEP_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// Room that is left in it for the end, in bytes: whatever a run comes to can be written down.
pub const JOURNAL_RESERVED_BYTES: u64 = 20 * 1024 * 1024;
/// Lines of a run's log that are kept, and bytes of one.
pub const MAX_RUN_LOG_LINES: usize = 20;
pub const MAX_RUN_LOG_LINE_BYTES: usize = 2000;
/// Bytes of prompts that wait, of the system prompts beside them and of the last answers, each, that are kept of a run that
/// has no process, for a status.
pub const MAX_RUN_STATUS_TEXT_BYTES: usize = 16 * 1024;
/// Queries that a script asks at once, and all of a run.
pub const MAX_BATCH_QUERIES: usize = 256;
pub const MAX_RUN_QUERIES: u64 = 10_000;
/// Scripts of a run that exist at the same time, each in a process of its own, and how deep they fork.
pub const MAX_RUN_BRANCHES: usize = 33;
pub const MAX_FORK_DEPTH: usize = 4;
/// Prompts of a run, in bytes of all together: they are kept until it is over.
pub const MAX_RUN_PROMPT_BYTES: usize = 16 * 1024 * 1024;
/// Parts of a module's name.
pub const MAX_MODULE_NAME_SEGMENTS: usize = 8;

// ---- What lies on disk ---------------------------------------------------------------------------------------------

/// A card. Its tables take some two hundred times their text in memory while they are parsed, and every worker may hold
/// one.
pub const MAX_CARD_BYTES: u64 = 1024 * 1024;
/// A card that the index of cards keeps whole, in bytes of its compact form. Of a longer one only what lists show is kept;
/// a search that asks for more reads its file.
pub const MAX_CARD_INDEX_ENTRY_BYTES: usize = 16 * 1024;
/// Texts of such cards that one search reads, in bytes, and what it keeps of them to order by. Each is read anew, and
/// taken apart, for each search.
pub const MAX_UNINDEXED_CARD_READ_BYTES: usize = 256 * 1024 * 1024;
pub const MAX_UNINDEXED_SORT_KEY_BYTES: usize = 16 * 1024 * 1024;
/// All cards in that index together, in bytes: what comes after that is kept as the longer ones are.
pub const MAX_CARD_INDEX_BYTES: usize = 96 * 1024 * 1024;
/// Different keys in the cards that are kept whole; each is kept once. A card whose keys do not fit any more is read when a
/// search asks.
pub const MAX_CARD_INDEX_KEYS: usize = 60_000;
/// Longest of those keys, in bytes.
pub const MAX_CARD_INDEX_KEY_BYTES: usize = 256;
/// Cards that the index looks at again, one by one, for each question: so many have not changed in any way. Of the others
/// it knows that they have not been replaced since it looked at their folder's names, and in the end looks at them too.
pub const MAX_CARD_RECHECKS_PER_QUERY: usize = 4_000;
/// Cards in that index, and names that are read for it at once; where there are more, the rest is not listed.
pub const MAX_INDEXED_CARDS: usize = 200_000;
pub const MAX_CARD_NAMES_SCANNED: usize = 2_000_000;
/// The file of that index between two processes, in bytes.
pub const MAX_CARD_INDEX_FILE_BYTES: u64 = 256 * 1024 * 1024;
/// The index is kept as a file only when it has so many cards, and written when so many were read since: fewer are cheaper
/// to read again.
pub const CARD_INDEX_FILE_MIN_CARDS: usize = 1_000;
/// Rows of cards in one answer of a tool, at most and when nothing is said: a model reads them.
pub const MAX_CARD_ROWS: usize = 10_000;
pub const DEFAULT_CARD_ROWS: usize = 100;
/// Rows of cards that a script gets at once. One that wants them all would otherwise fill its worker.
pub const MAX_SCRIPT_CARD_ROWS: usize = 50_000;
/// Samples in one answer of a tool when nothing is said, as in the resource, and at most.
pub const DEFAULT_SAMPLE_ROWS: usize = 100;
pub const MAX_SAMPLE_ROWS: usize = 10_000;
/// Bytes of samples that a script gets at once.
pub const MAX_SCRIPT_SAMPLES_BYTES: usize = 12 * 1024 * 1024;
/// Samples that are looked at for one `where`. Each is parsed.
pub const MAX_SAMPLES_FILTERED: u64 = 5_000_000;
/// Nesting of a `where` clause, its conditions, and the values that they compare with; each condition is tried on every
/// card. Keys of an `order_by`.
pub const MAX_WHERE_DEPTH: usize = 16;
pub const MAX_WHERE_CLAUSES: usize = 256;
pub const MAX_WHERE_VALUES: usize = 1_000;
pub const MAX_ORDER_KEYS: usize = 16;
/// Cards in one answer about descent, and the bytes of what they say about their runs (`stats`).
pub const MAX_LINEAGE_NODES: usize = 1_000;
pub const MAX_LINEAGE_STATS_BYTES: usize = 1024 * 1024;
/// Locks of cards that are written, each for many ids.
pub const CARD_LOCK_SHARDS: u64 = 64;
/// The table of aliases, in bytes. It is read whole, and written whole for each change.
pub const MAX_ALIAS_TABLE_BYTES: u64 = 4 * 1024 * 1024;
/// Names of an alias and its note, in bytes.
pub const MAX_ALIAS_NAME_BYTES: usize = 200;
pub const MAX_ALIAS_NOTE_BYTES: usize = 4096;
/// Samples that are copied with a card, into a mirror or from a collection, in bytes: they are held in memory meanwhile.
pub const MAX_COPIED_SAMPLES_BYTES: u64 = 64 * 1024 * 1024;
/// Ids in each list of an answer about many cards; the numbers beside them count all.
pub const MAX_LISTED_CARD_IDS: usize = 1_000;
/// A transcript. It is read whole, since its rounds are cut from the oldest end.
pub const MAX_LOG_BYTES: u64 = 64 * 1024 * 1024;
/// Fields of a transcript beside its rounds, each of which is noted while it is cut: more than the longest answer has
/// room for.
pub const MAX_LOG_FIELDS: usize = 250_000;
/// The narrative of a package, in bytes.
pub const MAX_NARRATIVE_BYTES: u64 = 1024 * 1024;
/// Cached indices of packages that are put together for one answer, the first by name. Any number may lie there.
pub const MAX_HUB_SOURCES: usize = 64;
/// One of them, in bytes. Each is read and parsed whole.
pub const MAX_HUB_SOURCE_BYTES: u64 = 4 * 1024 * 1024;
/// An index that takes another one's place: how much of that is read to see that it is one.
pub const MAX_REPLACED_HUB_INDEX_BYTES: u64 = 64 * 1024 * 1024;
/// Packages in one of them, each of which is noted before it is looked at.
pub const MAX_HUB_PACKAGES: usize = 20_000;
/// All packages of the answer together, in bytes.
pub const MAX_HUB_RESPONSE_BYTES: usize = 8 * 1024 * 1024;
/// `alc.local.toml` and other small configuration.
pub const MAX_CONFIG_BYTES: u64 = 1024 * 1024;
/// A namespace of state, in bytes: it is read and written whole. Scripts add to it.
pub const MAX_STATE_NAMESPACE_BYTES: u64 = 8 * 1024 * 1024;
/// The list of a namespace's last changes, in bytes: some hundreds, the newer half of which is kept when it is full.
pub const MAX_STATE_CHANGE_LOG_BYTES: u64 = 64 * 1024;
/// Values that a run has set and that are not written yet, all namespaces together, in bytes. A run that never pauses would
/// fill memory.
pub const MAX_PENDING_STATE_BYTES: usize = 16 * 1024 * 1024;
/// A summary of a log or an eval, in bytes. A list reads one for each of its entries.
pub const MAX_SUMMARY_BYTES: u64 = 16 * 1024;
/// A log or an eval without its summary that a list still looks into, in bytes.
pub const MAX_UNSUMMARIZED_READ_BYTES: u64 = 1024 * 1024;
/// Logs that statistics are made of, the newest.
pub const MAX_STATS_LOGS: usize = 20_000;
/// A note, and its title, in bytes. Notes make a log longer, which has a bound of its own.
pub const MAX_NOTE_BYTES: usize = 64 * 1024;
pub const MAX_NOTE_TITLE_BYTES: usize = 1024;
/// The strategy's part of an eval's id, in bytes: what a number leaves of the longest id.
pub const MAX_EVAL_STRATEGY_BYTES: usize = 160;
/// Evals in one list.
pub const MAX_LISTED_EVALS: usize = 1000;
/// Numbers that are tried for the id of an eval, where others of the same second have the first ones.
pub const MAX_EVAL_ATTEMPTS: usize = 10_000;
/// Scenarios in one list, and files of one source that are installed.
pub const MAX_LISTED_SCENARIOS: usize = 10_000;
pub const MAX_INSTALLED_SCENARIOS: usize = 1000;
/// Packages that one tool looks at. Each takes a row, and an instance of the guest where its metadata is wanted.
pub const MAX_PACKAGES: usize = 10_000;
/// Threads that extract metadata for one tool: the other instances are for other callers.
pub const MAX_EXTRACT_THREADS: usize = 4;
/// A manifest of what is installed, in bytes.
pub const MAX_MANIFEST_BYTES: u64 = 4 * 1024 * 1024;
/// Cards of one package that are listed with what is known of it, the newest.
pub const MAX_PACKAGE_CARDS: usize = 500;
/// What a tool's argument may hold as the text of a JSON object, in bytes.
pub const MAX_LENIENT_ARGUMENT_BYTES: usize = 64 * 1024;

// ---- What runs in the sandbox --------------------------------------------------------------------------------------

/// Extracted metadata held in memory, by the content it was extracted from.
pub const MAX_CACHED_METADATA_ENTRIES: usize = 1024;
/// Bytes of that metadata. A folder of packages could otherwise fill memory with documents of the largest size.
pub const MAX_CACHED_METADATA_BYTES: usize = 16 * 1024 * 1024;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// How long the index of a hub may take. Whoever searches waits for it.
pub const HUB_FETCH_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a fetched index is taken as it is, and for how long a source is not asked again that failed.
pub const HUB_CACHE_TTL: Duration = Duration::from_secs(60 * 60);
pub const HUB_RETRY_DELAY: Duration = Duration::from_secs(60);
