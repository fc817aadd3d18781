//! Calls that outlive their requests, as the tasks extension of the protocol has them.
//!
//! Owns: when a call becomes a task, who works on it, and what is told of it.
//! Never: makes a task for a client that did not say it knows them, or reads a large one beside others.
//!
//! A task that asks ends its call, as any call of the newer era does, and waits in the table; the last answer has it called
//! again, in whichever process that comes to.

mod client;
mod places;
mod wire;

use std::future::pending;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CreateTaskResult, ErrorData, GetTaskParams,
    GetTaskResult, RequestId, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::sync::CancellationToken;

use self::client::{OfTask, features_of};
use self::places::{Place, Places};
use super::client::{OfRequest, Subject, principal};
use super::server::merged;
use super::to_wire::Era;
use super::{Server, error, to_wire};
use wardroom_appdir::AppDirError;
use wardroom_base::hex::hex;
use wardroom_base::limits::{LARGE_BYTES, MAX_TASK_BYTES, TASK_LOOK_TIME};
use wardroom_base::payload::Payload;
use wardroom_service::tasks::{Answered, Call, End, Status, Table, TaskError, Working};
use wardroom_service::{Brought, CallContext, Caller, Client, Effort, ServiceError, Sizes, TaskUse, ToolAnswer};

type Context = RequestContext<RoleServer>;

/// The table, and how many of its tasks this server works on.
pub(super) struct Tasks {
    table: Table,
    places: Places,
}

/// What is read of a task beside others; one with more has its turn among the large documents.
const RECORD: Sizes = Sizes { light: LARGE_BYTES, shared: LARGE_BYTES, most: MAX_TASK_BYTES };

impl Tasks {
    pub(super) fn new(table: Table) -> Self {
        Self { table, places: Places::default() }
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
        let place = tasks.places.take(self.as_one().as_deref()).ok_or_else(places::busy)?;
        let subject = Subject::tool(&request, &self.caller);
        let (before, tell) =
            OfRequest::new(&context, &subject, &self.seal, self.asking.as_ref(), self.older.level(), &self.changes)?;
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        let (named, can) = features_of(&*before);
        let call = Call {
            owner: owner(&self.caller),
            tool: request.name.to_string(),
            arguments: arguments.clone(),
            can: named,
        };
        let (sender, mut begun) = oneshot::channel();
        let changes = Arc::clone(&self.changes);
        let client = Arc::new(OfTask::to_become(tasks.table.clone(), (call, sender), before, can, changes));
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
        let look =
            move |table: &Table, owner: &str, most| Ok(table.look(&request.task_id, owner, most)?.map(wire::detailed));
        let found = self.at_table(&context, look).await?;
        let mut result = GetTaskResult::new(found.ok_or_else(unknown)?);
        result.meta = self.meta(&context);
        Ok(result)
    }

    pub(super) async fn end_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        let cancel = move |table: &Table, owner: &str, most| table.cancel(&request.task_id, owner, most);
        if self.at_table(&context, cancel).await? { Ok(()) } else { Err(unknown()) }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "what is answered is not taken back with the request that brought it"
    )]
    pub(super) async fn answer_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        let Some(tasks) = self.tasks.clone() else { return Err(unknown()) };
        let UpdateTaskParams { task_id, input_responses, .. } = request;
        // What nobody is asked for needs no answer; and what is over may be large.
        let id = task_id.clone();
        let look =
            move |table: &Table, owner: &str, most| Ok(table.look(&id, owner, most)?.map(|record| record.status));
        match self.at_table(&context, look).await? {
            None => return Err(unknown()),
            Some(Status::InputRequired) => {}
            Some(_) => return Ok(()),
        }
        let (owner, one, server) = (owner(&self.caller), self.as_one(), self.clone());
        let id = context.id.clone();
        let answering = tokio::spawn(async move {
            let answer = move || {
                let place = || tasks.places.take(one.as_deref());
                tasks.table.answer(&task_id, &owner, input_responses, place)
            };
            let answered = spawn_blocking(answer).await;
            match answered.map_err(|_| error::panicked(&context.id))?.map_err(|error| failed(&error, &context.id))? {
                Answered::Unknown => Err(unknown()),
                Answered::Noted => Ok(()),
                Answered::GoesOn(working, place) => {
                    server.go_on(*working, place, &context);
                    Ok(())
                }
            }
        });
        answering.await.unwrap_or_else(|_| Err(error::panicked(&id)))
    }

    /// Calls a task's tool again, with what it was answered.
    fn go_on(&self, working: Working, place: Place, context: &Context) {
        let brought = working.brought.as_ref().map(|(handle, answers)| Brought {
            handle: handle.clone(),
            answers: answers.iter().map(|(key, answer)| (key.clone(), Payload::from_value(answer.clone()))).collect(),
        });
        let work =
            Work { name: working.task.tool.clone(), arguments: working.task.arguments.clone(), at_once: false, place };
        let Some(tasks) = &self.tasks else { return };
        let client = Arc::new(OfTask::that_is(tasks.table.clone(), working, brought, Arc::clone(&self.changes)));
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
            // Held until the end is noted.
            let Work { name, arguments, at_once, place: _place } = work;
            let worker = spawn_blocking(move || {
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
                    Ok(done) => wire::ended(done, &id),
                    Err(_) => End::Failed(wire::of_error(&error::panicked(&id))),
                };
                if let Some(working) = client.working.get() {
                    working.end(&end);
                }
            });
            drop(noted.await);
            None
        })
    }

    /// Does something with the table, where that is large when its turn comes.
    async fn at_table<T: Send + 'static>(
        &self,
        context: &Context,
        work: impl Fn(&Table, &str, u64) -> Result<T, TaskError> + Send + Sync + 'static,
    ) -> Result<T, ErrorData> {
        let Some(tasks) = &self.tasks else { return Err(unknown()) };
        let (table, owner) = (tasks.table.clone(), owner(&self.caller));
        let work = move |call: &CallContext| {
            work(&table, &owner, call.within(RECORD)).map_err(|error| of_table(error, call.effort))
        };
        self.run(context, work).await?.map_err(|error| error::of_service(error, &context.id))
    }

    /// As whom this caller has a share of the places, where there are others.
    fn as_one(&self) -> Option<String> {
        self.share.is_some().then(|| owner(&self.caller))
    }
}

/// What a task does.
struct Work {
    name: String,
    arguments: Value,
    /// Whether it is a task from the start, or becomes one when its handler says so.
    at_once: bool,
    place: Place,
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

fn owner(caller: &Caller) -> String {
    hex(principal(caller).iter().take(16))
}

fn unknown() -> ErrorData {
    error::invalid_params("there is no such task, or its time is over")
}

fn failed(error: &TaskError, id: &RequestId) -> ErrorData {
    if matches!(error, TaskError::Busy) {
        return places::busy();
    }
    tracing::error!(%error, %id, "the table of tasks");
    error::internal_as(wire::public(error))
}

fn of_table(error: TaskError, effort: Effort) -> ServiceError {
    match error {
        TaskError::AppDir(AppDirError::TooLarge { .. }) if effort != Effort::Large => ServiceError::Later,
        error => ServiceError::internal(wire::public(&error), error),
    }
}
