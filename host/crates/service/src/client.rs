//! The client behind a call, as far as a service may tell it something or ask it while the call goes on.
//!
//! Owns: the plain types for that. Who implements them knows the protocol; who uses them does not.
//! Never: promises that a client listens, or that it has a model.

use std::collections::BTreeMap;

use serde_json::Value;

use wardroom_base::payload::Payload;

/// What a call's client can be told and asked.
pub trait Client: Send + Sync {
    /// Tells how far the call is. Nobody may listen.
    fn notify_progress(&self, step: f64, total: Option<f64>, message: Option<&str>);

    /// Tells something for its log. It goes to clients that asked for this level.
    fn log_message(&self, level: LogLevel, logger: Option<&str>, data: Payload) {
        let _ = (level, logger, data);
    }

    /// Has whoever subscribed to it told that something changed.
    fn notify_changed(&self, what: &ChangeNotification) {
        let _ = what;
    }

    /// How its model can be asked.
    fn sampling_mode(&self) -> InputMode {
        self.input_mode(ClientCapability::Sampling)
    }

    /// How it can be asked for something.
    fn input_mode(&self, feature: ClientCapability) -> InputMode;

    /// Whether a question has the form that it must have.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    fn validate_request(&self, ask: &InputRequest) -> Result<(), String> {
        let _ = ask;
        Ok(())
    }

    /// Asks it while the call waits, where [`InputMode::Inline`] says that it may. The results in their order, as they came.
    ///
    /// # Errors
    /// What the client said instead, in words.
    fn request_input(&self, asks: &[InputRequest]) -> Result<Vec<Payload>, String>;

    /// Has the call go on as a task, whose name the client gets at once. Whether it is one now: not every call can be.
    ///
    /// # Errors
    /// In words, where it cannot be kept.
    fn begin_task(&self) -> Result<bool, String> {
        Ok(false)
    }

    /// What it brought, where this call is an earlier one with what that one asked for.
    fn client_responses(&self) -> Option<&ClientResponses>;
}

/// What clients can be told has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeNotification {
    ToolList,
    PromptList,
    /// The list of them.
    ResourceList,
    Resource(String),
}

/// What a client may be able to do for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientCapability {
    /// Ask its model.
    Sampling,
    /// Let its model call tools meanwhile.
    SamplingWithTools,
    /// Ask its user to fill in a form.
    FormElicitation,
    /// Send its user to a page.
    UrlElicitation,
    /// Say in which folders its user works.
    Roots,
}

/// How a client can be asked by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputMode {
    /// Not at all: the call ends with the question.
    Unsupported,
    /// By a request of the server's, while the call waits.
    Inline,
    /// By ending the call with the question, after which the client calls again with the answer.
    Deferred,
}

/// How much a line of a log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LogLevel {
    /// By its name in the protocol; nothing for another one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "debug" => Self::Debug,
            "info" => Self::Info,
            "notice" => Self::Notice,
            "warning" | "warn" => Self::Warning,
            "error" => Self::Error,
            "critical" => Self::Critical,
            "alert" => Self::Alert,
            "emergency" => Self::Emergency,
            _ => return None,
        })
    }
}

/// One question for the client's model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplingPrompt {
    /// Its name among those that are asked together.
    pub key: String,
    pub prompt: String,
    pub system: Option<String>,
    pub max_tokens: u64,
}

/// One question for the client.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequest {
    /// Its name among those that are asked together.
    pub key: String,
    pub kind: InputRequestKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum InputRequestKind {
    Sample(SamplingRequest),
    Elicit(Elicitation),
    Roots,
}

impl InputRequestKind {
    /// What a client must be able to do.
    #[must_use]
    pub fn required_capability(&self) -> ClientCapability {
        match self {
            Self::Sample(request) if request.tools.is_some() => ClientCapability::SamplingWithTools,
            Self::Sample(_) => ClientCapability::Sampling,
            Self::Elicit(Elicitation::Form { .. }) => ClientCapability::FormElicitation,
            Self::Elicit(Elicitation::Url { .. }) => ClientCapability::UrlElicitation,
            Self::Roots => ClientCapability::Roots,
        }
    }
}

/// A conversation for the client's model to go on with; messages and what else there is as the protocol has them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SamplingRequest {
    pub messages: Payload,
    pub system: Option<String>,
    pub max_tokens: u64,
    pub temperature: Option<f64>,
    pub stop_sequences: Vec<String>,
    pub preferences: Option<Payload>,
    pub tools: Option<Payload>,
    pub tool_choice: Option<Payload>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Elicitation {
    /// The schema is an object with plain properties.
    Form {
        message: String,
        schema: Payload,
    },
    Url {
        message: String,
        url: String,
    },
}

/// What a call needs before it can be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequired {
    pub requests: Vec<InputRequest>,
    /// What this service will know the call by when it comes again. The client gets it sealed.
    pub continuation_token: String,
}

/// What a client brought to a call that it makes again.
#[derive(Debug, Clone, Default)]
pub struct ClientResponses {
    /// Of the service's own [`InputRequired`], whose seal was whole. Empty where nobody asked, and the call brings answers all the
    /// same.
    pub continuation_token: String,
    /// By the names that were given, as they came.
    pub responses: BTreeMap<String, Payload>,
}

impl From<SamplingPrompt> for InputRequest {
    fn from(sample: SamplingPrompt) -> Self {
        let SamplingPrompt { key, prompt, system, max_tokens } = sample;
        let message = serde_json::json!([{"role": "user", "content": {"type": "text", "text": prompt}}]);
        let messages = Payload::from_value(message);
        let request = SamplingRequest { messages, system, max_tokens, ..SamplingRequest::default() };
        Self { key, kind: InputRequestKind::Sample(request) }
    }
}

/// The words of a model's answer; nothing for what is none, or has no words.
#[must_use]
pub fn sampling_response_text(answer: Payload) -> Option<String> {
    let Value::Object(mut answer) = answer.into_value() else { return None };
    let blocks = match answer.remove("content")? {
        Value::Array(blocks) => blocks,
        block => vec![block],
    };
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
