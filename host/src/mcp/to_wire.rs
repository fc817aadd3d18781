//! Plain values of the services as wire types.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat, Utc};
use rmcp::model::{
    Annotations, CallToolResult, ContentBlock, MetaObject, RequestId, Resource, ResourceContents, ResourceTemplate,
    Tool, ToolAnnotations,
};
use serde_json::{Map, Value, json};

use crate::payload::Payload;
use crate::services::{Content, Hints, ResourceEntry, ServiceError, TemplateEntry, ToolAnswer, ToolEntry};

pub(super) fn resource(entry: ResourceEntry) -> Resource {
    let mut resource = Resource::new(entry.uri, entry.name)
        .with_title(entry.title)
        .with_description(entry.description)
        .with_mime_type(entry.mime_type);
    resource.size = entry.size;
    resource.annotations = entry.modified.and_then(timestamp).map(|modified| {
        let mut annotations = Annotations::default();
        annotations.last_modified = Some(modified);
        annotations
    });
    resource
}

pub(super) fn template(entry: TemplateEntry) -> ResourceTemplate {
    ResourceTemplate::new(entry.pattern, entry.name)
        .with_title(entry.title)
        .with_description(entry.description)
        .with_mime_type(entry.mime_type)
}

pub(super) fn tool(entry: ToolEntry) -> Tool {
    Tool::new(entry.name, entry.description, object(entry.input))
        .with_title(entry.title)
        .with_raw_output_schema(object(entry.output))
        .with_annotations(annotations(entry.hints))
}

/// What a reader destroys is nothing to speak of.
fn annotations(hints: Hints) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().read_only(hints.read_only).open_world(hints.open_world);
    if hints.read_only {
        return annotations;
    }
    annotations.destructive(hints.destructive).idempotent(hints.idempotent)
}

/// The content of a resource under the URI that was asked for, to the letter.
pub(super) fn contents(uri: String, content: Content) -> ResourceContents {
    let mut meta: Map<String, Value> =
        content.notes.into_iter().map(|(name, note)| (name.to_owned(), note.into_value())).collect();
    meta.insert("size".into(), content.text.len().into());
    if let Some(modified) = content.modified.and_then(timestamp) {
        meta.insert("lastModified".into(), modified.into());
    }
    ResourceContents::text(content.text, uri).with_mime_type(content.mime_type).with_meta(MetaObject(meta))
}

pub(super) fn tool_answer(answer: ToolAnswer) -> CallToolResult {
    let value = answer.value.into_value();
    if answer.failed { CallToolResult::structured_error(value) } else { CallToolResult::structured(value) }
}

/// A tool's own failure: a result that the model reads, not an error of the protocol.
pub(super) fn tool_failure(error: ServiceError, id: &RequestId) -> Result<CallToolResult, ServiceError> {
    let (code, message, details) = match error {
        ServiceError::Tool { code, message, details } => (code, message, details),
        ServiceError::Internal { .. } | ServiceError::TooLarge { .. } | ServiceError::Later => {
            ("internal", super::error::of_service(error, id).message.into_owned(), None)
        }
        ServiceError::NotFound { .. } | ServiceError::Invalid(_) | ServiceError::UnknownTool(_) => return Err(error),
    };
    let mut failure = json!({"code": code, "message": message});
    if let (Some(details), Some(fields)) = (details, failure.as_object_mut()) {
        fields.insert("details".into(), details.into_value());
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(message)]);
    result.structured_content = Some(json!({"error": failure}));
    Ok(result)
}

fn object(schema: Payload) -> Arc<Map<String, Value>> {
    match schema.into_value() {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}

/// Nothing for a time that no calendar here reaches; a file can carry any.
fn timestamp(time: SystemTime) -> Option<String> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    let time = DateTime::<Utc>::from_timestamp(i64::try_from(since.as_secs()).ok()?, since.subsec_nanos())?;
    Some(time.to_rfc3339_opts(SecondsFormat::Secs, true))
}
