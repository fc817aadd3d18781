//! `wardroom` and `wardroom serve`: MCP on standard input and output.

use std::io::IsTerminal as _;

use super::report::{self, Failure};
use super::rooms;
use super::settings::Settings;
use crate::limits::{MAX_WORKERS, SHUTDOWN_TIME};
use crate::mcp::{Server, stdio};

/// Without a command. A person who types it is told what it is; an agent has no terminal.
pub(super) fn alone(settings: &Settings) -> Result<(), Failure> {
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
    stdio(settings)
}

pub(super) fn stdio(settings: &Settings) -> Result<(), Failure> {
    let catalogue = rooms::serving(settings)?;
    let identity = rooms::identity(settings, &catalogue);
    let seal = rooms::seal(settings)?;
    let server = Server::new(catalogue, identity, settings.config.server.watch, seal);
    let failed = |error| Failure::of("cannot serve", error);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_WORKERS + 2)
        .build()
        .map_err(failed)?;
    let served = runtime.block_on(stdio::serve(server, settings.config.grace()));
    // Work that does not notice its cancellation ends with the process.
    runtime.shutdown_timeout(SHUTDOWN_TIME);
    served.map_err(failed)
}
