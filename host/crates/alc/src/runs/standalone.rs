//! The operations that a script can call outside of a run, each by itself.
//!
//! Never: delays a write; state that is set is stored at once.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Runs;
use super::operations::{Effect, OperationError, OperationExecutor, WriteAheadEffect};
use super::script_stores::ScriptStores;
use crate::state::{PendingWrites, StateNamespace};
use wardroom_base::payload::Payload;
use wardroom_service::RequestInfo;

/// Executes one operation. Returns `None` if there is no such operation, or it needs a run.
pub(crate) fn execute_standalone_call(
    stores: &ScriptStores,
    runs: Option<&Runs>,
    operation: &str,
    arguments: &Value,
    info: &RequestInfo,
) -> Option<Result<Payload, String>> {
    let group = operation.split_once('.').map_or(operation, |(group, _)| group);
    match group {
        "budget" => return Some(Ok(Payload::default())),
        "fork" => return Some(Err("alc.fork needs a run: start it with alc_advice or alc_run".to_owned())),
        "require" | "scenario" | "env" | "state" | "card" => {}
        _ => return None,
    }
    if operation == "state.set" {
        return Some(set_state(stores, arguments).map(Payload::from));
    }
    let (nothing, mut pending_writes) = (BTreeMap::new(), PendingWrites::default());
    let environment = runs.map_or(&nothing, |runs| &runs.settings.environment);
    let stop = || info.cancellation.is_cancelled();
    let mut effects =
        OperationExecutor { stores, environment, pending_writes: &mut pending_writes, should_stop: &stop };
    Some(match effects.prepare(operation, arguments) {
        Effect::Done(done) => done.map_err(OperationError::into_message),
        Effect::WriteAhead(plan) => {
            let announced = WriteAheadEffect { operation, arguments, plan: &plan, is_replay: false, change_id: None };
            effects.apply(&announced).0.map_err(OperationError::into_message)
        }
    })
}

fn set_state(stores: &ScriptStores, arguments: &Value) -> Result<Value, String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut pending = PendingWrites::default();
    let namespace = StateNamespace::parse(text("ns")).map_err(|error| error.to_string())?;
    let set = pending.set(&namespace, text("key"), arguments.get("value").unwrap_or(&Value::Null));
    let stored = set.and_then(|()| pending.flush(&stores.state, None));
    stored.map(|_| json!(true)).map_err(|error| error.to_string())
}
