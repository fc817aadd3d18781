//! The client behind a request: the notifications and the input requests that handlers send to it.
//!
//! Owns: the form of requests and responses, and the choice between inline and deferred requests.

use std::io;

use serde_json::{Map, Value, json};

use super::{HandlerScope, OperationAnswer, text_argument};
use crate::handler_call::{Abort, HandlerCall};
use crate::limits::{MAX_CONCURRENT_INPUT_REQUESTS, MAX_HANDLER_NOTIFICATION_BYTES};
use wardroom_base::CONTENT_TARGET;
use wardroom_base::json_schema::CompiledSchema;
use wardroom_base::payload::Payload;
use wardroom_base::truncate::truncate_text;
use wardroom_service::{
    ChangeNotification, ClientCapability, Elicitation, InputMode, InputRequest, InputRequestKind, LogLevel,
    SamplingPrompt, SamplingRequest, ServiceError, sampling_response_text,
};

/// Tokens that a model may answer with, by default.
const DEFAULT_MAX_TOKENS: u64 = 1024;

impl HandlerCall<'_> {
    pub(super) fn send_log(&self, scope: &HandlerScope, arguments: &Value) {
        let level =
            arguments.get("level").and_then(Value::as_str).and_then(LogLevel::from_name).unwrap_or(LogLevel::Info);
        let message = arguments.get("message").map(truncate_value).unwrap_or_default();
        let data = match arguments.get("data").filter(|data| !data.is_null()) {
            Some(data) => json!({"message": message, "data": truncate_value(data)}),
            None => message,
        };
        tracing::debug!(target: CONTENT_TARGET, entry = scope.id, ?level, %data, "log line of a handler");
        self.keep_line(level, &data);
        let logger = arguments.get("logger").and_then(Value::as_str).unwrap_or(&scope.id);
        if let Some(client) = &self.info.client {
            // As text, which says how much memory its value takes.
            let data = Payload::text_of(&data).unwrap_or_else(|_| Payload::from_value(data));
            client.log_message(level, Some(&truncate_text(logger, MAX_HANDLER_NOTIFICATION_BYTES)), data);
        }
    }

    pub(super) fn send_progress(&self, arguments: &Value) {
        let number = |name: &str| arguments.get(name).and_then(Value::as_f64);
        let message = arguments.get("message").and_then(Value::as_str);
        if let Some((client, step)) = self.info.client.as_ref().zip(number("progress").or_else(|| number("step"))) {
            client.notify_progress(
                step,
                number("total"),
                message.map(|text| truncate_text(text, MAX_HANDLER_NOTIFICATION_BYTES)).as_deref(),
            );
        }
    }

    /// Requests input from the client, while the call waits or by ending the call.
    ///
    /// # Errors
    /// When the call ends with the input request.
    pub(super) fn request_client_input(&self, operation: &str, arguments: &Value) -> Result<OperationAnswer, Abort> {
        let asks = match self.parse_input_requests(operation, arguments) {
            Ok(asks) => asks,
            Err(why) => return Ok(Err(why)),
        };
        let Some(client) = self.info.client.as_deref() else {
            return Ok(Err("this call has no client that could be asked".to_owned()));
        };
        let (mut forms, mut is_deferred) = (Vec::new(), false);
        for ask in &asks {
            match client.input_mode(ask.kind.required_capability()) {
                InputMode::Unsupported => {
                    self.missing_capability.set(Some(ask.kind.required_capability()));
                    return Ok(Err(ServiceError::MissingCapability(ask.kind.required_capability()).to_string()));
                }
                InputMode::Inline => {}
                InputMode::Deferred => is_deferred = true,
            }
            match client.check_request(ask).and_then(compile_form) {
                Ok(form) => forms.push(form),
                Err(why) => return Ok(Err(why)),
            }
        }
        let answers: Vec<Value> = if is_deferred {
            let mut journal = self.journal.borrow_mut();
            // An invalid response counts as no response.
            let is_open = |ask: &InputRequest| {
                journal.unused_answer(&ask.key).is_none_or(|answer| !is_valid_response(&ask.kind, answer))
            };
            let open: Vec<InputRequest> = asks.iter().filter(|ask| is_open(ask)).cloned().collect();
            if !open.is_empty() {
                return Err(Abort::InputRequired(open));
            }
            asks.iter().filter_map(|ask| journal.take_answer(&ask.key)).collect()
        } else {
            match client.request_input(&asks) {
                Ok(answers) => answers.into_iter().map(Payload::into_value).collect(),
                Err(why) => return Ok(Err(why)),
            }
        };
        if operation == "llm" {
            let texts =
                answers.into_iter().map(|answer| sampling_response_text(Payload::from_value(answer)).map(Value::from));
            let texts: Option<Vec<Value>> = texts.collect();
            return Ok(texts.map(Value::from).ok_or_else(|| "the model's response has no text".to_owned()));
        }
        let mut values = asks
            .iter()
            .zip(&forms)
            .zip(&answers)
            .map(|((ask, form), answer)| check_form(form.as_ref(), response_for_handler(&ask.kind, answer)?));
        if operation != "ask" {
            return Ok(values.next().unwrap_or_else(|| Err("the client did not answer".to_owned())));
        }
        let values: Result<Vec<Value>, String> = values.collect();
        Ok(values
            .map(|values| Value::Object(asks.iter().map(|ask| ask.key.clone()).zip(values).collect::<Map<_, _>>())))
    }

    fn parse_input_requests(&self, operation: &str, arguments: &Value) -> Result<Vec<InputRequest>, String> {
        if operation == "llm" {
            return self.parse_llm_queries(arguments);
        }
        if operation != "ask" {
            return Ok(vec![self.parse_input_request(operation, arguments)?]);
        }
        let requests = arguments.get("requests").and_then(Value::as_object).ok_or("requests must have names")?;
        if requests.is_empty() || requests.len() > MAX_CONCURRENT_INPUT_REQUESTS {
            return Err(format!("send 1 to {MAX_CONCURRENT_INPUT_REQUESTS} requests at once"));
        }
        let one = |(key, request): (&String, &Value)| {
            let kinds = ["elicit", "sample", "roots"];
            let kind = kinds.into_iter().find_map(|kind| Some((kind, request.get(kind)?)));
            let (kind, request) = kind.ok_or_else(|| format!("{key} must be one of {}", kinds.join(", ")))?;
            let mut request = if request.is_object() { request.clone() } else { Map::new().into() };
            if let Some(fields) = request.as_object_mut() {
                fields.insert("key".to_owned(), key.clone().into());
            }
            self.parse_input_request(kind, &request)
        };
        requests.iter().map(one).collect()
    }

    /// Converts the queries of `alc.llm` and similar functions to requests to the model.
    fn parse_llm_queries(&self, arguments: &Value) -> Result<Vec<InputRequest>, String> {
        let queries = arguments.get("queries").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if queries.is_empty() || queries.len() > MAX_CONCURRENT_INPUT_REQUESTS {
            return Err(format!("send 1 to {MAX_CONCURRENT_INPUT_REQUESTS} requests at once"));
        }
        let ask = |query: &Value| {
            let text = |name: &str| query.get(name).and_then(Value::as_str).map(str::to_owned);
            InputRequest::from(SamplingPrompt {
                key: self.journal.borrow_mut().generate_key("llm"),
                prompt: text("prompt").unwrap_or_default(),
                system: text("system"),
                max_tokens: query.get("max_tokens").and_then(Value::as_u64).unwrap_or(DEFAULT_MAX_TOKENS),
            })
        };
        Ok(queries.iter().map(ask).collect())
    }

    /// Returns which input requests the client supports.
    pub(super) fn client_capabilities(&self) -> Value {
        let can = |capability| {
            self.info.client.as_ref().is_some_and(|client| client.input_mode(capability) != InputMode::Unsupported)
        };
        ClientCapability::NAMED.into_iter().map(|(name, capability)| (name, can(capability))).collect()
    }

    /// Notifies the subscribers of a change.
    pub(super) fn notify_changed(&self, scope: &HandlerScope, arguments: &Value) {
        let uri = arguments.get("uri").and_then(Value::as_str);
        // As everywhere, only modules that the entry lists count.
        let module = arguments.get("what").and_then(Value::as_str).filter(|module| scope.has_module(module));
        let what = match (module, uri) {
            (Some("tools"), _) => ChangeNotification::ToolList,
            (Some("prompts"), _) => ChangeNotification::PromptList,
            (Some("resources"), None) => ChangeNotification::ResourceList,
            (Some("resources"), Some(uri)) => ChangeNotification::Resource(uri.to_owned()),
            _ => return tracing::debug!(entry = scope.id, "a change notification names nothing"),
        };
        if let Some(client) = &self.info.client {
            client.notify_changed(&what);
        }
    }

    fn parse_input_request(&self, kind: &str, arguments: &Value) -> Result<InputRequest, String> {
        let question = match kind {
            "elicit" => InputRequestKind::Elicit(parse_elicitation(arguments)?),
            "sample" => InputRequestKind::Sample(parse_sampling(arguments)?),
            "roots" => InputRequestKind::Roots,
            _ => return Err("kind must be elicit, sample or roots".to_owned()),
        };
        let key = match arguments.get("key").and_then(Value::as_str) {
            Some(key) if !key.is_empty() && key.len() <= 200 => key.to_owned(),
            Some(_) => return Err("a key must have 1 to 200 bytes".to_owned()),
            None => self.journal.borrow_mut().generate_key(kind),
        };
        Ok(InputRequest { key, kind: question })
    }
}

