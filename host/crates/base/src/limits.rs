//! Every bound in the server, by name, with who could exhaust what without it.
//!
//! Owns: the numbers. A room that can grow names its bound here and has a test that reaches it.
//! Never: computes anything, or lets a client choose a bound.

use std::time::Duration;

// ---- What a client sends -------------------------------------------------------------------------------------------

/// Bytes read from a client at a time.
pub const READ_BYTES: usize = 64 * 1024;
/// Longest line on stdio, in bytes. A client could otherwise make the server hold any amount of memory. The largest
/// source that a tool takes fits, every character of it escaped.
pub const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;
/// What is kept of a longer line, in bytes: its beginning, which may name the request.
pub const LINE_HEAD_BYTES: usize = 4096;
/// Most values in one message. Decoded, the shortest of them takes a hundred times its length.
pub const MAX_LINE_VALUES: usize = 100_000;
/// Requests that run at the same time. Each may hold a thread and a file.
pub const MAX_RUNNING_REQUESTS: usize = 64;
/// Requests of those that do slow work at the same time, each on a thread of its own.
pub const MAX_WORKERS: usize = 32;
/// Of those, what one caller over HTTP takes at most.
pub const MAX_WORKERS_OF_ONE: usize = 24;
/// Requests of those that answer with a large document at the same time, from the reading to the encoding. A character can
/// be six in JSON, so that all workers together would make gigabytes of answers before the first is sent.
pub const MAX_LARGE_READS: usize = 2;
/// From where on a document is large, in bytes.
pub const LARGE_BYTES: u64 = 1024 * 1024;
/// Subscriptions that a client keeps open. Each holds a task and a name.
pub const MAX_LISTENS: usize = 64;
/// Resources that clients subscribe to, all subscriptions together. Each costs a look whenever something near it changes.
pub const MAX_WATCHED: usize = 1024;
/// Folders watched for one of them, or for one service's list. Each is held open meanwhile, and the system has a limited
/// number of watches for each user. Where there are more, somebody looks from time to time.
pub const MAX_WATCHED_FOLDERS: usize = 256;
/// Requests that were read and wait for their turn. A client that never stops sending would fill memory.
pub const MAX_WAITING_REQUESTS: usize = 16 * 1024;
/// Bytes of the waiting requests, for the client that sends few but large ones.
pub const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of answers that the client has not read yet. Above it no further request is started; with that many bytes of
/// refusals, nothing more is read.
pub const MAX_UNSENT_BYTES: usize = 16 * 1024 * 1024;
/// Largest file that is read on the protocol's own thread: some microseconds of copying.
pub const LIGHT_BYTES: u64 = 32 * 1024;
/// Largest card that is parsed there, in bytes; parsing costs more than reading.
pub const LIGHT_CARD_BYTES: u64 = 4 * 1024;
/// Most rows that are checked there, and most bytes of them.
pub const LIGHT_ROWS: usize = 200;
pub const LIGHT_PAGE_BYTES: usize = 32 * 1024;
/// Bytes between the checkpoints around a page that is read there. A few rows may lie far apart, with blank lines between.
pub const LIGHT_SPAN_BYTES: u64 = 256 * 1024;
/// Cursors that we hand out hold one name at most; anything longer is not ours.
pub const MAX_CURSOR_BYTES: usize = 512;
/// Bytes of a client's own words that an error repeats. A client could otherwise be sent back as much as it sends. URIs have
/// a bound of their own.
pub const MAX_SHOWN_BYTES: usize = 200;
/// Entries on a page of any list.
pub const LIST_PAGE: usize = 100;
/// Of the cards, evals and logs that are listed one by one, the newest of each. A client that collects every page would
/// otherwise be filled by a folder that nobody ever empties.
pub const MAX_LISTED_RECENT: usize = 100;
/// Values in one completion answer, as the protocol says.
pub const MAX_COMPLETIONS: usize = 100;
/// Names looked at for one completion, or for one kind of thing on a page of a list, in all folders together. There can
/// be any number of files and of folders.
pub const MAX_NAMES_SCANNED: usize = 200_000;
/// Names of one folder that are gone through for its newest, of which [`MAX_NAMES_SCANNED`] are kept: a list of the newest
/// that ends before it met them would be wrong.
pub const MAX_DIRECTORY_NAMES: usize = 5_000_000;

