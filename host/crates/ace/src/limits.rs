//! The limits of the learning log, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists.
//! Never: computes anything.

use std::time::Duration;

/// Time that the helper has to read or replace `AGENTS.md`. One that hangs would hold up its server.
pub const PLAYBOOK_HELPER_TIMEOUT: Duration = Duration::from_secs(10);
/// Largest log of traces or insights, in bytes. A client could fill the disk; a person moves a full log away.
pub const MAX_LEARNING_LOG_BYTES: u64 = 1024 * 1024 * 1024;
/// Largest `AGENTS.md`, in bytes. It is in memory several times while it is edited.
pub const MAX_PLAYBOOK_BYTES: u64 = 4 * 1024 * 1024;
/// Executions of one trace. Each is analysed.
pub const MAX_EXECUTIONS: usize = 200;
/// Errors of one execution. A broken build reports thousands, and the first ones have the cause.
pub const MAX_EXECUTION_ERRORS: usize = 500;
/// Changed files that an execution names. What changes more at once is no fix of one error.
pub const MAX_CHANGED_FILES: usize = 20;
/// Traces that are looked at for the last failure of a command. An older one has little to do with what passes now.
pub const MAX_LOOKED_BACK_TRACES: usize = 1_000;
/// Errors that are read from the output of one command.
pub const MAX_PARSED_ERRORS: usize = 200;
/// Longest line of an output in which errors are looked for, in bytes. A longer one was made by a program for a program.
pub const MAX_PARSED_LINE_BYTES: usize = 4 * 1024;
/// Longest message of an error in a trace, in characters; what is longer is cut.
pub const MAX_MESSAGE_CHARS: usize = 4_000;
/// Longest command, path or description in a trace, in characters; what is longer is cut.
pub const MAX_FIELD_CHARS: usize = 1_000;
/// Longest id of a task, trace, bullet or insight, in characters.
pub const MAX_ID_CHARS: usize = 200;
/// Ids in one argument or one trace.
pub const MAX_LISTED_IDS: usize = 1_000;
/// Longest pattern of an insight, in characters. It becomes a part of a bullet, which every agent reads.
pub const MAX_PATTERN_CHARS: usize = 200;
/// Longest recommendation of an insight, in characters.
pub const MAX_RECOMMENDATION_CHARS: usize = 300;
/// Longest line of evidence, in characters.
pub const MAX_EVIDENCE_CHARS: usize = 300;
/// Lines of evidence of one insight. The trace has all of them.
pub const MAX_EVIDENCE_LINES: usize = 20;
/// Tasks that an insight names.
pub const MAX_INSIGHT_TASKS: usize = 50;
/// Files that an insight names.
pub const MAX_INSIGHT_FILES: usize = 5;
/// Longest bullet without its id and counters, in characters.
pub const MAX_BULLET_CHARS: usize = 500;
/// Kinds of errors that one analysis tells apart. Each takes memory; errors of later kinds are left out, and counted
/// (`errorsOmitted`).
pub const MAX_ERROR_KINDS: usize = 20_000;
/// Failures that wait for the same command to pass in one analysis. Each takes memory.
pub const MAX_PENDING_FAILURES: usize = 200_000;
/// Failures whose command passed later that one analysis keeps. Each takes memory.
pub const MAX_RESOLVED_FAILURES: usize = 200_000;
/// Files that changed before commands passed, of all failures in one analysis. Each takes memory.
pub const MAX_RESOLVED_FILES: usize = 1_000_000;
/// Reports of fixes that one analysis keeps. Each takes memory.
pub const MAX_REPORTED_FIXES: usize = 200_000;
/// All tasks, commands, changed files and reports of fixes that one analysis holds, in bytes. Each text is held once.
pub const MAX_FOLLOWED_TEXT_BYTES: usize = 32 * 1024 * 1024;
/// Failures of one task that wait for the same command to pass. Each new one is compared with them.
pub const MAX_PENDING_OF_TASK: usize = 1_000;
/// Chains of discovered issues that one analysis keeps. Each takes memory.
pub const MAX_DISCOVERY_CHAINS: usize = 2_000;
/// Fixes of one kind of error that one analysis tells apart. Each failure is compared with all of them.
pub const MAX_FIXES_OF_KIND: usize = 200;
/// Files that are counted for what fixed one kind of error.
pub const MAX_COUNTED_FILES: usize = 1_000;
/// Insights that one analysis returns, the most confident first.
pub const MAX_RETURNED_INSIGHTS: usize = 1_000;
/// Insights that are held in memory. Of a longer log the newest ones count.
pub const MAX_LOADED_INSIGHTS: usize = 200_000;
/// All insights in memory together, in bytes, without the indexes that are made of them. Of a larger log the newest ones
/// count.
pub const MAX_CACHED_INSIGHT_BYTES: usize = 128 * 1024 * 1024;
/// Longest query of `ace_search`, in characters; what is longer is cut.
pub const MAX_SEARCH_CHARS: usize = 4_000;
/// Words of a query that are looked up, the rarest first. Each common word visits most of the insights.
pub const MAX_SEARCH_WORDS: usize = 64;
/// Results of `ace_search`.
pub const MAX_SEARCH_RESULTS: usize = 50;
/// Results of `ace_search` unless the call says otherwise.
pub const DEFAULT_SEARCH_RESULTS: usize = 5;
/// Items that `ace_get_insights` returns of each kind.
pub const MAX_QUERY_LIMIT: usize = 1_000;
/// Items that `ace_get_insights` returns unless the call says otherwise.
pub const DEFAULT_QUERY_LIMIT: usize = 50;
/// Insights in `ace://logs/recent-insights`.
pub const MAX_RECENT_INSIGHTS: usize = 20;
/// Bullets that one update adds unless the call or the configuration says otherwise.
pub const DEFAULT_MAX_DELTAS: usize = 3;
/// Bullets that one update may add. An agent reads each of them in every later task.
pub const MAX_DELTAS: usize = 100;
/// Lines of all bullets together unless the configuration says otherwise. Agents read each before every task.
pub const DEFAULT_MAX_BULLET_LINES: usize = 300;
/// Tokens of all bullets together unless the configuration says otherwise, of four characters each.
pub const DEFAULT_MAX_BULLET_TOKENS: usize = 20_000;
/// Days in which a new bullet that did no harm is not archived: agents had no time to say that it helped.
pub const NEWCOMER_DAYS: i64 = 14;
/// By how much the counter `harmful` of a bullet exceeds `helpful` when the next update archives it, whatever room there is.
pub const MAX_BULLET_HARM: i64 = 3;
/// Bullets of the log of bullets whose fate is held in memory while an update runs.
pub const MAX_PAST_BULLETS: usize = 100_000;
/// Skipped insights that one update explains. Further ones are counted by reason.
pub const MAX_EXPLAINED_SKIPS: usize = 100;
/// Attempts to change `AGENTS.md` while another program writes it.
pub const MAX_PLAYBOOK_WRITES: usize = 8;
/// Repeated patterns in `ace://knowledge/stats`.
pub const MAX_RECURRING_PATTERNS: usize = 20;
/// Operations of one call of `ace_propose_bullets`.
pub const MAX_PROPOSED_OPERATIONS: usize = 20;
/// Bullets that one proposal merges.
pub const MAX_MERGED_BULLETS: usize = 10;
/// Proposals that wait for a person. One who is asked more reads none.
pub const MAX_WAITING_BULLET_PROPOSALS: usize = 100;
/// Largest file of a proposal, in bytes. It has the texts of the bullets that it changes.
pub const MAX_BULLET_PROPOSAL_BYTES: u64 = 256 * 1024;
/// Days for which a proposal waits. What it was made from is older by then.
pub const BULLET_PROPOSAL_DAYS: i64 = 14;
/// Days for which a decided or expired proposal is shown.
pub const DECIDED_BULLET_PROPOSAL_DAYS: i64 = 30;
/// Files that are looked at in the folder of proposals.
pub const MAX_BULLET_PROPOSAL_NAMES: usize = 10_000;
/// Longest trace or playbook in a prompt, in characters; what is longer is cut. It takes a fifth of a small context.
pub const MAX_PROMPT_DATA_CHARS: usize = 100_000;
/// Errors of one execution in a prompt.
pub const MAX_PROMPT_ERRORS: usize = 20;
/// Longest message of an error in a prompt, in characters.
pub const MAX_PROMPT_MESSAGE_CHARS: usize = 500;
/// Traces whose ids complete the argument of a prompt, the newest ones.
pub const MAX_PROMPT_TRACE_IDS: usize = 1_000;
/// Days that the plot of traces and insights shows.
pub const TIMELINE_DAYS: i64 = 30;
/// Traces older than the plot, one after the other, after which no newer one is expected.
pub const MAX_OLD_ROWS: usize = 10_000;
/// Bullets that the page of the playbook shows.
pub const MAX_PAGE_BULLETS: usize = 2_000;
/// Bullets of each list that the page of the archive shows.
pub const MAX_PAGE_ARCHIVED: usize = 100;
