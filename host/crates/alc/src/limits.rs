//! The limits of packages, runs and records, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists. Each thing that can grow has its limit here and a test that reaches it.
//! Never: computes anything, or lets a client choose a limit.

use std::time::Duration;

// ---- Requests and responses ----------------------------------------------------------------------------------------

/// Largest card or `.links.toml` that is parsed on the protocol thread, in bytes. Parsing costs more than reading, and
/// all other requests wait meanwhile.
pub const MAX_INLINE_CARD_BYTES: u64 = 4 * 1024;
/// Most rows of a samples page that are validated on the protocol thread, where all other requests wait for it.
pub const MAX_INLINE_ROWS: usize = 200;
/// Most bytes of a samples page that are validated on the protocol thread, where all other requests wait for it.
pub const MAX_INLINE_PAGE_BYTES: usize = 32 * 1024;
/// Cards, evals and logs in the resource list: the newest of each kind. A client that collects every page would be
/// filled by a folder that is never cleaned up.
pub const MAX_LISTED_RECENT_PER_KIND: usize = 100;
/// Names of one folder that are scanned for its newest files. At most a small multiple of `MAX_NAMES_SCANNED` is
/// kept; a scan that stops earlier could miss the newest.
pub const MAX_DIR_NAMES_SCANNED: usize = 5_000_000;

// ---- Runs ----------------------------------------------------------------------------------------------------------

