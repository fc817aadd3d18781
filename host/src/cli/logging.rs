//! The log: on standard error or in a file, never on standard output.
//!
//! Owns: the thread that writes it. Whoever logs only hands a line over: a standard error that nobody reads, or that is
//! closed, costs lines of the log and nothing else.
//! Never: lets the protocol wait for a reader of the log.

use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use super::args::{Global, LogFormat};
use super::report::Failure;
use crate::appdir::ambient;

/// Lines that wait for the writer. What comes on top of them is dropped.
const WAITING_LINES: usize = 4096;

/// Starts the log. It ends, with what waits, when the guard is dropped.
pub(super) fn start(global: &Global) -> Result<WorkerGuard, Failure> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn,rmcp=error"));
    let (writer, guard) = match &global.log_file {
        Some(path) => {
            let file = ambient::append(path);
            writer(file.map_err(|error| Failure::of(format!("cannot open the log {}", path.display()), error))?)
        }
        None => writer(std::io::stderr()),
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_ansi(false)
        // It would complain on standard error, which may be what is broken.
        .log_internal_errors(false);
    let started = match global.log_format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().try_init(),
    };
    started.map(|()| guard).map_err(|error| Failure::new(format!("cannot start the log: {error}")))
}

fn writer(to: impl std::io::Write + Send + 'static) -> (NonBlocking, WorkerGuard) {
    NonBlockingBuilder::default().lossy(true).buffered_lines_limit(WAITING_LINES).thread_name("log").finish(to)
}
