//! What runs are carried on with: the service, the processes, and whoever waits for the answer.
//!
//! Owns: how long the server works for a script.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;

use super::effects::Effects;
use super::live::shortened;
use super::registry::Registry;
use super::stop::Stop;
use crate::Alc;
use crate::state::Pending;
use wardroom_base::limits::RUN_STEP_TIME;
use wardroom_lua::{LuaError, Pool, Run, Start};
use wardroom_service::CallContext;

/// What a run is carried on with.
#[derive(Clone, Copy)]
pub(super) struct World<'a> {
    pub(super) alc: &'a Alc,
    pub(super) pool: &'a Pool,
    /// Who else has processes.
    pub(super) registry: &'a Registry,
    pub(super) environment: &'a BTreeMap<String, String>,
    pub(super) context: &'a CallContext,
    pub(super) cancelled: &'a dyn Fn() -> bool,
    pub(super) deaths: Deaths,
}

/// What it means when the process of a fork's child ends unexpectedly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deaths {
    /// Nothing yet: the journal brings the run back.
    Retried,
    /// The child's failure.
    Counted,
}

impl World<'_> {
    /// Starts a script. Runs that only wait give up their processes where there is none left.
    pub(super) fn start(&self, start: &Start) -> Result<Run, LuaError> {
        match self.pool.start(start) {
            Err(LuaError::Busy) => {
                self.registry.cool(0);
                self.pool.start(start)
            }
            started => started,
        }
    }

    /// Whoever waits for the call hears how far it is; the run's status keeps the last of it.
    pub(super) fn tell_progress(&self, told: &Value) {
        let Some(client) = &self.context.client else { return };
        let number = |name: &str| told.get(name).and_then(Value::as_f64);
        let message = told.get("message").and_then(Value::as_str);
        client.progress(number("step").unwrap_or_default(), number("total"), message.map(shortened).as_deref());
    }

    /// What the server does for a script: for at most as long as the script itself may compute.
    pub(super) fn patience(&self) -> impl Fn() -> bool + use<'_> {
        let deadline = Instant::now() + RUN_STEP_TIME;
        move || (self.cancelled)() || Instant::now() >= deadline
    }

    pub(super) fn effects<'e>(&'e self, unsaved: &'e mut Pending, stop: &'e dyn Fn() -> bool) -> Effects<'e> {
        Effects { alc: self.alc, context: self.context, environment: self.environment, unsaved, stop }
    }

    /// What was done, unless it was broken off since nobody waits: that is nothing that a journal should have.
    pub(super) fn done(
        &self,
        operation: &str,
        result: Result<Value, String>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Result<Value, String>, Stop> {
        match result {
            Err(_) if (self.cancelled)() => Err(Stop::Cancelled),
            Err(message) if stop() => {
                Ok(Err(format!("{operation} took longer than {} s: {message}", RUN_STEP_TIME.as_secs())))
            }
            result => Ok(result),
        }
    }
}
