//! What tests share: a temporary AppDir, the binary as a command, and the binary as a server.

mod app_dir;
mod client;
mod command;
mod http;
mod patience;
mod runs;
mod schemas;
mod service;
mod transcript;

pub use app_dir::TestDir;
pub use client::{Client, Era};
pub use command::{Finished, base, run, script, wardroom};
pub use http::{Connection, HttpServer, Reply, command as http_command, newer};
pub use patience::{PATIENCE, eventually};
pub(crate) use runs::{Runner, answered};
pub(crate) use schemas::check as check_answer;
pub(crate) use service::{AlcService, SANDBOX, told};
pub use transcript::{converse, sheet};
