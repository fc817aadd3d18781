//! The limits of a blog, with the reason for each.
//!
//! Owns: the numbers, which `docs/LIMITS.md` lists.
//! Never: computes anything.

use std::time::Duration;

/// Items of a page of `bds://posts` and `bds://media`, and most posts of one search.
pub const BLOG_PAGE_SIZE: usize = 50;
/// Largest post, sidecar, script or template that is read, in bytes. The guest reads no more.
pub const MAX_BLOG_DOCUMENT_BYTES: u64 = 1024 * 1024;
/// Largest picture of which a thumbnail is made, in bytes. It is in memory twice.
pub const MAX_PICTURE_BYTES: u64 = 32 * 1024 * 1024;
/// Largest original picture that is returned as it is, in bytes. It is a third longer in an answer.
pub const MAX_ORIGINAL_PICTURE_BYTES: u64 = 4 * 1024 * 1024;
/// Longest side of a thumbnail, in pixels.
pub const THUMBNAIL_SIDE: u32 = 400;
/// Addresses of pictures that a preview looks up. A text may have any number, of which the blog has none.
pub const MAX_PREVIEW_ADDRESSES: usize = 120;
/// Pictures of the blog that a preview shows. Each is a small copy that the guest makes first.
pub const MAX_PREVIEW_PICTURES: usize = 12;
/// Largest file in `meta/`, in bytes.
pub const MAX_SETTINGS_BYTES: u64 = 1024 * 1024;
/// Files of one blog. Their names and times are compared in memory.
pub const MAX_BLOG_FILES: usize = 4_000_000;
/// Depth of folders in which documents are looked for.
pub const MAX_BLOG_DEPTH: usize = 12;
/// Links to other posts that are kept of one post. The guest returns no more.
pub const MAX_POST_LINKS: usize = 2_000;
/// Posts that a media item names as those that show it. They are in its row, and each is a term of the index.
pub const MAX_LINKED_POSTS: usize = 10_000;
/// Files of one post or media item. What is more has a mistake in its ids, and is left out.
pub const MAX_FILES_PER_POST: usize = 100;
/// Size of the files of one post or media item, in bytes. They are in memory at once; what is more is left out.
pub const MAX_POST_FILES_BYTES: u64 = 16 * 1024 * 1024;
/// Tags of a post, and its categories. Counts by both take their product.
pub const MAX_NAMES: usize = 50;
/// Longest tag or category, in characters.
pub const MAX_NAME_CHARS: usize = 100;
/// Longest text of a field, in characters. Lists repeat titles and excerpts.
pub const MAX_FIELD_CHARS: usize = 2_000;
/// Matches that a snippet is chosen from.
pub const MAX_SNIPPET_HITS: usize = 500;
/// Links that an answer names for a post and direction. The totals count all.
pub const MAX_LISTED_LINKS: usize = 20;
/// Posts whose names are remembered for links. Each takes some 300 bytes.
pub const MAX_REMEMBERED_POSTS: usize = 8_192;
/// Problems that are listed of one post or media item.
pub const MAX_LISTED_PROBLEMS: usize = 1_000;
/// Length of all bodies that `get_post_translations` returns, in bytes. Each can be read alone.
pub const MAX_TRANSLATIONS_BYTES: usize = 2 * 1024 * 1024;
/// Combinations of values by which posts are counted. They are in memory until the most frequent ones are known.
pub const MAX_COUNTED_GROUPS: usize = 200_000;
/// Groups that `count_posts` returns.
pub const MAX_COUNT_GROUPS: usize = 200;
/// Names that a completion returns.
pub const MAX_COMPLETIONS: usize = 100;
/// Most posts that may be skipped before a page of a search.
pub const MAX_SEARCH_OFFSET: usize = 10_000_000;
/// Longest query, in bytes. What is longer is cut: an agent may paste a text.
pub const MAX_QUERY_BYTES: usize = 16 * 1024;
/// Words of a query. Each is looked up; the others are left out.
pub const MAX_QUERY_WORDS: usize = 32;
/// Longest word that is indexed, in bytes. Longer ones are data, and no one searches for them.
pub const MAX_WORD_BYTES: usize = 120;
/// Stems that are remembered for each language while an index is made.
pub const MAX_MEMOISED_WORDS: usize = 100_000;
/// Characters around a match in a snippet.
pub const SNIPPET_CHARS: usize = 240;
/// Largest list of the index's own files, in bytes.
pub const MAX_INDEX_META_BYTES: u64 = 4 * 1024 * 1024;
/// Memory in which each of two threads collects documents before it writes a segment, in bytes.
pub const INDEX_BUFFER_BYTES: usize = 24 * 1024 * 1024;
/// Text of the documents that wait for the threads that index, in bytes.
pub const MAX_QUEUED_TEXT_BYTES: usize = 4 * 1024 * 1024;
/// Files that are read before their posts are added to the index. Their texts are in memory.
pub const INDEX_BATCH_FILES: usize = 128;
/// Size of these files, in bytes, where there are several.
pub const INDEX_BATCH_BYTES: u64 = 2 * 1024 * 1024;
/// Documents of an index from which several threads share a search. Below, one thread is fast enough, and others have work.
pub const SHARED_SEARCH_DOCUMENTS: u64 = 300_000;
/// Threads that share a search.
pub const MAX_SEARCH_THREADS: usize = 4;
/// Pending proposals of a blog. A person has to look at each.
pub const MAX_PENDING_PROPOSALS: usize = 1_000;
/// Size of the file of a proposal, in bytes: the text before and after, and the draft.
pub const MAX_PROPOSAL_BYTES: u64 = 16 * 1024 * 1024;
/// Names that are read in a folder of proposals.
pub const MAX_PROPOSAL_NAMES: usize = 100_000;
/// Time for which a decision answers.
pub const MAX_DECIDED_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Interval at which a server ends the proposals whose time is over.
pub const PROPOSAL_SWEEP_INTERVAL: Duration = Duration::from_secs(30);
/// Interval at which a server removes what was decided long ago.
pub const DECIDED_CLEANUP_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Time for which a proposal over HTTP is pending, unless the configuration says otherwise.
pub const DEFAULT_HTTP_PROPOSAL_TTL: Duration = Duration::from_secs(30 * 60);
/// The same over stdio and at the command line.
pub const DEFAULT_STDIO_PROPOSAL_TTL: Duration = Duration::from_secs(8 * 60 * 60);
/// Longest slug that is made of a title, in bytes: it is the name of a file, and an address.
pub const MAX_NEW_SLUG_BYTES: usize = 100;
/// Pending proposals that one caller may have. The others are for others.
pub const MAX_OWN_PROPOSALS: usize = MAX_PENDING_PROPOSALS / 2;
/// Size of the files of the pending proposals of one caller, in bytes. Each is read to be shown, decided and ended.
pub const MAX_OWN_PROPOSAL_BYTES: u64 = 64 * 1024 * 1024;
/// Files of proposals that one list reads.
pub const MAX_VISITED_PROPOSALS: usize = 500;
/// Text of the proposals that one list reads, in bytes. The rest is on the next page.
pub const MAX_VISITED_PROPOSAL_BYTES: usize = 16 * 1024 * 1024;
/// Proposals that a server ends before it lets others decide.
pub const PROPOSAL_SWEEP_BATCH: usize = 8;
/// Time between two of these batches, in which a decision that waits is made.
pub const PROPOSAL_SWEEP_PAUSE: Duration = Duration::from_millis(20);
/// Replacements of one edit.
pub const MAX_EDITS: usize = 100;
/// Size of a unified diff, in bytes.
pub const MAX_GIVEN_DIFF_BYTES: usize = 256 * 1024;
/// Lines of a text to which a diff is applied: each hunk is looked for in all of them.
pub const MAX_DIFFED_LINES: usize = 50_000;
/// Lines between the first and the last change, up to which two changes of a text are merged.
pub const MAX_MERGED_LINES: usize = 2_000;
/// Longest title of a proposal, in characters.
pub const MAX_PROPOSED_TITLE_CHARS: usize = 300;
/// Size of the difference in an answer, in bytes. The review shows all of it.
pub const MAX_SHOWN_DIFF_BYTES: usize = 32 * 1024;
/// Size of each text of a conflict in an answer, in bytes: what was, what is, what is proposed, and the merge.
pub const MAX_CONFLICT_TEXT_BYTES: usize = 16 * 1024;
/// Size of a text before and after a change together, in bytes, up to which a page in an agent's window shows it.
pub const MAX_APP_TEXT_BYTES: usize = 256 * 1024;
/// Lines of these texts.
pub const MAX_APP_TEXT_LINES: usize = 5_000;
/// Time after which the difference of two texts is found roughly: all that changed as one block.
pub const MAX_DIFF_TIME: Duration = Duration::from_millis(200);
/// Time in which the changed words of lines are looked for. The lines after that are shown without marks.
pub const MAX_WORD_DIFF_TIME: Duration = Duration::from_millis(100);
/// Lines of code whose words are coloured. What follows is shown as plain text.
pub const MAX_HIGHLIGHTED_LINES: usize = 5_000;
/// Files after which a first index is saved, so that one that is interrupted goes on from there.
pub const INDEX_COMMIT_FILES: usize = 25_000;
/// Indexes of a blog that are kept for other settings, such as another language, however old they are.
pub const MAX_INDEXES_OF_OTHER_SETTINGS: usize = 3;
/// Time without a change after which the index that a program of another version made is removed.
pub const MAX_OLD_INDEX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Quiet time after which changed files are read: programs save a file in several steps.
pub const BLOG_QUIET_TIME: Duration = Duration::from_millis(40);
/// Time after which changed files are read even though more of them change.
pub const MAX_BLOG_BURST_TIME: Duration = Duration::from_millis(500);
/// Shortest interval at which all folders are compared with `[server] watch = "poll"`.
pub const BLOG_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Interval at which all folders are compared without any notice of a change: some file systems give none.
pub const BLOG_RESCAN_INTERVAL: Duration = Duration::from_secs(300);
