//! The tools that manage packages, and the functions that the command line shares with them.
//!
//! Owns: one file for each tool or pair of tools, and `alc.lock`.
//! Never: runs a package, or uses a path that was not granted (see `grants.rs`).

mod doctor;
mod import;
mod install;
mod link;
mod list;
mod lock;
mod project;
mod remove;
mod requirements;
mod scaffold;

use super::tool::AlcTool;

pub use self::install::{PackageInstallRequest, is_repository_url};
pub use self::remove::uninstall_package;

pub(super) const TOOLS: [&[AlcTool]; 7] =
    [list::TOOLS, install::TOOLS, link::TOOLS, remove::TOOLS, doctor::TOOLS, scaffold::TOOLS, project::TOOLS];
