//! What a handler asked and was answered, for a client that ends its call with a question and calls again: the handler is
//! run from its start, whatever it asked before is answered from here, and what it told is not told again, so that nothing
//! is done twice.
//!
//! Owns: the form in which a client carries it, sealed, and its bound.
//! Never: answers another question than the one that was asked.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::entry::Entry;
use wardroom_base::hex::hex;
use wardroom_base::limits::MAX_CARRIED_BYTES;
use wardroom_service::{Asks, Brought};

/// What a client carries has this form.
const FORM: u32 = 2;

/// One question and its answer.
struct Step {
    /// In short.
    question: String,
    answer: Result<Value, String>,
    /// How many questions had a name of our making by then.
    named: usize,
}

#[derive(Default)]
pub(super) struct Journal {
    /// What `math.random` begins with.
    pub(super) seed: u64,
    steps: Vec<Step>,
    /// How many of them were asked again.
    at: usize,
    /// What the client answered and no step has yet, by its name.
    given: BTreeMap<String, Value>,
    /// How many questions had no name, and got one of our making.
    named: usize,
    /// What the handler told since the last step; and how much of that its client was told before it was asked.
    told: usize,
    told_before: usize,
    /// Whether it has to be carried, and how large it is by now.
    is_kept: bool,
    bytes: usize,
}

impl Journal {
    /// One that begins. It is `kept` where the client can be asked by ending the call.
    pub(super) fn new(seed: u64, is_kept: bool) -> Self {
        Self { seed, is_kept, ..Self::default() }
    }

    /// What a client brought back.
    ///
    /// # Errors
    /// In words, where it belongs to another handler, or to another version of it.
    pub(super) fn opened(self, brought: &Brought, entry: &Entry) -> Result<Self, String> {
        let answers = brought.answers.iter().map(|(key, value)| (key.clone(), value.clone().into_value()));
        if brought.handle.is_empty() {
            return Ok(Self { given: answers.collect(), ..self });
        }
        let carried: Value = serde_json::from_str(&brought.handle).unwrap_or_default();
        let (seed, handler) = (carried.get("seed").and_then(Value::as_u64), carried.get("handler"));
        let seed = seed.filter(|_| handler.and_then(Value::as_str) == Some(&version(entry)));
        let seed = seed.ok_or("the handler is another one by now: call again without requestState")?;
        let steps = carried.get("steps").and_then(Value::as_array).into_iter().flatten().map(step);
        let steps: Option<Vec<Step>> = steps.collect();
        let steps = steps.ok_or("what the client carries is not whole: call again without requestState")?;
        let told_before = carried.get("told").and_then(Value::as_u64).and_then(|told| usize::try_from(told).ok());
        let mut given: BTreeMap<String, Value> = BTreeMap::new();
        for (key, value) in carried.get("given").and_then(Value::as_object).into_iter().flatten() {
            given.insert(key.clone(), value.clone());
        }
        given.extend(answers);
        let bytes = brought.handle.len();
        Ok(Self { steps, given, bytes, told_before: told_before.unwrap_or(0), ..Self::new(seed, true) })
    }

    /// The answer that this question had before.
    ///
    /// # Errors
    /// In words, where another question was asked at this place.
    pub(super) fn replayed(
        &mut self,
        operation: &str,
        arguments: &Value,
    ) -> Result<Option<Result<Value, String>>, String> {
        let Some(step) = self.steps.get(self.at) else { return Ok(None) };
        if step.question != question(operation, arguments) {
            return Err(format!(
                "the handler asks {operation} where it asked something else before its client was asked: it must do the \
                 same when it is called again"
            ));
        }
        self.at += 1;
        // So that those that follow have the names that they had.
        self.named = step.named;
        Ok(Some(step.answer.clone()))
    }

    /// Whether what the handler tells now is news.
    pub(super) const fn is_news(&mut self) -> bool {
        if self.at < self.steps.len() {
            return false;
        }
        self.told += 1;
        self.told > self.told_before
    }

    pub(super) fn note(&mut self, operation: &str, arguments: &Value, answer: &Result<Value, String>) {
        (self.told, self.told_before) = (0, 0);
        if !self.is_kept {
            return;
        }
        let size = match answer {
            Ok(value) => value.to_string().len(),
            Err(why) => why.len(),
        };
        self.bytes = self.bytes.saturating_add(size + operation.len() + 32);
        // Of what is too large to be carried the size is enough.
        if self.bytes <= MAX_CARRIED_BYTES {
            let question = question(operation, arguments);
            self.steps.push(Step { question, answer: answer.clone(), named: self.named });
            self.at = self.steps.len();
        }
    }

    /// A name for a question that has none.
    pub(super) fn key(&mut self, kind: &str) -> String {
        self.named += 1;
        format!("{kind}_{}", self.named)
    }

    /// What the client answered to this.
    pub(super) fn given(&self, key: &str) -> Option<&Value> {
        self.given.get(key)
    }

    /// What was used is not an answer to anything else.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.given.remove(key)
    }

    /// Ends a call with questions.
    ///
    /// # Errors
    /// In words, where there is more than a client is to carry.
    pub(super) fn asks(&self, asks: Vec<wardroom_service::Ask>, entry: &Entry) -> Result<Asks, String> {
        let steps: Vec<Value> = self
            .steps
            .iter()
            .map(|Step { question, answer, named }| match answer {
                Ok(value) => json!([question, named, value]),
                Err(why) => json!([question, named, null, why]),
            })
            .collect();
        let asked: Vec<&str> = asks.iter().map(|ask| ask.key.as_str()).collect();
        let given: serde_json::Map<String, Value> = self
            .given
            .iter()
            .filter(|(key, _)| !asked.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let told = self.told.max(self.told_before);
        let handle =
            json!({"handler": version(entry), "seed": self.seed, "steps": steps, "told": told, "given": given})
                .to_string();
        if self.bytes.max(handle.len()) > MAX_CARRIED_BYTES {
            return Err(format!(
                "before it asked its client the handler was answered more than {MAX_CARRIED_BYTES} bytes, which the client \
                 would have to carry: ask it earlier, or read less before"
            ));
        }
        Ok(Asks { asks, handle })
    }
}

fn step(carried: &Value) -> Option<Step> {
    let answer = match carried.get(3) {
        Some(why) => Err(why.as_str()?.to_owned()),
        None => Ok(carried.get(2)?.clone()),
    };
    let named = usize::try_from(carried.get(1)?.as_u64()?).ok()?;
    Some(Step { question: carried.get(0)?.as_str()?.to_owned(), answer, named })
}

/// A question in short: its name, and enough of a digest of its arguments.
fn question(operation: &str, arguments: &Value) -> String {
    format!("{operation} {}", short(&Sha256::digest(arguments.to_string())))
}

/// What a handler is: its entry, and what it runs; and how we write down what it asked.
fn version(entry: &Entry) -> String {
    let source = entry.handler.as_ref().map_or("", |handler| &handler.source);
    format!("{FORM} {} {}", entry.id, short(&Sha256::digest(source)))
}

/// Enough of a digest to tell two of them apart.
fn short(digest: &[u8]) -> String {
    hex(digest.iter().take(8))
}
