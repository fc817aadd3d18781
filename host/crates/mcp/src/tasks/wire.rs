//! Conversion of tasks to wire types.
//!
//! Never: copies the result of a task, which may be large.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use rmcp::model::{DetailedTask, ErrorData, JsonObject, RequestId, Task, TaskPayload, TaskStatus};
use serde_json::Value;

use crate::limits::TASK_POLL_INTERVAL;
use crate::revision::Revision;
use crate::to_wire;
use crate::{encode, error, input_request};
use wardroom_base::payload::Payload;
use wardroom_base::unix_time;
use wardroom_service::tasks::{self, TaskError, TaskOutcome, TaskRecord};
use wardroom_service::{InputRequired, ServiceError, ToolOutput};

pub(super) fn task(record: &TaskRecord) -> Task {
    let time = |millis: u64| {
        let time = DateTime::<Utc>::from_timestamp_millis(i64::try_from(millis).unwrap_or_default());
        time.unwrap_or_default().to_rfc3339_opts(SecondsFormat::Millis, true)
    };
    let mut task = Task::default();
    task.task_id.clone_from(&record.id);
    task.status = match record.status {
        tasks::TaskStatus::Working => TaskStatus::Working,
        tasks::TaskStatus::InputRequired => TaskStatus::InputRequired,
        tasks::TaskStatus::Completed => TaskStatus::Completed,
        tasks::TaskStatus::Failed => TaskStatus::Failed,
        tasks::TaskStatus::Cancelled => TaskStatus::Cancelled,
    };
    task.status_message.clone_from(&record.message);
    (task.created_at, task.last_updated_at) = (time(record.created), time(record.updated));
    (task.ttl_ms, task.poll_interval_ms) =
        (Some(unix_time::whole_ms(TaskRecord::ttl())), Some(unix_time::whole_ms(TASK_POLL_INTERVAL)));
    task
}

pub(super) fn detailed_task(record: TaskRecord) -> DetailedTask {
    let task = task(&record);
    let object = |outcome: Option<Payload>| match outcome.map(Payload::into_value) {
        Some(Value::Object(fields)) => fields,
        _ => JsonObject::new(),
    };
    let payload = match record.status {
        tasks::TaskStatus::Working => TaskPayload::Working,
        tasks::TaskStatus::InputRequired => {
            let asks = record.input_requests.into_iter();
            let requests = asks.filter_map(|(key, request)| Some((key, serde_json::from_value(request).ok()?)));
            TaskPayload::InputRequired { input_requests: requests.collect() }
        }
        tasks::TaskStatus::Completed => TaskPayload::Completed { result: object(record.outcome) },
        tasks::TaskStatus::Failed => {
            let ended = || error_value(&error::internal_with_message("the server that ran this task has ended")).into();
            TaskPayload::Failed { error: object(Some(record.outcome.unwrap_or_else(ended))) }
        }
        tasks::TaskStatus::Cancelled => TaskPayload::Cancelled,
    };
    DetailedTask::new(task, payload)
}

/// Converts the end of a call to the outcome of its task. Only a protocol error fails a task.
pub(super) fn task_end(done: Result<ToolOutput, ServiceError>, id: &RequestId) -> TaskOutcome {
    let failed = |error: ServiceError| TaskOutcome::Failed(error_value(&error::from_service_error(error, id)));
    let mut result = match done {
        Ok(ToolOutput { input_required: Some(required), .. }) => return input_required_end(&required),
        Err(ServiceError::InputRequired(required)) => return input_required_end(&required),
        Ok(answer) => to_wire::tool_result(answer, Revision::Modern),
        Err(error) => match to_wire::tool_error_result(error, id, Revision::Modern) {
            Ok(result) => result,
            Err(error) => return failed(error),
        },
    };
    encode::build_structured_value(&mut result);
    TaskOutcome::Completed(serde_json::to_value(result).unwrap_or_default())
}

fn input_required_end(required: &InputRequired) -> TaskOutcome {
    let requests: Result<BTreeMap<_, _>, String> = required
        .requests
        .iter()
        .map(|request| {
            Ok((
                request.key.clone(),
                serde_json::to_value(input_request::to_input_request(request)?).unwrap_or_default(),
            ))
        })
        .collect();
    match requests {
        Ok(requests) => TaskOutcome::InputRequired(requests, required.continuation_token.clone()),
        Err(why) => TaskOutcome::Failed(error_value(&error::internal_with_message(why))),
    }
}

pub(super) fn error_value(error: &ErrorData) -> Value {
    serde_json::to_value(error).unwrap_or_default()
}

/// Returns the message of an error that a client may see.
pub(super) fn public_message(error: &TaskError) -> String {
    match error {
        TaskError::AppDir(_) => "the task store failed: the log of the server says why".to_owned(),
        error => error.to_string(),
    }
}
