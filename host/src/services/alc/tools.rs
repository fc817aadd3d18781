//! The tools of this service: one table, put together from the files that have them.
//!
//! Owns: what a tool is made of here, and that the names are looked up without making schemas.
//! Never: knows what a tool does.

use super::{Alc, cards, extract};
use crate::payload::Payload;
use crate::services::{CallContext, Hints, ServiceError, ToolAnswer, ToolEntry};

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
const GROUPS: &[&[Tool]] = &[extract::TOOLS, cards::tools::TOOLS];

pub(super) fn find(name: &str) -> Option<&'static Tool> {
    GROUPS.iter().flat_map(|group| group.iter()).find(|tool| tool.name == name)
}

/// What is listed: where nothing may be written, only what reads.
pub(super) fn entries(read_only: bool) -> Vec<ToolEntry> {
    let offered = GROUPS.iter().flat_map(|group| group.iter()).filter(|tool| !read_only || tool.hints.read_only);
    offered.map(Tool::entry).collect()
}

impl Tool {
    fn entry(&self) -> ToolEntry {
        ToolEntry {
            name: self.name,
            title: self.title,
            description: self.description,
            input: (self.input)(),
            output: (self.output)(),
            hints: self.hints,
        }
    }
}