/// How far a call is, as its script says and nobody has sent on yet. What does not fit is not told.
pub const MAX_WAITING_PROGRESS: usize = 64;
/// Calls that wait for the client's model at the same time, each on a worker thread; and how long one waits.
pub const MAX_SAMPLING: usize = 16;
/// Of one caller over HTTP, and of one session: nobody leaves all others unasked.
pub const MAX_SAMPLING_OF_ONE: usize = 12;
pub const MAX_SAMPLING_OF_SESSION: usize = 4;
pub const SAMPLING_TIME: Duration = Duration::from_secs(10 * 60);
/// How long a call that is cancelled tries to take back what it asked of a client that does not read.
pub const WITHDRAW_TIME: Duration = Duration::from_millis(200);
/// Calls that became tasks and are worked on by this server at the same time, each on a thread of its own.
pub const MAX_WORKING_TASKS: usize = 32;
/// Of those, what one caller over HTTP has at most.
pub const MAX_WORKING_TASKS_OF_ONE: usize = 24;
/// Tasks on an AppDir, over or not; how long each is kept from its creation on, and how large its file may be: the call, its
/// questions and its result.
pub const MAX_TASKS: usize = 2_000;
pub const TASK_TIME: Duration = Duration::from_secs(60 * 60);
pub const MAX_TASK_BYTES: u64 = 40 * 1024 * 1024;
/// How often the files of those are looked for whose time is over. They hold arguments and results.
pub const TASK_SWEEP_TIME: Duration = Duration::from_secs(60);
/// How far one is, in its handler's words, in bytes.
pub const MAX_TASK_MESSAGE_BYTES: usize = 2000;
/// How long whoever worked on one tries to note what came of it: a lock may be held, or the disk be full, for a while.
pub const TASK_END_TIME: Duration = Duration::from_secs(10 * 60);
/// How often whoever works on one looks whether it was ended elsewhere.
pub const TASK_LOOK_TIME: Duration = Duration::from_millis(200);
/// How often the message of one changes at most, and how often a client is told to ask for it.
pub const TASK_MESSAGE_TIME: Duration = Duration::from_millis(200);
pub const TASK_POLL_TIME: Duration = Duration::from_millis(500);
/// How long a client may take to call again with what it was asked for. It sees no handle that is older.
pub const HANDLE_TIME: Duration = Duration::from_secs(24 * 60 * 60);

// ---- HTTP ----------------------------------------------------------------------------------------------------------

/// Connections at the same time; others wait until they are accepted. Each holds a descriptor, of which a process often has
/// 1024, and some buffers.
pub const MAX_CONNECTIONS: usize = 512;
/// The head of a request, in bytes, and its headers.
pub const MAX_HEAD_BYTES: usize = 64 * 1024;
pub const MAX_HEADERS: usize = 64;
/// How long a client may take to send a head, which is also how long a connection stays open without a request, and to
/// send a body. One that sends a byte now and then would hold a connection for ever.
pub const HEAD_TIME: Duration = Duration::from_secs(15);
pub const BODY_TIME: Duration = Duration::from_secs(30);
/// How long it may send nothing in the middle of a body; and the bodies that are taken however much others send, since all
/// connections together hold little of them.
pub const STALL_TIME: Duration = Duration::from_secs(5);
pub const SMALL_BODY_BYTES: usize = 32 * 1024;
/// Bodies longer than that are decoded on other threads, so many at a time: the protocol's thread would do nothing else for
/// that long.
pub const LONG_BODY_BYTES: usize = 256 * 1024;
pub const MAX_DECODING: usize = 2;
/// What one message counts for at most while it waits: one with more values is refused before it is built.
pub const MAX_WEIGHT: usize = MAX_LINE_BYTES + 128 * MAX_LINE_VALUES;
/// How long a client that is waited for may take none of what it is sent.
pub const UNREAD_TIME: Duration = Duration::from_secs(60);
/// What a client takes in that time, where there is so much for it: 17 KB a second. Others wait until long answers are taken.
pub const LEAST_TAKEN_BYTES: usize = 1024 * 1024;
/// Requests over HTTP that wait to make a large answer; another one is refused at once, so that turns are left for others,
/// also of [`MAX_RUNNING_OF_ONE`].
pub const MAX_WAITING_LARGE: usize = 32;
/// How long a reply that is not taken may hold up others before its connection is ended.
pub const HOLD_UP_TIME: Duration = Duration::from_secs(2);
/// Requests that run at the same time, of all clients together and of one caller, and how long another one waits for its
/// turn.
pub const MAX_RUNNING_HTTP: usize = 64;
pub const MAX_RUNNING_OF_ONE: usize = 48;
pub const TURN_WAIT: Duration = Duration::from_secs(10);
/// Bytes of answers that clients over HTTP have not taken, from which on no request gets its turn. Large answers wait from
/// [`MAX_UNSENT_BYTES`] on, so that some clients that take nothing hold up no others.
pub const MAX_HELD_BYTES: usize = 64 * 1024 * 1024;
/// Subscriptions of the newer era that are open at the same time, and streams of sessions: of all clients together, and of
/// one caller.
pub const MAX_HTTP_LISTENS: usize = 256;
pub const MAX_LISTENS_OF_ONE: usize = 192;
/// How often a stream on which nothing happens says that it is there.
pub const KEEP_ALIVE_TIME: Duration = Duration::from_secs(15);
/// Messages of one stream that its client has not taken. Whoever sends more waits.
pub const MAX_STREAMED: usize = 16;
/// Sessions of the older eras at the same time, how long one lasts without a request, and at most (defaults: `[http]`).
/// Each is a task, and some 20 KiB.
pub const MAX_SESSIONS: usize = 1000;
pub const SESSION_IDLE_TIME: Duration = Duration::from_secs(30 * 60);
pub const SESSION_TIME: Duration = Duration::from_secs(24 * 60 * 60);
/// Longest token that is looked at, in bytes.
pub const MAX_TOKEN_BYTES: usize = 256;
/// Servers that `wardroom status` looks at. Each that was killed leaves a file until the next one starts.
pub const MAX_SERVERS: usize = 10_000;
/// What is known of one, in bytes.
pub const MAX_SERVER_BYTES: u64 = 16 * 1024;

