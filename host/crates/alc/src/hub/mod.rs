//! The hub: the merged index of cached indices, and the tools that make and search indices of packages.
//!
//! Owns: the format of an index, both ways, and what is generated from packages without running them.
//! Gives: what `remote.rs` fetched, where the operator allows it.

mod dist;
mod gendoc;
mod index;
mod lint;
mod narrative;
mod outputs;
mod reindex;
mod remote;
mod search;
mod sources;

use super::tools::Tool;

pub(super) use self::index::{CACHE, is_source};
pub(super) use self::remote::Remote;

pub(super) const TOOLS: [&[Tool]; 4] = [reindex::TOOLS, search::TOOLS, gendoc::TOOLS, dist::TOOLS];
