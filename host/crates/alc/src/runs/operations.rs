//! The operations that a script can call on the server: state, cards, modules, the clock.
//!
//! Owns: which operations are changes, and how a replay finds out whether a process that died made a change that its
//! journal has as write-ahead.
//! Never: decides what a script sees of an answer; the journal has every answer.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Number, Value, json};

use super::modules;
use super::script_stores::ScriptStores;
use crate::cards::{CardOperation, perform_card_operation};
use crate::error_code as code;
use crate::limits::LARGE_SCRIPT_OPERATION_TIMEOUT;
use crate::state::{ApplyStatus, KeyChange, PendingWrites, StateNamespace, increment_value};
use wardroom_base::hex::encode_hex;
use wardroom_base::limits::CANCEL_POLL_INTERVAL;
use wardroom_base::payload::Payload;
use wardroom_base::random;
use wardroom_base::unix_time;
use wardroom_service::ServiceError;

/// Executes a script's operations.
pub(super) struct OperationExecutor<'a> {
    pub(super) stores: &'a ScriptStores,
    pub(super) environment: &'a BTreeMap<String, String>,
    /// State that the run has set and that is not stored yet.
    pub(super) pending_writes: &'a mut PendingWrites,
    /// Whether the operation should stop, because it was cancelled or takes too long.
    pub(super) should_stop: &'a (dyn Fn() -> bool + Sync),
}

/// Why an operation has no answer.
#[derive(Debug)]
pub(super) enum OperationError {
    /// The script gets the message.
    Failed(String),
    /// What is in the way may pass, such as a lock or a full disk: no script can help it, and the run can be resumed.
    Obstructed(ServiceError),
}

impl From<String> for OperationError {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

impl From<ServiceError> for OperationError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Tool { code: code::BUSY | code::DISK_FULL, .. } => Self::Obstructed(error),
            error => Self::Failed(error.to_string()),
        }
    }
}

impl OperationError {
    /// Returns the message for a caller that cannot be resumed.
    pub(super) fn into_message(self) -> String {
        match self {
            Self::Failed(message) => message,
            Self::Obstructed(error) => error.to_string(),
        }
    }
}

/// The answer to an operation, or what has to be journaled first.
pub(super) enum Effect {
    Done(Result<Payload, OperationError>),
    /// A change: the plan is journaled first, so that a replay can find out whether the change was made.
    WriteAhead(Payload),
}

/// A change of one key of `alc.state`, whose answer depends on the value before.
#[derive(Clone, Copy)]
enum StateChange {
    Delete,
    SetNx,
    Incr,
}

impl StateChange {
    fn parse(operation: &str) -> Option<Self> {
        match operation {
            "state.delete" => Some(Self::Delete),
            "state.set_nx" => Some(Self::SetNx),
            "state.incr" => Some(Self::Incr),
            _ => None,
        }
    }
}

/// A change whose plan is in the journal.
pub(super) struct WriteAheadEffect<'a> {
    pub(super) operation: &'a str,
    pub(super) arguments: &'a Value,
    pub(super) plan: &'a Payload,
    /// Whether an earlier process may have made the change.
    pub(super) is_replay: bool,
    /// The id by which a later process finds the change in the namespace's change log.
    pub(super) change_id: Option<String>,
}