// ---- Runs ----------------------------------------------------------------------------------------------------------

/// Runs that go on at the same time. Each keeps a worker thread, and a process or more.
pub const MAX_RUNNING_RUNS: usize = 24;
/// Processes that runs which wait keep, for a quicker answer. Other runs come back from their journals.
pub const MAX_WARM_PROCESSES: usize = 16;
/// How long one that waits keeps its processes.
pub const WARM_TIME: Duration = Duration::from_secs(60);
/// How often runs are looked for that waited that long, and how long a call waits for one that gives up its processes.
pub const COOLING_LOOK: Duration = Duration::from_secs(5);
pub const COOLING_TIME: Duration = Duration::from_secs(1);
/// How long an answer waits for another call that carries its run on.
pub const TURN_TIME: Duration = Duration::from_secs(2);
/// Runs that this process remembers beside their journals.
pub const MAX_KNOWN_RUNS: usize = 1000;
/// How long a script may take between two questions.
pub const RUN_STEP_TIME: Duration = Duration::from_secs(60);
/// How long a client that has something to answer waits for what other scripts of its run may ask, too.
pub const SIDE_BY_SIDE_TIME: Duration = Duration::from_secs(2);
/// How long whoever cancels a run waits for the call that carries it on, and how often it looks.
pub const CANCEL_TIME: Duration = Duration::from_secs(5);
pub const CANCEL_LOOK: Duration = Duration::from_millis(5);
/// How long a run that waits is kept, since it was last answered, and one that is over. They hold prompts and answers.
pub const RUN_EXPIRY: Duration = Duration::from_secs(7 * 24 * 60 * 60);
pub const RUN_OVER_EXPIRY: Duration = Duration::from_secs(60 * 60);
/// Runs that wait on an AppDir, whichever server they are of: each is a file of up to [`MAX_JOURNAL_BYTES`]. They are counted
/// this often, and where there were too many, this long after.
pub const MAX_WAITING_RUNS: usize = 10_000;
pub const RUN_COUNT: Duration = Duration::from_secs(60);
pub const RUN_RECOUNT: Duration = Duration::from_secs(1);
/// Those of them that `alc_status` lists which this server has not carried on, the newest.
pub const MAX_LISTED_RUNS: usize = 200;
/// How often a server removes runs whose time is over.
pub const RUN_SWEEP: Duration = Duration::from_secs(10 * 60);
/// Characters of a prompt that `alc_status` shows as its preview, unless the environment says otherwise.
pub const PROMPT_PREVIEW_CHARS: usize = 200;
/// Room that is left in it for the end, in bytes: whatever a run comes to can be written down.
pub const JOURNAL_END_BYTES: u64 = 20 * 1024 * 1024;
/// What `alc.stats.record` keeps in one run, in bytes.
pub const MAX_RECORDED_BYTES: usize = 256 * 1024;
/// Lines of a run's log that are kept, and bytes of one.
pub const MAX_RUN_LOG_LINES: usize = 20;
pub const MAX_RUN_LOG_LINE_BYTES: usize = 2000;
/// Bytes of prompts that wait, of the system prompts beside them and of the last answers, each, that are kept of a run that
/// has no process, for a status.
pub const MAX_SHOWN_RUN_BYTES: usize = 16 * 1024;
/// Queries that a script asks at once, and all of a run.
pub const MAX_BATCH_QUERIES: usize = 256;
pub const MAX_RUN_QUERIES: u64 = 10_000;
/// Scripts of a run that exist at the same time, each in a process of its own, and how deep they fork.
pub const MAX_STRANDS: usize = 33;
pub const MAX_FORK_DEPTH: usize = 4;
/// Prompts of a run, in bytes of all together: they are kept until it is over.
pub const MAX_RUN_TEXT_BYTES: usize = 16 * 1024 * 1024;
/// Parts of a module's name.
pub const MAX_MODULE_SEGMENTS: usize = 8;

