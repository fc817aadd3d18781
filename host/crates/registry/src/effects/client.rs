//! The client behind a request: what handlers tell it, and what they ask it.
//!
//! Owns: the forms of questions and answers, and that a question is asked in whichever way the client can be asked.

use serde_json::{Map, Value, json};

use super::{Scope, text};
use crate::calls::{Conversation, Halt};
use wardroom_base::limits::MAX_ASKED_AT_ONCE;
use wardroom_base::payload::Payload;
use wardroom_service::{
    Ask, Changed, Elicitation, Feature, Level, Question, Sample, Sampling, SamplingRequest, ServiceError, answer_text,
};

/// Tokens that a model may answer with, when nothing is said.
const DEFAULT_TOKENS: u64 = 1024;

impl Conversation<'_> {
    pub(super) fn log(&self, scope: &Scope, arguments: &Value) {
        let level = arguments.get("level").and_then(Value::as_str).and_then(Level::named).unwrap_or(Level::Info);
        let message = arguments.get("message").cloned().unwrap_or_default();
        let data = match arguments.get("data").filter(|data| !data.is_null()) {
            Some(data) => json!({"message": message, "data": data}),
            None => message,
        };
        tracing::debug!(entry = scope.id, ?level, %data, "a handler logs");
        let logger = arguments.get("logger").and_then(Value::as_str).unwrap_or(&scope.id);
        if let Some(client) = &self.context.client {
            client.log(level, Some(logger), Payload::from_value(data));
        }
    }

    pub(super) fn progress(&self, arguments: &Value) {
        let number = |name: &str| arguments.get(name).and_then(Value::as_f64);
        let message = arguments.get("message").and_then(Value::as_str);
        if let Some((client, step)) = self.context.client.as_ref().zip(number("progress").or_else(|| number("step"))) {
            client.progress(step, number("total"), message);
        }
    }

    /// Asks the client, while the request waits or by ending it.
    ///
    /// # Errors
    /// Where the request ends with the question.
    pub(super) fn ask_client(&self, operation: &str, arguments: &Value) -> Result<Result<Value, String>, Halt> {
        let asks = match self.asked(operation, arguments) {
            Ok(asks) => asks,
            Err(why) => return Ok(Err(why)),
        };
        let Some(client) = self.context.client.as_deref() else {
            return Ok(Err("nobody who could be asked waits for this".to_owned()));
        };
        let mut by_return = false;
        for ask in &asks {
            match client.can(ask.question.feature()) {
                Sampling::Never => {
                    self.lacked.set(Some(ask.question.feature()));
                    return Ok(Err(ServiceError::Lacks(ask.question.feature()).to_string()));
                }
                Sampling::Now => {}
                Sampling::ByReturn => by_return = true,
            }
            if let Err(why) = client.check(ask) {
                return Ok(Err(why));
            }
        }
        let answers: Vec<Value> = if by_return {
            let mut journal = self.journal.borrow_mut();
            // What is no answer to the question is as good as none.
            let is_open = |ask: &Ask| journal.given(&ask.key).is_none_or(|answer| !fits(&ask.question, answer));
            let open: Vec<Ask> = asks.iter().filter(|ask| is_open(ask)).cloned().collect();
            if !open.is_empty() {
                return Err(Halt::Asks(open));
            }
            asks.iter().filter_map(|ask| journal.take(&ask.key)).collect()
        } else {
            match client.ask(&asks) {
                Ok(answers) => answers.into_iter().map(Payload::into_value).collect(),
                Err(why) => return Ok(Err(why)),
            }
        };
        if operation == "llm" {
            let texts = answers.into_iter().map(|answer| answer_text(Payload::from_value(answer)).map(Value::from));
            let texts: Option<Vec<Value>> = texts.collect();
            return Ok(texts.map(Value::from).ok_or_else(|| "the model's answer has no text".to_owned()));
        }
        let mut told = asks.iter().zip(&answers).map(|(ask, answer)| answered(&ask.question, answer));
        if operation != "ask" {
            return Ok(told.next().unwrap_or_else(|| Err("the client did not answer".to_owned())));
        }
        let told: Result<Vec<Value>, String> = told.collect();
        Ok(told.map(|told| Value::Object(asks.iter().map(|ask| ask.key.clone()).zip(told).collect::<Map<_, _>>())))
    }

    fn asked(&self, operation: &str, arguments: &Value) -> Result<Vec<Ask>, String> {
        if operation == "llm" {
            return self.queries(arguments);
        }
        if operation != "ask" {
            return Ok(vec![self.one(operation, arguments)?]);
        }
        let requests = arguments.get("requests").and_then(Value::as_object).ok_or("requests must have names")?;
        if requests.is_empty() || requests.len() > MAX_ASKED_AT_ONCE {
            return Err(format!("1 to {MAX_ASKED_AT_ONCE} questions can be asked at once"));
        }
        let one = |(key, request): (&String, &Value)| {
            let kinds = ["elicit", "sample", "roots"];
            let kind = kinds.into_iter().find_map(|kind| Some((kind, request.get(kind)?)));
            let (kind, request) = kind.ok_or_else(|| format!("{key} must be one of {}", kinds.join(", ")))?;
            let mut request = if request.is_object() { request.clone() } else { Map::new().into() };
            if let Some(fields) = request.as_object_mut() {
                fields.insert("key".to_owned(), key.clone().into());
            }
            self.one(kind, &request)
        };
        requests.iter().map(one).collect()
    }

    /// What `alc.llm` and its like ask, as questions for the model.
    fn queries(&self, arguments: &Value) -> Result<Vec<Ask>, String> {
        let queries = arguments.get("queries").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if queries.is_empty() || queries.len() > MAX_ASKED_AT_ONCE {
            return Err(format!("1 to {MAX_ASKED_AT_ONCE} questions can be asked at once"));
        }
        let ask = |query: &Value| {
            let text = |name: &str| query.get(name).and_then(Value::as_str).map(str::to_owned);
            Ask::from(Sample {
                key: self.journal.borrow_mut().key("llm"),
                prompt: text("prompt").unwrap_or_default(),
                system: text("system"),
                max_tokens: query.get("max_tokens").and_then(Value::as_u64).unwrap_or(DEFAULT_TOKENS),
            })
        };
        Ok(queries.iter().map(ask).collect())
    }

    /// What the client can be asked for.
    pub(super) fn features(&self) -> Value {
        let can = |feature| self.context.client.as_ref().is_some_and(|client| client.can(feature) != Sampling::Never);
        json!({
            "sampling": can(Feature::Sampling), "sampling.tools": can(Feature::SamplingWithTools),
            "elicitation": can(Feature::Form), "elicitation.url": can(Feature::Page), "roots": can(Feature::Roots),
        })
    }

    /// Has those told who subscribed to it.
    pub(super) fn changed(&self, scope: &Scope, arguments: &Value) {
        let uri = arguments.get("uri").and_then(Value::as_str);
        // Of what its entry lists, as everything.
        let module = arguments.get("what").and_then(Value::as_str).filter(|module| scope.lists(module));
        let what = match (module, uri) {
            (Some("tools"), _) => Changed::Tools,
            (Some("prompts"), _) => Changed::Prompts,
            (Some("resources"), None) => Changed::Resources,
            (Some("resources"), Some(uri)) => Changed::Resource(uri.to_owned()),
            _ => return tracing::debug!(entry = scope.id, "a change of nothing is told"),
        };
        if let Some(client) = &self.context.client {
            client.changed(&what);
        }
    }

    fn one(&self, kind: &str, arguments: &Value) -> Result<Ask, String> {
        let question = match kind {
            "elicit" => Question::Elicit(elicitation(arguments)?),
            "sample" => Question::Sample(sampling(arguments)?),
            "roots" => Question::Roots,
            _ => return Err("kind must be elicit, sample or roots".to_owned()),
        };
        let key = match arguments.get("key").and_then(Value::as_str) {
            Some(key) if !key.is_empty() && key.len() <= 200 => key.to_owned(),
            Some(_) => return Err("a key has 1 to 200 bytes".to_owned()),
            None => self.journal.borrow_mut().key(kind),
        };
        Ok(Ask { key, question })
    }
}

