//! Calls that outlive their requests, as the tasks extension of the protocol has them.
//!
//! Owns: when a call becomes a task, the client of one that did, and what is told of it.
//! Never: makes a task for a client that did not say it knows them.
//!
//! A task that asks ends its call, as any call of the newer era does, and waits in the table; the last answer has it called
//! again, in whichever process that comes to.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use chrono::{DateTime, SecondsFormat, Utc};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CreateTaskResult, DetailedTask, ErrorData,
    GetTaskParams, GetTaskResult, JsonObject, RequestId, Task, TaskPayload, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::sync::CancellationToken;

use super::changes::Changes;
use super::client::{OfRequest, Subject, principal};
use super::server::merged;
use super::to_wire::Era;
use super::{Server, asks, error, to_wire};
use crate::limits::{MAX_WORKING_TASKS, TASK_LOOK_TIME, TASK_MESSAGE_TIME, TASK_POLL_TIME};
use crate::payload::Payload;
use crate::services::{
    Ask, Asks, Brought, CallContext, Caller, Changed, Client, Effort, Feature, Level, Sampling, ServiceError, TaskUse,
    ToolAnswer,
};
use crate::tasks::{Answered, Call, End, Record, Status, Table, TaskError, Working};

type Context = RequestContext<RoleServer>;

/// The table, and how many of its tasks this server works on.
pub(super) struct Tasks {
    table: Table,
    places: Arc<Semaphore>,
}

/// The client of a call that is a task, or may become one.
struct OfTask {
    table: Table,
    /// What becomes a task when it has to; nothing afterwards.
    call: Mutex<Option<(Call, oneshot::Sender<Task>)>>,
    working: OnceLock<Working>,
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

impl Tasks {
    pub(super) fn new(table: Table) -> Self {
        Self { table, places: Arc::new(Semaphore::new(MAX_WORKING_TASKS)) }
    }

    fn place(&self) -> Result<OwnedSemaphorePermit, ErrorData> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        place
            .map_err(|_| error::busy(format!("this server works on {MAX_WORKING_TASKS} tasks by now: try again later")))
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
        let working = self.table.begin(call).map_err(|error| public(&error))?;
        let task = to_task(&working.task);
        drop(self.working.set(working));
        // Nobody waits for it where the request was taken back.
        drop(begun.send(task));
        Ok(true)
    }
}

impl Server {
    pub(super) fn keeps_tasks(&self) -> bool {
        self.tasks.is_some() && self.catalogue.has_tasks()
    }

