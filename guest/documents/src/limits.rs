//! The limits of everything that an input can make grow.
//!
//! Owns: the numbers, each with the resource that an input could exhaust.
//! Never: decides what happens at a limit; that is a `ReadError`.

/// The longest source that is read. Otherwise one file could fill the guest's memory.
pub const MAX_SOURCE_BYTES: usize = 1024 * 1024;

/// The longest front matter. Its parsers keep a multiple of it in memory, unlike the Markdown parser.
pub const MAX_FRONT_MATTER_BYTES: usize = 64 * 1024;

/// The deepest nesting of lists and tables in front matter. Parsing, writing and freeing recurse once per level, so that a
/// line of brackets could otherwise exhaust the stack.
pub const MAX_DEPTH: usize = 32;

/// The most top-level fields. Each becomes several allocations of the host.
pub const MAX_FIELDS: usize = 200;

/// The most bytes that all aliases of one front matter stand for. A list of ten aliases of a list of ten aliases, a few
/// times over, would otherwise be a document of gigabytes.
pub const MAX_ALIASED_BYTES: usize = 64 * 1024;

/// The most changes of one edit. The front matter is parsed again after each.
pub const MAX_CHANGES: usize = 32;

/// The most bytes of front matter that are parsed again after the changes of one edit, in all: 32 changes of 16 KiB, or 8 of
/// 64 KiB. The longest front matter with the most changes would otherwise take a second.
pub const MAX_REPARSED_BYTES: usize = 8 * MAX_FRONT_MATTER_BYTES;

/// The most bytes of the names and values of one edit: twice the longest front matter, because JSON may have escapes
/// and white space. A longer value would be parsed and written before the result is found too long.
pub const MAX_CHANGE_BYTES: usize = 2 * MAX_FRONT_MATTER_BYTES;

/// The most links to other posts. A source of `[a](/a)` repeated would otherwise be an answer of a hundred thousand records.
pub const MAX_LINKS: usize = 2_000;

/// The most headings, for the same reason.
pub const MAX_HEADINGS: usize = 1_000;

/// The longest text of a body. It is shorter than its source, but for entities that stand for more bytes than they have.
pub const MAX_TEXT_BYTES: usize = MAX_SOURCE_BYTES;

/// The longest excerpt, in characters. It is repeated in each list of posts.
pub const MAX_EXCERPT_CHARS: usize = 300;

/// The longest slug of a link: that of a file name. The address of a link reference definition counts once in the source
/// and once for each of its links.
pub const MAX_SLUG_BYTES: usize = 255;

/// The deepest nesting of quotes and lists in a body. The Markdown parser compares each line with every open one, so that
/// its time is the product of both.
pub const MAX_CONTAINERS: usize = 200;

/// The most nodes of the tree that the Markdown parser makes of a body, by an estimate: forty bytes each in the component, and
/// as much again and half of that while the tree grows. A mebibyte of prose has some 100,000.
pub const MAX_MARKDOWN_NODES: usize = 160_000;

/// The longest preview. A quote takes one byte of source and six of HTML, an empty cell none and nine.
pub const MAX_PREVIEW_BYTES: usize = 4 * 1024 * 1024;

/// The longest destination of a link that may be a template expression. It is searched for its end from each `](`.
pub const MAX_TEMPLATE_LINK_BYTES: usize = 512;