/// Runs that execute at the same time. Each holds a worker thread and at least one process.
pub const MAX_ACTIVE_RUNS: usize = 24;
/// Of those, how many one caller over HTTP has at most.
pub const MAX_ACTIVE_RUNS_PER_OWNER: usize = 18;
/// How long a run waits for another one to end before its call is refused.
pub const RUN_SLOT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often it looks.
pub const RUN_SLOT_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Processes kept by paused runs, so that their next answer resumes faster. The other runs are replayed from their
/// journals.
pub const MAX_WARM_RUN_PROCESSES: usize = 16;
/// Interval at which paused runs are checked for their idle timeout. Their processes hold memory until then.
pub const WARM_RUN_SWEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Time that a call waits for its run to give up its processes. A worker that does not exit would hold the call's
/// thread.
pub const RUN_EVICTION_TIMEOUT: Duration = Duration::from_secs(1);
/// Time that an answer waits for another call that executes the same run. Each waiting call holds a worker thread.
pub const RUN_CLAIM_TIMEOUT: Duration = Duration::from_secs(2);
/// Runs that this process keeps in memory besides their journals. Clients that start runs and leave them would fill
/// memory.
pub const MAX_TRACKED_RUNS: usize = 1000;
/// Time that a script may compute between two queries. A script that loops would hold its thread and process forever.
pub const RUN_STEP_TIMEOUT: Duration = Duration::from_secs(60);
/// Time that a pending query waits for the queries of the run's other branches. One slow branch would hold up the
/// client's answers to the others.
pub const QUERY_GATHER_TIMEOUT: Duration = Duration::from_secs(2);
/// Time that a cancellation waits for the call that executes the run. A call that does not stop would hold a second
/// thread.
pub const RUN_CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval at which a cancellation checks whether the run is released.
pub const RUN_CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Time that a paused run is kept after its last answer. Its journal holds prompts and answers, and abandoned runs
/// would fill the disk.
pub const PENDING_RUN_TTL: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Time that a finished run is kept. Its journal holds prompts and answers, and takes up disk space.
pub const FINISHED_RUN_TTL: Duration = Duration::from_secs(60 * 60);
/// Paused runs in an AppDir, of all servers together. Each is a file of up to `MAX_JOURNAL_BYTES`; clients that abandon
/// runs would fill the disk.
pub const MAX_PENDING_RUNS: usize = 10_000;
/// Of those, how many the bearer of one token has at most.
pub const MAX_PENDING_RUNS_PER_OWNER: usize = 7_500;
/// Journals of runs that wait, in bytes together. Clients could fill the disk. Above this no new run may wait; none that
/// waits is removed.
pub const MAX_PENDING_RUN_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Of that, what those of the bearer of one token have at most.
pub const MAX_PENDING_RUN_BYTES_PER_OWNER: u64 = MAX_PENDING_RUN_BYTES / 4 * 3;
/// Finished runs whose answer is kept; the oldest are removed.
pub const MAX_FINISHED_RUNS: usize = 1_000;
/// Of those, how many the bearer of one token has at most.
pub const MAX_FINISHED_RUNS_PER_OWNER: usize = 750;
/// Their journals, in bytes together; the oldest are removed.
pub const MAX_FINISHED_RUN_BYTES: u64 = 512 * 1024 * 1024;
/// Interval at which the paused runs are counted again. Counting lists a folder, which is too much for each new run.
pub const PENDING_RUN_COUNT_INTERVAL: Duration = Duration::from_secs(60);
/// Interval of the count once there are too many runs, so that a new run starts soon after another one ends.
pub const PENDING_RUN_RECOUNT_INTERVAL: Duration = Duration::from_secs(1);
/// Runs of other processes that `alc_status` lists: the newest. Each one is a journal that is read.
pub const MAX_LISTED_RUNS: usize = 200;
/// Journals of those runs that are read for their strategies and queries, together, in bytes. Each may be as long as
/// `MAX_JOURNAL_BYTES`; of the others the times are listed.
pub const MAX_STATUS_JOURNALS_BYTES: u64 = 8 * 1024 * 1024;
/// Interval at which a server removes expired runs. Each sweep lists their folder.
pub const RUN_SWEEP_INTERVAL: Duration = Duration::from_secs(10 * 60);
/// Part of a journal that is reserved for the end of its run, in bytes. A run that filled its journal could not record
/// its result.
pub const JOURNAL_RESERVED_BYTES: u64 = 20 * 1024 * 1024;
/// Log lines that are kept of a run. A script that logs in a loop would fill memory.
pub const MAX_RUN_LOG_LINES: usize = 20;
/// Longest log line that is kept of a run, in bytes. A script that logs large texts would fill memory.
pub const MAX_RUN_LOG_LINE_BYTES: usize = 2000;
/// Lines of a run's log in its journal. A script that logs in a loop would fill the disk.
pub const MAX_JOURNALED_LOG_LINES: usize = 1_000;
/// The text of these lines together, in bytes.
pub const MAX_JOURNALED_LOG_BYTES: usize = 256 * 1024;
/// Longest message of a failed script with its traceback, in bytes. A script could raise an error of any length.
pub const MAX_RUN_FAILURE_BYTES: usize = 8 * 1024;
/// Text kept for the status of a run without a process, in bytes: pending prompts, their system prompts, and the last
/// answers, each. Thousands of tracked runs would fill memory.
pub const MAX_RUN_STATUS_TEXT_BYTES: usize = 16 * 1024;
/// Queries that a script sends at once. A script could hold any number in memory and send them to a client.
pub const MAX_BATCH_QUERIES: usize = 256;
/// Queries of one run. A script that loops would occupy the client's model, and fill the disk with its journal.
pub const MAX_RUN_QUERIES: u64 = 10_000;
/// Bytes that a run holds in the server: messages of its workers, results, its journal before it is on disk, prompts and
/// replies. A few runs would hold what all callers have together.
pub const MAX_RUN_MEMORY_BYTES: usize = 96 * 1024 * 1024;
/// Results and errors of the strategies of one fork together, as JSON, in bytes. Their parent gets them in one message.
pub const MAX_FORK_RESULT_BYTES: usize = 15 * 1024 * 1024;
/// Operations of scripts that read many cards or samples at the same time. Each may build what takes a hundred
/// megabytes.
pub const MAX_LARGE_SCRIPT_OPERATIONS: usize = 1;
/// How long such an operation waits for another one.
pub const LARGE_SCRIPT_OPERATION_TIMEOUT: Duration = Duration::from_secs(30);
/// How often the processor time of a run that computes is measured.
pub const RUN_PROCESSOR_TIME_INTERVAL: Duration = Duration::from_millis(100);
/// Branches of a run that exist at the same time. Each is a process; a script that forks in a loop would use up all
/// workers.
pub const MAX_RUN_BRANCHES: usize = 33;
/// Nesting of forks. Each level keeps the processes of all levels above it.
pub const MAX_FORK_DEPTH: usize = 4;
/// Prompts of one run together, in bytes. They are kept in memory until the run ends.
pub const MAX_RUN_PROMPT_BYTES: usize = 16 * 1024 * 1024;
/// Segments of a module name. Each segment is a folder that is opened; a script chooses the name.
pub const MAX_MODULE_NAME_SEGMENTS: usize = 8;

