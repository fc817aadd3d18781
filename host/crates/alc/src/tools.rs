//! The tool table of this service, assembled from the modules that define the tools.
//!
//! Owns: their order, and the lookup of names without building schemas.
//! Never: knows what a tool does.

use std::sync::{Arc, LazyLock};

use super::tool::AlcTool;
use super::{cards, evals, extract, hub, info, log_view, notes, pkg, runs, scenarios, stats};
use wardroom_service::ToolEntry;

/// The tools in the order in which they are listed.
const TOOL_GROUPS: &[&[&[AlcTool]]] = &[
    &[extract::TOOLS, runs::TOOLS, evals::TOOLS, scenarios::TOOLS, cards::tools::TOOLS],
    &pkg::TOOLS,
    &hub::TOOLS,
    &[log_view::TOOLS, notes::TOOLS, stats::TOOLS, info::TOOLS],
];

fn all_tools() -> impl Iterator<Item = &'static AlcTool> {
    TOOL_GROUPS.iter().flat_map(|group| group.iter()).flat_map(|tools| tools.iter())
}

pub(super) fn find_tool(name: &str) -> Option<&'static AlcTool> {
    all_tools().find(|tool| tool.name == name)
}

/// Returns the tools to list: only those that read if nothing may be written. Their schemas are built once.
pub(super) fn tool_entries(read_only: bool) -> Vec<Arc<ToolEntry>> {
    static ENTRIES: LazyLock<Vec<Arc<ToolEntry>>> =
        LazyLock::new(|| all_tools().map(AlcTool::to_entry).map(Arc::new).collect());
    let offered = ENTRIES.iter().filter(|tool| !read_only || tool.annotations.is_read_only == Some(true));
    offered.map(Arc::clone).collect()
}