    /// Whether a call may be a task, and how.
    pub(super) fn as_task(&self, tool: &str, context: &Context) -> Result<Option<TaskUse>, ErrorData> {
        let Some(using) = self.catalogue.task(tool, &self.call(context, Effort::Light)) else { return Ok(None) };
        let knows = Era::of(context) == Era::Newer
            && context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks());
        match (knows && self.tasks.is_some(), using.required) {
            (true, _) => Ok(Some(using)),
            (false, false) => Ok(None),
            (false, true) if self.tasks.is_none() => {
                Err(error::invalid_params("this tool runs as a task, and this server keeps none: it only reads"))
            }
            (false, true) => Err(error::lacks_tasks()),
        }
    }

    pub(super) async fn call_as_task(
        &self,
        request: CallToolRequestParams,
        using: TaskUse,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tasks) = &self.tasks else { return Err(error::lacks_tasks()) };
        let place = tasks.place()?;
        let subject = Subject::tool(&request, &self.caller);
        let (before, tell) =
            OfRequest::new(&context, &subject, &self.seal, self.asking.as_ref(), self.older.level(), &self.changes)?;
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        let can: Vec<_> = FEATURES.into_iter().filter(|(_, feature)| before.can(*feature) != Sampling::Never).collect();
        let call = Call {
            owner: owner(&self.caller),
            tool: request.name.to_string(),
            arguments: arguments.clone(),
            can: can.iter().map(|(name, _)| (*name).to_owned()).collect(),
        };
        let (sender, mut begun) = oneshot::channel();
        let client = Arc::new(OfTask {
            table: tasks.table.clone(),
            call: Mutex::new(Some((call, sender))),
            working: OnceLock::new(),
            before: Some(before),
            changes: Arc::clone(&self.changes),
            can: can.into_iter().map(|(_, feature)| feature).collect(),
            brought: None,
            said: Mutex::default(),
        });
        let cancelled = CancellationToken::new();
        let work = Work { name: request.name.to_string(), arguments, at_once: !using.by_handler, place };
        let mut working = self.work_on(client, work, cancelled.clone(), &context);
        // What is told of a call goes out before its answer, as long as that is the answer of its request.
        let (mut tell, mut has_told) = (std::pin::pin!(tell), false);
        let done = loop {
            tokio::select! {
                biased;
                Ok(task) = &mut begun => {
                    let mut result = CreateTaskResult::new(task);
                    result.meta = self.meta(&context);
                    return Ok(result.into());
                }
                done = &mut working => break done,
                () = &mut tell, if !has_told => has_told = true,
                () = context.ct.cancelled() => {
                    cancelled.cancel();
                    return Err(error::cancelled());
                }
            }
        };
        if !has_told {
            tell.await;
        }
        let Ok(Some(done)) = done else { return Err(error::panicked(&context.id)) };
        let result = match done {
            Ok(ToolAnswer { asks: Some(asks), .. }) => return Ok(self.seal.ask(&asks, &subject)?.into()),
            Err(ServiceError::Asks(asks)) => return Ok(self.seal.ask(&asks, &subject)?.into()),
            Ok(answer) => Ok(to_wire::tool_answer(answer, Era::Newer)),
            Err(error) => to_wire::tool_failure(error, &context.id, Era::Newer),
        };
        let mut result = result.map_err(|error| error::of_service(error, &context.id))?;
        result.meta = merged(result.meta, self.meta(&context));
        Ok(result.into())
    }

    pub(super) async fn look_at_task(
        &self,
        request: GetTaskParams,
        context: Context,
    ) -> Result<GetTaskResult, ErrorData> {
        let found = self.at_table(&context, move |table, owner| table.look(&request.task_id, owner)).await?;
        let mut result = GetTaskResult::new(to_detailed(found.ok_or_else(unknown)?));
        result.meta = self.meta(&context);
        Ok(result)
    }

    pub(super) async fn end_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        let found = self.at_table(&context, move |table, owner| table.cancel(&request.task_id, owner)).await?;
        if found { Ok(()) } else { Err(unknown()) }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "what is answered is not taken back with the request that brought it"
    )]
    pub(super) async fn answer_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        let Some(tasks) = &self.tasks else { return Err(unknown()) };
        let place = tasks.place()?;
        let (table, owner, server) = (tasks.table.clone(), owner(&self.caller), self.clone());
        let id = context.id.clone();
        let answering = tokio::spawn(async move {
            let answers = request.input_responses.into_iter().map(|(key, answer)| (key, answer));
            let answered = spawn_blocking(move || table.answer(&request.task_id, &owner, answers)).await;
            match answered.map_err(|_| error::panicked(&context.id))?.map_err(|error| failed(&error, &context.id))? {
                Answered::Unknown => Err(unknown()),
                Answered::Noted => Ok(()),
                Answered::GoesOn(working) => {
                    server.go_on(*working, place, &context);
                    Ok(())
                }
            }
        });
        answering.await.unwrap_or_else(|_| Err(error::panicked(&id)))
    }

    /// Calls a task's tool again, with what it was answered.
    fn go_on(&self, working: Working, place: OwnedSemaphorePermit, context: &Context) {
        let brought = working.brought.as_ref().map(|(handle, answers)| Brought {
            handle: handle.clone(),
            answers: answers.iter().map(|(key, answer)| (key.clone(), Payload::from_value(answer.clone()))).collect(),
        });
        let named = |name: &String| FEATURES.into_iter().find(|(known, _)| known == name).map(|(_, feature)| feature);
        let work =
            Work { name: working.task.tool.clone(), arguments: working.task.arguments.clone(), at_once: false, place };
        let Some(tasks) = &self.tasks else { return };
        let client = Arc::new(OfTask {
            table: tasks.table.clone(),
            call: Mutex::default(),
            can: working.task.can.iter().filter_map(named).collect(),
            working: OnceLock::from(working),
            before: None,
            changes: Arc::clone(&self.changes),
            brought,
            said: Mutex::default(),
        });
        drop(self.work_on(client, work, CancellationToken::new(), context));
    }

    /// Does the work, and notes what came of it where it is a task's; otherwise its request answers it.
    #[expect(clippy::disallowed_methods, reason = "a task outlives the request that makes it")]
    fn work_on(
        &self,
        client: Arc<OfTask>,
        work: Work,
        cancelled: CancellationToken,
        context: &Context,
    ) -> JoinHandle<Option<Result<ToolAnswer, ServiceError>>> {
        let own = Arc::clone(&client) as Arc<dyn Client>;
        let call = CallContext { cancelled: cancelled.clone(), client: Some(own), ..self.call(context, Effort::Full) };
        let id = context.id.clone();
        tokio::spawn(async move {
            let worker = spawn_blocking(move || {
                let Work { name, arguments, at_once, place: _place } = work;
                if at_once && let Some(client) = &call.client {
                    client.begin_task().map_err(|why| ServiceError::tool("UNAVAILABLE", why))?;
                }
                call.catalogue.call(&name, Payload::from_value(arguments), &call)
            });
            let done = tokio::select! {
                done = worker => done,
                never = ended_elsewhere(&client, &cancelled) => never,
            };
            if client.working.get().is_none() {
                return done.ok();
            }
            let noted = spawn_blocking(move || {
                let end = match done {
                    Ok(done) => ended(done, &id),
                    Err(_) => End::Failed(of_error(&error::panicked(&id))),
                };
                client.working.get().into_iter().for_each(|working| working.end(end.clone()));
            });
            drop(noted.await);
            None
        })
    }

    async fn at_table<T: Send + 'static>(
        &self,
        context: &Context,
        work: impl Fn(&Table, &str) -> Result<T, TaskError> + Send + Sync + 'static,
    ) -> Result<T, ErrorData> {
        let Some(tasks) = &self.tasks else { return Err(unknown()) };
        let (table, owner) = (tasks.table.clone(), owner(&self.caller));
        let done = self.run(context, move |_| work(&table, &owner).map_err(of_table)).await?;
        done.map_err(|error| error::of_service(error, &context.id))
    }
}

