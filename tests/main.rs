//! The one integration binary. Each folder below is a subject; `tidy` checks that none of its files is forgotten.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

#[expect(unreachable_pub, reason = "what is public there is what tests may use")]
mod support;

mod agents;
mod alc;
mod appdir;
mod cli;
#[cfg(target_os = "linux")]
mod confine;
mod http;
mod lua;
mod mcp;
mod net;
mod registry;
mod runs;
mod sandbox;
mod tidy;
