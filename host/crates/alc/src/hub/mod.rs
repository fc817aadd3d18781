//! The hub: the merged index of cached indices, and the tools that write and search indices of packages.
//!
//! Owns: reading and writing the format of an index, and the documents that are generated without running a package.
//! Gives: the indices that `remote_index.rs` fetched, where the operator allows it.

mod describe;
mod dist;
mod gendoc;
mod index;
mod lint;
mod narrative;
mod outputs;
mod reindex;
mod remote_index;
mod search;

use super::tool::AlcTool;

pub(super) use self::index::{HUB_CACHE_DIR, is_cached_index};
pub(super) use self::remote_index::RemoteIndices;

pub(super) const TOOLS: [&[AlcTool]; 4] = [reindex::TOOLS, search::TOOLS, gendoc::TOOLS, dist::TOOLS];
