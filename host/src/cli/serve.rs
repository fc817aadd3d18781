//! `wardroom` and `wardroom serve`: MCP on standard input and output.
//!
//! Never: writes anything but messages to standard output.

use std::io::{self, IsTerminal as _};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;

use super::agents;
use super::logging::Log;
use super::servers::{At, Shown};
use crate::assemble::settings::Settings;
use crate::assemble::{self, Rooms};
use crate::report::{self, Failure};
use wardroom_base::limits::{MAX_DECODING, MAX_WORKERS, MAX_WORKING_TASKS, SHUTDOWN_TIME};
use wardroom_mcp::Server;
use wardroom_mcp::stdio::{self, Ends};
use wardroom_process::confine;

/// A client waits for the first answer, and nobody for the server's being shown.
const SHOWN_AFTER: Duration = Duration::from_millis(50);

/// Without a command. A person who types it is told what it is; an agent has no terminal.
pub(super) fn alone(settings: &Settings, log: &mut Log) -> Result<(), Failure> {
    if io::stdin().is_terminal() {
        let command = settings.command();
        report::note(&format!(
            "wardroom {} serves MCP on standard input and output: agents start it, people rarely do.\n\
             AppDir: {}\n\
             Connect the agents on this machine: {command} agents install --all\n\
             Look around yourself: {command} ls; instead of ls also read URI, doctor or --help\n\
             Waiting for messages; Ctrl-D ends it.",
            env!("CARGO_PKG_VERSION"),
            settings.app_dir.path.display(),
        ));
    }
    stdio(settings, log)
}

pub(super) fn stdio(settings: &Settings, log: &mut Log) -> Result<(), Failure> {
    let failed = |error| {
        let hint = "agents start it with standard input and output open, and talk to it there";
        Failure::of("cannot serve", error, hint)
    };
    let rooms = assemble::serving(settings, agents::helper(settings)?)?;
    let ends = Ends::open().map_err(failed)?;
    confine(settings, &rooms)?;
    log.start();
    let catalogue = Arc::clone(&rooms.catalogue);
    let identity = assemble::identity(settings, &catalogue);
    let seal = assemble::seal(settings)?;
    let tasks = rooms.tasks.clone();
    let server = Server::new(catalogue, identity, settings.config.server.watch, seal).keeping_tasks(tasks);
    let runtime = runtime().map_err(failed)?;
    let app = rooms.app;
    let (served, _shown) = runtime.block_on(async {
        let mut serving = pin!(stdio::serve(server, ends, settings.config.grace()));
        tokio::select! {
            served = serving.as_mut() => return (served, None),
            () = tokio::time::sleep(SHOWN_AFTER) => {}
        }
        let shown = tokio::task::spawn_blocking(move || Shown::new(&app, &[At::Stdio]));
        (serving.await, shown.await.ok().flatten())
    });
    // Work that does not notice its cancellation ends with the process.
    runtime.shutdown_timeout(SHUTDOWN_TIME);
    served.map_err(failed)
}

/// All of the protocol is on one thread; slow work is on others.
pub(super) fn runtime() -> io::Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().max_blocking_threads(MAX_WORKERS + MAX_WORKING_TASKS + MAX_DECODING + 2).build()
}

/// Gives up what a server does not need. Everything that it opens by a path is open by now, and it has one thread.
pub(super) fn confine(settings: &Settings, rooms: &Rooms) -> Result<(), Failure> {
    let report = confine::server(&rooms.grants());
    let missing = report.missing();
    if missing.0.is_empty() {
        tracing::info!("confined: {report}");
        return Ok(());
    }
    if settings.config.sandbox.require {
        let hint = format!(
            "{} doctor says what it takes; without `[sandbox] require = true` it serves with what there is",
            settings.command()
        );
        return Err(Failure::new(format!("this server cannot be confined: {missing}"), hint));
    }
    tracing::warn!("not confined as it could be: {missing}");
    Ok(())
}
