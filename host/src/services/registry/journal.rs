//! What a handler asked and was answered, for a client that ends its call with a question and calls again: the handler is
//! run from its start, and whatever it asked before is answered from here, so that nothing is done twice.
//!
//! Owns: the form in which a client carries it, sealed, and its bound.
//! Never: answers another question than the one that was asked.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::entry::Entry;
use crate::limits::MAX_CARRIED_BYTES;
use crate::services::{Asks, Brought};

/// One question, in short, and its answer.
type Step = (String, Result<Value, String>);

#[derive(Default)]
pub(super) struct Journal {
    /// What `math.random` begins with.
    pub(super) seed: u64,
    steps: Vec<Step>,
    /// How many of them were asked again.
    at: usize,
    /// What the client answered and no step has yet, by its name.
    given: BTreeMap<String, Value>,
    /// How many questions the client was asked, which names those that have no name.
    asked: usize,
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
        let steps = carried.get("steps").and_then(Value::as_array).into_iter().flatten().filter_map(step).collect();
        let mut given: BTreeMap<String, Value> = BTreeMap::new();
        for (key, value) in carried.get("given").and_then(Value::as_object).into_iter().flatten() {
            given.insert(key.clone(), value.clone());
        }
        given.extend(answers);
        let bytes = brought.handle.len();
        Ok(Self { steps, given, bytes, ..Self::new(seed, true) })
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
        let Some((asked, answer)) = self.steps.get(self.at) else { return Ok(None) };
        if *asked != question(operation, arguments) {
            return Err(format!(
                "the handler asks {operation} where it asked something else before its client was asked: it must do the \
                 same when it is called again"
            ));
        }
        self.at += 1;
        // So that those that follow have the names that they had.
        self.asked += match operation {
            "elicit" | "sample" | "roots" if arguments.get("key").is_none() => 1,
            "llm" => arguments.get("queries").and_then(Value::as_array).map_or(0, Vec::len),
            _ => 0,
        };
        Ok(Some(answer.clone()))
    }

    /// Whether what is asked now was asked before.
    pub(super) fn is_replaying(&self) -> bool {
        self.at < self.steps.len()
    }

    pub(super) fn note(&mut self, operation: &str, arguments: &Value, answer: &Result<Value, String>) {
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
            self.steps.push((question(operation, arguments), answer.clone()));
            self.at = self.steps.len();
        }
    }

    /// A name for a question that has none.
    pub(super) fn key(&mut self, kind: &str) -> String {
        self.asked += 1;
        format!("{kind}_{}", self.asked)
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
    pub(super) fn asks(&self, asks: Vec<crate::services::Ask>, entry: &Entry) -> Result<Asks, String> {
        let steps: Vec<Value> = self
            .steps
            .iter()
            .map(|(asked, answer)| match answer {
                Ok(value) => json!([asked, value]),
                Err(why) => json!([asked, null, why]),
            })
            .collect();
        let asked: Vec<&str> = asks.iter().map(|ask| ask.key.as_str()).collect();
        let given: serde_json::Map<String, Value> = self
            .given
            .iter()
            .filter(|(key, _)| !asked.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let handle = json!({"handler": version(entry), "seed": self.seed, "steps": steps, "given": given}).to_string();
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
    let asked = carried.get(0)?.as_str()?.to_owned();
    let answer = match carried.get(2) {
        Some(why) => Err(why.as_str()?.to_owned()),
        None => Ok(carried.get(1)?.clone()),
    };
    Some((asked, answer))
}

/// A question in short: its name, and enough of a digest of its arguments.
fn question(operation: &str, arguments: &Value) -> String {
    format!("{operation} {}", hex(&Sha256::digest(arguments.to_string())))
}

/// What a handler is: its entry, and what it runs.
fn version(entry: &Entry) -> String {
    let source = entry.handler.as_ref().map_or("", |handler| &handler.source);
    format!("{} {}", entry.id, hex(&Sha256::digest(source)))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
