//! The tools and resources that this server offers, for handlers, as the caller may see them.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use serde_json::{Map, Value, json};

use super::{OperationAnswer, error_of_kind, text_argument};
use crate::handler_call::{Abort, HandlerCall, check_tool_output};
use crate::handler_output;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::Payload;
use wardroom_service::limits::MAX_PAGE_BYTES;
use wardroom_service::{ContentMode, Cost, Encoding, RequestInfo, ServiceError, ToolOutput};

impl HandlerCall<'_> {
    /// Does work for a handler, without a client to notify or to ask. The work is cancelled when the handler's time is
    /// over.
    ///
    /// # Errors
    /// A message, where the system starts no thread that would cancel it.
    pub(super) fn with_time_limit<T>(&self, work: impl FnOnce(&RequestInfo) -> T) -> Result<T, String> {
        let cancelled = self.info.cancellation.child_token();
        // The work may run handlers again.
        let depth = self.handler_depth.get();
        let context =
            RequestInfo { client: None, cancellation: cancelled.clone(), handler_depth: depth, ..self.info.clone() };
        let (done, is_done) = mpsc::channel::<()>();
        let left = self.time_left();
        thread::scope(|scope| {
            let watch = move || {
                if is_done.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                    cancelled.cancel();
                }
            };
            let watching = thread::Builder::new().name("in time".into()).spawn_scoped(scope, watch);
            watching.map_err(|_| "the system starts no further thread: try again later")?;
            let result = work(&context);
            drop(done);
            Ok(result)
        })
    }

    /// Whether a tool belongs to the registry, so that its input requests are part of this request.
    pub(super) fn is_own_tool(&self, arguments: &Value) -> bool {
        text_argument(arguments, "name").is_ok_and(|name| self.snapshot.tool(name, &self.info.caller).is_some())
    }

    pub(super) fn call_own_tool(&self, arguments: &Value) -> Result<OperationAnswer, Abort> {
        let name = text_argument(arguments, "name").unwrap_or_default();
        let Some((entry, tool)) = self.snapshot.tool(name, &self.info.caller) else {
            let message = format!("Unknown tool: {}", wardroom_service::escape_and_truncate(name));
            return Ok(Ok(error_of_kind("NOT_FOUND", message)));
        };
        let given = tool_arguments(arguments);
        if let Err(why) = tool.input_schema.check(&given) {
            return Ok(Ok(error_to_json(&format!("invalid arguments: {why}"))));
        }
        if let Some(feature) = self.missing_capability_of(entry) {
            self.missing_capability.set(Some(feature));
            return Ok(Err(ServiceError::MissingCapability(feature).to_string()));
        }
        Ok(Ok(match self.run_handler(entry, vec![given])? {
            Err(trouble) => error_to_json(&trouble.message),
            Ok(value) => match check_tool_output(tool, value) {
                Ok(answer) => output_to_json(answer),
                Err(why) => error_to_json(&format!("the answer of {} is not valid: {why}", entry.id)),
            },
        }))
    }

    pub(super) fn call_tool(&self, arguments: &Value) -> OperationAnswer {
        let name = text_argument(arguments, "name")?;
        let given = Payload::from_value(tool_arguments(arguments));
        let called = self.with_time_limit(|info| {
            let tool = info.catalogue.tool(name, &info.caller).finish(info)?;
            tool.call(given).finish_within(Cost::Worker, info)
        })?;
        match called {
            Ok(Some(answer)) => Ok(output_to_json(answer)),
            Ok(None) => Err(format!("{name} takes more memory than a handler may use: ask for less of it")),
            Err(ServiceError::Tool { message, .. }) => Ok(error_to_json(&message)),
            Err(ServiceError::InputRequired(_)) => {
                Err(format!("{name} requests input from its client, which a handler cannot give"))
            }
            Err(error @ ServiceError::UnknownTool(_)) => Ok(error_of_kind("NOT_FOUND", error.to_string())),
            Err(error) => Err(error.to_string()),
        }
    }

    pub(super) fn read_resource(&self, arguments: &Value) -> OperationAnswer {
        let uri = text_argument(arguments, "uri")?;
        let read =
            self.with_time_limit(|info| info.catalogue.resource(uri, &info.caller)?.finish_within(Cost::Worker, info))?;
        let too_large = || format!("{} is too large for a handler", wardroom_service::escape_and_truncate(uri));
        let content = match read {
            Ok(Some(content)) => content,
            Ok(None) | Err(ServiceError::TooLarge { .. }) => return Err(too_large()),
            Err(error @ (ServiceError::NotFound { .. } | ServiceError::NotFoundSimilar { .. })) => {
                return Ok(error_of_kind("NOT_FOUND", error.to_string()));
            }
            Err(error @ ServiceError::Invalid(_)) => return Ok(error_of_kind("INVALID", error.to_string())),
            Err(error) => return Err(error.to_string()),
        };
        if content.text.len() > MAX_PAGE_BYTES {
            let (len, limit) = (ByteSize(content.text.len() as u64), ByteSize(MAX_PAGE_BYTES as u64));
            return Err(format!("{uri} has {len}, the limit for a handler is {limit}"));
        }
        let name = match content.encoding {
            Encoding::Text => "text",
            Encoding::Base64 => "blob",
        };
        Ok(json!({"uri": uri, "mimeType": content.mime_type, name: content.text}))
    }

    pub(super) fn list_resources(&self, arguments: &Value) -> OperationAnswer {
        let cursor = arguments.get("cursor").and_then(Value::as_str);
        let page =
            self.with_time_limit(|info| info.catalogue.resources(None, cursor).finish_within(Cost::Worker, info))?;
        let too_large = || "the list of resources is too large for a handler".to_owned();
        let page = page.map_err(|error| error.to_string())?.ok_or_else(too_large)?;
        let row = |entry: wardroom_service::ResourceEntry| {
            without_nulls(json!({
                "uri": entry.uri, "name": entry.name, "title": entry.title, "description": entry.description,
                "mimeType": entry.mime_type, "size": entry.size,
            }))
        };
        let rows: Vec<Value> = page.items.into_iter().map(row).collect();
        Ok(without_nulls(json!({"resources": rows, "nextCursor": page.next_cursor})))
    }
}

/// Leaves out the fields that are null: in Lua, null is a value that counts as true.
fn without_nulls(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    object
}

fn tool_arguments(arguments: &Value) -> Value {
    match arguments.get("arguments") {
        // An empty table of Lua may be a list or a map.
        None | Some(Value::Null) => Map::new().into(),
        Some(Value::Array(items)) if items.is_empty() => Map::new().into(),
        Some(given) => given.clone(),
    }
}

fn error_to_json(message: &str) -> Value {
    json!({"content": [{"type": "text", "text": message}], "isError": true})
}

/// Converts an answer to the protocol's form.
fn output_to_json(answer: ToolOutput) -> Value {
    let value = answer.value.into_value();
    let (items, value) = match answer.content_mode {
        ContentMode::FromValue => (vec![json!({"type": "text", "text": value.to_string()})], Some(value)),
        ContentMode::ContentOnly(items) => (items.iter().map(handler_output::content_item_to_json).collect(), None),
        ContentMode::Both(items) => (items.iter().map(handler_output::content_item_to_json).collect(), Some(value)),
    };
    let mut fields = Map::new();
    fields.insert("content".to_owned(), items.into());
    fields.insert("isError".to_owned(), answer.is_error.into());
    if let Some(value) = value {
        fields.insert("structuredContent".to_owned(), value);
    }
    fields.into()
}
