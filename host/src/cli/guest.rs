//! `wardroom guest`: writes a component that the binary embeds.

use std::io::{self, IsTerminal as _};
use std::path::Path;

use super::args::ComponentName;
use crate::report::{self, CommandError};
use wardroom_appdir::{Privacy, ambient};
use wardroom_sandbox::{DOCUMENTS_COMPONENT, GUEST_COMPONENT};

pub(super) fn write_guest(component: ComponentName, output: Option<&Path>) -> Result<(), CommandError> {
    let bytes = match component {
        ComponentName::Packages => GUEST_COMPONENT,
        ComponentName::Documents => DOCUMENTS_COMPONENT,
    };
    match output {
        Some(path) => ambient::write(path, bytes, Privacy::Shared).map_err(|error| {
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
        None => report::print_bytes(bytes),
    }
}