// ---- What lies on disk ---------------------------------------------------------------------------------------------

/// Largest document that is kept in memory for a moment, in bytes, and all of them together: what is read at once by
/// [`LIGHT_BYTES`] is also what is read often.
pub const MAX_KEPT_DOCUMENT_BYTES: usize = 32 * 1024;
pub const MAX_KEPT_BYTES: usize = 4 * 1024 * 1024;
/// Package source, in bytes: what the guest accepts.
pub const MAX_SOURCE_BYTES: u64 = 1024 * 1024;
/// A card. Its tables take some two hundred times their text in memory while they are parsed, and every worker may hold
/// one.
pub const MAX_CARD_BYTES: u64 = 1024 * 1024;
/// A card that the index of cards keeps whole, in bytes of its compact form. Of a longer one only what lists show is kept;
/// a search that asks for more reads its file.
pub const MAX_HELD_CARD_BYTES: usize = 16 * 1024;
/// Texts of such cards that one search reads, in bytes, and what it keeps of them to order by. Each is read anew, and
/// taken apart, for each search.
pub const MAX_LONG_CARDS_BYTES: usize = 256 * 1024 * 1024;
pub const MAX_LONG_ORDER_BYTES: usize = 16 * 1024 * 1024;
/// All cards in that index together, in bytes: what comes after that is kept as the longer ones are.
pub const MAX_HELD_CARDS_BYTES: usize = 96 * 1024 * 1024;
/// Different keys in the cards that are kept whole; each is kept once. A card whose keys do not fit any more is read when a
/// search asks.
pub const MAX_CARD_KEYS: usize = 60_000;
/// Longest of those keys, in bytes.
pub const MAX_CARD_KEY_BYTES: usize = 256;
/// Cards that the index looks at again, one by one, for each question: so many have not changed in any way. Of the others
/// it knows that they have not been replaced since it looked at their folder's names, and in the end looks at them too.
pub const MAX_CARD_LOOKS: usize = 4_000;
/// Cards in that index, and names that are read for it at once; where there are more, the rest is not listed.
pub const MAX_INDEXED_CARDS: usize = 200_000;
pub const MAX_CARD_NAMES: usize = 2_000_000;
/// The file of that index between two processes, in bytes.
pub const MAX_CARD_INDEX_FILE_BYTES: u64 = 256 * 1024 * 1024;
/// The index is kept as a file only when it has so many cards, and written when so many were read since: fewer are cheaper
/// to read again.
pub const CARD_INDEX_FILE_FROM: usize = 1_000;
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
pub const CARD_LOCKS: u64 = 64;
/// The table of aliases, in bytes. It is read whole, and written whole for each change.
pub const MAX_ALIASES_BYTES: u64 = 4 * 1024 * 1024;
/// Names of an alias and its note, in bytes.
pub const MAX_ALIAS_BYTES: usize = 200;
pub const MAX_ALIAS_NOTE_BYTES: usize = 4096;
/// Samples that are copied with a card, into a mirror or from a collection, in bytes: they are held in memory meanwhile.
pub const MAX_COPIED_SAMPLES_BYTES: u64 = 64 * 1024 * 1024;
/// Ids in each list of an answer about many cards; the numbers beside them count all.
pub const MAX_IDS_LISTED: usize = 1_000;
/// Any other single document that is answered whole: an eval, a scenario, a type stub.
pub const MAX_DOCUMENT_BYTES: u64 = 8 * 1024 * 1024;
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
pub const MAX_WRITTEN_INDEX_BYTES: u64 = 64 * 1024 * 1024;
/// Packages in one of them, each of which is noted before it is looked at.
pub const MAX_HUB_PACKAGES: usize = 20_000;
/// All packages of the answer together, in bytes.
pub const MAX_HUB_BYTES: usize = 8 * 1024 * 1024;
/// `alc.local.toml` and other small configuration.
pub const MAX_CONFIG_BYTES: u64 = 1024 * 1024;
/// Another program's configuration, in which our entry is edited. Some agents keep what was said to them there, too.
pub const MAX_AGENT_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// A line of a difference that is shown whole, in characters. Files that programs write for themselves may be one line.
pub const MAX_DIFF_LINE_CHARS: usize = 400;
/// What a program says that is asked whether it is a server, in bytes, before it counts as none.
pub const MAX_GREETING_BYTES: u64 = 1024 * 1024;
/// Text of one page of samples, in bytes; `nextOffset` says where the page ended. Text of a resource in the answer of a
/// tool too, which has it twice and escapes it once more.
pub const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;
/// Largest JSON Lines file, in bytes. A sparse file of any size costs its maker nothing, and each client that asks for a
/// page of it would keep a worker busy until all of it was scanned.
pub const MAX_ROWS_FILE_BYTES: u64 = 8 * 1024 * 1024 * 1024;
/// Longest single line of a JSON Lines file, in bytes.
pub const MAX_ROW_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of a JSON Lines file that are read at a time. Between two pieces a scan looks whether anybody still wants to know.
pub const ROWS_CHUNK_BYTES: usize = 64 * 1024;
/// Bytes between two checkpoints of the line index, and so the most that is read in vain for a page.
pub const INDEX_STRIDE_BYTES: u64 = 64 * 1024;
/// A line index is kept as a file only for larger files; smaller ones are cheaper to read again, in bytes.
pub const INDEX_FILE_FROM_BYTES: u64 = 1024 * 1024;
/// Line indexes held in memory.
pub const MAX_CACHED_INDEXES: usize = 64;
/// A namespace of state, in bytes: it is read and written whole. Scripts add to it.
pub const MAX_STATE_BYTES: u64 = 8 * 1024 * 1024;
/// One value of it, as it is written, in bytes.
pub const MAX_STATE_VALUE_BYTES: usize = 1024 * 1024;
/// A key of it, in bytes.
pub const MAX_STATE_KEY_BYTES: usize = 1024;
/// The list of a namespace's last changes, in bytes: some hundreds, the newer half of which is kept when it is full.
pub const MAX_STATE_CHANGES_BYTES: u64 = 64 * 1024;
/// Values that a run has set and that are not written yet, all namespaces together, in bytes. A run that never pauses would
/// fill memory.
pub const MAX_PENDING_STATE_BYTES: usize = 16 * 1024 * 1024;
/// A summary of a log or an eval, in bytes. A list reads one for each of its entries.
pub const MAX_SUMMARY_BYTES: u64 = 16 * 1024;
/// A log or an eval without its summary that a list still looks into, in bytes.
pub const MAX_SUMMARIZED_BYTES: u64 = 1024 * 1024;
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
/// A journal, in bytes. A run that never ends would fill the disk, and a replay reads it whole.
pub const MAX_JOURNAL_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of a journal that are read at a time in search of its last line end.
pub const JOURNAL_CHUNK_BYTES: usize = 64 * 1024;
/// Depth of JSON that is passed on to a client, and of TOML that is parsed for one: whatever walks a deeper document
/// could be made to overflow its stack, which ends the process.
pub const MAX_JSON_DEPTH: usize = 100;

