//! Calls that outlive their requests: the tasks extension of the protocol.
//!
//! Owns: when a call becomes a task, its execution, and what clients see of it.
//! Never: makes a task for a client that did not declare the extension, or reads a large task without a large-response
//! permit.
//!
//! A task that requires input ends its call, as every modern call does, and waits in the table. The last response
//! resumes it: its tool is called again, in whichever process received that response.

mod client;
mod slots;
mod wire;

use std::future::pending;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CreateTaskResult, ErrorData, GetTaskParams,
    GetTaskResult, RequestId, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::sync::CancellationToken;

use self::client::{TaskClient, supported_features};
use self::slots::{TaskSlot, TaskSlots};
use super::client::{CallIdentity, RequestClient};
use super::execution::hold_until_sent;
use super::revision::Revision;
use super::{McpServer, error};
use crate::limits::TASK_CANCEL_POLL_INTERVAL;
use wardroom_appdir::AppDirError;
use wardroom_base::activity::{CallEntry, CallName};
use wardroom_base::payload::Payload;
use wardroom_service::limits::{LARGE_RESPONSE_THRESHOLD_BYTES, MAX_TASK_FILE_BYTES};
use wardroom_service::tasks::{AnswerOutcome, NewTask, RunningTask, TaskError, TaskOutcome, TaskStatus, TaskStore};
use wardroom_service::{
    Client, ClientResponses, Cost, RequestInfo, ResolvedTool, ServiceError, Step, TaskSupport, ToolOutput, Work,
};

type RpcContext = RequestContext<RoleServer>;

/// The table of tasks, and the slots for those that this server runs.
pub(super) struct TaskRunner {
    table: TaskStore,
    slots: TaskSlots,
}

impl TaskRunner {
    pub(super) fn new(table: TaskStore) -> Self {
        Self { table, slots: TaskSlots::default() }
    }
}

impl McpServer {
    pub(super) fn has_tasks(&self) -> bool {
        self.tasks.is_some() && self.catalogue.has_tasks()
    }

    /// Returns whether a call of a tool with this support may be a task, and how.
    pub(super) fn task_support(
        &self,
        support: Option<TaskSupport>,
        context: &RpcContext,
    ) -> Result<Option<TaskSupport>, ErrorData> {
        let Some(support) = support else { return Ok(None) };
        let knows = Revision::from_context(context) == Revision::Modern
            && context.client_capabilities().is_some_and(|capabilities| capabilities.supports_tasks());
        match (knows && self.tasks.is_some(), support.is_required) {
            (true, _) => Ok(Some(support)),
            (false, false) => Ok(None),
            (false, true) if self.tasks.is_none() => {
                Err(error::invalid_params("this tool runs only as a task, and a read-only server stores no tasks"))
            }
            (false, true) => Err(error::missing_tasks_extension()),
        }
    }

