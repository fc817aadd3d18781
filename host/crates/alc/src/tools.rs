//! The tool table of this service, assembled from the modules that define the tools.
//!
//! Owns: their order, and the lookup of names without building schemas.
//! Never: knows what a tool does.

use std::sync::{Arc, LazyLock};

use super::tool::{AlcTool, ToolCall};
use super::{Alc, cards, evals, extract, hub, info, log_view, notes, package_tools, runs, scenarios, stats};
use crate::error_code as code;
use wardroom_base::payload::Payload;
use wardroom_service::{
    Caller, Cost, ResolvedTool, ServiceError, ToolEntry, ToolOutput, ToolProvider, Work, entries_after,
};

/// The tools in the order in which they are listed.
const TOOL_GROUPS: &[&[&[AlcTool]]] = &[
    &[extract::TOOLS, runs::TOOLS, evals::TOOLS, scenarios::TOOLS, cards::tools::TOOLS],
    &package_tools::TOOLS,
    &hub::TOOLS,
    &[log_view::TOOLS, notes::TOOLS, stats::TOOLS, info::TOOLS],
];

fn all_tools() -> impl Iterator<Item = &'static AlcTool> {
    TOOL_GROUPS.iter().flat_map(|group| group.iter()).flat_map(|tools| tools.iter())
}

impl ToolProvider for Alc {
    fn list(&self, mark: Option<&str>, limit: usize, _caller: &Caller) -> Vec<Arc<ToolEntry>> {
        let read_only = self.app.is_read_only();
        let offered = TOOLS.iter().filter(|(_, tool)| !read_only || tool.annotations.is_read_only == Some(true));
        entries_after(offered.map(|(_, entry)| Arc::clone(entry)).collect(), mark, limit, |entry| &entry.name)
    }

    fn resolve(self: Arc<Self>, name: &str, _caller: &Arc<Caller>) -> Option<Arc<dyn ResolvedTool>> {
        // Without the schemas, which take a while to build.
        let tool = all_tools().find(|tool| tool.name == name)?;
        let is_refused = !tool.behavior.is_read_only && self.app.is_read_only();
        Some(Arc::new(AlcToolCall { alc: self, tool, is_refused }))
    }
}

/// A tool whose name was resolved.
struct AlcToolCall {
    alc: Arc<Alc>,
    tool: &'static AlcTool,
    /// The tool writes, and this server may not.
    is_refused: bool,
}

impl ResolvedTool for AlcToolCall {
    fn name(&self) -> &str {
        self.tool.name
    }

    fn may_change(&self) -> bool {
        !self.tool.behavior.is_read_only
    }

    fn may_destroy(&self) -> bool {
        self.may_change() && self.tool.behavior.is_destructive
    }

    fn is_on_demand(&self) -> bool {
        self.tool.is_on_demand
    }

    fn records_itself(&self) -> bool {
        matches!(self.tool.call, ToolCall::Run(_))
    }

    fn call(self: Arc<Self>, arguments: Payload) -> Work<ToolOutput> {
        if self.is_refused {
            let message = format!("{} writes, and this server was started with --read-only", self.tool.name);
            return Work::new(Cost::Inline, |_| Err(ServiceError::tool(code::READ_ONLY, message)));
        }
        self.tool.call.bind(Arc::clone(&self.alc), arguments)
    }
}

/// The tools with their entries, whose schemas are built once.
static TOOLS: LazyLock<Vec<(&'static AlcTool, Arc<ToolEntry>)>> =
    LazyLock::new(|| all_tools().map(|tool| (tool, Arc::new(tool.to_entry()))).collect());
