//! The tools of this service: one table, put together from the files that have them.
//!
//! Owns: what a tool is made of here, and that the names are looked up without making schemas.
//! Never: knows what a tool does.

use std::sync::{Arc, LazyLock};

use super::{Alc, cards, evals, extract, hub, info, log_view, notes, pkg, runs, scenarios, stats};
use wardroom_base::payload::Payload;
use wardroom_service::schema::object;
use wardroom_service::{CallContext, Extra, Hints, ServiceError, ToolAnswer, ToolEntry};

/// A tool, as the file that has it describes it.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) hints: Hints,
    pub(super) input: fn() -> Payload,
    pub(super) output: fn() -> Payload,
    pub(super) call: fn(&Alc, Payload, &CallContext) -> Result<ToolAnswer, ServiceError>,
}

/// The tools in the order in which they are listed.
const GROUPS: &[&[&[Tool]]] = &[
    &[extract::TOOLS, runs::TOOLS, evals::TOOLS, scenarios::TOOLS, cards::tools::TOOLS],
    &pkg::TOOLS,
    &hub::TOOLS,
    &[log_view::TOOLS, notes::TOOLS, stats::TOOLS, info::TOOLS],
];

fn all() -> impl Iterator<Item = &'static Tool> {
    GROUPS.iter().flat_map(|group| group.iter()).flat_map(|tools| tools.iter())
}

pub(super) fn find(name: &str) -> Option<&'static Tool> {
    all().find(|tool| tool.name == name)
}

/// What is listed: where nothing may be written, only what reads. Their schemas are made once.
pub(super) fn entries(read_only: bool) -> Vec<Arc<ToolEntry>> {
    static ENTRIES: LazyLock<Vec<Arc<ToolEntry>>> = LazyLock::new(|| all().map(Tool::entry).map(Arc::new).collect());
    let offered = ENTRIES.iter().filter(|tool| !read_only || tool.hints.read_only == Some(true));
    offered.map(Arc::clone).collect()
}

impl Tool {
    fn entry(&self) -> ToolEntry {
        ToolEntry {
            name: self.name.into(),
            title: Some(self.title.into()),
            description: Some(self.description.into()),
            input: object((self.input)()),
            output: Some(object((self.output)())),
            hints: self.hints.into(),
            extra: Extra::default(),
        }
    }
}
