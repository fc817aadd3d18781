//! Plain values of the services as wire types.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat, Utc};
use rmcp::RoleServer;
use rmcp::model::{
    Annotations, AudioContent, CallToolResult, ContentBlock, EmbeddedResource, GetPromptResult, Icon, IconTheme,
    ImageContent, MetaObject, Prompt, PromptArgument, PromptMessage, RequestId, Resource, ResourceContents,
    ResourceTemplate, TextContent, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};

use wardroom_base::payload::Payload;
use wardroom_service::{
    Announced, Block, Content, Embedded, Extra, Form, Item, Notes, PromptAnswer, PromptEntry, ResourceEntry, Role,
    Said, Schema, ServiceError, TemplateEntry, ToolAnswer, ToolEntry,
};

/// Which forms a client knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// 2025-11-25 and before.
    Older,
    /// 2026-07-28 and later.
    Newer,
}

impl Era {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        if context.protocol_version().is_some_and(|version| !version.has_initialize()) {
            Self::Newer
        } else {
            Self::Older
        }
    }
}

pub(super) fn resource(entry: ResourceEntry) -> Resource {
    let mut resource = Resource::new(entry.uri, entry.name);
    resource.title = entry.title.map(Into::into);
    resource.description = said(entry.description);
    resource.mime_type = said(entry.mime_type);
    (resource.icons, resource.meta) = extra(entry.extra);
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
    template.description = said(entry.description);
    template.mime_type = said(entry.mime_type);
    (template.icons, template.meta) = extra(entry.extra);
    template
}

/// What nothing is said of is left out.
fn said(text: Cow<'static, str>) -> Option<String> {
    Some(text.into_owned()).filter(|text| !text.is_empty())
}

/// A tool as its list has it. Clients of the older eras refuse a whole list for an output that is no object.
pub(super) fn tool(entry: &ToolEntry, era: Era) -> Tool {
    let mut tool = Tool::new(entry.name.clone(), "", Arc::clone(&entry.input));
    tool.description.clone_from(&entry.description);
    tool.title = entry.title.clone().map(Into::into);
    let is_object = |schema: &&Schema| schema.get("type").and_then(Value::as_str) == Some("object");
    tool.output_schema = entry.output.as_ref().filter(|schema| era == Era::Newer || is_object(schema)).cloned();
    tool.annotations = annotations(&entry.hints);
    (tool.icons, tool.meta) = extra(entry.extra.clone());
    tool
}

fn annotations(hints: &Announced) -> Option<ToolAnnotations> {
    if *hints == Announced::default() {
        return None;
    }
    let mut annotations = ToolAnnotations::new();
    annotations.title.clone_from(&hints.title);
    (annotations.read_only_hint, annotations.destructive_hint) = (hints.read_only, hints.destructive);
    (annotations.idempotent_hint, annotations.open_world_hint) = (hints.idempotent, hints.open_world);
    Some(annotations)
}

pub(super) fn prompt(entry: &PromptEntry) -> Prompt {
    let argument = |argument: &wardroom_service::PromptArgument| {
        let mut wire = PromptArgument::new(&argument.name);
        (wire.title, wire.description) = (argument.title.clone(), argument.description.clone());
        wire.required = argument.required.then_some(true);
        wire
    };
    let arguments: Vec<_> = entry.arguments.iter().map(argument).collect();
    let arguments = (!arguments.is_empty()).then_some(arguments);
    let mut prompt = Prompt::new(&entry.name, entry.description.as_deref(), arguments);
    prompt.title.clone_from(&entry.title);
    (prompt.icons, prompt.meta) = extra(entry.extra.clone());
    prompt
}

pub(super) fn prompt_answer(answer: PromptAnswer) -> GetPromptResult {
    let message = |message: wardroom_service::Message| PromptMessage::new(role(message.role), item(message.content));
    let mut result = GetPromptResult::new(answer.messages.into_iter().map(message).collect());
    result.description = answer.description;
    result.meta = answer.meta.and_then(meta_object);
    result
}

fn extra(extra: Extra) -> (Option<Vec<Icon>>, Option<MetaObject>) {
    let icons: Vec<Icon> = extra.icons.into_iter().map(icon).collect();
    ((!icons.is_empty()).then_some(icons), extra.meta.and_then(meta_object))
}

fn meta_object(meta: Payload) -> Option<MetaObject> {
    match meta.into_value() {
        Value::Object(meta) => Some(MetaObject(meta)),
        _ => None,
    }
}

fn icon(icon: wardroom_service::Icon) -> Icon {
    let mut wire = Icon::new(icon.src);
    wire.mime_type = icon.mime_type;
    wire.sizes = (!icon.sizes.is_empty()).then_some(icon.sizes);
    wire.theme = icon.dark.map(|dark| if dark { IconTheme::Dark } else { IconTheme::Light });
    wire
}