/// Files, folders and links of what is installed at once. A tree costs its maker little, and could fill the disk.
pub const MAX_INSTALL_ENTRIES: usize = 10_000;
/// All of it together, in bytes.
pub const MAX_INSTALL_BYTES: u64 = 256 * 1024 * 1024;
/// Folders of it in each other. Each is open while it is copied.
pub const MAX_INSTALL_DEPTH: usize = 32;
/// Packages that one tool looks at. Each takes a row, and an instance of the guest where its metadata is wanted.
pub const MAX_PACKAGES: usize = 10_000;
/// Threads that extract metadata for one tool: the other instances are for other callers.
pub const EXTRACT_THREADS: usize = 4;
/// A manifest of what is installed, in bytes.
pub const MAX_MANIFEST_BYTES: u64 = 4 * 1024 * 1024;
/// Cards of one package that are listed with what is known of it, the newest.
pub const MAX_PACKAGE_CARDS: usize = 500;
/// What a tool's argument may hold as the text of a JSON object, in bytes.
pub const MAX_LOOSE_BYTES: usize = 64 * 1024;

// ---- What is declared ----------------------------------------------------------------------------------------------

/// An index of declared things, in bytes, its nesting and its values, those that aliases repeat included. Whoever writes one
/// could otherwise fill memory at every change.
pub const MAX_YAML_BYTES: usize = 4 * 1024 * 1024;
pub const MAX_YAML_DEPTH: usize = 64;
pub const MAX_YAML_NODES: usize = 500_000;
/// Indices below one folder, and the folders and names that are looked at to find them. Each folder is watched: the system has
/// a limited number of watches for each user.
pub const MAX_REGISTRY_INDICES: usize = 1_000;
pub const MAX_REGISTRY_FOLDERS: usize = 5_000;
pub const MAX_REGISTRY_NAMES: usize = 50_000;
/// How deep indices may lie.
pub const MAX_REGISTRY_DEPTH: usize = 12;
/// The entries of all indices together, their values, and the sources of their handlers, in bytes: each file once, however many
/// entries name it. They are kept in memory, so what goes beyond is not read.
pub const MAX_REGISTRY_ENTRIES: usize = 20_000;
pub const MAX_REGISTRY_VALUES: usize = 2_000_000;
pub const MAX_REGISTRY_SOURCES: usize = 64 * 1024 * 1024;
/// Findings that are kept: an index of nothing but mistakes has one a line.
pub const MAX_REGISTRY_PROBLEMS: usize = 1_000;
/// One of them, in bytes.
pub const MAX_PROBLEM_BYTES: usize = 1_000;
/// A name under which a tool or a prompt is offered, in bytes.
pub const MAX_DECLARED_NAME_BYTES: usize = 128;
/// A JSON Schema, in bytes of JSON. A small one may refer to itself at will, but never to anything outside.
pub const MAX_SCHEMA_BYTES: usize = 256 * 1024;
/// Its patterns, and all of them compiled, in bytes.
pub const MAX_SCHEMA_PATTERNS: usize = 256;
pub const MAX_SCHEMA_PATTERN_BYTES: usize = 16 * 1024 * 1024;
/// Levels of it with each reference followed once, which whoever compiles it goes down; and those that are gone down for one
/// value. Each is a place on a thread's stack.
pub const MAX_SCHEMA_LEVELS: usize = 1_000;
pub const MAX_SCHEMA_DEPTH: usize = 400;
/// Subschemas that are tried on one value, and all that is tried for a whole one, in steps of some tens of nanoseconds. Nobody can
/// stop it meanwhile.
pub const MAX_SCHEMA_PATHS: u64 = 100_000;
pub const MAX_SCHEMA_STEPS: u64 = 50_000_000;
/// How far a prompt's ancestors go up. Each level is a place on a thread's stack.
pub const MAX_PROMPT_ANCESTORS: usize = 64;
/// Messages of a prompt with those of all its ancestors, and their text, in bytes. Each ancestor is rendered once.
pub const MAX_PROMPT_MESSAGES: usize = 1_000;
pub const MAX_PROMPT_BYTES: usize = 4 * 1024 * 1024;
/// Items of a handler's answer.
pub const MAX_ANSWER_ITEMS: usize = 1_000;
/// How long a handler may take when its entry says nothing, and at most.
pub const HANDLER_TIME: Duration = Duration::from_secs(30);
pub const MAX_HANDLER_TIME: Duration = Duration::from_secs(600);
/// What a handler asked before it asks its client, where the client carries it until it calls again, in bytes.
pub const MAX_CARRIED_BYTES: usize = 64 * 1024;
/// Questions that a handler may ask its client at once.
pub const MAX_ASKED_AT_ONCE: usize = 32;
/// A value that handlers store, as JSON, its key, and keys of one namespace.
pub const MAX_STORED_BYTES: usize = 1024 * 1024;
pub const MAX_STORED_KEY_BYTES: usize = 512;
pub const MAX_STORED_KEYS: usize = 10_000;
/// A file that a handler reads or writes in a mount.
pub const MAX_HANDLER_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// Names that a handler gets of one folder.
pub const MAX_HANDLER_NAMES: usize = 10_000;

