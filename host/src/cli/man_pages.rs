//! `wardroom man-pages`: the manual page of each command. What packs a release starts it.
//!
//! Never: has a page of a hidden command.

use std::error::Error;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;

use super::completions::command_tree;
use super::help::visible_subcommands;
use crate::report::CommandError;
use wardroom_appdir::{Privacy, ambient};

/// Writes `wardroom.1` and a page for each command below it into a folder.
pub(super) fn write(folder: &Path) -> Result<(), CommandError> {
    let folder = ambient::create_folder(folder).map_err(unwritten)?;
    let mut tree = command_tree();
    tree.build();
    for (name, text) in pages(&tree)? {
        folder.write(&name, &text, Privacy::Shared).map_err(unwritten)?;
    }
    Ok(())
}

fn unwritten(error: impl Error + Send + Sync + 'static) -> CommandError {
    CommandError::with_cause("cannot write the manual pages", error, "name a folder that you may write")
}

/// The pages of a command and of all below it, by the names of their files.
fn pages(command: &Command) -> Result<Vec<(String, Vec<u8>)>, CommandError> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render(&mut text).map_err(unwritten)?;
    let mut all = vec![(man.get_filename(), text)];
    for below in visible_subcommands(command) {
        all.extend(pages(below)?);
    }
    Ok(all)
}
