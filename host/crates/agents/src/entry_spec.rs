//! Which entry of which file is edited.

use super::agent::ConfigTarget;
use super::entry::ServerName;
use super::own_programs::OwnPrograms;

/// Identifies an entry of a file.
#[derive(Debug, Clone, Copy)]
pub struct EntrySpec<'a> {
    pub target: &'a ConfigTarget,
    pub name: &'a ServerName,
    pub own_programs: &'a OwnPrograms,
    /// Whether an entry that starts another program may be replaced or removed, and a restriction dropped.
    pub force: bool,
}