// ---- Files ---------------------------------------------------------------------------------------------------------

/// Largest card, in bytes. While a card is parsed, its tables take some two hundred times its text in memory, and every
/// worker may parse one.
pub const MAX_CARD_BYTES: u64 = 1024 * 1024;
/// Largest card that the card index keeps whole, in bytes of its compact form. Of a larger card it keeps the fields
/// that lists show; a search for others reads the file.
pub const MAX_CARD_INDEX_ENTRY_BYTES: usize = if cfg!(fuzzing) { 200 } else { 16 * 1024 };
/// Text of cards that one search reads, in bytes. A card that is not kept whole is read and parsed anew for each
/// search, which would hold a thread.
pub const MAX_UNINDEXED_CARD_READ_BYTES: usize = 256 * 1024 * 1024;
/// Sort keys that one search keeps of the cards it reads, in bytes. Long fields of many cards would fill memory.
pub const MAX_UNINDEXED_SORT_KEY_BYTES: usize = 16 * 1024 * 1024;
/// All cards kept whole in the card index together, in bytes for each of the cards that it may have (`[alc] max_records`): 96 MiB by
/// default. Beyond it cards are kept like larger ones.
pub const MAX_CARD_INDEX_BYTES_PER_CARD: usize = 503;
/// Different keys in the cards that are kept whole; each is stored once. A card that exceeds it is read when a search
/// needs it. Generated keys would fill memory.
pub const MAX_CARD_INDEX_KEYS: usize = 60_000;
/// Longest key that the card index stores, in bytes. A few long keys would fill memory.
pub const MAX_CARD_INDEX_KEY_BYTES: usize = 256;
/// Cards that each query checks with a `stat`, in turn, and files that each page of the list of what is stored does. Up to this
/// number no change is missed; above it, a change in place is seen later, but a replaced file at once.
pub const MAX_CARD_RECHECKS_PER_QUERY: usize = 4_000;
/// Folders of cards that the index watches. Each takes a watch of the user's, of which the system has some ten thousand.
pub const MAX_WATCHED_CARD_FOLDERS: usize = 1024;
/// Names of changed cards that the index keeps for each folder between two queries. With more, all of its cards are looked at.
pub const MAX_NAMED_CARD_CHANGES: usize = 256;
/// Time after which a query or a page checks no more of them. A local file system checks all of them in a tenth of it; on one of a network
/// each check is a round trip.
pub const MAX_CARD_RECHECK_TIME: Duration = Duration::from_millis(50);
/// Names that are read for one refresh of the card index, for each card that it may have. A folder with any number of names would
/// hold a thread.
pub const MAX_NAMES_SCANNED_PER_CARD: usize = 10;
/// Largest saved card index that is read, in bytes for each card that it may have: 256 MiB by default. Another process writes this file and
/// could make it fill memory.
pub const MAX_CARD_INDEX_FILE_BYTES_PER_CARD: usize = 1_342;
/// Unsaved cards from which on the index is saved to a file. Fewer cards are cheaper to read again.
pub const CARD_INDEX_FILE_MIN_CARDS: usize = if cfg!(fuzzing) { 1 } else { 1_000 };
/// Largest file of the times of stored documents that is read, in bytes for each document that it may have: a name and four numbers,
/// and perhaps a folder.
/// Another process writes this file and could make it fill memory.
pub const MAX_RECENT_FILE_BYTES_PER_DOCUMENT: usize = 700;
/// Files whose time is not saved yet, from which on the times are saved. Fewer are looked at sooner than a file is read.
pub const RECENT_FILE_MIN_DOCUMENTS: usize = 1_000;
/// Most rows of cards in one tool result. A caller could request all cards at once, which fills memory and a model's
/// context.
pub const MAX_CARD_ROWS: usize = 10_000;
/// Rows of cards in one tool result unless the caller sets a limit. A model reads them.
pub const DEFAULT_CARD_ROWS: usize = 100;
/// Rows of cards that a script gets at once. A script that requests all cards would fill its worker.
pub const MAX_SCRIPT_CARD_ROWS: usize = 50_000;
/// Samples in one tool result, or in the resource, unless the caller sets a limit. A model reads them.
pub const DEFAULT_SAMPLE_ROWS: usize = 100;
/// Most samples in one tool result. Each is parsed and kept until the result is encoded.
pub const MAX_SAMPLE_ROWS: usize = 10_000;
/// Samples that a script gets at once, in bytes. They must fit into one message to its worker.
pub const MAX_SCRIPT_SAMPLES_BYTES: usize = 12 * 1024 * 1024;
/// Samples that one `where` clause is evaluated on. Each is parsed; a file of many short lines would hold a thread.
pub const MAX_SAMPLES_FILTERED: u64 = 5_000_000;
/// Nesting of a `where` clause. Deeper clauses could overflow the stack of their evaluation.
pub const MAX_WHERE_DEPTH: usize = 16;
/// Conditions of a `where` clause. Each is evaluated on every card.
pub const MAX_WHERE_CLAUSES: usize = 256;
/// Values that a `where` clause compares with. Each is compared on every card.
pub const MAX_WHERE_VALUES: usize = 1_000;
/// Longest path to a field in a `where` clause or an `order_by`, in bytes. Each condition keeps a copy of it.
pub const MAX_FIELD_PATH_BYTES: usize = 1024;
/// Keys of an `order_by` and of a `sort`. Each is looked up in every card or row.
pub const MAX_ORDER_KEYS: usize = 16;
/// Cards in one lineage result. A long chain of descendants would fill memory and a model's context.
pub const MAX_LINEAGE_NODES: usize = 1_000;
/// `stats` fields of the cards in one lineage result together, in bytes. Large stats of many cards would fill memory.
pub const MAX_LINEAGE_STATS_BYTES: usize = 1024 * 1024;
/// Lock files for writing cards, each for many ids. One lock file per card would leave as many files as there were
/// cards.
pub const CARD_LOCK_SHARDS: u64 = 64;
/// Largest alias table, in bytes. Each change reads and writes it whole.
pub const MAX_ALIAS_TABLE_BYTES: u64 = 4 * 1024 * 1024;
/// Longest alias name, in bytes. Long names would fill the alias table.
pub const MAX_ALIAS_NAME_BYTES: usize = 200;
/// Longest note of an alias, in bytes. Long notes would fill the alias table.
pub const MAX_ALIAS_NOTE_BYTES: usize = 4096;
/// Largest samples file that is copied with a card, to a mirror or from a collection, in bytes. The copy is held in
/// memory.
pub const MAX_COPIED_SAMPLES_BYTES: u64 = 64 * 1024 * 1024;
/// Ids in each list of a result about many cards; the counts beside them cover all. A mirror of many cards would fill
/// the result.
pub const MAX_LISTED_CARD_IDS: usize = 1_000;
/// Largest transcript, in bytes. It is read whole, since its oldest rounds are cut off first.
pub const MAX_LOG_BYTES: u64 = 64 * 1024 * 1024;
/// Fields of a transcript besides its rounds; more than the largest response can hold. Each is noted in memory while
/// the transcript is cut.
pub const MAX_LOG_FIELDS: usize = 250_000;
/// Largest narrative of a package, in bytes. Any writer of the AppDir could make a client read a file of any size.
pub const MAX_NARRATIVE_BYTES: u64 = 1024 * 1024;
/// Cached hub indices that are merged for one result, the first by name. Any number of files may lie in the cache.
pub const MAX_HUB_SOURCES: usize = 64;
/// Largest hub index, in bytes. A remote server chooses its size, and it is read and parsed whole.
pub const MAX_HUB_SOURCE_BYTES: u64 = 4 * 1024 * 1024;
/// Largest existing file that is read to check that it is an index before it is replaced, in bytes. A larger file would
/// fill memory.
pub const MAX_REPLACED_HUB_INDEX_BYTES: u64 = 64 * 1024 * 1024;
/// Packages in one hub index. Each is noted in memory before it is validated.
pub const MAX_HUB_PACKAGES: usize = 20_000;
/// All packages of a merged index together, in bytes. Many sources of the largest size would fill memory.
pub const MAX_HUB_RESPONSE_BYTES: usize = 8 * 1024 * 1024;
/// Largest configuration file, such as `alc.local.toml`, in bytes. It is parsed whole, and its tables take more memory
/// than its text.
pub const MAX_CONFIG_BYTES: u64 = 1024 * 1024;
/// Largest state namespace, in bytes. It is read and written whole, and scripts add to it.
pub const MAX_STATE_NAMESPACE_BYTES: u64 = 8 * 1024 * 1024;
/// Size from which on the namespaces of `alc.state` are worked on one at a time, in bytes: keys and values of a large one
/// take ten times its text.
pub const LARGE_STATE_NAMESPACE_BYTES: usize = 256 * 1024;
/// Largest list of a namespace's last changes, in bytes: some hundreds. When it is full, the newer half is kept. It
/// would grow with every change.
pub const MAX_STATE_CHANGE_LOG_BYTES: u64 = 64 * 1024;
/// Unwritten state values of one run, all namespaces together, in bytes. A run that never pauses would fill memory.
pub const MAX_PENDING_STATE_BYTES: usize = 16 * 1024 * 1024;
/// Largest summary of a log or an eval, in bytes. A list reads one for each of its rows.
pub const MAX_SUMMARY_BYTES: u64 = 16 * 1024;
/// Largest log or eval without a summary that a list still reads, in bytes. A list may read one for each of its rows.
pub const MAX_UNSUMMARIZED_READ_BYTES: u64 = 1024 * 1024;
/// Logs that statistics are computed from: the newest. Each is a file that is read.
pub const MAX_STATS_LOGS: usize = 20_000;
/// Largest note, in bytes. Each note makes its log larger, and the log is rewritten whole.
pub const MAX_NOTE_BYTES: usize = 64 * 1024;
/// Longest title of a note, in bytes. Titles are copied into summaries, which lists read.
pub const MAX_NOTE_TITLE_BYTES: usize = 1024;
/// Strategy part of an eval id, in bytes: the longest id without its number. A longer part would make a file name that
/// cannot be created.
pub const MAX_EVAL_STRATEGY_BYTES: usize = 160;
/// Evals in one list. Each is a file that is read.
pub const MAX_LISTED_EVALS: usize = 1000;
/// Numbers tried for the id of an eval if other evals of the same second have the first ones. Taken names would hold a
/// thread.
pub const MAX_EVAL_ATTEMPTS: usize = 10_000;
/// Ids tried for a new card if other cards have the first ones. Taken ids would hold a thread.
pub const MAX_CARD_ID_ATTEMPTS: usize = 16;
/// Scenarios in one list. Any number of files may lie in the folder.
pub const MAX_LISTED_SCENARIOS: usize = 10_000;
/// Files that are installed from one scenario source. A source of many files would fill the disk.
pub const MAX_INSTALLED_SCENARIOS: usize = 1000;
/// Packages that one tool reads. Each takes a row, and a guest instance when its metadata is needed.
pub const MAX_PACKAGES: usize = 10_000;
/// Threads of one call that reads many packages or cards. More would take the guest instances of other callers.
pub const MAX_THREADS_PER_CALL: usize = 4;
/// Largest manifest of installed packages, in bytes. It is read and written whole.
pub const MAX_MANIFEST_BYTES: u64 = 4 * 1024 * 1024;
/// Cards that are listed with one package: the newest. A package of many cards would fill the result.
pub const MAX_PACKAGE_CARDS: usize = 500;
/// Names that are read to find the one that a name stands for which does not exist. All names of a large folder would take
/// longer than the call that failed.
pub const MAX_COMPARED_NAMES: usize = 10_000;
/// Missing inputs of a strategy that one error names; the rest are counted. A package may declare any number of them.
pub const MAX_NAMED_INPUTS: usize = 20;
/// Longest path in an argument, in bytes: that of Linux. Each folder on it is looked at.
pub const MAX_PATH_BYTES: usize = 4096;
/// Longest query of `alc_hub_search`, in bytes. Each of its words is looked for in every package.
pub const MAX_HUB_QUERY_BYTES: usize = 4096;

