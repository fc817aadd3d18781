//! The arguments and answers of the two tools; their schemas are derived from these types.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use wardroom_service::{ResourceEntry, TemplateEntry};

pub(super) use wardroom_service::schema::{
    input_schema, output_schema, parse_arguments, serialize_output, share_schema,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListResourcesArguments {
    /// Only this scheme, such as `alc`.
    pub(super) scheme: Option<String>,
    /// The `nextCursor` of the previous page.
    pub(super) cursor: Option<String>,
}

#[derive(Serialize, JsonSchema, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListResourcesOutput {
    pub(super) resources: Vec<ListedResource>,
    pub(super) resource_templates: Vec<ListedTemplate>,
    /// The cursor of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedResource {
    uri: String,
    name: Cow<'static, str>,
    description: Cow<'static, str>,
    mime_type: Cow<'static, str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListedTemplate {
    uri_template: String,
    name: Cow<'static, str>,
    description: Cow<'static, str>,
    mime_type: Cow<'static, str>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadResourceArguments {
    /// Such as `alc://packages/cot/meta`.
    pub(super) uri: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReadResourceOutput {
    pub(super) uri: String,
    pub(super) mime_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// The content in Base64, if it is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) blob: Option<String>,
    /// Metadata of the content, such as `total` and `nextOffset` of a page of samples.
    #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
    pub(super) meta: Map<String, Value>,
}

impl From<ResourceEntry> for ListedResource {
    fn from(entry: ResourceEntry) -> Self {
        Self { uri: entry.uri, name: entry.name, description: entry.description, mime_type: entry.mime_type }
    }
}

impl From<TemplateEntry> for ListedTemplate {
    fn from(entry: TemplateEntry) -> Self {
        let TemplateEntry { pattern, name, title: _, description, mime_type, extra: _ } = entry;
        Self { uri_template: pattern, name, description, mime_type }
    }
}
