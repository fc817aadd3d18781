//! What a handler asked and was answered, for a client that ends its call with a question and calls again: the handler is
//! run from its start, whatever it asked before is answered from here, and what it told is not told again, so that nothing
//! is done twice.
//!
//! Owns: the form in which a client carries it, sealed, and its bound.
//! Never: answers another question than the one that was asked.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::entry::RegistryEntry;
use crate::limits::MAX_REQUEST_STATE_JOURNAL_BYTES;
use wardroom_base::hex::encode_hex;
use wardroom_service::{ClientResponses, InputRequired};

/// What a client carries has this form.
const FORMAT_VERSION: u32 = 2;

/// One question and its answer.
struct ReplayStep {
    /// In short.
    question_digest: String,
    answer: Result<Value, String>,
    /// How many questions had a name of our making by then.
    generated_key_count: usize,
}

#[derive(Default)]
pub(super) struct HandlerJournal {
    /// What `math.random` begins with.
    pub(super) seed: u64,
    steps: Vec<ReplayStep>,
    /// How many of them were asked again.
    position: usize,
    /// What the client answered and no step has yet, by its name.
    unused_answers: BTreeMap<String, Value>,
    /// How many questions had no name, and got one of our making.
    generated_key_count: usize,
    /// What the handler told since the last step; and how much of that its client was told before it was asked.
    notification_count: usize,
    replayed_notification_count: usize,
    /// Whether it has to be carried, and how large it is by now.
    is_recording: bool,
    recorded_bytes: usize,
}

impl HandlerJournal {
    /// One that begins. It is `kept` where the client can be asked by ending the call.
    pub(super) fn new(seed: u64, is_kept: bool) -> Self {
        Self { seed, is_recording: is_kept, ..Self::default() }
    }

    /// What a client brought back.
    ///
    /// # Errors
    /// In words, where it belongs to another handler, or to another version of it.
    pub(super) fn resume(self, brought: &ClientResponses, entry: &RegistryEntry) -> Result<Self, String> {
        let answers = brought.responses.iter().map(|(key, value)| (key.clone(), value.clone().into_value()));
        if brought.continuation_token.is_empty() {
            return Ok(Self { unused_answers: answers.collect(), ..self });
        }
        let carried: Value = serde_json::from_str(&brought.continuation_token).unwrap_or_default();
        let (seed, handler) = (carried.get("seed").and_then(Value::as_u64), carried.get("handler"));
        let seed = seed.filter(|_| handler.and_then(Value::as_str) == Some(&handler_version(entry)));
        let seed = seed.ok_or("the handler is another one by now: call again without requestState")?;
        let steps = carried.get("steps").and_then(Value::as_array).into_iter().flatten().map(parse_step);
        let steps: Option<Vec<ReplayStep>> = steps.collect();
        let steps = steps.ok_or("what the client carries is not whole: call again without requestState")?;
        let told_before = carried.get("told").and_then(Value::as_u64).and_then(|told| usize::try_from(told).ok());
        let mut given: BTreeMap<String, Value> = BTreeMap::new();
        for (key, value) in carried.get("given").and_then(Value::as_object).into_iter().flatten() {
            given.insert(key.clone(), value.clone());
        }
        given.extend(answers);
        let bytes = brought.continuation_token.len();
        Ok(Self {
            steps,
            unused_answers: given,
            recorded_bytes: bytes,
            replayed_notification_count: told_before.unwrap_or(0),
            ..Self::new(seed, true)
        })
    }

    /// The answer that this question had before.
    ///
    /// # Errors
    /// In words, where another question was asked at this place.
    pub(super) fn replay_answer(
        &mut self,
        operation: &str,
        arguments: &Value,
    ) -> Result<Option<Result<Value, String>>, String> {
        let Some(step) = self.steps.get(self.position) else { return Ok(None) };
        if step.question_digest != question_digest(operation, arguments) {
            return Err(format!(
                "the handler asks {operation} where it asked something else before its client was asked: it must do the \
                 same when it is called again"
            ));
        }
        self.position += 1;
        // So that those that follow have the names that they had.
        self.generated_key_count = step.generated_key_count;
        Ok(Some(step.answer.clone()))
    }

