//! What handlers return, as what clients get: looked at item by item, so that a slip is the handler's error and not a
//! message that no client understands.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::meta::icon;
use wardroom_base::limits::MAX_ANSWER_ITEMS;
use wardroom_base::payload::Payload;
use wardroom_service::{Block, Embedded, Item, Link, Message, Notes, PromptAnswer, Role, Said, ToolAnswer};

/// A tool's answer.
///
/// # Errors
/// What is wrong with it, in words; it begins with the place.
pub(super) fn tool_answer(value: Value, has_output: bool) -> Result<ToolAnswer, String> {
    match value {
        Value::Object(fields) if fields.contains_key("content") => with_content(fields),
        // A value alone beside the words that clients know.
        Value::Object(mut fields) if fields.contains_key("structuredContent") && only_known(&fields) => {
            let (failed, meta) = (is_error(&fields), meta(&mut fields)?);
            let value = fields.remove("structuredContent").unwrap_or_default();
            Ok(ToolAnswer { value: Payload::from_value(value), failed, meta, ..ToolAnswer::default() })
        }
        value @ (Value::Object(_) | Value::Array(_)) => Ok(Payload::from_value(value).into()),
        scalar => {
            let items = vec![spoken(&scalar).into()];
            let said = if has_output { Said::Both(items) } else { Said::Items(items) };
            Ok(ToolAnswer { value: Payload::from_value(scalar), said, ..ToolAnswer::default() })
        }
    }
}

fn only_known(fields: &Map<String, Value>) -> bool {
    fields.keys().all(|key| matches!(key.as_str(), "structuredContent" | "isError" | "_meta"))
}

fn with_content(mut fields: Map<String, Value>) -> Result<ToolAnswer, String> {
    let items = items(fields.remove("content").unwrap_or_default())?;
    let (failed, meta) = (is_error(&fields), meta(&mut fields)?);
    let (value, said) = match fields.remove("structuredContent") {
        Some(value) => (Payload::from_value(value), Said::Both(items)),
        None => (Payload::default(), Said::Items(items)),
    };
    Ok(ToolAnswer { value, said, failed, meta, ..ToolAnswer::default() })
}

fn is_error(fields: &Map<String, Value>) -> bool {
    fields.get("isError") == Some(&Value::Bool(true))
}

fn meta(fields: &mut Map<String, Value>) -> Result<Option<Payload>, String> {
    match fields.remove("_meta") {
        None | Some(Value::Null) => Ok(None),
        Some(meta @ Value::Object(_)) => Ok(Some(Payload::from_value(meta))),
        Some(_) => Err("_meta: must be a table with names".to_owned()),
    }
}

fn items(content: Value) -> Result<Vec<Item>, String> {
    let items = match content {
        Value::Array(items) => items,
        // An empty table of Lua is either.
        Value::Object(fields) if fields.is_empty() => Vec::new(),
        one => vec![one],
    };
    if items.len() > MAX_ANSWER_ITEMS {
        return Err(format!("content: has {} items, the limit is {MAX_ANSWER_ITEMS}", items.len()));
    }
    let read =
        items.iter().enumerate().map(|(at, value)| item(value).map_err(|why| format!("content[{}]: {why}", at + 1)));
    read.collect()
}

/// A prompt that a handler made.
///
/// # Errors
/// As [`tool_answer`].
pub(super) fn prompt_answer(value: Value) -> Result<PromptAnswer, String> {
    let mut fields = match value {
        Value::Object(fields) => fields,
        Value::String(text) => {
            let messages = vec![Message { role: Role::User, content: text.into() }];
            return Ok(PromptAnswer { messages, ..PromptAnswer::default() });
        }
        // As in the original: what is neither says nothing.
        _ => return Ok(PromptAnswer::default()),
    };
    let meta = meta(&mut fields)?;
    let description = fields.get("description").and_then(Value::as_str).map(str::to_owned);
    let messages = match fields.remove("messages") {
        Some(Value::Array(messages)) => messages,
        _ => Vec::new(),
    };
    if messages.len() > MAX_ANSWER_ITEMS {
        return Err(format!("messages: there are {}, the limit is {MAX_ANSWER_ITEMS}", messages.len()));
    }
    let read = messages
        .iter()
        .enumerate()
        .map(|(at, value)| message(value).map_err(|why| format!("messages[{}]: {why}", at + 1)));
    Ok(PromptAnswer { description, messages: read.collect::<Result<_, _>>()?, meta })
}

/// A message in the protocol's form; without a role it is the user's, and a text may stand for its content.
fn message(value: &Value) -> Result<Message, String> {
    let role = match value.get("role") {
        None | Some(Value::Null) => Role::User,
        Some(given) => given.as_str().and_then(role).ok_or("its role must be user or assistant")?,
    };
    let content = value.get("content").ok_or("it has no content")?;
    Ok(Message { role, content: item(content)? })
}