/// Returns a value as a notification has it: as it is, or the beginning of its text.
fn truncate_value(value: &Value) -> Value {
    if let Value::String(text) = value {
        return truncate_text(text, MAX_HANDLER_NOTIFICATION_BYTES).into();
    }
    // One byte more shows that the text is longer.
    let mut text = BoundedBuffer { bytes: Vec::new(), limit: MAX_HANDLER_NOTIFICATION_BYTES + 1 };
    if serde_json::to_writer(&mut text, value).is_ok() && text.bytes.len() <= MAX_HANDLER_NOTIFICATION_BYTES {
        return value.clone();
    }
    let beginning = text.bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    truncate_text(&format!("{beginning}…"), MAX_HANDLER_NOTIFICATION_BYTES).into()
}

/// A buffer that refuses what does not fit.
struct BoundedBuffer {
    bytes: Vec<u8>,
    limit: usize,
}

impl io::Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fitting = bytes.get(..bytes.len().min(self.limit - self.bytes.len())).unwrap_or_default();
        self.bytes.extend_from_slice(fitting);
        Ok(fitting.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn parse_elicitation(arguments: &Value) -> Result<Elicitation, String> {
    let message = text_argument(arguments, "message")?.to_owned();
    if let Some(url) = arguments.get("url").and_then(Value::as_str) {
        return Ok(Elicitation::Url { message, url: url.to_owned() });
    }
    let mut schema = match arguments.get("schema") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(schema)) => schema.clone(),
        Some(Value::Array(items)) if items.is_empty() => Map::new(),
        Some(_) => return Err("schema must be a table".to_owned()),
    };
    // An empty table of Lua is an object.
    let is_empty = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    if schema.get("required").is_some_and(is_empty) {
        schema.remove("required");
    }
    schema.entry("type").or_insert_with(|| "object".into());
    schema.entry("properties").or_insert_with(|| Map::new().into());
    Ok(Elicitation::Form { message, schema: Payload::from_value(schema.into()) })
}

