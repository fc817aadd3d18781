//! Conversion of plain values of the services to wire types.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat, Utc};
use rmcp::model::{
    Annotations, AudioContent, CallToolResult, ContentBlock, EmbeddedResource, GetPromptResult, Icon, IconTheme,
    ImageContent, MetaObject, Prompt, PromptArgument, PromptMessage, RequestId, Resource, ResourceContents,
    ResourceTemplate, TextContent, Tool, ToolAnnotations,
};
use serde_json::{Map, Value, json};

use super::encode;
use super::revision::Revision;
use wardroom_base::payload::Payload;
use wardroom_service::error_code as code;
use wardroom_service::{
    self as service, ContentAnnotations, ContentItem, ContentMode, Encoding, EntryExtras, MessageRole, PromptEntry,
    RenderedPrompt, ResourceContent, ResourceEntry, ServiceError, SharedSchema, TemplateEntry, ToolEntry, ToolOutput,
};

pub(super) fn resource(entry: ResourceEntry) -> Resource {
    let mut resource = Resource::new(entry.uri, entry.name);
    resource.title = entry.title.map(Into::into);
    resource.description = non_empty(entry.description);
    resource.mime_type = non_empty(entry.mime_type);
    (resource.icons, resource.meta) = icons_and_meta(entry.extra);
    resource.size = entry.size;
    resource.annotations = entry.modified.and_then(timestamp).map(|modified| {
        let mut annotations = Annotations::default();
        annotations.last_modified = Some(modified);
        annotations
    });
    resource
}

pub(super) fn template(entry: TemplateEntry) -> ResourceTemplate {
    let mut template = ResourceTemplate::new(entry.pattern, entry.name);
    template.title = entry.title.map(Into::into);
    template.description = non_empty(entry.description);
    template.mime_type = non_empty(entry.mime_type);
    (template.icons, template.meta) = icons_and_meta(entry.extra);
    template
}

/// Omits an empty text.
fn non_empty(text: Cow<'static, str>) -> Option<String> {
    Some(text.into_owned()).filter(|text| !text.is_empty())
}

/// Converts a tool for a list, with the output schema that a client of `outputs_of` knows. Legacy clients reject a whole
/// list for an output schema that is not an object.
pub(super) fn tool(entry: &ToolEntry, outputs_of: Option<Revision>) -> Tool {
    let mut tool = Tool::new(entry.name.clone(), "", Arc::clone(&entry.input_schema));
    tool.description.clone_from(&entry.description);
    tool.title = entry.title.clone().map(Into::into);
    let listed = entry.output_schema.as_ref().map(|schema| &schema.listed);
    let is_object = |schema: &&SharedSchema| schema.get("type").and_then(Value::as_str) == Some("object");
    let is_known = |schema: &&SharedSchema| match outputs_of {
        Some(Revision::Modern) => true,
        Some(Revision::Legacy) => is_object(schema),
        None => false,
    };
    tool.output_schema = listed.filter(is_known).cloned();
    tool.annotations = tool_annotations(&entry.annotations);
    (tool.icons, tool.meta) = icons_and_meta(entry.extra.clone());
    tool
}

fn tool_annotations(hints: &service::ToolAnnotations) -> Option<ToolAnnotations> {
    if *hints == service::ToolAnnotations::default() {
        return None;
    }
    let mut annotations = ToolAnnotations::new();
    annotations.title.clone_from(&hints.title);
    (annotations.read_only_hint, annotations.destructive_hint) = (hints.is_read_only, hints.is_destructive);
    (annotations.idempotent_hint, annotations.open_world_hint) = (hints.is_idempotent, hints.is_open_world);
    Some(annotations)
}

pub(super) fn prompt(entry: &PromptEntry) -> Prompt {
    let argument = |argument: &service::PromptArgument| {
        let mut wire = PromptArgument::new(&argument.name);
        (wire.title, wire.description) = (argument.title.clone(), argument.description.clone());
        wire.required = argument.is_required.then_some(true);
        wire
    };
    let arguments: Vec<_> = entry.arguments.iter().map(argument).collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    let mut prompt = Prompt::new(&entry.name, entry.description.as_deref(), arguments);
    prompt.title.clone_from(&entry.title);
    (prompt.icons, prompt.meta) = icons_and_meta(entry.extra.clone());
    prompt
}

