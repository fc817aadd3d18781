//! What a script may have the server do, one operation each: state, cards, modules, the clock.
//!
//! Owns: which operations change something, and how a change that was announced in the journal is found out to have been
//! made by a process that died.
//! Never: decides what a script may see of an answer; the journal has every one of them.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Number, Value, json};

use super::modules;
use crate::Alc;
use crate::state::{Asked, Made, Namespace, Pending, incremented};
use wardroom_service::{CallContext, ServiceError};

/// What an operation is done with.
pub(super) struct Effects<'a> {
    pub(super) alc: &'a Alc,
    pub(super) context: &'a CallContext,
    pub(super) environment: &'a BTreeMap<String, String>,
    /// State that the run has set and that is not in the store yet.
    pub(super) unsaved: &'a mut Pending,
    /// Whether nobody waits for the answer any more.
    pub(super) stop: &'a dyn Fn() -> bool,
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
    /// By which it is found again, where another process may have to.
    pub(super) name: Option<String>,
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
            | "card.lineage" => self.alc.card_operation(operation, arguments.clone(), SystemTime::now(), self.stop),
            other => Err(format!("unknown operation: {other}")),
        };
        Doing::Done(done)
    }

    /// Makes a change, unless it was made; and whether a process before this one made it.
    pub(super) fn finish(&mut self, change: &Announced) -> (Result<Value, String>, bool) {
        if change.operation.starts_with("state.") {
            return self.change_state(change).map_or_else(|why| (Err(why), false), |(value, made)| (Ok(value), made));
        }
        (self.change_card(change), false)
    }

    fn change_card(&self, change: &Announced) -> Result<Value, String> {
        let since = change.plan.get("now").and_then(Value::as_f64).map(Duration::try_from_secs_f64);
        let now = UNIX_EPOCH + since.and_then(Result::ok).unwrap_or_default();
        if change.again && change.operation == "card.create" {
            // What is there as it was announced is what was announced.
            let card = change.arguments.get("card").unwrap_or(&Value::Null);
            let made = self.alc.prepare_card(card, now).and_then(|card| self.alc.commit_card(&card).map(|_| card));
            return made.map(|card| card.answer()).map_err(|error| error.to_string());
        }
        if change.again && change.operation == "card.alias_set" {
            // Who set it since came after the change, whether that was made or not.
            let set = self.alc.alias_set_since(change.arguments.clone(), now).map_err(|error| error.to_string())?;
            if let Some(alias) = set {
                return Ok(alias);
            }
        }
        let done = self.alc.card_operation(change.operation, change.arguments.clone(), now, self.stop);
        if change.again && done.is_err() { self.made_before(change).ok_or(()).or(done) } else { done }
    }

    /// What a change of a card answered that a process before this one made: the card has it.
    fn made_before(&self, change: &Announced) -> Option<Value> {
        let id = change.arguments.get("card_id")?;
        let card = self.alc.card_operation("card.get", json!({"card_id": id}), UNIX_EPOCH, self.stop).ok()?;
        match change.operation {
            "card.append" => {
                let mut fields = change.arguments.get("fields")?.as_object()?.iter();
                fields.all(|(key, value)| value.is_null() || card.get(key) == Some(value)).then_some(card)
            }
            "card.write_samples" => {
                let rows = change.arguments.get("rows")?.as_array()?;
                let asked = json!({"card_id": id, "offset": null, "limit": null, "where": null});
                let kept = self.alc.card_operation("card.read_samples", asked, UNIX_EPOCH, self.stop).ok()?;
                let path = format!("cards/{}/{}.samples.jsonl", card.pointer("/pkg/name")?.as_str()?, id.as_str()?);
                (kept.as_array() == Some(rows)).then(|| json!({"path": path, "count": rows.len()}))
            }
            _ => None,
        }
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

    fn change_state(&mut self, change: &Announced) -> Result<(Value, bool), String> {
        let arguments = change.arguments;
        let key = text(arguments, "key")?;
        let number = |name: &str, otherwise: i64| match arguments.get(name) {
            Some(Value::Number(number)) => number.clone(),
            _ => Number::from(otherwise),
        };
        let (delta, default) = (number("delta", 1), number("default", 0));
        let asked = match change.operation {
            "state.delete" => Asked::Delete,
            "state.set_nx" => Asked::SetNx(arguments.get("value").unwrap_or(&Value::Null)),
            _ => Asked::Incr { delta: &delta, default: &default },
        };
        let namespace = Namespace::parse(text(arguments, "ns")?).map_err(|error| error.to_string())?;
        if let Some(name) = change.name.as_ref().filter(|_| change.again) {
            let made = match self.alc.state().made(&namespace, name).map_err(|error| error.to_string())? {
                Made::Yes(answer) => Some(answer),
                Made::No => None,
                Made::Unknown => self.perhaps_made(change, &namespace, key, &asked)?,
            };
            if let Some(answer) = made {
                return Ok((answer, true));
            }
        }
        let changed = self.unsaved.change(&self.alc.state(), &namespace, key, &asked, change.name.as_deref());
        changed.map(|value| (value, false)).map_err(|error| error.to_string())
    }

    /// What a change answered that seems to have been made, by what is there: it is what the change would have left, and
    /// something else was there before.
    fn perhaps_made(
        &self,
        change: &Announced,
        namespace: &Namespace,
        key: &str,
        asked: &Asked,
    ) -> Result<Option<Value>, String> {
        let was_there = change.plan.get("found").and_then(Value::as_bool).unwrap_or(false);
        let before = change.plan.get("value").filter(|_| was_there);
        let (left, answer) = match asked {
            Asked::Delete => (None, Value::from(was_there)),
            Asked::SetNx(value) => (Some(before.unwrap_or(value).clone()), Value::from(!was_there)),
            Asked::Incr { delta, default } => match incremented(before, key, delta, default) {
                Ok(sum) => (Some(sum.clone()), sum),
                Err(_) => return Ok(None),
            },
        };
        let now = self.alc.state().get(namespace, key).map_err(|error| error.to_string())?;
        Ok((left.as_ref() != before && now == left).then_some(answer))
    }
}

fn text<'v>(arguments: &'v Value, name: &str) -> Result<&'v str, String> {
    arguments.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} is missing, or no text"))
}

fn unix_time(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
