//! The conversion of what handlers return to what clients get: checked item by item, so that a mistake is the handler's
//! error and not a message that no client understands.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::meta::parse_icon;
use crate::limits::MAX_HANDLER_RESULT_ITEMS;
use wardroom_base::payload::Payload;
use wardroom_service::{
    ContentAnnotations, ContentBlock, ContentItem, ContentMode, EmbeddedResource, MessageRole, PromptMessage,
    RenderedPrompt, ResourceLink, ToolOutput,
};

/// Parses the answer of a tool.
///
/// # Errors
/// A message that says where and what is wrong.
pub(super) fn parse_tool_output(value: Value, has_output: bool) -> Result<ToolOutput, String> {
    match value {
        Value::Object(fields) if fields.contains_key("content") => parse_content_output(fields),
        // A value alone, beside fields that clients know.
        Value::Object(mut fields) if fields.contains_key("structuredContent") && has_only_known_fields(&fields) => {
            let (failed, meta) = (is_error(&fields), take_meta(&mut fields)?);
            let value = fields.remove("structuredContent").unwrap_or_default();
            Ok(ToolOutput { value: Payload::from_value(value), is_error: failed, meta, ..ToolOutput::default() })
        }
        value @ (Value::Object(_) | Value::Array(_)) => Ok(Payload::from_value(value).into()),
        scalar => {
            let items = vec![to_display_text(&scalar).into()];
            let content_mode = if has_output { ContentMode::Both(items) } else { ContentMode::ContentOnly(items) };
            Ok(ToolOutput { value: Payload::from_value(scalar), content_mode, ..ToolOutput::default() })
        }
    }
}

fn has_only_known_fields(fields: &Map<String, Value>) -> bool {
    fields.keys().all(|key| matches!(key.as_str(), "structuredContent" | "isError" | "_meta"))
}

fn parse_content_output(mut fields: Map<String, Value>) -> Result<ToolOutput, String> {
    let items = parse_content(fields.remove("content").unwrap_or_default())?;
    let (failed, meta) = (is_error(&fields), take_meta(&mut fields)?);
    let (value, content_mode) = match fields.remove("structuredContent") {
        Some(value) => (Payload::from_value(value), ContentMode::Both(items)),
        None => (Payload::default(), ContentMode::ContentOnly(items)),
    };
    Ok(ToolOutput { value, content_mode, is_error: failed, meta, ..ToolOutput::default() })
}

fn is_error(fields: &Map<String, Value>) -> bool {
    fields.get("isError") == Some(&Value::Bool(true))
}

fn take_meta(fields: &mut Map<String, Value>) -> Result<Option<Payload>, String> {
    match fields.remove("_meta") {
        None | Some(Value::Null) => Ok(None),
        Some(meta @ Value::Object(_)) => Ok(Some(Payload::from_value(meta))),
        Some(_) => Err("_meta: must be a table with names".to_owned()),
    }
}

fn parse_content(content: Value) -> Result<Vec<ContentItem>, String> {
    let items = match content {
        Value::Array(items) => items,
        // An empty table of Lua may be a list or a map.
        Value::Object(fields) if fields.is_empty() => Vec::new(),
        one => vec![one],
    };
    if items.len() > MAX_HANDLER_RESULT_ITEMS {
        return Err(format!("content has {} items, the limit is {MAX_HANDLER_RESULT_ITEMS}", items.len()));
    }
    let read = items
        .iter()
        .enumerate()
        .map(|(at, value)| parse_content_item(value).map_err(|why| format!("content[{}]: {why}", at + 1)));
    read.collect()
}

/// Parses a prompt that a handler made.
///
/// # Errors
/// As [`parse_tool_output`].
pub(super) fn parse_prompt_output(value: Value) -> Result<RenderedPrompt, String> {
    let mut fields = match value {
        Value::Object(fields) => fields,
        Value::String(text) => {
            let messages = vec![PromptMessage { role: MessageRole::User, content: text.into() }];
            return Ok(RenderedPrompt { messages, ..RenderedPrompt::default() });
        }
        // As in the original, any other value is an empty prompt.
        _ => return Ok(RenderedPrompt::default()),
    };
    let meta = take_meta(&mut fields)?;
    let description = fields.get("description").and_then(Value::as_str).map(str::to_owned);
    let messages = match fields.remove("messages") {
        Some(Value::Array(messages)) => messages,
        _ => Vec::new(),
    };
    if messages.len() > MAX_HANDLER_RESULT_ITEMS {
        return Err(format!("messages has {} items, the limit is {MAX_HANDLER_RESULT_ITEMS}", messages.len()));
    }
    let read = messages
        .iter()
        .enumerate()
        .map(|(at, value)| parse_message(value).map_err(|why| format!("messages[{}]: {why}", at + 1)));
    Ok(RenderedPrompt { description, messages: read.collect::<Result<_, _>>()?, meta })
}

/// Parses a message in the protocol's form. The default role is the user, and the content may be a text.
fn parse_message(value: &Value) -> Result<PromptMessage, String> {
    let role = match value.get("role") {
        None | Some(Value::Null) => MessageRole::User,
        Some(given) => given.as_str().and_then(parse_role).ok_or("its role must be user or assistant")?,
    };
    let content = value.get("content").ok_or("it has no content")?;
    Ok(PromptMessage { role, content: parse_content_item(content)? })
}

pub(super) fn parse_role(name: &str) -> Option<MessageRole> {
    match name {
        "user" => Some(MessageRole::User),
        "assistant" => Some(MessageRole::Assistant),
        _ => None,
    }
}

