//! Runs the work of requests: each step on the thread that its cost asks for.
//!
//! Owns: how many workers run at the same time, and that a cancelled request waits for nothing.
//! Never: knows what the work does, or runs a step twice.

use std::sync::Arc;
use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId, RequestMetaObject};
use rmcp::service::RequestContext;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::client::{CallIdentity, RequestClient};
use super::server::ToolOfRequest;
use super::{McpServer, error};
use wardroom_service::{Client, Cost, RequestInfo, RequestMemory, ServiceError, Step, Work};

/// The field of a request's `_meta` with which a client asks for what is stored now.
const FRESH_META: &str = "wardroom/fresh";

type RpcContext = RequestContext<RoleServer>;

/// The result of work. The outer error is a protocol error.
type Ended<T> = Result<Result<T, ServiceError>, ErrorData>;

impl McpServer {
    /// Counts a request, and requires a protocol version. Brings the services up to date with their files, if the client asks
    /// for what is stored now: nothing reports what another machine changed.
    pub(super) async fn admit(&self, context: &RpcContext) -> Result<(), ErrorData> {
        self.activity.count_request();
        Self::require_protocol_version(context)?;
        // With the tool came what it was resolved in.
        if wants_fresh(&context.meta) && context.extensions.get::<ToolOfRequest>().is_none() {
            Box::pin(self.refresh_services(context.ct.clone(), &context.id)).await?;
        }
        Ok(())
    }

    /// Has the services look at their files now.
    pub(super) async fn refresh_services(&self, stop: CancellationToken, id: &RequestId) -> Result<(), ErrorData> {
        let (info, since) = (self.request_info_with(stop, true), Instant::now());
        let refresh = Work::new(Cost::Worker, move |info: &RequestInfo| {
            info.catalogue.refresh(since);
            Ok(())
        });
        let refreshed = self.run_on_worker(&info, id, refresh).await?;
        refreshed.map(drop).map_err(|error| error::from_service_error(error, id))
    }

    /// Returns what services may know of a request without a client.
    pub(super) fn request_info(&self, context: &RpcContext) -> RequestInfo {
        self.request_info_with(context.ct.clone(), wants_fresh(&context.meta))
    }

    pub(super) fn request_info_with(&self, cancellation: CancellationToken, wants_fresh: bool) -> RequestInfo {
        // A modern client may begin with any request.
        self.prepare_services();
        RequestInfo {
            cancellation,
            catalogue: Arc::clone(&self.catalogue),
            client: None,
            caller: Arc::clone(&self.caller),
            handler_depth: 0,
            wants_fresh,
            memory: RequestMemory::new(self.memory()),
        }
    }