    /// Whether what the handler tells now is news.
    pub(super) const fn should_notify(&mut self) -> bool {
        if self.position < self.steps.len() {
            return false;
        }
        self.notification_count += 1;
        self.notification_count > self.replayed_notification_count
    }

    pub(super) fn record(&mut self, operation: &str, arguments: &Value, answer: &Result<Value, String>) {
        (self.notification_count, self.replayed_notification_count) = (0, 0);
        if !self.is_recording {
            return;
        }
        let size = match answer {
            Ok(value) => value.to_string().len(),
            Err(why) => why.len(),
        };
        self.recorded_bytes = self.recorded_bytes.saturating_add(size + operation.len() + 32);
        // Of what is too large to be carried the size is enough.
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

    /// A name for a question that has none.
    pub(super) fn generate_key(&mut self, kind: &str) -> String {
        self.generated_key_count += 1;
        format!("{kind}_{}", self.generated_key_count)
    }

    /// What the client answered to this.
    pub(super) fn unused_answer(&self, key: &str) -> Option<&Value> {
        self.unused_answers.get(key)
    }

    /// What was used is not an answer to anything else.
    pub(super) fn take_answer(&mut self, key: &str) -> Option<Value> {
        self.unused_answers.remove(key)
    }

    /// Ends a call with questions.
    ///
    /// # Errors
    /// In words, where there is more than a client is to carry.
    pub(super) fn to_input_required(
        &self,
        asks: Vec<wardroom_service::InputRequest>,
        entry: &RegistryEntry,
    ) -> Result<InputRequired, String> {
        let steps: Vec<Value> = self
            .steps
            .iter()
            .map(|ReplayStep { question_digest: question, answer, generated_key_count: named }| match answer {
                Ok(value) => json!([question, named, value]),
                Err(why) => json!([question, named, null, why]),
            })
            .collect();
        let asked: Vec<&str> = asks.iter().map(|ask| ask.key.as_str()).collect();
        let given: serde_json::Map<String, Value> = self
            .unused_answers
            .iter()
            .filter(|(key, _)| !asked.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let told = self.notification_count.max(self.replayed_notification_count);
        let handle =
            json!({"handler": handler_version(entry), "seed": self.seed, "steps": steps, "told": told, "given": given})
                .to_string();
        if self.recorded_bytes.max(handle.len()) > MAX_REQUEST_STATE_JOURNAL_BYTES {
            return Err(format!(
                "before it asked its client the handler was answered more than {MAX_REQUEST_STATE_JOURNAL_BYTES} bytes, which the client \
                 would have to carry: ask it earlier, or read less before"
            ));
        }
        Ok(InputRequired { requests: asks, continuation_token: handle })
    }
}

fn parse_step(carried: &Value) -> Option<ReplayStep> {
    let answer = match carried.get(3) {
        Some(why) => Err(why.as_str()?.to_owned()),
        None => Ok(carried.get(2)?.clone()),
    };
    let named = usize::try_from(carried.get(1)?.as_u64()?).ok()?;
    Some(ReplayStep { question_digest: carried.get(0)?.as_str()?.to_owned(), answer, generated_key_count: named })
}

/// A question in short: its name, and enough of a digest of its arguments.
fn question_digest(operation: &str, arguments: &Value) -> String {
    format!("{operation} {}", short_digest(&Sha256::digest(arguments.to_string())))
}

/// What a handler is: its entry, and what it runs; and how we write down what it asked.
fn handler_version(entry: &RegistryEntry) -> String {
    let source = entry.handler.as_ref().map_or("", |handler| &handler.source);
    format!("{FORMAT_VERSION} {} {}", entry.id, short_digest(&Sha256::digest(source)))
}

/// Enough of a digest to tell two of them apart.
fn short_digest(digest: &[u8]) -> String {
    encode_hex(digest.iter().take(8))
}