/// Compiles the schema that the client shows as a form.
fn compile_form(schema: Option<Payload>) -> Result<Option<CompiledSchema>, String> {
    let form = schema.map(|schema| CompiledSchema::new(&schema.into_value())).transpose();
    form.map_err(|why| format!("the schema of the form {why}"))
}

/// Checks that what the user accepted fits the form: a client need not check it.
fn check_form(form: Option<&CompiledSchema>, mut response: Value) -> OperationAnswer {
    if let (Some(form), Some(fields)) = (form, response.as_object_mut())
        && fields.get("action").is_some_and(|action| action == "accept")
    {
        let content = fields.entry("content").or_insert_with(|| Map::new().into());
        form.check(content).map_err(|why| format!("the client's response does not fit the form: {why}"))?;
    }
    Ok(response)
}

fn parse_sampling(arguments: &Value) -> Result<SamplingRequest, String> {
    let message = |message: &Value| {
        let content = match message.get("content") {
            Some(Value::String(text)) => json!({"type": "text", "text": text}),
            Some(content) => content.clone(),
            None => return Err("a message needs a content".to_owned()),
        };
        let role = message.get("role").and_then(Value::as_str).unwrap_or("user");
        Ok(json!({"role": role, "content": content}))
    };
    let messages = match (arguments.get("messages"), arguments.get("prompt").and_then(Value::as_str)) {
        (Some(Value::Array(messages)), _) => messages.iter().map(message).collect::<Result<Vec<_>, _>>()?,
        (_, Some(prompt)) => vec![json!({"role": "user", "content": {"type": "text", "text": prompt}})],
        _ => return Err("messages must be a list".to_owned()),
    };
    let payload = |name: &str| arguments.get(name).filter(|value| !value.is_null()).cloned().map(Payload::from_value);
    let stop = arguments.get("stop_sequences").and_then(Value::as_array).into_iter().flatten();
    Ok(SamplingRequest {
        messages: Payload::from_value(messages.into()),
        system: arguments.get("system").and_then(Value::as_str).map(str::to_owned),
        max_tokens: arguments.get("max_tokens").and_then(Value::as_u64).unwrap_or(DEFAULT_MAX_TOKENS),
        temperature: arguments.get("temperature").and_then(Value::as_f64),
        stop_sequences: stop.filter_map(|stop| stop.as_str().map(str::to_owned)).collect(),
        preferences: payload("preferences"),
        tools: payload("tools"),
        tool_choice: payload("tool_choice"),
    })
}