    /// Runs work to its end, without a client.
    pub(super) async fn run<T: Send + 'static>(&self, context: &RpcContext, work: Work<T>) -> Ended<T> {
        let info = self.request_info(context);
        match run_inline(work, &info, false) {
            Ok(Step::Done(value)) => Ok(Ok(value)),
            // Boxed, because rmcp moves the future of each handler, whatever its size.
            Ok(Step::Next(work)) => Box::pin(self.run_steps(info, &context.id, work)).await,
            Err(error) => Ok(Err(error)),
        }
    }

    /// Runs work to its end. Once it uses its client, `identity` says which call it belongs to.
    pub(super) async fn run_with_client<'r, T: Send + 'static>(
        &self,
        context: &RpcContext,
        work: Work<T>,
        identity: impl FnOnce() -> CallIdentity<'r>,
    ) -> Ended<T> {
        let info = self.request_info(context);
        let mut work = match run_inline(work, &info, true) {
            Ok(Step::Done(value)) => return Ok(Ok(value)),
            Ok(Step::Next(work)) => work,
            Err(error) => return Ok(Err(error)),
        };
        let identity = identity();
        let entry = self.activity.begin_call(identity.call_name());
        Box::pin(async move {
            let _listed = entry;
            while !work.uses_client() {
                match self.run_step(&info, &context.id, work).await? {
                    Ok(Step::Done(value)) => {
                        hold_until_sent(&info.memory, &info.cancellation);
                        return Ok(Ok(value));
                    }
                    Ok(Step::Next(next)) => work = next,
                    Err(error) => return Ok(Err(error)),
                }
            }
            let (client, notifications) = RequestClient::new(
                context,
                &identity,
                &self.state_sealer,
                self.input_limits.as_ref(),
                self.legacy_subscriptions.log_level(),
                (&self.change_notifier, self.memory()),
            )?;
            let client: Arc<dyn Client> = client;
            let steps = self.run_steps(RequestInfo { client: Some(client), ..info }, &context.id, work);
            // The last notifications are sent before the answer.
            let (ended, ()) = tokio::join!(steps, notifications);
            ended
        })
        .await
    }

    /// Runs work to its end, each step where it belongs.
    async fn run_steps<T: Send + 'static>(&self, info: RequestInfo, id: &RequestId, work: Work<T>) -> Ended<T> {
        let mut work = work;
        loop {
            match self.run_step(&info, id, work).await? {
                Ok(Step::Done(value)) => {
                    hold_until_sent(&info.memory, &info.cancellation);
                    return Ok(Ok(value));
                }
                Ok(Step::Next(next)) => work = next,
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    async fn run_step<T: Send + 'static>(&self, info: &RequestInfo, id: &RequestId, work: Work<T>) -> Ended<Step<T>> {
        match work.cost() {
            Cost::Inline => Ok(work.run(info)),
            Cost::Worker => self.run_on_worker(info, id, work).await,
            Cost::Large => self.run_large(info, id, work).await,
        }
    }

    async fn run_on_worker<T: Send + 'static>(
        &self,
        info: &RequestInfo,
        id: &RequestId,
        work: Work<T>,
    ) -> Ended<Step<T>> {
        let own = info.clone();
        let running = async {
            let permit = self.workers.acquire().await;
            let worker = spawn_blocking(move || {
                let _permit = permit;
                work.run(&own)
            });
            worker.await.map_err(|_| error::panicked(id))
        };
        info.cancellation.run_until_cancelled(running).await.unwrap_or_else(|| Err(error::cancelled()))
    }

    /// Runs a step with a large-response permit.
    pub(super) async fn run_large<T: Send + 'static>(
        &self,
        info: &RequestInfo,
        id: &RequestId,
        work: Work<T>,
    ) -> Ended<Step<T>> {
        let own = info.clone();
        let run = move || work.run(&own);
        let ended = self.large_responses.run(&info.cancellation, self.backpressure.as_deref(), run).await?;
        ended.ok_or_else(|| error::panicked(id))
    }
}

/// Whether a request asks for what is stored now.
pub(super) fn wants_fresh(meta: &RequestMetaObject) -> bool {
    meta.get(FRESH_META).is_some_and(|wanted| *wanted == true)
}

/// Keeps the memory of an answer until the request's token is cancelled, which its transport does when it has encoded the answer,
/// and rmcp when it has passed the answer to a transport that does so in the same step.
#[expect(clippy::disallowed_methods, reason = "the task ends with its request and is not waited for")]
pub(super) fn hold_until_sent(memory: &RequestMemory, request: &CancellationToken) {
    if memory.has_answer() {
        let (memory, token) = (memory.clone(), request.clone());
        tokio::spawn(async move {
            token.cancelled().await;
            drop(memory);
        });
    }
}

/// Runs the steps that the protocol's thread may run, until one uses the client if it `stops_at_client`.
pub(super) fn run_inline<T: 'static>(
    work: Work<T>,
    info: &RequestInfo,
    stops_at_client: bool,
) -> Result<Step<T>, ServiceError> {
    let mut work = work;
    while work.cost() == Cost::Inline && !(stops_at_client && work.uses_client()) {
        match work.run(info)? {
            Step::Next(next) => work = next,
            done @ Step::Done(_) => return Ok(done),
        }
    }
    Ok(Step::Next(work))
}
