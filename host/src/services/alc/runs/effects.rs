//! What a script may have the server do, one operation each: state, cards, modules, the clock.
//!
//! Owns: which operations change something, and how a change that was announced in the journal is found out to have been
//! made by a process that died.
//! Never: decides what a script may see of an answer; the journal has every one of them.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Number, Value, json};

use super::modules;
use crate::services::alc::Alc;
use crate::services::alc::state::{Namespace, Pending, incremented};
use crate::services::{CallContext, ServiceError};

/// What an operation is done with.
pub(super) struct Effects<'a> {
    pub(super) alc: &'a Alc,
    pub(super) context: &'a CallContext,
    pub(super) environment: &'a BTreeMap<String, String>,
    /// State that the run has set and that is not in the store yet.
    pub(super) unsaved: &'a mut Pending,
}

/// How an operation is answered.
pub(super) enum Doing {
    Done(Result<Value, String>),
    /// It changes something, and this is what has to be known to find out later whether it did.
    Announced(Value),
}

/// A change that stands in the journal.
pub(super) struct Announced<'a> {
    pub(super) operation: &'a str,
    pub(super) arguments: &'a Value,
    pub(super) plan: &'a Value,
    /// A process before this one may have made it.
    pub(super) again: bool,
}

impl Effects<'_> {
    /// Answers at once what changes nothing. What does is announced first.
    pub(super) fn begin(&self, operation: &str, arguments: &Value) -> Doing {
        let done = match operation {
            "time" => Ok(unix_time(SystemTime::now()).into()),
            "require" => text(arguments, "module").and_then(|name| modules::module(self.alc, name, self.context)),
            "scenario" => text(arguments, "name").and_then(|name| modules::scenario(self.alc, name)),
            "env" => text(arguments, "name").map(|name| self.environment.get(name).cloned().into()),
            "state.get" => self.at(arguments).map(|found| json!({"found": found.is_some(), "value": found})),
            "state.has" => self.at(arguments).map(|found| found.is_some().into()),
            "state.keys" => self.keys(arguments).map_err(|error| error.to_string()),
            "state.delete" | "state.set_nx" | "state.incr" => match self.at(arguments) {
                Ok(found) => return Doing::Announced(json!({"found": found.is_some(), "value": found})),
                Err(message) => Err(message),
            },
            "card.create" | "card.append" | "card.alias_set" | "card.write_samples" | "card.sink_backfill" => {
                return Doing::Announced(json!({"now": unix_time(SystemTime::now())}));
            }
            "card.get" | "card.list" | "card.get_by_alias" | "card.alias_list" | "card.find" | "card.read_samples"
            | "card.lineage" => self.alc.card_operation(operation, arguments.clone(), SystemTime::now()),
            other => Err(format!("unknown operation: {other}")),
        };
        Doing::Done(done)
    }

    /// Makes a change, unless it was made.
    pub(super) fn finish(&mut self, change: &Announced) -> Result<Value, String> {
        if change.operation.starts_with("state.") {
            return self.change_state(change);
        }
        // Cards find out by themselves: what is there as it was announced is what was announced.
        let since = change.plan.get("now").and_then(Value::as_f64).map(Duration::try_from_secs_f64);
        let now = UNIX_EPOCH + since.and_then(Result::ok).unwrap_or_default();
        self.alc.card_operation(change.operation, change.arguments.clone(), now)
    }

    fn keys(&self, arguments: &Value) -> Result<Value, ServiceError> {
        let namespace = Namespace::parse(text(arguments, "ns").unwrap_or_default())?;
        self.unsaved.keys(&self.alc.state(), &namespace).map(Value::from)
    }

    /// What stands under a key now.
    fn at(&self, arguments: &Value) -> Result<Option<Value>, String> {
        let key = text(arguments, "key")?;
        let namespace = Namespace::parse(text(arguments, "ns")?).map_err(|error| error.to_string())?;
        self.unsaved.get(&self.alc.state(), &namespace, key).map_err(|error| error.to_string())
    }

    fn change_state(&mut self, change: &Announced) -> Result<Value, String> {
        let arguments = change.arguments;
        let key = text(arguments, "key")?;
        let number = |name: &str, otherwise: i64| match arguments.get(name) {
            Some(Value::Number(number)) => number.clone(),
            _ => Number::from(otherwise),
        };
        let (delta, default) = (number("delta", 1), number("default", 0));
        let was_there = change.plan.get("found").and_then(Value::as_bool).unwrap_or(false);
        let before = change.plan.get("value").filter(|_| was_there);
        // What is no longer as it was when the change was announced has most likely been changed by it.
        let is_made = change.again && self.at(arguments)?.as_ref() != before;
        let state = self.alc.state();
        let changed = Namespace::parse(text(arguments, "ns")?).and_then(|namespace| match change.operation {
            "state.delete" if is_made => Ok(was_there.into()),
            "state.delete" => self.unsaved.delete(&state, &namespace, key).map(Value::from),
            "state.set_nx" if is_made => Ok((!was_there).into()),
            "state.set_nx" => {
                let value = arguments.get("value").unwrap_or(&Value::Null);
                self.unsaved.set_nx(&state, &namespace, key, value).map(Value::from)
            }
            _ if is_made => incremented(before, key, &delta, &default),
            _ => self.unsaved.incr(&state, &namespace, key, &delta, &default),
        });
        changed.map_err(|error| error.to_string())
    }
}

fn text<'v>(arguments: &'v Value, name: &str) -> Result<&'v str, String> {
    arguments.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} is missing, or no text"))
}

fn unix_time(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
