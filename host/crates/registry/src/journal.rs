//! The journal of a handler, for a client that ends its call with an input request and repeats the call: the handler
//! runs again from its start, the journal answers its earlier operations, and its earlier notifications are not sent
//! again, so that nothing is done twice.
//!
//! Owns: the form in which a client carries the journal, encrypted, and its bound.
//! Never: answers another operation than the recorded one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::entry::RegistryEntry;
use super::operations::OperationAnswer;
use crate::limits::MAX_REQUEST_STATE_JOURNAL_BYTES;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::hex::encode_hex;
use wardroom_service::{ClientResponses, InputRequired};

/// The version of the form that a client carries.
const FORMAT_VERSION: u32 = 3;

/// One operation and its answer.
#[derive(Clone, Serialize, Deserialize)]
struct ReplayStep {
    /// A digest of the operation and its arguments.
    #[serde(rename = "q")]
    question_digest: String,
    #[serde(rename = "a")]
    answer: OperationAnswer,
    /// How many input requests had a generated key by then.
    #[serde(rename = "n")]
    generated_key_count: usize,
}

/// A journal as a client carries it.
#[derive(Serialize, Deserialize)]
struct CarriedJournal<'j> {
    /// The version of the handler whose it is.
    handler: String,
    seed: u64,
    steps: Cow<'j, [ReplayStep]>,
    notification_count: usize,
    unused_answers: BTreeMap<String, Value>,
}

#[derive(Default)]
pub(super) struct HandlerJournal {
    /// The seed of `math.random`.
    pub(super) seed: u64,
    steps: Vec<ReplayStep>,
    /// How many of the steps were replayed.
    position: usize,
    /// The client's responses that no step has used, by key.
    unused_answers: BTreeMap<String, Value>,
    /// How many input requests got a generated key.
    generated_key_count: usize,
    /// How many notifications the handler sent since the last step, and how many of those were sent before the call was
    /// repeated.
    notification_count: usize,
    replayed_notification_count: usize,
    /// Whether the client has to carry the journal, and the size of the journal by now, in bytes.
    is_recording: bool,
    recorded_bytes: usize,
}

impl HandlerJournal {
    /// Starts a journal. It is kept where the client can be asked by ending the call.
    pub(super) fn new(seed: u64, is_kept: bool) -> Self {
        Self { seed, is_recording: is_kept, ..Self::default() }
    }

    /// Resumes from the responses of a client.
    ///
    /// # Errors
    /// A message, where the journal belongs to another handler, or to another version of it.
    pub(super) fn resume(self, responses: &ClientResponses, entry: &RegistryEntry) -> Result<Self, String> {
        let answers = responses.responses.iter().map(|(key, value)| (key.clone(), value.clone().into_value()));
        let Some(token) = &responses.continuation_token else {
            return Ok(Self { unused_answers: answers.collect(), ..self });
        };
        let carried: Option<CarriedJournal<'_>> = serde_json::from_str(token).ok();
        let carried = carried.filter(|carried| carried.handler == handler_version(entry));
        let carried = carried.ok_or("the handler has changed since: call again without requestState")?;
        let mut unused_answers = carried.unused_answers;
        unused_answers.extend(answers);
        Ok(Self {
            steps: carried.steps.into_owned(),
            unused_answers,
            recorded_bytes: token.len(),
            replayed_notification_count: carried.notification_count,
            ..Self::new(carried.seed, true)
        })
    }

    /// Returns the recorded answer of an operation.
    ///
    /// # Errors
    /// A message, where another operation was recorded at this position.
    pub(super) fn replay_answer(
        &mut self,
        operation: &str,
        arguments: &Value,
    ) -> Result<Option<OperationAnswer>, String> {
        let Some(step) = self.steps.get(self.position) else { return Ok(None) };
        if step.question_digest != question_digest(operation, arguments) {
            return Err(format!(
                "the handler called {operation} where it called something else before the input request: it must \
                 repeat the same calls when it is called again"
            ));
        }
        self.position += 1;
        // The input requests that follow get the same keys again.
        self.generated_key_count = step.generated_key_count;
        Ok(Some(step.answer.clone()))
    }

