//! Shared test support: a temporary AppDir, the binary as a command, and the binary as a server.

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
mod output_schemas;
mod program;
mod run_client;
mod service;
mod skip;
mod timeout;
mod transcript;

pub use app_dir::{TestDir, remove_folder_in_use};
pub use client::{ClientRevision, StdioClient};
pub use command::{CommandOutput, run_command, run_wardroom, wardroom_command, write_script};
pub use http::{HttpConnection, HttpReply, HttpServer, modern_request, serve_command};
pub use output_schemas::check_output_schema;
pub use program::{wardroom_binary, workspace_root};
pub use run_client::{RunClient, tool_result};
pub use service::{SANDBOX, TestAlcService, protocol_error_text};
#[cfg(target_os = "linux")]
pub use skip::landlock_or_skip;
pub use skip::{skip, skip_without_wall};
pub use timeout::{TEST_TIMEOUT, eventually};
pub use transcript::{record_transcript, snapshot_message};
