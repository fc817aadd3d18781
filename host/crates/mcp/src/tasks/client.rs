//! The client of a call that is a task, or may become one.
//!
//! Owns: which of the two it is, its notifications, and its input requests.
//! Never: requests input while the call runs: a task that requires input ends its call.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use rmcp::model::Task;
use tokio::sync::oneshot;

use super::wire;
use crate::changes::ChangeNotifier;
use crate::client::RequestClient;
use crate::input_request;
use crate::limits::TASK_STATUS_MESSAGE_MIN_INTERVAL;
use wardroom_base::payload::Payload;
use wardroom_service::tasks::{NewTask, RunningTask, TaskStore};
use wardroom_service::{
    ChangeNotification, Client, ClientCapability, ClientResponses, InputMode, InputRequest, LogLevel,
};

/// The client of a call that is a task, or may become one.
pub(super) struct TaskClient {
    table: TaskStore,
    /// The call that becomes a task when it has to; `None` afterwards.
    pending_call: Mutex<Option<(NewTask, oneshot::Sender<Task>)>>,
    pub(super) running_task: OnceLock<RunningTask>,
    /// The client of the request, until the call is a task.
    request_client: Option<Arc<RequestClient>>,
    changes: Arc<ChangeNotifier>,
    features: Vec<ClientCapability>,
    client_responses: Option<ClientResponses>,
    last_message_at: Mutex<Option<Instant>>,
}

/// Returns the capabilities that a client supports, as names and as values.
pub(super) fn supported_features(client: &dyn Client) -> (Vec<String>, Vec<ClientCapability>) {
    let supported = ClientCapability::NAMED
        .into_iter()
        .filter(|(_, feature)| client.input_mode(*feature) != InputMode::Unsupported);
    supported.map(|(name, feature)| (name.to_owned(), feature)).unzip()
}

impl TaskClient {
    /// Returns the client of a call whose request is open, and which becomes a task when it has to.
    pub(super) fn for_request(
        table: TaskStore,
        call: (NewTask, oneshot::Sender<Task>),
        request_client: Arc<RequestClient>,
        capabilities: Vec<ClientCapability>,
        changes: Arc<ChangeNotifier>,
    ) -> Self {
        Self {
            table,
            pending_call: Mutex::new(Some(call)),
            running_task: OnceLock::new(),
            request_client: Some(request_client),
            changes,
            features: capabilities,
            client_responses: None,
            last_message_at: Mutex::default(),
        }
    }

    /// Returns the client of a resumed task, with the responses to it.
    pub(super) fn for_task(
        table: TaskStore,
        running_task: RunningTask,
        responses: Option<ClientResponses>,
        changes: Arc<ChangeNotifier>,
    ) -> Self {
        let named = |name: &String| {
            ClientCapability::NAMED.into_iter().find(|(known, _)| known == name).map(|(_, feature)| feature)
        };
        Self {
            table,
            pending_call: Mutex::default(),
            features: running_task.record.client_capabilities.iter().filter_map(named).collect(),
            running_task: OnceLock::from(running_task),
            request_client: None,
            changes,
            client_responses: responses,
            last_message_at: Mutex::default(),
        }
    }
}

impl Client for TaskClient {
    fn notify_progress(&self, step: f64, total: Option<f64>, message: Option<&str>) {
        let Some(running_task) = self.running_task.get() else {
            return self.request_client.iter().for_each(|client| client.notify_progress(step, total, message));
        };
        let message = match (message, total) {
            (Some(message), _) => message.to_owned(),
            (None, Some(total)) => format!("{step} of {total}"),
            (None, None) => step.to_string(),
        };
        let mut last_message_at = self.last_message_at.lock().unwrap_or_else(PoisonError::into_inner);
        // Each message is written to a file.
        if last_message_at.is_none_or(|last_message_at| last_message_at.elapsed() >= TASK_STATUS_MESSAGE_MIN_INTERVAL) {
            running_task.report_progress(&message);
            *last_message_at = Some(Instant::now());
        }
    }

    fn log_message(&self, level: LogLevel, logger: Option<&str>, data: Payload) {
        if let (None, Some(client)) = (self.running_task.get(), &self.request_client) {
            client.log_message(level, logger, data);
        }
    }

    fn notify_changed(&self, what: &ChangeNotification) {
        self.changes.notify_change(what);
    }

    fn input_mode(&self, feature: ClientCapability) -> InputMode {
        if self.features.contains(&feature) { InputMode::Deferred } else { InputMode::Unsupported }
    }

    fn shows_apps(&self) -> bool {
        self.request_client.as_ref().is_some_and(|client| client.shows_apps())
    }

    fn check_request(&self, request: &InputRequest) -> Result<Option<Payload>, String> {
        Ok(input_request::form_schema(&input_request::to_input_request(request)?))
    }

    fn request_input(&self, _: &[InputRequest]) -> Result<Vec<Payload>, String> {
        Err("a task requests input by ending the call".to_owned())
    }

    fn client_responses(&self) -> Option<&ClientResponses> {
        self.client_responses.as_ref().or_else(|| self.request_client.as_ref()?.client_responses())
    }

    fn begin_task(&self) -> Result<bool, String> {
        let mut call = self.pending_call.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((call, sender)) = call.take() else { return Ok(self.running_task.get().is_some()) };
        let running_task = self.table.create(call).map_err(|error| wire::public_message(&error))?;
        let task = wire::task(&running_task.record);
        drop(self.running_task.set(running_task));
        // The receiver is gone if the request was cancelled.
        drop(sender.send(task));
        Ok(true)
    }
}
