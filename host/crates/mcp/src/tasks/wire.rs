//! Tasks in the protocol's words.
//!
//! Never: copies what a task came to, which may be large.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use rmcp::model::{DetailedTask, ErrorData, JsonObject, RequestId, Task, TaskPayload, TaskStatus};
use serde_json::Value;

use crate::to_wire::{self, Era};
use crate::{asks, error};
use wardroom_base::limits::TASK_POLL_TIME;
use wardroom_service::tasks::{End, Record, Status, TaskError};
use wardroom_service::{Asks, ServiceError, ToolAnswer};

pub(super) fn task(record: &Record) -> Task {
    let time = |millis: u64| {
        let time = DateTime::<Utc>::from_timestamp_millis(i64::try_from(millis).unwrap_or_default());
        time.unwrap_or_default().to_rfc3339_opts(SecondsFormat::Millis, true)
    };
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let mut task = Task::default();
    task.task_id.clone_from(&record.id);
    task.status = match record.status {
        Status::Working => TaskStatus::Working,
        Status::InputRequired => TaskStatus::InputRequired,
        Status::Completed => TaskStatus::Completed,
        Status::Failed => TaskStatus::Failed,
        Status::Cancelled => TaskStatus::Cancelled,
    };
    task.status_message.clone_from(&record.message);
    (task.created_at, task.last_updated_at) = (time(record.created), time(record.updated));
    (task.ttl_ms, task.poll_interval_ms) = (Some(millis(Record::time())), Some(millis(TASK_POLL_TIME)));
    task
}

pub(super) fn detailed(record: Record) -> DetailedTask {
    let task = task(&record);
    let object = |outcome| match outcome {
        Some(Value::Object(fields)) => fields,
        _ => JsonObject::new(),
    };
    let payload = match record.status {
        Status::Working => TaskPayload::Working,
        Status::InputRequired => {
            let asks = record.asks.into_iter();
            let requests = asks.filter_map(|(key, request)| Some((key, serde_json::from_value(request).ok()?)));
            TaskPayload::InputRequired { input_requests: requests.collect() }
        }
        Status::Completed => TaskPayload::Completed { result: object(record.outcome) },
        Status::Failed => TaskPayload::Failed { error: object(record.outcome) },
        Status::Cancelled => TaskPayload::Cancelled,
    };
    DetailedTask::new(task, payload)
}

/// What the end of a call is for its task. Only what the protocol calls an error fails it.
pub(super) fn ended(done: Result<ToolAnswer, ServiceError>, id: &RequestId) -> End {
    let failed = |error: ServiceError| End::Failed(of_error(&error::of_service(error, id)));
    let result = match done {
        Ok(ToolAnswer { asks: Some(asks), .. }) => return asked(&asks),
        Err(ServiceError::Asks(asks)) => return asked(&asks),
        Ok(answer) => to_wire::tool_answer(answer, Era::Newer),
        Err(error) => match to_wire::tool_failure(error, id, Era::Newer) {
            Ok(result) => result,
            Err(error) => return failed(error),
        },
    };
    End::Completed(serde_json::to_value(result).unwrap_or_default())
}

fn asked(asks: &Asks) -> End {
    let requests: Result<BTreeMap<_, _>, String> = asks
        .asks
        .iter()
        .map(|ask| Ok((ask.key.clone(), serde_json::to_value(asks::request(ask)?).unwrap_or_default())))
        .collect();
    match requests {
        Ok(requests) => End::Asks(requests, asks.handle.clone()),
        Err(why) => End::Failed(of_error(&error::internal_as(why))),
    }
}

pub(super) fn of_error(error: &ErrorData) -> Value {
    serde_json::to_value(error).unwrap_or_default()
}

/// What of an error a client is told.
pub(super) fn public(error: &TaskError) -> String {
    match error {
        TaskError::AppDir(_) => "the task cannot be kept: the log says why".to_owned(),
        error => error.to_string(),
    }
}