// ---- What runs in the sandbox --------------------------------------------------------------------------------------

/// Instances of the guest that exist at the same time.
pub const GUEST_INSTANCES: u32 = 8;
/// How long a caller waits for one of them.
pub const GUEST_QUEUE_TIME: Duration = Duration::from_secs(10);
/// Linear memory of an instance, in bytes.
pub const GUEST_MEMORY_BYTES: usize = 32 * 1024 * 1024;
/// Elements of an instance's tables.
pub const GUEST_TABLE_ELEMENTS: usize = 10_000;
/// Stack of an instance, in bytes.
pub const GUEST_STACK_BYTES: usize = 512 * 1024;
/// Wall time of one call into an instance.
pub const GUEST_WALL_TIME: Duration = Duration::from_secs(1);
/// How often running instances look at the clock.
pub const GUEST_TICK: Duration = Duration::from_millis(10);
/// What one call may return, in bytes.
pub const GUEST_OUTPUT_BYTES: usize = 1024 * 1024;
/// What the pool keeps resident in each instance's memory: saves page faults on typical packages, in bytes.
pub const GUEST_RESIDENT_BYTES: usize = 2 * 1024 * 1024;
/// Extracted metadata held in memory, by the content it was extracted from.
pub const MAX_CACHED_METADATA: usize = 1024;
/// Bytes of that metadata. A folder of packages could otherwise fill memory with documents of the largest size.
pub const MAX_CACHED_METADATA_BYTES: usize = 16 * 1024 * 1024;

