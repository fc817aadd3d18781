//! `wasi:cli/run`: a source on standard input, its metadata on standard output.
//!
//! Never: reads more than a source may have.

use std::fmt::Display;
use std::io::{self, Read, Write};

use super::Component;
use super::bindings::exports::wasi::cli::run::Guest;
use crate::limits::MAX_SOURCE_BYTES;
use crate::{package_meta, report};

/// What the package is called here; a command is given a source and no name.
const NAME: &str = "stdin";

impl Guest for Component {
    fn run() -> Result<(), ()> {
        let line = answer().map_err(|said| complain(&said))?;
        let unwritten = |error| complain(&complaint(&error, "look at what reads the answer"));
        writeln!(io::stdout(), "{line}").map_err(unwritten)
    }
}

/// The metadata, or a complaint.
fn answer() -> Result<String, String> {
    // One byte more than is allowed shows that there is more.
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

/// Says it where people look for it. There is nobody to tell when that fails as well.
fn complain(said: &str) {
    let _told = write!(io::stderr(), "{said}");
}
