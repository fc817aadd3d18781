//! `wasi:cli/run`: a source on standard input, its metadata on standard output.

use std::io::{self, Read, Write};

use super::Component;
use super::bindings::exports::wasi::cli::run::Guest;
use crate::limits::MAX_SOURCE_BYTES;
use crate::{package_meta, report};

/// What the package is called here; a command is given a source and no name.
const NAME: &str = "stdin";

impl Guest for Component {
    fn run() -> Result<(), ()> {
        let line = answer().map_err(complain)?;
        writeln!(io::stdout(), "{line}").map_err(|error| complain(error.to_string()))
    }
}

fn answer() -> Result<String, String> {
    // One byte more than is allowed shows that there is more.
    let mut source = Vec::new();
    let limit = u64::try_from(MAX_SOURCE_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    io::stdin().take(limit).read_to_end(&mut source).map_err(|error| error.to_string())?;
    let metadata = package_meta::extract(NAME, &source).map_err(|error| error.to_string())?;
    Ok(report::line(&metadata))
}

/// Says what is wrong where people look for it. There is nobody to tell when that fails as well.
fn complain(problem: String) {
    let _told = writeln!(io::stderr(), "error: {problem}");
}
