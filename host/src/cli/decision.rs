//! A person's decision on a proposal at the command line, whatever is proposed.
//!
//! Owns: that nothing is accepted which nobody has seen: at a terminal after a question, elsewhere by the digest of what was shown.
//! Never: shows or decides anything itself.

use std::io::{self, IsTerminal as _};

use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};

/// Refuses a decision where nothing may be written.
pub(super) fn refuse_read_only(settings: &Settings) -> Result<(), CommandError> {
    if settings.read_only {
        return Err(CommandError::new("a decision writes files, which --read-only forbids", "leave out --read-only"));
    }
    Ok(())
}

/// The error of a digest of something else; `show` is the command that shows the proposal.
pub(super) fn other_digest_error(show: &str) -> CommandError {
    let what = "nothing was accepted: this is not what was shown under that digest";
    CommandError::new(what, format!("look at it again: {show} --json"))
}

/// Asks the person after what `print` prints, and returns the error of a person who declines, or of nobody to ask.
pub(super) fn confirm(
    show: &str,
    print: impl FnOnce() -> Result<(), CommandError>,
    question: &str,
    left: &'static str,
) -> Result<(), CommandError> {
    if !io::stdin().is_terminal() {
        let hint = format!("run it at a terminal, or name what you saw: {show} --json has a digest");
        return Err(CommandError::new("nothing was accepted: a person has to look at it", hint));
    }
    print()?;
    if report::ask(question, "run it at a terminal")? {
        Ok(())
    } else {
        Err(CommandError::new("nothing was accepted", left))
    }
}