// ---- Guests --------------------------------------------------------------------------------------------------------

/// Extracted metadata kept in memory: that of as many packages as one tool reads. A folder of many packages would fill memory.
pub const MAX_CACHED_METADATA_ENTRIES: usize = MAX_PACKAGES;
/// Extracted metadata kept in memory, in bytes. A folder of packages could fill memory with documents of the largest
/// size.
pub const MAX_CACHED_METADATA_BYTES: usize = 16 * 1024 * 1024;

/// Inputs found in the code of packages, kept in memory, in bytes; of as many packages as metadata. A folder of packages
/// could fill memory with inputs of the longest names.
pub const MAX_CACHED_INPUTS_BYTES: usize = 4 * 1024 * 1024;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// Time to fetch one hub index; all indices of a search get twice this time. A slow server would hold up the search.
pub const HUB_FETCH_TIMEOUT: Duration = Duration::from_secs(15);
/// Age up to which a fetched hub index is used without another fetch. Each search would otherwise load its servers.
pub const HUB_CACHE_TTL: Duration = Duration::from_secs(60 * 60);
/// Time until a failed hub source is fetched again. Each search would otherwise wait for a server that is down.
pub const HUB_RETRY_DELAY: Duration = Duration::from_secs(60);

// ---- Pages ---------------------------------------------------------------------------------------------------------

