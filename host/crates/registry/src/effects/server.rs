//! What this server offers its clients, for handlers: other tools, and resources. As the caller may see it.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use serde_json::{Map, Value, json};

use super::text;
use crate::calls::{Conversation, Halt, answered};
use crate::results;
use wardroom_base::limits::MAX_PAGE_BYTES;
use wardroom_base::payload::Payload;
use wardroom_service::{CallContext, Form, Said, ServiceError, ToolAnswer};

impl Conversation<'_> {
    /// Does something for a handler: nobody listens, and nobody can be asked. It is cancelled when the handler's time is
    /// over.
    pub(super) fn in_time<T>(&self, work: impl FnOnce(&CallContext) -> T) -> T {
        let cancelled = self.context.cancelled.child_token();
        // What it leads to may be handlers again.
        let depth = self.depth.get();
        let context = CallContext { client: None, cancelled: cancelled.clone(), depth, ..self.context.clone() };
        let (done, is_done) = mpsc::channel::<()>();
        let left = self.left();
        thread::scope(|scope| {
            let watch = move || {
                if is_done.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                    cancelled.cancel();
                }
            };
            // Without it the work has its own bounds.
            let watching = thread::Builder::new().name("in time".into()).spawn_scoped(scope, watch);
            let result = work(&context);
            drop((done, watching));
            result
        })
    }

    /// Whether a tool is one of the registry's, so that what it asks is part of this request.
    pub(super) fn is_own_tool(&self, arguments: &Value) -> bool {
        text(arguments, "name").is_ok_and(|name| self.loaded.tool(name, &self.context.caller).is_some())
    }

    pub(super) fn call_own_tool(&self, arguments: &Value) -> Result<Result<Value, String>, Halt> {
        let name = text(arguments, "name").unwrap_or_default();
        let Some((entry, tool)) = self.loaded.tool(name, &self.context.caller) else {
            return Ok(Err(format!("Unknown tool: {}", wardroom_service::shown(name))));
        };
        let given = given(arguments);
        if let Err(why) = tool.input.check(&given) {
            return Ok(Ok(failed(&format!("invalid arguments: {why}"))));
        }
        if let Some(feature) = self.lacked_of(entry) {
            self.lacked.set(Some(feature));
            return Ok(Err(ServiceError::Lacks(feature).to_string()));
        }
        Ok(Ok(match self.run(entry, vec![given])? {
            Err(trouble) => failed(&trouble.message),
            Ok(value) => match answered(tool, value) {
                Ok(answer) => answer_json(answer),
                Err(why) => failed(&format!("the answer of {} is not valid: {why}", entry.id)),
            },
        }))
    }

    pub(super) fn call_tool(&self, arguments: &Value) -> Result<Value, String> {
        let name = text(arguments, "name")?;
        let given = Payload::from_value(given(arguments));
        let called = self.in_time(|context| context.catalogue.call(name, given, context));
        match called {
            Ok(answer) => Ok(answer_json(answer)),
            Err(ServiceError::Tool { message, .. }) => Ok(failed(&message)),
            Err(ServiceError::Asks(_)) => Err(format!("{name} asks its client, which a handler cannot answer")),
            Err(error) => Err(error.to_string()),
        }
    }

    pub(super) fn read_resource(&self, arguments: &Value) -> Result<Value, String> {
        let uri = text(arguments, "uri")?;
        let read = self.in_time(|context| context.catalogue.read(uri, context));
        let content = match read {
            Err(ServiceError::Later | ServiceError::TooLarge { .. }) => {
                return Err(format!("{} is too large for a handler", wardroom_service::shown(uri)));
            }
            read => read.map_err(|error| error.to_string())?,
        };
        if content.text.len() > MAX_PAGE_BYTES {
            return Err(format!("{uri} has {} bytes, a handler gets at most {MAX_PAGE_BYTES}", content.text.len()));
        }
        let name = match content.form {
            Form::Text => "text",
            Form::Base64 => "blob",
        };
        Ok(json!({"uri": uri, "mimeType": content.mime_type, name: content.text}))
    }

    pub(super) fn list_resources(&self, arguments: &Value) -> Result<Value, String> {
        let cursor = arguments.get("cursor").and_then(Value::as_str);
        let page = self.in_time(|context| context.catalogue.resources(None, cursor, context));
        let page = page.map_err(|error| error.to_string())?;
        let row = |entry: wardroom_service::ResourceEntry| {
            json!({
                "uri": entry.uri, "name": entry.name, "title": entry.title, "description": entry.description,
                "mimeType": entry.mime_type, "size": entry.size,
            })
        };
        Ok(json!({"resources": page.items.into_iter().map(row).collect::<Vec<_>>(), "nextCursor": page.next}))
    }
}

fn given(arguments: &Value) -> Value {
    match arguments.get("arguments") {
        // An empty table of Lua is either.
        None | Some(Value::Null) => Map::new().into(),
        Some(Value::Array(items)) if items.is_empty() => Map::new().into(),
        Some(given) => given.clone(),
    }
}

fn failed(message: &str) -> Value {
    json!({"content": [{"type": "text", "text": message}], "isError": true})
}

/// An answer in the protocol's form.
fn answer_json(answer: ToolAnswer) -> Value {
    let value = answer.value.into_value();
    let (items, value) = match answer.said {
        Said::Value => (vec![json!({"type": "text", "text": value.to_string()})], Some(value)),
        Said::Items(items) => (items.iter().map(results::item_json).collect(), None),
        Said::Both(items) => (items.iter().map(results::item_json).collect(), Some(value)),
    };
    let mut fields = Map::new();
    fields.insert("content".to_owned(), items.into());
    fields.insert("isError".to_owned(), answer.failed.into());
    if let Some(value) = value {
        fields.insert("structuredContent".to_owned(), value);
    }
    fields.into()
}
