//! The arguments and answers of the two tools; their schemas are derived from these types.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use wardroom_service::lenient_args::deserialize_object;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FindToolsArguments {
    /// What the tool should do, in a few words; at most 4096 bytes.
    pub(super) query: String,
    /// 1 to 20; 5 when absent.
    pub(super) limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FindToolsOutput {
    /// The best ones first.
    pub(super) tools: Vec<FoundTool>,
    pub(super) total_matched: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FoundTool {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<Cow<'static, str>>,
    pub(super) input_schema: Map<String, Value>,
    /// `call_tool`, or `name` for a tool that is called by its own name.
    pub(super) call_by: &'static str,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CallToolArguments {
    /// As find_tools gave it.
    pub(super) name: String,
    /// As the tool's inputSchema says.
    #[serde(default, deserialize_with = "deserialize_object")]
    #[schemars(with = "Map<String, Value>")]
    pub(super) arguments: Option<Map<String, Value>>,
}