fn elicitation(arguments: &Value) -> Result<Elicitation, String> {
    let message = text(arguments, "message")?.to_owned();
    if let Some(url) = arguments.get("url").and_then(Value::as_str) {
        return Ok(Elicitation::Page { message, url: url.to_owned() });
    }
    let mut schema = match arguments.get("schema") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(schema)) => schema.clone(),
        Some(Value::Array(items)) if items.is_empty() => Map::new(),
        Some(_) => return Err("schema must be a table".to_owned()),
    };
    schema.entry("type").or_insert_with(|| "object".into());
    schema.entry("properties").or_insert_with(|| Map::new().into());
    Ok(Elicitation::Form { message, schema: Payload::from_value(schema.into()) })
}

fn sampling(arguments: &Value) -> Result<SamplingRequest, String> {
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
        max_tokens: arguments.get("max_tokens").and_then(Value::as_u64).unwrap_or(DEFAULT_TOKENS),
        temperature: arguments.get("temperature").and_then(Value::as_f64),
        stop_sequences: stop.filter_map(|stop| stop.as_str().map(str::to_owned)).collect(),
        preferences: payload("preferences"),
        tools: payload("tools"),
        tool_choice: payload("tool_choice"),
    })
}

/// Whether something is an answer to a question at all.
fn fits(question: &Question, answer: &Value) -> bool {
    match question {
        Question::Elicit(_) => {
            let action = answer.get("action").and_then(Value::as_str);
            let has_form = answer.get("content").is_none_or(|content| content.is_object() || content.is_null());
            matches!(action, Some("accept" | "decline" | "cancel")) && has_form
        }
        Question::Sample(_) => answer.get("content").is_some_and(|content| content.is_object() || content.is_array()),
        Question::Roots => answer.get("roots").is_some_and(Value::is_array),
    }
}

/// An answer as a handler gets it.
fn answered(question: &Question, answer: &Value) -> Result<Value, String> {
    if !fits(question, answer) {
        return Err("the client's answer is none to what it was asked".to_owned());
    }
    let fields = |names: &[&str]| {
        let present = names.iter().filter_map(|name| Some(((*name).to_owned(), answer.get(*name)?.clone())));
        Value::Object(present.filter(|(_, value)| !value.is_null()).collect())
    };
    Ok(match question {
        Question::Elicit(_) => fields(&["action", "content"]),
        Question::Sample(_) => fields(&["role", "content", "model", "stopReason"]),
        Question::Roots => answer.get("roots").cloned().unwrap_or_default(),
    })
}
