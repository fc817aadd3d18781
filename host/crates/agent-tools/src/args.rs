//! The arguments and answers of the two tools; their schemas are derived from these types.
//!
//! Never: takes a path: agents are named by id.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use wardroom_service::schema::{
    input_schema, output_schema, parse_arguments, serialize_output, share_schema,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentArguments {
    /// The id of the agent, such as `claude_code`, `cursor` or `openai_codex`.
    pub(super) agent: String,
    /// The name of the entry; `wardroom` when absent.
    pub(super) name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AgentConfigOutput {
    pub(super) agent: String,
    /// Whether anything was written.
    pub(super) changed: bool,
    /// The configuration files, one for each installed program of the agent.
    pub(super) files: Vec<AgentFileOutput>,
    /// The step that the user must take before the agent reads the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) afterwards: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AgentFileOutput {
    pub(super) title: String,
    /// `written`, `unchanged` or `refused`.
    pub(super) state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}
