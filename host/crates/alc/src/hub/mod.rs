//! The hub: the merged index of cached indices, and the tools that write and search indices of packages.
//!
//! Owns: `hub_cache/`, reading and writing the format of an index, and the documents that are generated without running
//! a package.
//! Gives: the merged index as a resource, and the indices that were fetched where the operator allows it.
//! Never: runs a package, or trusts a fetched index.

mod describe;
mod dist;
mod gendoc;
mod index;
mod lint;
mod narrative;
pub(crate) mod outputs;
mod reindex;
mod remote_index;
mod search;

use std::sync::Arc;

use super::tool::AlcTool;
use wardroom_appdir::Folder;
use wardroom_net::HttpFetcher;

use self::remote_index::FetchFailures;
pub(crate) use self::search::{HubListing, list_hub_packages};

pub(super) const TOOLS: [&[AlcTool]; 4] = [reindex::TOOLS, search::TOOLS, gendoc::TOOLS, dist::TOOLS];

/// The cached indices of one AppDir.
pub struct HubIndex {
    app: Folder,
    /// Whether the operator allows remote indices.
    is_allowed: bool,
    /// The fetcher process; `None` where nothing is fetched.
    http: Option<Arc<HttpFetcher>>,
    failures: FetchFailures,
}

impl HubIndex {
    /// Creates the store of the AppDir `app`. Without `http`, only cached indices are searched.
    #[must_use]
    pub fn new(app: Folder, is_allowed: bool, http: Option<Arc<HttpFetcher>>) -> Self {
        Self { app, is_allowed, http, failures: FetchFailures::default() }
    }
}
