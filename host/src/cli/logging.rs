//! The log: on standard error or in a file, never on standard output.

use std::sync::Mutex;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

use super::args::{Global, LogFormat};
use super::report::Failure;
use crate::appdir::ambient;

pub(super) fn start(global: &Global) -> Result<(), Failure> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn,rmcp=error"));
    let writer = match &global.log_file {
        Some(path) => {
            let file = ambient::append(path);
            let file = file.map_err(|error| Failure::of(format!("cannot open the log {}", path.display()), error))?;
            BoxMakeWriter::new(Mutex::new(file))
        }
        None => BoxMakeWriter::new(std::io::stderr),
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_ansi(false);
    let started = match global.log_format {
        LogFormat::Text => log.try_init(),
        LogFormat::Json => log.json().try_init(),
    };
    started.map_err(|error| Failure::new(format!("cannot start the log: {error}")))
}