// ---- What scripts see ----------------------------------------------------------------------------------------------

/// Depth of a value that a script exchanges. A request, an answer and a record each wrap it in a few levels more.
pub const MAX_LUA_DEPTH: usize = MAX_JSON_DEPTH - 4;
/// Values in one of them. The length of a Lua table can be billions when only a few of its elements are set.
pub const MAX_LUA_VALUES: usize = 500_000;
/// Bins of a histogram, each of which is allocated before the first value is counted.
pub const MAX_HISTOGRAM_BINS: u64 = 1_000_000;
/// Elements that one call of `alc.math` draws.
pub const MAX_DRAWN: u64 = 10_000_000;
/// Greatest argument of the special functions of `alc.math` that sum a series. The sum would never end for some greater ones.
pub const MAX_FUNCTION_ARGUMENT: f64 = 1e12;
/// Bytes of all pieces of `alc.chunk` together. Pieces that overlap could repeat a text any number of times.
pub const MAX_CHUNKED_BYTES: usize = 64 * 1024 * 1024;

// ---- Where Lua runs ------------------------------------------------------------------------------------------------

/// One message between the server and a worker, in bytes, either way. A script could otherwise make the server hold any
/// amount of memory.
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of a frame that are read at a time.
pub const FRAME_READ_BYTES: usize = 32 * 1024;
/// What a worker posts is written at once from this many bytes on, and before that with its next request.
pub const POSTED_BYTES: usize = 32 * 1024;
/// Memory of a Lua state, in bytes. A script that takes more gets an error.
pub const LUA_MEMORY_BYTES: usize = 128 * 1024 * 1024;
/// Address space of a worker's process, in bytes: its Lua state, the binary, and a message while it is converted.
pub const WORKER_SPACE_BYTES: u64 = 768 * 1024 * 1024;
/// Source that `load`, `require` or a run compiles, in bytes. The compiler takes seconds for some sources of this size, and
/// nothing but the deadline stops it.
pub const MAX_LUA_SOURCE_BYTES: usize = 1024 * 1024;
/// Workers that exist at the same time, warm, running and paused. Each is a process.
pub const MAX_LUA_WORKERS: usize = 256;
/// Workers that wait for a run, with their Lua state made.
pub const WARM_LUA_WORKERS: usize = 2;
/// How long a worker may take to be started, which is some milliseconds. Whoever starts a run waits for it.
pub const SPAWN_TIME: Duration = Duration::from_secs(10);
/// Workers whose run is over and that were not ended yet.
pub const MAX_ENDED_WORKERS: usize = 8;
/// How long nobody starts or ends a worker after a run began or ended.
pub const REFILL_PAUSE: Duration = Duration::from_millis(10);
/// How often a waiting step looks whether its run was cancelled.
pub const LUA_LOOK_TIME: Duration = Duration::from_millis(20);

// ---- Declared handlers ---------------------------------------------------------------------------------------------

