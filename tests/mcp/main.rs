//! The protocol over stdio, as a client sees it.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod additions;
mod arguments;
mod changes;
mod discovery;
mod flow;
mod hostile;
mod ids;
mod kept_reads;
mod lines;
mod output_schemas;
mod panics;
mod shutdown;
mod stdio_streams;
mod times;
mod tool_search;
mod type_stubs;
mod wire;