impl OperationExecutor<'_> {
    /// Answers an operation that changes nothing. For a change, returns the plan to journal first.
    pub(super) fn prepare(&self, operation: &str, arguments: &Value) -> Effect {
        let done = match operation {
            "time" => Ok(unix_time::to_fractional_seconds(SystemTime::now()).into()),
            "require" => text_argument(arguments, "module")
                .and_then(|name| modules::load_module(&self.stores.packages, name))
                .map_err(OperationError::from),
            "scenario" => text_argument(arguments, "name")
                .and_then(|name| modules::load_scenario(&self.stores.scenarios, name))
                .map_err(OperationError::from),
            "env" => text_argument(arguments, "name")
                .map(|name| self.environment.get(name).cloned().into())
                .map_err(OperationError::from),
            "state.get" => self.state_value(arguments).map(|found| json!({"found": found.is_some(), "value": found})),
            "state.has" => self.state_value(arguments).map(|found| found.is_some().into()),
            "state.keys" => self.state_keys(arguments).map_err(OperationError::from),
            change if StateChange::parse(change).is_some() => match self.plan_state_change(arguments) {
                Ok(plan) => return Effect::WriteAhead(plan.into()),
                Err(error) => Err(error),
            },
            "card.create" => {
                return match new_card_salt() {
                    Ok(salt) => Effect::WriteAhead(
                        json!({"now": unix_time::to_fractional_seconds(SystemTime::now()), "salt": salt}).into(),
                    ),
                    Err(error) => Effect::Done(Err(error.into())),
                };
            }
            "card.append" | "card.alias_set" | "card.write_samples" | "card.sink_backfill" => {
                return Effect::WriteAhead(json!({"now": unix_time::to_fractional_seconds(SystemTime::now())}).into());
            }
            "card.list" | "card.find" | "card.read_samples" | "card.lineage" => {
                return Effect::Done(self.read_many_cards(operation, arguments));
            }
            "card.get" | "card.get_by_alias" | "card.alias_list" => self.read_cards(operation, arguments),
            other => Err(format!("unknown operation: {other}").into()),
        };
        Effect::Done(done.map(Payload::from))
    }

    fn read_cards(&self, operation: &str, arguments: &Value) -> Result<Value, OperationError> {
        let operation = CardOperation::new(operation, arguments, UNIX_EPOCH);
        Ok(perform_card_operation(&self.stores.cards, &operation, self.should_stop)?)
    }

    /// Reads what may take much memory, one operation at a time, and returns it as text.
    fn read_many_cards(&self, operation: &str, arguments: &Value) -> Result<Payload, OperationError> {
        let deadline = Instant::now() + LARGE_SCRIPT_OPERATION_TIMEOUT;
        let _permit = loop {
            match self.stores.large_permits.acquire(CANCEL_POLL_INTERVAL) {
                Some(permit) => break permit,
                None if Instant::now() >= deadline || (self.should_stop)() => {
                    let message = format!("{operation}: other scripts read many cards: try again later");
                    return Err(ServiceError::tool(code::BUSY, message).into());
                }
                None => {}
            }
        };
        let found = self.read_cards(operation, arguments)?;
        Payload::text_of(&found).map_err(|error| format!("{operation}: {error}").into())
    }

    /// Makes a change, unless it was already made. Returns the answer, and whether an earlier process made the change.
    pub(super) fn apply(&mut self, change: &WriteAheadEffect) -> (Result<Payload, OperationError>, bool) {
        if let Some(kind) = StateChange::parse(change.operation) {
            return self
                .apply_state_change(change, kind)
                .map_or_else(|why| (Err(why), false), |(value, made)| (Ok(value.into()), made));
        }
        (self.apply_card_change(change).map(Payload::from), false)
    }

    fn apply_card_change(&self, change: &WriteAheadEffect) -> Result<Value, OperationError> {
        let since = change.plan.field("now").and_then(|now| now.into_typed().ok()).map(Duration::try_from_secs_f64);
        // Earlier versions planned no salt.
        let salt: String = change.plan.field("salt").and_then(|salt| salt.into_typed().ok()).unwrap_or_default();
        let planned_at = UNIX_EPOCH + since.and_then(Result::ok).unwrap_or_default();
        let operation = CardOperation {
            salt: &salt,
            is_replay: change.is_replay,
            ..CardOperation::new(change.operation, change.arguments, planned_at)
        };
        Ok(perform_card_operation(&self.stores.cards, &operation, self.should_stop)?)
    }

    fn state_keys(&self, arguments: &Value) -> Result<Value, ServiceError> {
        let namespace = StateNamespace::parse(text_argument(arguments, "ns").unwrap_or_default())?;
        self.pending_writes.keys(&self.stores.state, &namespace).map(Value::from)
    }

    /// Returns the current value of a key.
    fn state_value(&self, arguments: &Value) -> Result<Option<Value>, OperationError> {
        let key = text_argument(arguments, "key")?;
        let namespace = StateNamespace::parse(text_argument(arguments, "ns")?)?;
        Ok(self.pending_writes.get(&self.stores.state, &namespace, key)?)
    }

    /// Returns what a replay has to know of the time before a change.
    fn plan_state_change(&self, arguments: &Value) -> Result<Value, OperationError> {
        let namespace = StateNamespace::parse(text_argument(arguments, "ns")?)?;
        // Before the value is read: no change between the two counts as earlier.
        let earlier = self.stores.state.count_changes(&namespace)?;
        let found = self.state_value(arguments)?;
        Ok(json!({"found": found.is_some(), "value": found, "earlier": earlier}))
    }

    fn apply_state_change(
        &mut self,
        change: &WriteAheadEffect,
        kind: StateChange,
    ) -> Result<(Value, bool), OperationError> {
        let arguments = change.arguments;
        let key = text_argument(arguments, "key")?;
        let number = |name: &str, otherwise: i64| match arguments.get(name) {
            Some(Value::Number(number)) => number.clone(),
            _ => Number::from(otherwise),
        };
        let (delta, default) = (number("delta", 1), number("default", 0));
        let key_change = match kind {
            StateChange::Delete => KeyChange::Delete,
            StateChange::SetNx => KeyChange::SetNx(arguments.get("value").unwrap_or(&Value::Null)),
            StateChange::Incr => KeyChange::Incr { delta: &delta, default: &default },
        };
        let namespace = StateNamespace::parse(text_argument(arguments, "ns")?)?;
        if let Some(name) = change.change_id.as_ref().filter(|_| change.is_replay) {
            let earlier = change.plan.field("earlier").and_then(|earlier| earlier.into_typed().ok());
            let made = match self.stores.state.apply_status(&namespace, name, earlier)? {
                ApplyStatus::Applied(answer) => Some(answer),
                ApplyStatus::NotApplied => None,
                ApplyStatus::Unknown => self.infer_state_answer(change, &namespace, key, &key_change)?,
            };
            if let Some(answer) = made {
                return Ok((answer, true));
            }
        }
        let changed = self.pending_writes.apply_key_change(
            &self.stores.state,
            &namespace,
            key,
            &key_change,
            change.change_id.as_deref(),
        );
        Ok(changed.map(|value| (value, false))?)
    }

    /// Infers whether a state change was made, and its answer: the key has the value that the change would have left,
    /// and the value before was another one.
    fn infer_state_answer(
        &self,
        change: &WriteAheadEffect,
        namespace: &StateNamespace,
        key: &str,
        key_change: &KeyChange,
    ) -> Result<Option<Value>, OperationError> {
        let plan = change.plan.to_value();
        let was_there = plan.get("found").and_then(Value::as_bool).unwrap_or(false);
        let before = plan.get("value").filter(|_| was_there);
        let (left, answer) = match key_change {
            KeyChange::Delete => (None, Value::from(was_there)),
            KeyChange::SetNx(value) => (Some(before.unwrap_or(value).clone()), Value::from(!was_there)),
            KeyChange::Incr { delta, default } => match increment_value(before, key, delta, default) {
                Ok(sum) => (Some(sum.clone()), sum),
                Err(_) => return Ok(None),
            },
        };
        let now = self.stores.state.get(namespace, key)?;
        Ok((left.as_ref() != before && now == left).then_some(answer))
    }
}

fn text_argument<'v>(arguments: &'v Value, name: &str) -> Result<&'v str, String> {
    arguments.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} is missing, or is not text"))
}

/// Returns what distinguishes the ids of equal cards of the same second.
fn new_card_salt() -> Result<String, ServiceError> {
    let mut bytes = [0; 8];
    random::fill(&mut bytes).map_err(|error| ServiceError::internal("the system gives no random bytes", error))?;
    Ok(encode_hex(&bytes))
}