/// Whether a response has the form that its request needs.
fn is_valid_response(question: &InputRequestKind, answer: &Value) -> bool {
    match question {
        InputRequestKind::Elicit(_) => {
            let action = answer.get("action").and_then(Value::as_str);
            let has_form = answer.get("content").is_none_or(|content| content.is_object() || content.is_null());
            matches!(action, Some("accept" | "decline" | "cancel")) && has_form
        }
        InputRequestKind::Sample(_) => {
            answer.get("content").is_some_and(|content| content.is_object() || content.is_array())
        }
        InputRequestKind::Roots => answer.get("roots").is_some_and(Value::is_array),
    }
}

/// Converts a response to the form that a handler gets.
fn response_for_handler(question: &InputRequestKind, answer: &Value) -> OperationAnswer {
    if !is_valid_response(question, answer) {
        return Err("the client's response does not fit the request".to_owned());
    }
    let fields = |names: &[&str]| {
        let present = names.iter().filter_map(|name| Some(((*name).to_owned(), answer.get(*name)?.clone())));
        Value::Object(present.filter(|(_, value)| !value.is_null()).collect())
    };
    Ok(match question {
        InputRequestKind::Elicit(_) => fields(&["action", "content"]),
        InputRequestKind::Sample(_) => fields(&["role", "content", "model", "stopReason"]),
        InputRequestKind::Roots => answer.get("roots").cloned().unwrap_or_default(),
    })
}
