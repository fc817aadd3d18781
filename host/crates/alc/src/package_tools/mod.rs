//! The tools that manage packages, and the functions that the command line shares with them.
//!
//! Owns: one file for each tool or pair of tools, and `alc.lock`.
//! Never: runs a package, or uses a path that was not granted (see `grants/`).

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

use super::cards::CardStore;
use super::git_source::GitSource;
use super::packages::PackageStore;
use super::scenarios::ScenarioStore;
use super::tool::AlcTool;

pub use self::install::{PackageInstallRequest, is_repository_url};

pub(super) const TOOLS: [&[AlcTool]; 7] =
    [list::TOOLS, install::TOOLS, link::TOOLS, remove::TOOLS, doctor::TOOLS, scaffold::TOOLS, project::TOOLS];

/// The stores that an installation changes.
pub struct PackageInstaller<'a> {
    pub(super) packages: &'a PackageStore,
    pub(super) cards: &'a CardStore,
    pub(super) scenarios: &'a ScenarioStore,
    pub(super) git: &'a GitSource,
}