pub(super) fn role(name: &str) -> Option<Role> {
    match name {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    }
}

/// A piece of content in the protocol's form, or a text.
///
/// # Errors
/// What is wrong with it, in words.
pub(super) fn item(value: &Value) -> Result<Item, String> {
    if let Value::String(text) = value {
        return Ok(text.clone().into());
    }
    let fields = value.as_object().ok_or("it must be a table with a type, or text")?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let needed = |name: &str| text(name).ok_or_else(|| format!("it needs {name}, a text"));
    let block = match fields.get("type").and_then(Value::as_str) {
        Some("text") => Block::Text(needed("text")?),
        Some("image") => Block::Image { data: base64(needed("data")?)?, mime_type: needed("mimeType")? },
        Some("audio") => Block::Audio { data: base64(needed("data")?)?, mime_type: needed("mimeType")? },
        Some("resource") => Block::Resource(embedded(fields.get("resource").ok_or("it needs resource, a table")?)?),
        Some("resource_link") => Block::Link(Box::new(Link {
            uri: needed("uri")?,
            name: needed("name")?,
            title: text("title"),
            description: text("description"),
            mime_type: text("mimeType"),
            size: fields.get("size").and_then(Value::as_u64),
            icons: match fields.get("icons") {
                Some(Value::Array(icons)) => icons.iter().map(icon).collect::<Result<_, _>>()?,
                _ => Vec::new(),
            },
        })),
        Some(other) => {
            return Err(format!(
                "its type is {}: it must be text, image, audio, resource or resource_link",
                wardroom_service::shown(other)
            ));
        }
        None => return Err("it needs a type: text, image, audio, resource or resource_link".to_owned()),
    };
    Ok(Item { block, notes: notes(fields)? })
}

fn base64(data: String) -> Result<String, String> {
    // Decoded in pieces, so that nothing of its size is made.
    let bytes = data.as_bytes();
    let is_whole = bytes.len().is_multiple_of(4) && {
        let (last, rest) = (bytes.rchunks(4).next().unwrap_or_default(), bytes.len().saturating_sub(4));
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        bytes.get(..rest).unwrap_or_default().iter().all(plain) && STANDARD.decode(last).is_ok()
    };
    if is_whole { Ok(data) } else { Err("its data is not Base64: use base64.encode".to_owned()) }
}

pub(super) fn embedded(value: &Value) -> Result<Embedded, String> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let uri = text("uri").ok_or("its resource needs uri, a text")?;
    let (text_body, blob) = (text("text"), text("blob"));
    let is_blob = blob.is_some();
    let text_body = match (text_body, blob) {
        (Some(text), None) => text,
        (None, Some(blob)) => base64(blob)?,
        _ => return Err("its resource needs either text or blob".to_owned()),
    };
    let meta = value.get("_meta").filter(|meta| meta.is_object()).cloned().map(Payload::from_value);
    Ok(Embedded { uri, mime_type: text("mimeType"), text: text_body, is_blob, meta })
}

fn notes(fields: &Map<String, Value>) -> Result<Notes, String> {
    let meta = fields.get("_meta").filter(|meta| meta.is_object()).cloned().map(Payload::from_value);
    let Some(annotations) = fields.get("annotations").filter(|annotations| !annotations.is_null()) else {
        return Ok(Notes { meta, ..Notes::default() });
    };
    let audience = match annotations.get("audience") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(roles)) => {
            let roles = roles.iter().map(|given| given.as_str().and_then(role)).collect::<Option<_>>();
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
    Ok(Notes { audience, priority, modified, meta })
}

/// A value as Lua would say it: whole numbers without a fraction, and nothing as `nil`.
pub(super) fn spoken(value: &Value) -> String {
    /// From there on not every whole number is one of floating point.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Null => "nil".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number within the exact ones")]
            Some(float) if float.fract() == 0.0 && float.abs() < EXACT => (float as i64).to_string(),
            _ => number.to_string(),
        },
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// A piece of content in the protocol's form.
pub(super) fn item_json(item: &Item) -> Value {
    let mut value = match &item.block {
        Block::Text(text) => serde_json::json!({"type": "text", "text": text}),
        Block::Image { data, mime_type } => serde_json::json!({"type": "image", "data": data, "mimeType": mime_type}),
        Block::Audio { data, mime_type } => serde_json::json!({"type": "audio", "data": data, "mimeType": mime_type}),
        Block::Resource(Embedded { uri, mime_type, text, is_blob, .. }) => {
            let name = if *is_blob { "blob" } else { "text" };
            serde_json::json!({"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, name: text}})
        }
        Block::Link(link) => serde_json::json!({
            "type": "resource_link", "uri": link.uri, "name": link.name, "title": link.title,
            "description": link.description, "mimeType": link.mime_type, "size": link.size,
        }),
    };
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}