pub(super) fn prompt_result(answer: RenderedPrompt) -> GetPromptResult {
    let message =
        |message: service::PromptMessage| PromptMessage::new(role(message.role), content_block(message.content));
    let mut result = GetPromptResult::new(answer.messages.into_iter().map(message).collect());
    result.description = answer.description;
    result.meta = answer.meta.and_then(meta_object);
    result
}

fn icons_and_meta(extra: EntryExtras) -> (Option<Vec<Icon>>, Option<MetaObject>) {
    let icons: Vec<Icon> = extra.icons.into_iter().map(icon).collect();
    ((!icons.is_empty()).then_some(icons), extra.meta.and_then(meta_object))
}

fn meta_object(meta: Payload) -> Option<MetaObject> {
    match meta.into_value() {
        Value::Object(meta) => Some(MetaObject(meta)),
        _ => None,
    }
}

fn icon(icon: service::Icon) -> Icon {
    let mut wire = Icon::new(icon.src);
    wire.mime_type = icon.mime_type;
    wire.sizes = (!icon.sizes.is_empty()).then_some(icon.sizes);
    wire.theme = icon.is_dark_theme.map(|dark| if dark { IconTheme::Dark } else { IconTheme::Light });
    wire
}

const fn role(role: MessageRole) -> rmcp::model::Role {
    match role {
        MessageRole::User => rmcp::model::Role::User,
        MessageRole::Assistant => rmcp::model::Role::Assistant,
    }
}

/// Converts one piece of an answer or a message.
pub(super) fn content_block(item: ContentItem) -> ContentBlock {
    let ContentItem { block, annotations: notes } = item;
    let annotations = content_annotations(&notes);
    let meta = notes.meta.and_then(meta_object);
    match block {
        service::ContentBlock::Text(text) => {
            let mut content = TextContent::new(text);
            (content.annotations, content.meta) = (annotations, meta);
            ContentBlock::Text(content)
        }
        service::ContentBlock::Image { data, mime_type } => {
            let mut content = ImageContent::new(data, mime_type);
            (content.annotations, content.meta) = (annotations, meta);
            ContentBlock::Image(content)
        }
        service::ContentBlock::Audio { data, mime_type } => {
            let mut content = AudioContent::new(data, mime_type);
            (content.annotations, content.meta) = (annotations, meta);
            ContentBlock::Audio(content)
        }
        service::ContentBlock::Resource(embedded) => {
            let service::EmbeddedResource { uri, mime_type, text, is_blob, meta: own } = embedded;
            let own = own.and_then(meta_object);
            let resource = if is_blob {
                ResourceContents::BlobResourceContents { uri, mime_type, blob: text, meta: own }
            } else {
                ResourceContents::TextResourceContents { uri, mime_type, text, meta: own }
            };
            let mut content = EmbeddedResource::new(resource);
            (content.annotations, content.meta) = (annotations, meta);
            ContentBlock::Resource(content)
        }
        service::ContentBlock::Link(link) => {
            let mut resource = Resource::new(link.uri, link.name);
            (resource.title, resource.description) = (link.title, link.description);
            (resource.mime_type, resource.size) = (link.mime_type, link.size);
            let icons: Vec<Icon> = link.icons.into_iter().map(icon).collect();
            resource.icons = (!icons.is_empty()).then_some(icons);
            (resource.annotations, resource.meta) = (annotations, meta);
            ContentBlock::ResourceLink(resource)
        }
    }
}

fn content_annotations(notes: &ContentAnnotations) -> Option<Annotations> {
    if notes.audience.is_empty() && notes.priority.is_none() && notes.modified.is_none() {
        return None;
    }
    let mut annotations = Annotations::default();
    let audience: Vec<_> = notes.audience.iter().copied().map(role).collect();
    annotations.audience = (!audience.is_empty()).then_some(audience);
    annotations.priority = notes.priority;
    annotations.last_modified.clone_from(&notes.modified);
    Some(annotations)
}

