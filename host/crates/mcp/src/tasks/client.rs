//! The client of a call that is a task, or may become one.
//!
//! Owns: which of the two it is, and what is told and asked meanwhile.
//! Never: asks anybody while the call goes on: a task that asks ends its call.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use rmcp::model::Task;
use tokio::sync::oneshot;

use super::wire;
use crate::asks;
use crate::changes::Changes;
use crate::client::OfRequest;
use wardroom_base::limits::TASK_MESSAGE_TIME;
use wardroom_base::payload::Payload;
use wardroom_service::tasks::{Call, Table, Working};
use wardroom_service::{Ask, Brought, Changed, Client, Feature, Level, Sampling};

/// The client of a call that is a task, or may become one.
pub(super) struct OfTask {
    table: Table,
    /// What becomes a task when it has to; nothing afterwards.
    call: Mutex<Option<(Call, oneshot::Sender<Task>)>>,
    pub(super) working: OnceLock<Working>,
    /// Until it is a task, the client of its request.
    before: Option<Arc<OfRequest>>,
    changes: Arc<Changes>,
    can: Vec<Feature>,
    brought: Option<Brought>,
    said: Mutex<Option<Instant>>,
}

/// What a client can be asked for, by the names that a task's file has.
const FEATURES: [(&str, Feature); 5] = [
    ("sampling", Feature::Sampling),
    ("sampling.tools", Feature::SamplingWithTools),
    ("elicitation", Feature::Form),
    ("elicitation.url", Feature::Page),
    ("roots", Feature::Roots),
];

/// What a client can be asked for: the names, and the features.
pub(super) fn features_of(client: &dyn Client) -> (Vec<String>, Vec<Feature>) {
    let can = FEATURES.into_iter().filter(|(_, feature)| client.can(*feature) != Sampling::Never);
    can.map(|(name, feature)| (name.to_owned(), feature)).unzip()
}

impl OfTask {
    /// That of a call whose request is open: a task as soon as it has to be.
    pub(super) fn to_become(
        table: Table,
        call: (Call, oneshot::Sender<Task>),
        before: Arc<OfRequest>,
        can: Vec<Feature>,
        changes: Arc<Changes>,
    ) -> Self {
        Self {
            table,
            call: Mutex::new(Some(call)),
            working: OnceLock::new(),
            before: Some(before),
            changes,
            can,
            brought: None,
            said: Mutex::default(),
        }
    }

    /// That of a task which goes on, with what it was answered.
    pub(super) fn that_is(table: Table, working: Working, brought: Option<Brought>, changes: Arc<Changes>) -> Self {
        let named = |name: &String| FEATURES.into_iter().find(|(known, _)| known == name).map(|(_, feature)| feature);
        Self {
            table,
            call: Mutex::default(),
            can: working.task.can.iter().filter_map(named).collect(),
            working: OnceLock::from(working),
            before: None,
            changes,
            brought,
            said: Mutex::default(),
        }
    }
}

impl Client for OfTask {
    fn progress(&self, step: f64, total: Option<f64>, message: Option<&str>) {
        let Some(working) = self.working.get() else {
            return self.before.iter().for_each(|before| before.progress(step, total, message));
        };
        let message = match (message, total) {
            (Some(message), _) => message.to_owned(),
            (None, Some(total)) => format!("{step} of {total}"),
            (None, None) => step.to_string(),
        };
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        // Each is a file that is written.
        if said.is_none_or(|said| said.elapsed() >= TASK_MESSAGE_TIME) {
            working.say(&message);
            *said = Some(Instant::now());
        }
    }

    fn log(&self, level: Level, logger: Option<&str>, data: Payload) {
        if let (None, Some(before)) = (self.working.get(), &self.before) {
            before.log(level, logger, data);
        }
    }

    fn changed(&self, what: &Changed) {
        self.changes.changed(what);
    }

    fn can(&self, feature: Feature) -> Sampling {
        if self.can.contains(&feature) { Sampling::ByReturn } else { Sampling::Never }
    }

    fn check(&self, ask: &Ask) -> Result<(), String> {
        asks::request(ask).map(drop)
    }

    fn ask(&self, _: &[Ask]) -> Result<Vec<Payload>, String> {
        Err("this client is asked by ending the call".to_owned())
    }

    fn brought(&self) -> Option<&Brought> {
        self.brought.as_ref().or_else(|| self.before.as_ref()?.brought())
    }

    fn begin_task(&self) -> Result<bool, String> {
        let mut call = self.call.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((call, begun)) = call.take() else { return Ok(self.working.get().is_some()) };
        let working = self.table.begin(call).map_err(|error| wire::public(&error))?;
        let task = wire::task(&working.task);
        drop(self.working.set(working));
        // Nobody waits for it where the request was taken back.
        drop(begun.send(task));
        Ok(true)
    }
}
