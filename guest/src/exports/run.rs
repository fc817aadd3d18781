//! `wasi:cli/run`: a source on standard input, its metadata on standard output.
//!
//! Never: reads more than `MAX_SOURCE_BYTES` and one byte.

use std::fmt::Display;
use std::io::{self, Read, Write};

use super::Component;
use super::bindings::exports::wasi::cli::run::Guest;
use crate::limits::MAX_SOURCE_BYTES;
use crate::{package_meta, report};

/// The package's name here: the command receives a source without a name.
const NAME: &str = "stdin";

impl Guest for Component {
    fn run() -> Result<(), ()> {
        let line = answer().map_err(|said| complain(&said))?;
        let unwritten = |error| complain(&complaint(&error, "look at what reads the answer"));
        writeln!(io::stdout(), "{line}").map_err(unwritten)
    }
}

/// Returns the metadata, or an error message with a hint.
fn answer() -> Result<String, String> {
    // One byte more than the limit shows that the source is too long.
    let mut source = Vec::new();
    let limit = u64::try_from(MAX_SOURCE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let unread = |error| complaint(&error, "give a package's init.lua on standard input");
    io::stdin().take(limit).read_to_end(&mut source).map_err(unread)?;
    let refused = |error| complaint(&error, report::hint(&error));
    package_meta::extract(NAME, &source).map(|metadata| report::line(&metadata)).map_err(refused)
}

fn complaint(error: &impl Display, hint: &str) -> String {
    format!("error: {error}\nhint: {hint}\n")
}

/// Writes a message to standard error. A failure of that write cannot be reported.
fn complain(said: &str) {
    let _told = write!(io::stderr(), "{said}");
}