    pub(super) async fn call_as_task(
        &self,
        (request, arguments): (CallToolRequestParams, Payload),
        tool: Arc<dyn ResolvedTool>,
        support: TaskSupport,
        context: RpcContext,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tasks) = &self.tasks else { return Err(error::missing_tasks_extension()) };
        let quota_key = self.quota_key();
        let slot = context.ct.run_until_cancelled(tasks.slots.acquire(quota_key.as_deref())).await;
        let slot = slot.filter(|_| !context.ct.is_cancelled()).ok_or_else(error::cancelled)?;
        let slot = slot.ok_or_else(slots::too_many_tasks)?;
        let identity = CallIdentity::for_tool(&request, &arguments, &self.caller);
        let (request_client, notifications) = RequestClient::new(
            &context,
            &identity,
            &self.state_sealer,
            self.input_limits.as_ref(),
            self.legacy_subscriptions.log_level(),
            (&self.change_notifier, self.memory()),
        )?;
        let (names, capabilities) = supported_features(&*request_client);
        let call = NewTask {
            owner: self.caller.owner.clone(),
            tool: request.name.to_string(),
            arguments: arguments.clone(),
            client_capabilities: names,
        };
        let (sender, mut task_created) = oneshot::channel();
        let changes = Arc::clone(&self.change_notifier);
        let client = Arc::new(TaskClient::for_request(
            tasks.table.clone(),
            (call, sender),
            request_client,
            capabilities,
            changes,
        ));
        let cancelled = CancellationToken::new();
        let call = tool.call(arguments.clone());
        let work = if support.is_started_by_handler { call } else { as_task_from_start(call) };
        let entry = self.activity.begin_call(identity.call_name());
        let mut worker = self.spawn_task(client, (work, slot, entry), cancelled.clone(), &context);
        // The notifications of a call are sent before its answer, unless it becomes a task.
        let (mut notifications, mut all_sent) = (std::pin::pin!(notifications), false);
        let done = loop {
            tokio::select! {
                biased;
                // A handler whose task could not be created goes on, and the channel is over.
                Ok(task) = &mut task_created, if !task_created.is_terminated() => {
                    let mut result = CreateTaskResult::new(task);
                    result.meta = self.result_meta(&context);
                    return Ok(result.into());
                }
                done = &mut worker => break done,
                () = &mut notifications, if !all_sent => all_sent = true,
                () = context.ct.cancelled() => {
                    cancelled.cancel();
                    return Err(error::cancelled());
                }
            }
        };
        if !all_sent {
            notifications.await;
        }
        let Ok(Some(done)) = done else { return Err(error::panicked(&context.id)) };
        self.tool_response(done, (&request, &arguments), &context, Revision::Modern)
    }

    pub(super) async fn read_task(
        &self,
        request: GetTaskParams,
        context: RpcContext,
    ) -> Result<GetTaskResult, ErrorData> {
        let load = move |table: &TaskStore, info: &RequestInfo, max| {
            let Some(record) = table.load(&request.task_id, &info.caller.owner, max)? else { return Ok(None) };
            let (text, value) = record.outcome.as_ref().map_or((0, 0), |end| (end.text_bytes(), end.value_bytes()));
            info.memory.hold_answer(text, value)?;
            Ok(Some(wire::detailed_task(record)))
        };
        let found = self.run_on_table(&context, load).await?;
        let mut result = GetTaskResult::new(found.ok_or_else(|| self.unknown_task())?);
        result.meta = self.result_meta(&context);
        Ok(result)
    }

    pub(super) async fn end_task(&self, request: CancelTaskParams, context: RpcContext) -> Result<(), ErrorData> {
        let cancel =
            move |table: &TaskStore, info: &RequestInfo, max| table.cancel(&request.task_id, &info.caller.owner, max);
        if self.run_on_table(&context, cancel).await? { Ok(()) } else { Err(self.unknown_task()) }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "responses are recorded even if the request that brought them is cancelled"
    )]
    pub(super) async fn answer_task(&self, request: UpdateTaskParams, context: RpcContext) -> Result<(), ErrorData> {
        let Some(tasks) = self.tasks.clone() else { return Err(unknown_task()) };
        let UpdateTaskParams { task_id, input_responses, .. } = request;
        // Only a task that requires input takes responses, and the record of an ended task may be large.
        let id = task_id.clone();
        let load = move |table: &TaskStore, info: &RequestInfo, max| {
            Ok(table.load(&id, &info.caller.owner, max)?.map(|record| (record.status, record.tool)))
        };
        let tool = match self.run_on_table(&context, load).await? {
            None => return Err(self.unknown_task()),
            Some((TaskStatus::InputRequired, tool)) => tool,
            Some(_) => return Ok(()),
        };
        // An endpoint that does not offer the tool could only end the task: it waits for the responses at another one.
        let resolved = self.run(&context, self.catalogue.tool(&tool, &self.caller)).await?;
        resolved.map_err(|error| error::from_service_error(error, &context.id))?;
        let (owner, quota_key, server) = (self.caller.owner.clone(), self.quota_key(), self.clone());
        let id = context.id.clone();
        let answering = tokio::spawn(async move {
            let answer = move || {
                let slot = || tasks.slots.try_acquire(quota_key.as_deref());
                tasks.table.submit_responses(&task_id, &owner, input_responses, slot)
            };
            let answered = spawn_blocking(answer).await;
            match answered
                .map_err(|_| error::panicked(&context.id))?
                .map_err(|error| table_error(&error, &context.id))?
            {
                AnswerOutcome::UnknownTask => Err(unknown_task()),
                AnswerOutcome::Recorded => Ok(()),
                AnswerOutcome::Resumed(working, slot) => {
                    server.resume_task(*working, slot, &context);
                    Ok(())
                }
            }
        });
        answering.await.unwrap_or_else(|_| Err(error::panicked(&id)))
    }

    /// Calls a task's tool again, with the responses to its input requests.
    fn resume_task(&self, working: RunningTask, slot: TaskSlot, context: &RpcContext) {
        let responses = working.resume_input.as_ref().map(|input| ClientResponses {
            continuation_token: Some(input.continuation_token.clone()).filter(|token| !token.is_empty()),
            responses: input
                .responses
                .iter()
                .map(|(key, answer)| (key.clone(), Payload::from_value(answer.clone())))
                .collect(),
        });
        let arguments = working.record.arguments.clone();
        let tool = self.catalogue.tool(&working.record.tool, &self.caller);
        let owner = self.caller.owner.display_name();
        let entry = self.activity.begin_call(CallName::new("tools/call", &working.record.tool, owner));
        let work = tool.and_continue(|tool, _| Ok(Step::Next(tool.call(arguments))));
        let Some(tasks) = &self.tasks else { return };
        let client =
            Arc::new(TaskClient::for_task(tasks.table.clone(), working, responses, Arc::clone(&self.change_notifier)));
        drop(self.spawn_task(client, (work, slot, entry), CancellationToken::new(), context));
    }

    /// Runs a call. Records its outcome if it is a task, otherwise returns it for the answer of its request.
    #[expect(clippy::disallowed_methods, reason = "a task outlives the request that makes it")]
    fn spawn_task(
        &self,
        client: Arc<TaskClient>,
        (work, slot, entry): (Work<ToolOutput>, TaskSlot, CallEntry),
        cancelled: CancellationToken,
        context: &RpcContext,
    ) -> JoinHandle<Option<Result<ToolOutput, ServiceError>>> {
        let own = Arc::clone(&client) as Arc<dyn Client>;
        // A child, which ends with the task: a large-response permit is held until then.
        let work_token = cancelled.child_token();
        let info = RequestInfo { cancellation: work_token.clone(), client: Some(own), ..self.request_info(context) };
        let (server, id) = (self.clone(), context.id.clone());
        let (memory, request) = (info.memory.clone(), context.ct.clone());
        tokio::spawn(async move {
            // Held until the outcome is recorded.
            let _held = (slot, entry, work_token.drop_guard());
            let done = tokio::select! {
                done = server.run_task_steps(info, &id, work) => done,
                never = cancel_when_ended(&client, &cancelled) => never,
            };
            if client.running_task.get().is_none() {
                hold_until_sent(&memory, &request);
                return done.ok();
            }
            let recorded = spawn_blocking(move || {
                let end = match done {
                    Ok(done) => wire::task_end(done, &id),
                    Err(error) => TaskOutcome::Failed(wire::error_value(&error)),
                };
                if let Some(working) = client.running_task.get() {
                    working.finish(&end);
                }
            });
            drop(recorded.await);
            None
        })
    }

    /// Runs the work of a task to its end. The slots of tasks bound how many run, and the work runs on as long as it
    /// takes after a cancellation, which it notices itself.
    async fn run_task_steps(
        &self,
        info: RequestInfo,
        id: &RequestId,
        work: Work<ToolOutput>,
    ) -> Result<Result<ToolOutput, ServiceError>, ErrorData> {
        let mut work = work;
        loop {
            let step = if work.cost() == Cost::Large {
                self.run_large(&info, id, work).await?
            } else {
                let own = info.clone();
                spawn_blocking(move || work.run(&own)).await.map_err(|_| error::panicked(id))?
            };
            match step {
                Ok(Step::Done(output)) => return Ok(Ok(output)),
                Ok(Step::Next(next)) => work = next,
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    /// Returns the error for a task that does not exist for this caller.
    fn unknown_task(&self) -> ErrorData {
        self.audit_unseen("tasks", "unknown task");
        unknown_task()
    }

    /// Runs `access` on the table, with a large-response permit if the task is a large one.
    async fn run_on_table<T: Send + 'static>(
        &self,
        context: &RpcContext,
        access: impl Fn(&TaskStore, &RequestInfo, u64) -> Result<T, TaskError> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let Some(tasks) = &self.tasks else { return Err(unknown_task()) };
        let table = tasks.table.clone();
        let work =
            Work::in_steps(Cost::Worker, move |info| match access(&table, info, LARGE_RESPONSE_THRESHOLD_BYTES) {
                Err(TaskError::AppDir(AppDirError::TooLarge { .. })) => {
                    Ok(Step::Next(Work::new(Cost::Large, move |info| {
                        access(&table, info, MAX_TASK_FILE_BYTES).map_err(table_service_error)
                    })))
                }
                done => done.map(Step::Done).map_err(table_service_error),
            });
        self.run(context, work).await?.map_err(|error| error::from_service_error(error, &context.id))
    }

    /// Returns the key of this caller's quota; `None` where there is only one caller.
    fn quota_key(&self) -> Option<String> {
        self.has_other_callers.then(|| self.caller.owner.display_name())
    }
}

/// Returns a call that is a task from its start, and not only when its handler requests that.
fn as_task_from_start(call: Work<ToolOutput>) -> Work<ToolOutput> {
    Work::in_steps(Cost::Worker, |info| {
        if let Some(client) = &info.client {
            client.begin_task().map_err(|why| ServiceError::tool(wardroom_service::error_code::UNAVAILABLE, why))?;
        }
        Ok(Step::Next(call))
    })
}

/// Cancels the work on a task that was ended, here or in another process. Never returns.
async fn cancel_when_ended<T>(client: &Arc<TaskClient>, cancelled: &CancellationToken) -> T {
    loop {
        tokio::time::sleep(TASK_CANCEL_POLL_INTERVAL).await;
        let checked = Arc::clone(client);
        let check = spawn_blocking(move || checked.running_task.get().is_some_and(RunningTask::is_cancelled));
        if check.await.unwrap_or(false) {
            cancelled.cancel();
            return pending().await;
        }
    }
}

fn unknown_task() -> ErrorData {
    error::invalid_params("unknown or expired task")
}

fn table_error(error: &TaskError, id: &RequestId) -> ErrorData {
    if matches!(error, TaskError::Busy) {
        return slots::too_many_tasks();
    }
    tracing::error!(%error, %id, "the task store failed");
    error::internal_with_message(wire::public_message(error))
}

fn table_service_error(error: TaskError) -> ServiceError {
    match error {
        TaskError::OutOfMemory(error) => ServiceError::out_of_memory(error),
        error => ServiceError::internal(wire::public_message(&error), error),
    }
}
