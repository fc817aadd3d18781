//! `wardroom guest`: writes the component that the binary embeds.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use crate::report::{self, CommandError};
use wardroom_appdir::{Privacy, ambient};
use wardroom_sandbox::GUEST_COMPONENT;

pub(super) fn write_guest(output: Option<&Path>) -> Result<(), CommandError> {
    match output {
        Some(path) => ambient::write(path, GUEST_COMPONENT, Privacy::Shared).map_err(|error| {
            CommandError::with_cause(
                "cannot write the component",
                error,
                "name another file with --output FILE; its folder must exist",
            )
        }),
        None if io::stdout().is_terminal() => {
            let hint = "run wardroom guest --output wardroom.wasm to write it to a file";
            Err(CommandError::new("the component is binary, and standard output is a terminal", hint))
        }
        None => report::print_bytes(GUEST_COMPONENT),
    }
}