/// Parses a content item in the protocol's form, or a text.
///
/// # Errors
/// A message that says what is wrong.
pub(super) fn parse_content_item(value: &Value) -> Result<ContentItem, String> {
    if let Value::String(text) = value {
        return Ok(text.clone().into());
    }
    let fields = value.as_object().ok_or("it must be a table with a type, or text")?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let needed = |name: &str| text(name).ok_or_else(|| format!("it needs {name}, a text"));
    let block = match fields.get("type").and_then(Value::as_str) {
        Some("text") => ContentBlock::Text(needed("text")?),
        Some("image") => ContentBlock::Image { data: check_base64(needed("data")?)?, mime_type: needed("mimeType")? },
        Some("audio") => ContentBlock::Audio { data: check_base64(needed("data")?)?, mime_type: needed("mimeType")? },
        Some("resource") => ContentBlock::Resource(parse_embedded_resource(
            fields.get("resource").ok_or("it needs resource, a table")?,
        )?),
        Some("resource_link") => ContentBlock::Link(Box::new(ResourceLink {
            uri: needed("uri")?,
            name: needed("name")?,
            title: text("title"),
            description: text("description"),
            mime_type: text("mimeType"),
            size: fields.get("size").and_then(Value::as_u64),
            icons: match fields.get("icons") {
                Some(Value::Array(icons)) => icons.iter().map(parse_icon).collect::<Result<_, _>>()?,
                _ => Vec::new(),
            },
        })),
        Some(other) => {
            return Err(format!(
                "its type is {}: it must be text, image, audio, resource or resource_link",
                wardroom_service::escape_and_truncate(other)
            ));
        }
        None => return Err("it needs a type: text, image, audio, resource or resource_link".to_owned()),
    };
    Ok(ContentItem { block, annotations: parse_annotations(fields)? })
}

fn check_base64(data: String) -> Result<String, String> {
    // Only the last four bytes are decoded, so that no copy of the data is made.
    let bytes = data.as_bytes();
    let is_whole = bytes.len().is_multiple_of(4) && {
        let (last, rest) = (bytes.rchunks(4).next().unwrap_or_default(), bytes.len().saturating_sub(4));
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        bytes.get(..rest).unwrap_or_default().iter().all(plain) && STANDARD.decode(last).is_ok()
    };
    if is_whole { Ok(data) } else { Err("its data is not Base64: use base64.encode".to_owned()) }
}

pub(super) fn parse_embedded_resource(value: &Value) -> Result<EmbeddedResource, String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let uri = text("uri").ok_or("its resource needs uri, a text")?;
    let (text_body, blob) = (text("text"), text("blob"));
    let is_blob = blob.is_some();
    let text_body = match (text_body, blob) {
        (Some(text), None) => text,
        (None, Some(blob)) => check_base64(blob)?,
        _ => return Err("its resource needs either text or blob".to_owned()),
    };
    let meta = value.get("_meta").filter(|meta| meta.is_object()).cloned().map(Payload::from_value);
    Ok(EmbeddedResource { uri, mime_type: text("mimeType"), text: text_body, is_blob, meta })
}

fn parse_annotations(fields: &Map<String, Value>) -> Result<ContentAnnotations, String> {
    let meta = fields.get("_meta").filter(|meta| meta.is_object()).cloned().map(Payload::from_value);
    let Some(annotations) = fields.get("annotations").filter(|annotations| !annotations.is_null()) else {
        return Ok(ContentAnnotations { meta, ..ContentAnnotations::default() });
    };
    let audience = match annotations.get("audience") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(roles)) => {
            let roles = roles.iter().map(|given| given.as_str().and_then(parse_role)).collect::<Option<_>>();
            roles.ok_or("its annotations.audience must be of user and assistant")?
        }
        Some(_) => return Err("its annotations.audience must be a list".to_owned()),
    };
    let priority = match annotations.get("priority") {
        None | Some(Value::Null) => None,
        Some(given) => {
            let priority = given.as_f64().filter(|given| (0.0..=1.0).contains(given));
            #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1, and the protocol's own type")]
            Some(priority.ok_or("its annotations.priority must be from 0 to 1")? as f32)
        }
    };
    let modified = annotations.get("lastModified").and_then(Value::as_str).map(str::to_owned);
    Ok(ContentAnnotations { audience, priority, modified, meta })
}

/// Converts a value to the text that Lua would print: whole numbers without a fraction, and null as `nil`.
pub(super) fn to_display_text(value: &Value) -> String {
    /// From here on not every whole number is a floating-point number.
    const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Null => "nil".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number within the exact ones")]
            Some(float) if float.fract() == 0.0 && float.abs() < MAX_EXACT_INTEGER => (float as i64).to_string(),
            _ => number.to_string(),
        },
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// Converts a content item to the protocol's form.
pub(super) fn content_item_to_json(item: &ContentItem) -> Value {
    let mut value = match &item.block {
        ContentBlock::Text(text) => serde_json::json!({"type": "text", "text": text}),
        ContentBlock::Image { data, mime_type } => {
            serde_json::json!({"type": "image", "data": data, "mimeType": mime_type})
        }
        ContentBlock::Audio { data, mime_type } => {
            serde_json::json!({"type": "audio", "data": data, "mimeType": mime_type})
        }
        ContentBlock::Resource(EmbeddedResource { uri, mime_type, text, is_blob, .. }) => {
            let name = if *is_blob { "blob" } else { "text" };
            serde_json::json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, name: text}})
        }
        ContentBlock::Link(link) => serde_json::json!({
            "type": "resource_link", "uri": link.uri, "name": link.name, "title": link.title,
            "description": link.description, "mimeType": link.mime_type, "size": link.size,
        }),
    };
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}