const fn role(role: Role) -> rmcp::model::Role {
    match role {
        Role::User => rmcp::model::Role::User,
        Role::Assistant => rmcp::model::Role::Assistant,
    }
}

/// A piece of an answer or a message.
pub(super) fn item(item: Item) -> ContentBlock {
    let Item { block, notes } = item;
    let annotations = annotated(&notes);
    let meta = notes.meta.and_then(meta_object);
    match block {
        Block::Text(text) => {
            let mut content = TextContent::new(text);
            (content.annotations, content.meta) = (annotations, meta);
            ContentBlock::Text(content)
        }
        Block::Image { data, mime_type } => {
            let mut content = ImageContent::new(data, mime_type);
            (content.annotations, content.meta) = (annotations, meta);
            ContentBlock::Image(content)
        }
        Block::Audio { data, mime_type } => {
            let mut content = AudioContent::new(data, mime_type);
            (content.annotations, content.meta) = (annotations, meta);
            ContentBlock::Audio(content)
        }
        Block::Resource(embedded) => {
            let Embedded { uri, mime_type, text, is_blob, meta: own } = embedded;
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
        Block::Link(link) => {
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

fn annotated(notes: &Notes) -> Option<Annotations> {
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

/// The content of a resource under the URI that was asked for, to the letter.
pub(super) fn contents(uri: String, content: Content) -> ResourceContents {
    let mut meta = content.meta.and_then(meta_object).map_or_else(Map::new, |meta| meta.0);
    meta.extend(content.notes.into_iter().map(|(name, note)| (name.to_owned(), note.into_value())));
    let size = match content.form {
        Form::Text => content.text.len(),
        Form::Base64 => content.text.trim_end_matches('=').len() * 3 / 4,
    };
    meta.insert("size".into(), size.into());
    if let Some(modified) = content.modified.and_then(timestamp) {
        meta.insert("lastModified".into(), modified.into());
    }
    let (mime_type, meta) = (said(content.mime_type), Some(MetaObject(meta)));
    match content.form {
        Form::Text => ResourceContents::TextResourceContents { uri, mime_type, text: content.text, meta },
        Form::Base64 => ResourceContents::BlobResourceContents { uri, mime_type, blob: content.text, meta },
    }
}

/// What a tool answered. Clients of the older eras refuse a value that is no object; its text they can read.
pub(super) fn tool_answer(answer: ToolAnswer, era: Era) -> CallToolResult {
    let value = answer.value.into_value();
    let (items, value) = match answer.said {
        Said::Value => (vec![ContentBlock::text(value.to_string())], Some(value)),
        Said::Items(items) => (items.into_iter().map(item).collect(), None),
        Said::Both(items) => (items.into_iter().map(item).collect(), Some(value)),
    };
    let mut result = if answer.failed { CallToolResult::error(items) } else { CallToolResult::success(items) };
    result.structured_content = value.filter(|value| era == Era::Newer || value.is_object());
    result.meta = answer.meta.and_then(meta_object);
    result
}

/// A tool's own failure: a result that the model reads, not an error of the protocol.
pub(super) fn tool_failure(error: ServiceError, id: &RequestId, era: Era) -> Result<CallToolResult, ServiceError> {
    let (code, message, details) = match error {
        ServiceError::Tool { code, message, details } => (code, message, details),
        ServiceError::Internal { .. } | ServiceError::TooLarge { .. } | ServiceError::Later => {
            ("internal", super::error::of_service(error, id).message.into_owned(), None)
        }
        ServiceError::NotFound { .. }
        | ServiceError::Invalid(_)
        | ServiceError::UnknownTool(_)
        | ServiceError::UnknownPrompt(_)
        | ServiceError::Protocol { .. }
        | ServiceError::Asks(_) => return Err(error),
        ServiceError::Lacks(_) if era == Era::Newer => return Err(error),
        ServiceError::Lacks(_) => ("unsupported", error.to_string(), None),
    };
    let mut failure = json!({"code": code, "message": message});
    if let (Some(details), Some(fields)) = (details, failure.as_object_mut()) {
        fields.insert("details".into(), details.into_value());
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(message)]);
    result.structured_content = Some(json!({"error": failure}));
    Ok(result)
}

/// Nothing for a time that no calendar here reaches; a file can carry any.
fn timestamp(time: SystemTime) -> Option<String> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    let time = DateTime::<Utc>::from_timestamp(i64::try_from(since.as_secs()).ok()?, since.subsec_nanos())?;
    Some(time.to_rfc3339_opts(SecondsFormat::Secs, true))
}