    /// Whether a notification of the handler was not sent before.
    pub(super) const fn should_notify(&mut self) -> bool {
        if self.position < self.steps.len() {
            return false;
        }
        self.notification_count += 1;
        self.notification_count > self.replayed_notification_count
    }

    pub(super) fn record(&mut self, operation: &str, arguments: &Value, answer: &OperationAnswer) {
        (self.notification_count, self.replayed_notification_count) = (0, 0);
        if !self.is_recording {
            return;
        }
        let size = match answer {
            Ok(value) => value.to_string().len(),
            Err(why) => why.len(),
        };
        self.recorded_bytes = self.recorded_bytes.saturating_add(size + operation.len() + 32);
        // Beyond the limit, only the size is needed.
        if self.recorded_bytes <= MAX_REQUEST_STATE_JOURNAL_BYTES {
            let question = question_digest(operation, arguments);
            self.steps.push(ReplayStep {
                question_digest: question,
                answer: answer.clone(),
                generated_key_count: self.generated_key_count,
            });
            self.position = self.steps.len();
        }
    }

    /// Generates a key for an input request without one.
    pub(super) fn generate_key(&mut self, kind: &str) -> String {
        self.generated_key_count += 1;
        format!("{kind}_{}", self.generated_key_count)
    }

    /// Returns the client's response to an input request.
    pub(super) fn unused_answer(&self, key: &str) -> Option<&Value> {
        self.unused_answers.get(key)
    }

    /// Takes the client's response to an input request: a used response answers nothing else.
    pub(super) fn take_answer(&mut self, key: &str) -> Option<Value> {
        self.unused_answers.remove(key)
    }

    /// Ends a call with input requests.
    ///
    /// # Errors
    /// A message, where the journal is larger than a client may carry.
    pub(super) fn to_input_required(
        &self,
        asks: Vec<wardroom_service::InputRequest>,
        entry: &RegistryEntry,
    ) -> Result<InputRequired, String> {
        let is_asked = |key: &String| asks.iter().any(|ask| ask.key == *key);
        let unused = self.unused_answers.iter().filter(|(key, _)| !is_asked(key));
        let carried = CarriedJournal {
            handler: handler_version(entry),
            seed: self.seed,
            steps: Cow::Borrowed(&self.steps),
            notification_count: self.notification_count.max(self.replayed_notification_count),
            unused_answers: unused.map(|(key, answer)| (key.clone(), answer.clone())).collect(),
        };
        let token = serde_json::to_string(&carried).map_err(|error| error.to_string())?;
        if self.recorded_bytes.max(token.len()) > MAX_REQUEST_STATE_JOURNAL_BYTES {
            return Err(format!(
                "the handler received more than {} before its input request, the limit for requestState: request input \
                 earlier, or read less before",
                ByteSize(MAX_REQUEST_STATE_JOURNAL_BYTES as u64)
            ));
        }
        Ok(InputRequired { requests: asks, continuation_token: token, may_repeat: false })
    }
}

/// Returns the name of an operation, and a digest of its arguments.
fn question_digest(operation: &str, arguments: &Value) -> String {
    format!("{operation} {}", short_digest(&Sha256::digest(arguments.to_string())))
}

/// Identifies the version of a handler: its entry, its source, and the version of the journal's form.
fn handler_version(entry: &RegistryEntry) -> String {
    let source = entry.handler.as_ref().map_or("", |handler| &handler.source);
    format!("{FORMAT_VERSION} {} {}", entry.id, short_digest(&Sha256::digest(source)))
}

/// Returns enough of a digest to distinguish two of them.
fn short_digest(digest: &[u8]) -> String {
    encode_hex(digest.iter().take(8))
}
