//! `wardroom` and `wardroom serve`: MCP on standard input and output.
//!
//! Never: writes anything but messages to standard output.

use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;

use super::agents;
use super::logging::LogHandle;
use super::servers::{ListenAddress, ServerFigures, ServerRegistration};
use crate::assemble::seal_key;
use crate::assemble::settings::Settings;
use crate::assemble::{self, AssembledServices};
use crate::report::{self, CommandError};
use wardroom_base::memory::MemoryShare;
use wardroom_mcp::McpServer;
use wardroom_mcp::http::limits::{MAX_CONCURRENT_DECODES, MAX_PAGE_REQUESTS};
use wardroom_mcp::limits::{MAX_BLOCKING_REQUESTS, MAX_RUNNING_TASKS, SHUTDOWN_TIMEOUT};
use wardroom_mcp::stdio::{self, StdioStreams};
use wardroom_process::confine;

/// Delay of the server's registration: a client waits for its first response, while `wardroom status` can wait.
const REGISTRATION_DELAY: Duration = Duration::from_millis(50);

/// Runs without a command: serves MCP, and first explains itself on a terminal. Agents have no terminal.
pub(super) fn default_command(settings: &Settings, log: &LogHandle) -> Result<(), CommandError> {
    if io::stdin().is_terminal() {
        let command = settings.command_line();
        report::print_note(&format!(
            "wardroom {} serves MCP on standard input and output: agents start it, people rarely do.\n\
             AppDir: {}\n\
             Connect the agents on this machine: {command} agents install --all\n\
             Look around yourself: {command} ls (or read URI, doctor, --help)\n\
             Waiting for messages; Ctrl-D ends it.",
            env!("CARGO_PKG_VERSION"),
            settings.app_dir.path.display(),
        ));
    }
    serve_stdio(settings, log)
}

pub(super) fn serve_stdio(settings: &Settings, log: &LogHandle) -> Result<(), CommandError> {
    let failed = |error| {
        let hint = "start it with standard input and output open, as agents do";
        CommandError::with_cause("cannot serve", error, hint)
    };
    assemble::check_apart(settings)?;
    let assembled = assemble::build_server(settings, agents::start_helper(settings)?)?;
    assembled.prepare_app_dir(settings);
    let ends = StdioStreams::open().map_err(failed)?;
    confine_server(settings, &assembled)?;
    log.allow_writer();
    let catalogue = Arc::clone(&assembled.catalogue);
    let identity = assemble::server_identity(settings, &catalogue);
    let audit = catalogue.audit().clone();
    let seal = seal_key::key_source(assembled.app.clone());
    let tasks = assembled.tasks.clone();
    let memory = MemoryShare::budget(settings.config.memory_bytes());
    let server = McpServer::new(catalogue, identity, settings.config.server.watch, seal);
    let server = server
        .with_tasks(tasks)
        .with_memory(memory.clone())
        .with_activity(assembled.activity.clone())
        .with_continuations(assembled.continuations.clone())
        .with_output_schemas(settings.config.lists_output_schemas());
    let runtime = build_runtime().map_err(failed)?;
    let (app, workers, activity) = (assembled.app, assembled.workers, assembled.activity);
    let (served, _shown) = runtime.block_on(async {
        let mut serving = pin!(stdio::serve(server, ends, settings.config.grace_period()));
        tokio::select! {
            served = serving.as_mut() => return (served, None),
            () = tokio::time::sleep(REGISTRATION_DELAY) => {}
        }
        let shown = tokio::task::spawn_blocking(move || {
            let shown = ServerRegistration::register(&app, &[ListenAddress::Stdio])?;
            drop(shown.report(ServerFigures { requests: memory, activity, workers, refused_tokens: None }));
            Some(shown)
        });
        (serving.await, shown.await.ok().flatten())
    });
    // Work that ignores its cancellation ends with the process.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    audit.finish();
    served.map_err(failed)
}

/// Builds the runtime: one thread for the protocol, others for slow work.
pub(super) fn build_runtime() -> io::Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder
        .enable_all()
        .max_blocking_threads(
            MAX_BLOCKING_REQUESTS + MAX_RUNNING_TASKS + MAX_CONCURRENT_DECODES + MAX_PAGE_REQUESTS + 2,
        )
        .build()
}

/// Confines the server. It has opened everything that it opens by path, and has one thread.
pub(super) fn confine_server(settings: &Settings, assembled: &AssembledServices) -> Result<(), CommandError> {
    let report = confine::confine_server(&assembled.collect_grants());
    let missing = report.missing();
    if missing.0.is_empty() {
        tracing::info!("confined: {report}");
        return Ok(());
    }
    if settings.config.sandbox.require {
        let hint = format!(
            "run {} doctor to see what is missing, or leave out `[sandbox] require = true`",
            settings.command_line()
        );
        return Err(CommandError::new(format!("this server cannot be confined: {missing}"), hint));
    }
    tracing::warn!("only partly confined: {missing}");
    Ok(())
}
