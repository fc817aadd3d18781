//! The form of a tool's definition.
//!
//! Never: knows which tools there are.

use wardroom_base::payload::Payload;
use wardroom_service::schema::share_schema;
use wardroom_service::{CallContext, EntryExtras, ServiceError, ToolBehavior, ToolEntry, ToolOutput};

use super::Alc;

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

impl AlcTool {
    pub(super) fn to_entry(&self) -> ToolEntry {
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
