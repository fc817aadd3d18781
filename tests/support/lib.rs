//! What tests share: a temporary AppDir, the binary as a command, and the binary as a server.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what fails here fails its test"
)]

mod app_dir;
mod client;
mod command;
mod http;
#[cfg(target_os = "linux")]
mod landlock;
mod patience;
mod program;
mod runs;
mod schemas;
mod service;
mod transcript;

pub use app_dir::TestDir;
pub use client::{Client, Era};
pub use command::{Finished, base, run, script, wardroom};
pub use http::{Connection, HttpServer, Reply, command as http_command, newer};
#[cfg(target_os = "linux")]
pub use landlock::landlock_version;
pub use patience::{PATIENCE, eventually};
pub use program::{program, root};
pub use runs::{Runner, answered};
pub use schemas::check as check_answer;
pub use service::{AlcService, SANDBOX, told};
pub use transcript::{converse, sheet};