/// Converts the content of a resource, under exactly the URI that was requested.
pub(super) fn resource_contents(uri: String, content: ResourceContent) -> ResourceContents {
    let mut meta = content.meta.and_then(meta_object).map_or_else(Map::new, |meta| meta.0);
    meta.extend(content.meta_fields.into_iter().map(|(name, note)| (name.to_owned(), note.into_value())));
    let size = match content.encoding {
        Encoding::Text => content.text.len(),
        Encoding::Base64 => content.text.trim_end_matches('=').len() * 3 / 4,
    };
    meta.insert("size".into(), size.into());
    if let Some(modified) = content.modified.and_then(timestamp) {
        meta.insert("lastModified".into(), modified.into());
    }
    let (mime_type, meta) = (non_empty(content.mime_type), Some(MetaObject(meta)));
    match content.encoding {
        Encoding::Text => ResourceContents::TextResourceContents { uri, mime_type, text: content.text, meta },
        Encoding::Base64 => ResourceContents::BlobResourceContents { uri, mime_type, blob: content.text, meta },
    }
}

/// Converts the output of a tool. Legacy clients reject a structured value that is not an object, but can read its
/// text.
pub(super) fn tool_result(answer: ToolOutput, revision: Revision) -> CallToolResult {
    let is_structured = revision == Revision::Modern || answer.value.is_object();
    let new_result =
        |items| if answer.is_error { CallToolResult::error(items) } else { CallToolResult::success(items) };
    let mut result = match answer.content_mode {
        ContentMode::FromValue => {
            let mut result = new_result(vec![ContentBlock::text(answer.value.into_text())]);
            if is_structured {
                encode::structure_first_text(&mut result);
            }
            result
        }
        ContentMode::ContentOnly(items) => new_result(items.into_iter().map(content_block).collect()),
        ContentMode::Both(items) => {
            let mut result = new_result(items.into_iter().map(content_block).collect());
            result.structured_content = is_structured.then(|| answer.value.into_value());
            result
        }
    };
    result.meta = answer.meta.and_then(meta_object);
    result
}

/// Converts a tool's own failure to a result that the model reads. Other errors are returned as protocol errors.
pub(super) fn tool_error_result(
    error: ServiceError,
    id: &RequestId,
    revision: Revision,
) -> Result<CallToolResult, ServiceError> {
    let (code, message, details) = match error {
        ServiceError::Tool { code, message, details } => (code, message, details),
        ServiceError::Internal { .. } | ServiceError::TooLarge { .. } => {
            (code::INTERNAL, super::error::from_service_error(error, id).message.into_owned(), None)
        }
        ServiceError::NotFound { .. }
        | ServiceError::NotFoundSimilar { .. }
        | ServiceError::Invalid(_)
        | ServiceError::UnknownTool(_)
        | ServiceError::UnknownPrompt(_)
        | ServiceError::Protocol { .. }
        | ServiceError::InputRequired(_) => return Err(error),
        ServiceError::MissingCapability(_) if revision == Revision::Modern => return Err(error),
        ServiceError::MissingCapability(_) => (code::UNSUPPORTED, error.to_string(), None),
    };
    let mut failure = json!({"code": code.as_str(), "message": message});
    if let (Some(details), Some(fields)) = (details, failure.as_object_mut()) {
        fields.insert("details".into(), details.into_value());
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(message)]);
    result.structured_content = Some(json!({"error": failure}));
    Ok(result)
}

/// Formats a time; `None` outside the range of the calendar, since a file can carry any time.
fn timestamp(time: SystemTime) -> Option<String> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    let time = DateTime::<Utc>::from_timestamp(i64::try_from(since.as_secs()).ok()?, since.subsec_nanos())?;
    Some(time.to_rfc3339_opts(SecondsFormat::Secs, true))
}
