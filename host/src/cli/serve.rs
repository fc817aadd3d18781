//! `wardroom` and `wardroom serve`: MCP on standard input and output.

use std::io::IsTerminal as _;

use super::logging::Log;
use super::report::{self, Failure};
use super::rooms::{self, Rooms};
use super::settings::Settings;
use crate::confine;
use crate::limits::{MAX_WORKERS, SHUTDOWN_TIME};
use crate::mcp::Server;
use crate::mcp::stdio::{self, Ends};

/// Without a command. A person who types it is told what it is; an agent has no terminal.
pub(super) fn alone(settings: &Settings, log: &mut Log) -> Result<(), Failure> {
    if std::io::stdin().is_terminal() {
        let command = settings.command();
        report::note(&format!(
            "wardroom {} serves MCP on standard input and output: agents start it, people rarely do.\n\
             AppDir: {}\n\
             Connect an agent, for example: claude mcp add wardroom -- {command}\n\
             Look around yourself: {command} ls; instead of ls also read URI, doctor or --help\n\
             Waiting for messages; Ctrl-D ends it.",
            env!("CARGO_PKG_VERSION"),
            settings.app_dir.path.display(),
        ));
    }
    stdio(settings, log)
}

pub(super) fn stdio(settings: &Settings, log: &mut Log) -> Result<(), Failure> {
    let failed = |error| Failure::of("cannot serve", error);
    let rooms = rooms::serving(settings)?;
    let ends = Ends::open().map_err(failed)?;
    confine(settings, &rooms)?;
    log.start();
    let catalogue = rooms.catalogue;
    let identity = rooms::identity(settings, &catalogue);
    let seal = rooms::seal(settings)?;
    let server = Server::new(catalogue, identity, settings.config.server.watch, seal);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_WORKERS + 2)
        .build()
        .map_err(failed)?;
    let served = runtime.block_on(stdio::serve(server, ends, settings.config.grace()));
    // Work that does not notice its cancellation ends with the process.
    runtime.shutdown_timeout(SHUTDOWN_TIME);
    served.map_err(failed)
}

/// Gives up what a server does not need. Everything that it opens by a path is open by now, and it has one thread.
fn confine(settings: &Settings, rooms: &Rooms) -> Result<(), Failure> {
    let report = confine::server(&rooms.grants());
    let missing = report.missing();
    if missing.0.is_empty() {
        tracing::info!("confined: {report}");
        return Ok(());
    }
    if settings.config.sandbox.require {
        return Err(Failure::new(format!("this server cannot be confined: {missing}")).hint(format!(
            "{} doctor says what it takes; without `[sandbox] require = true` it serves with what there is",
            settings.command()
        )));
    }
    tracing::warn!("not confined as it could be: {missing}");
    Ok(())
}