/// What a task does.
struct Work {
    name: String,
    arguments: Value,
    /// Whether it is a task from the start, or becomes one when its handler says so.
    at_once: bool,
    place: OwnedSemaphorePermit,
}

/// Stops the work on a task that somebody ended, here or in another process. Never comes to an end itself.
async fn ended_elsewhere<T>(client: &Arc<OfTask>, cancelled: &CancellationToken) -> T {
    loop {
        tokio::time::sleep(TASK_LOOK_TIME).await;
        let looking = Arc::clone(client);
        let look = spawn_blocking(move || looking.working.get().is_some_and(Working::is_cancelled));
        if look.await.unwrap_or(false) {
            cancelled.cancel();
            return pending().await;
        }
    }
}

/// What the end of a call is for its task. Only what the protocol calls an error fails it.
fn ended(done: Result<ToolAnswer, ServiceError>, id: &RequestId) -> End {
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

fn of_error(error: &ErrorData) -> Value {
    serde_json::to_value(error).unwrap_or_default()
}

fn owner(caller: &Caller) -> String {
    principal(caller).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn to_task(record: &Record) -> Task {
    let time = |millis: u64| {
        let time = DateTime::<Utc>::from_timestamp_millis(i64::try_from(millis).unwrap_or_default());
        time.unwrap_or_default().to_rfc3339_opts(SecondsFormat::Millis, true)
    };
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let mut task = Task::default();
    task.task_id.clone_from(&record.id);
    task.status = to_detailed_payload(record).status();
    task.status_message.clone_from(&record.message);
    (task.created_at, task.last_updated_at) = (time(record.created), time(record.updated));
    (task.ttl_ms, task.poll_interval_ms) = (Some(millis(Record::time())), Some(millis(TASK_POLL_TIME)));
    task
}

fn to_detailed(record: Record) -> DetailedTask {
    DetailedTask::new(to_task(&record), to_detailed_payload(&record))
}

fn to_detailed_payload(record: &Record) -> TaskPayload {
    let object = || match &record.outcome {
        Some(Value::Object(fields)) => fields.clone(),
        _ => JsonObject::new(),
    };
    match record.status {
        Status::Working => TaskPayload::Working,
        Status::InputRequired => {
            let requests = record
                .asks
                .iter()
                .filter_map(|(key, request)| Some((key.clone(), serde_json::from_value(request.clone()).ok()?)));
            TaskPayload::InputRequired { input_requests: requests.collect() }
        }
        Status::Completed => TaskPayload::Completed { result: object() },
        Status::Failed => TaskPayload::Failed { error: object() },
        Status::Cancelled => TaskPayload::Cancelled,
    }
}

fn unknown() -> ErrorData {
    error::invalid_params("there is no such task, or its time is over")
}

fn failed(error: &TaskError, id: &RequestId) -> ErrorData {
    tracing::error!(%error, %id, "the table of tasks");
    error::internal_as(public(error))
}

fn of_table(error: TaskError) -> ServiceError {
    ServiceError::internal(public(&error), error)
}

/// What of it a client is told.
fn public(error: &TaskError) -> String {
    match error {
        TaskError::AppDir(_) => "the task cannot be kept: the log says why".to_owned(),
        error => error.to_string(),
    }
}
