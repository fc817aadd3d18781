//! The tool table of this service, assembled from the modules that define the tools.
//!
//! Owns: the form of a tool's definition, and the lookup of names without building schemas.
//! Never: knows what a tool does.

use std::sync::{Arc, LazyLock};

use super::{Alc, cards, evals, extract, hub, info, log_view, notes, pkg, runs, scenarios, stats};
use wardroom_base::payload::Payload;
use wardroom_service::schema::share_schema;
use wardroom_service::{CallContext, EntryExtras, ServiceError, ToolBehavior, ToolEntry, ToolOutput};

/// The definition of a tool.
pub(super) struct AlcTool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) behavior: ToolBehavior,
    pub(super) input: fn() -> Payload,
    pub(super) output: fn() -> Payload,
    pub(super) call: fn(&Alc, Payload, &CallContext) -> Result<ToolOutput, ServiceError>,
}

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

impl AlcTool {
    fn to_entry(&self) -> ToolEntry {
        ToolEntry {
            name: self.name.into(),
            title: Some(self.title.into()),
            description: Some(self.description.into()),
            input_schema: share_schema((self.input)()),
            output_schema: Some(share_schema((self.output)())),
            annotations: self.behavior.into(),
            extra: EntryExtras::default(),
        }
    }
}