/// Calls of one namespace that compute at the same time; the others wait. One that waits for an answer is not counted, so
/// that handlers that call each other never wait for themselves.
pub const MAX_NAMESPACE_CALLS: usize = 4;
/// Workers that handlers of all namespaces have, computing, waiting for an answer or idle. Strategies have the others.
pub const MAX_HANDLER_WORKERS: usize = 96;
/// Workers that wait for a call of their namespace, all namespaces together: the one that waited longest goes.
pub const MAX_IDLE_HANDLERS: usize = 16;
/// How long one waits, at most, when others are called.
pub const IDLE_HANDLER_TIME: Duration = Duration::from_secs(10 * 60);
/// Calls that a worker serves before another one takes its place: nothing that its process gathers grows for ever.
pub const MAX_WORKER_CALLS: u32 = 10_000;
/// How deep handlers may call each other, through tools and functions. Each level keeps a worker, and a place on a thread's
/// stack.
pub const MAX_CALL_DEPTH: usize = 24;
/// Chunks that `text.splitter` makes of one text, parts that a regular expression finds in it, and a pattern's compiled
/// size in bytes.
pub const MAX_TEXT_PARTS: usize = 100_000;
pub const MAX_PATTERN_BYTES: usize = 4 * 1024 * 1024;
/// Random bytes that a script gets at once.
pub const MAX_RANDOM_BYTES: u64 = 64 * 1024;
/// Rounds of `hash.pbkdf2`, and bytes of its key.
pub const MAX_KEY_ROUNDS: u64 = 10_000_000;
pub const MAX_KEY_BYTES: u64 = 1024;

// ---- What is fetched from elsewhere --------------------------------------------------------------------------------

/// Requests of one server at the same time. Each has a thread and a connection.
pub const MAX_FETCHES: usize = 8;
/// Repositories of one server that are fetched at the same time. Each may take [`MAX_INSTALL_BYTES`] of the disk twice.
pub const MAX_CLONES: usize = 2;
/// The body of a request, and of an answer, in bytes. Both are held in memory, on both sides.
pub const MAX_HTTP_BODY_BYTES: usize = 16 * 1024 * 1024;
/// Headers of a request or an answer, in bytes, and how many a request has.
pub const MAX_HTTP_HEADER_BYTES: usize = 64 * 1024;
pub const MAX_HTTP_HEADERS: usize = 64;
/// Redirects of one request. Two servers could otherwise send it to each other until its time is over.
pub const MAX_HTTP_REDIRECTS: usize = 5;
/// An address, in bytes.
pub const MAX_URL_BYTES: usize = 4096;
/// Addresses of one name that are tried.
pub const MAX_RESOLVED: usize = 8;
/// What git says that is kept, from its end, in bytes.
pub const MAX_GIT_WORDS_BYTES: usize = 4096;

// ---- Time ----------------------------------------------------------------------------------------------------------

/// After the end of input, how long running requests may go on before they are cancelled, and how long the client may
/// take to read what is left (a default: `[server] grace_ms`).
pub const DEFAULT_GRACE: Duration = Duration::from_secs(10);
/// How long cancelled work may take to notice, before the process ends without it.
pub const SHUTDOWN_TIME: Duration = Duration::from_millis(300);
/// After how long without a write a temporary file is taken for the leftover of a writer that was killed. Such files would
/// fill the disk in the end; a writer that lives needs seconds.
pub const LEFTOVER_TIME: Duration = Duration::from_secs(60 * 60);
/// How long a request may take, with its redirects and its answer.
pub const MAX_HTTP_TIME: Duration = Duration::from_secs(60);
/// How long the index of a hub may take. Whoever searches waits for it.
pub const HUB_TIME: Duration = Duration::from_secs(15);
/// How long a fetched index is taken as it is, and for how long a source is not asked again that failed.
pub const HUB_FRESH_TIME: Duration = Duration::from_secs(60 * 60);
pub const HUB_RETRY_TIME: Duration = Duration::from_secs(60);
/// How long a server that is started for a look may take to answer its first request, and to end afterwards.
pub const GREETING_TIME: Duration = Duration::from_secs(5);
pub const PARTING_TIME: Duration = Duration::from_secs(1);
/// How long the helper that edits files of agents may take, with the lock that it may wait for.
pub const AGENT_HELPER_TIME: Duration = Duration::from_secs(30);
/// How long git may take to say its version. A helper says that within [`SPAWN_TIME`].
pub const GIT_VERSION_TIME: Duration = Duration::from_secs(4);
/// How long git may take to fetch a repository.
pub const GIT_TIME: Duration = Duration::from_secs(60);
/// How long a writer waits for another process's lock.
pub const LOCK_TIME: Duration = Duration::from_secs(10);
