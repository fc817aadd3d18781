//! Where the work of a request is done: on the protocol's thread when it is light, else on another one.
//!
//! Owns: how many work at the same time, and that whoever took its request back waits for nothing.
//! Never: knows what the work is.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::RequestContext;

use super::client::{CallIdentity, RequestClient};
use super::{McpServer, error};
use wardroom_service::{CallContext, Client, ExecutionTier, ServiceError};

type RpcContext = RequestContext<RoleServer>;

impl McpServer {
    pub(super) fn call_context(&self, context: &RpcContext, effort: ExecutionTier) -> CallContext {
        // A client of the newer era may begin with anything.
        self.prepare_services();
        CallContext {
            cancellation: context.ct.clone(),
            catalogue: Arc::clone(&self.catalogue),
            tier: effort,
            client: None,
            caller: Arc::clone(&self.caller),
            handler_depth: 0,
        }
    }

    /// Has what is declared known before it is asked for where nobody can wait. The first request finds out.
    pub(super) async fn ensure_loaded(&self, context: &RpcContext) -> Result<(), ErrorData> {
        let ready = match self.catalogue.ensure_loaded(&self.call_context(context, ExecutionTier::Light)) {
            Err(ServiceError::Later) => {
                Box::pin(self.run_on_worker(context, |call| call.catalogue.ensure_loaded(call))).await?
            }
            ready => ready,
        };
        ready.map_err(|error| error::from_service_error(error, &context.id))
    }

    /// A look on behalf of this server's callers, at what is known by now.
    pub(super) fn cached_only(&self) -> CallContext {
        CallContext { tier: ExecutionTier::Light, ..self.unbounded() }
    }

    /// The same, which may take its time.
    pub(super) fn unbounded(&self) -> CallContext {
        CallContext { caller: Arc::clone(&self.caller), ..CallContext::unbounded(&self.catalogue) }
    }

    /// Does `work` for a request that the client may be asked something for: what a service told, and what came of it.
    pub(super) async fn run_with_client<T: Send + 'static>(
        &self,
        context: &RpcContext,
        subject: &CallIdentity<'_>,
        work: impl Fn(&CallContext) -> Result<T, ServiceError> + Send + Sync + 'static,
    ) -> Result<Result<T, ServiceError>, ErrorData> {
        let (client, tell) = RequestClient::new(
            context,
            subject,
            &self.state_sealer,
            self.input_limits.as_ref(),
            self.legacy_subscriptions.log_level(),
            &self.change_notifier,
        )?;
        let client: Arc<dyn Client> = client;
        let done = Box::pin(self.run_on_worker(context, move |call| {
            work(&CallContext { client: Some(Arc::clone(&client)), ..call.clone() })
        }));
        // The last of what is told goes out before the answer.
        let (done, ()) = tokio::join!(done, tell);
        done
    }

    /// Does `work` where it is light on the protocol's thread, else as [`Self::run`]. The outer error is the protocol's.
    pub(super) async fn try_inline<T: Send + 'static>(
        &self,
        context: &RpcContext,
        work: impl Fn(&CallContext) -> Result<T, ServiceError> + Send + Sync + 'static,
    ) -> Result<Result<T, ServiceError>, ErrorData> {
        match work(&self.call_context(context, ExecutionTier::Light)) {
            // Boxed, since rmcp moves the state of each handler about, whatever the handler needs.
            Err(ServiceError::Later | ServiceError::TooLarge { .. }) => {
                Box::pin(self.run_on_worker(context, work)).await
            }
            done => Ok(done),
        }
    }

    /// Does `work` on a worker thread, and where that finds something large, once more when its turn comes.
    pub(super) async fn run_on_worker<T: Send + 'static>(
        &self,
        context: &RpcContext,
        work: impl Fn(&CallContext) -> Result<T, ServiceError> + Send + Sync + 'static,
    ) -> Result<Result<T, ServiceError>, ErrorData> {
        let (call, work) = (self.call_context(context, ExecutionTier::Full), Arc::new(work));
        let here = Arc::clone(&work);
        let working = async {
            let share = match &self.caller_workers {
                Some(share) => Arc::clone(share).acquire_owned().await.ok(),
                None => None,
            };
            let permit = (share, Arc::clone(&self.workers).acquire_owned().await);
            let worker = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                here(&call)
            });
            worker.await.map_err(|_| error::panicked(&context.id))
        };
        let done = context.ct.run_until_cancelled(working).await.unwrap_or_else(|| Err(error::cancelled()))?;
        if !matches!(done, Err(ServiceError::Later | ServiceError::TooLarge { .. })) {
            return Ok(done);
        }
        self.run_large(context, move |call| work(call)).await
    }

    /// Does `work` when the turn of something large comes.
    async fn run_large<T: Send + 'static>(
        &self,
        context: &RpcContext,
        work: impl FnOnce(&CallContext) -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<Result<T, ServiceError>, ErrorData> {
        let call = self.call_context(context, ExecutionTier::Large);
        let done = self.large_responses.run(&context.ct, self.backpressure.as_ref(), move || work(&call)).await?;
        done.ok_or_else(|| error::panicked(&context.id))
    }
}
