//! The client behind a call, as far as a service may notify it or request its input during the call.
//!
//! Owns: the plain types for that. Implementations know the protocol; callers do not.
//! Never: promises that a client listens, or that it has a model.

use std::collections::BTreeMap;

use serde_json::Value;

use wardroom_base::payload::Payload;

/// Sends notifications and input requests to the client of a call.
pub trait Client: Send + Sync {
    /// Reports the progress of the call. The client may ignore it.
    fn notify_progress(&self, step: f64, total: Option<f64>, message: Option<&str>);

    /// Sends a log message. Clients that requested this level receive it.
    fn log_message(&self, level: LogLevel, logger: Option<&str>, data: Payload) {
        let _ = (level, logger, data);
    }

    /// Notifies the subscribers of a change.
    fn notify_changed(&self, what: &ChangeNotification) {
        let _ = what;
    }

    /// Returns how the client's model can be sampled.
    fn sampling_mode(&self) -> InputMode {
        self.input_mode(ClientCapability::Sampling)
    }

    /// Returns how the client can be asked for input that needs this capability.
    fn input_mode(&self, feature: ClientCapability) -> InputMode;

    /// Checks an input request. Returns the schema of its form as the client gets it: the protocol has few keywords, and leaves
    /// out the others.
    ///
    /// # Errors
    /// A message that says what is wrong.
    fn check_request(&self, ask: &InputRequest) -> Result<Option<Payload>, String> {
        let _ = ask;
        Ok(None)
    }

    /// Requests input while the call waits, where [`InputMode::Inline`] allows it. Returns the unchanged results in
    /// order.
    ///
    /// # Errors
    /// The client's error as a message.
    fn request_input(&self, asks: &[InputRequest]) -> Result<Vec<Payload>, String>;

    /// Continues the call as a task, whose id the client gets at once. Returns whether the call is a task now: not
    /// every call can be one.
    ///
    /// # Errors
    /// A message, where the task cannot be stored.
    fn begin_task(&self) -> Result<bool, String> {
        Ok(false)
    }

    /// Whether the client declared that it shows the pages of MCP Apps.
    fn shows_apps(&self) -> bool {
        false
    }

    /// Returns the client's responses, if the call repeats one that ended with input requests.
    fn client_responses(&self) -> Option<&ClientResponses>;
}

/// A change that clients can be notified of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeNotification {
    ToolList,
    PromptList,
    /// The list of resources.
    ResourceList,
    Resource(String),
}

/// A request of the server that a client may be able to serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientCapability {
    /// Sample its model.
    Sampling,
    /// Let its model call tools while it is sampled.
    SamplingWithTools,
    /// Show its user a form.
    FormElicitation,
    /// Send its user to a web page.
    UrlElicitation,
    /// List the folders in which its user works.
    Roots,
}

impl ClientCapability {
    /// All of them, by the names that entries, handlers and files of tasks have for them.
    pub const NAMED: [(&'static str, Self); 5] = [
        ("sampling", Self::Sampling),
        ("sampling.tools", Self::SamplingWithTools),
        ("elicitation", Self::FormElicitation),
        ("elicitation.url", Self::UrlElicitation),
        ("roots", Self::Roots),
    ];
}

/// How the server can request input from a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputMode {
    /// Not at all: the call ends with the question.
    Unsupported,
    /// By a request of the server, while the call waits.
    Inline,
    /// By ending the call with the request; the client then repeats the call with its response.
    Deferred,
}

/// The severity of a log message.
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
    /// Returns the name in the protocol.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// Returns the level with this name in the protocol, or `None`.
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

/// A question for the client's model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplingPrompt {
    /// Its key among the requests that are sent together.
    pub key: String,
    pub prompt: String,
    pub system: Option<String>,
    pub max_tokens: u64,
}

/// A request for the client's input.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequest {
    /// Its key among the requests that are sent together.
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
    /// Returns the capability that the client needs.
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

/// A conversation for the client's model to continue; messages and payloads have the protocol's form.
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

/// The input that a call needs before it can be answered.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequired {
    pub requests: Vec<InputRequest>,
    /// Identifies the call to this service when the client repeats it. The client gets it encrypted.
    pub continuation_token: String,
    /// Whether the repeated call may run again when it was interrupted: what it does is journaled by the service.
    pub may_repeat: bool,
}

/// A client's responses to input requests, sent with the repeated call.
#[derive(Debug, Clone, Default)]
pub struct ClientResponses {
    /// The token of the service's own [`InputRequired`], decrypted and verified. `None` where the service requested
    /// nothing and the call has responses all the same.
    pub continuation_token: Option<String>,
    /// By the keys of the requests, unchanged.
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

/// Returns the text of a sampling response; `None` if the response is malformed or has no text.
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