/// Runs that the page of runs shows: the newest. Each is a journal that is read.
pub const MAX_PAGE_RUNS: usize = 100;
/// Steps of one run that its page shows, of all branches together. A run may make thousands of calls.
pub const MAX_PAGE_RUN_STEPS: usize = 500;
/// Lines of one run's log that its page shows: the newest. `wardroom logs` shows all that are kept.
pub const MAX_PAGE_LOG_LINES: usize = 300;
/// Open questions of one run with a form on its page. The others follow once these are answered.
pub const MAX_PAGE_QUESTIONS: usize = 20;
/// Longest part of a question that waits, or of a result, that a page shows, in bytes.
pub const MAX_PAGE_QUESTION_BYTES: usize = 64 * 1024;
/// Longest part of any other text that a page shows, in bytes. A run has megabytes of prompts.
pub const MAX_PAGE_TEXT_BYTES: usize = 4 * 1024;
/// Evals that a page shows and plots: the newest. Each is a file that is read.
pub const MAX_PAGE_EVALS: usize = 200;
/// Cards that a page shows and plots: the newest of those that match.
pub const MAX_PAGE_CARDS: usize = 500;
/// Cases of an eval, or rows of a card, that a page shows. Its plot counts all that were read.
pub const MAX_PAGE_CASES: usize = 200;
/// Packages that a page shows.
pub const MAX_PAGE_PACKAGES: usize = 500;
