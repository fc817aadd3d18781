//! Runs the work of requests: light work on the protocol's thread, other work on a worker thread.
//!
//! Owns: how many workers run at the same time, and that a cancelled request waits for nothing.
//! Never: knows what the work does.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::RequestContext;

use super::client::{CallIdentity, RequestClient};
use super::{McpServer, error};
use wardroom_service::{CallContext, Client, ExecutionTier, ServiceError};

type RpcContext = RequestContext<RoleServer>;

impl McpServer {
    pub(super) fn call_context(&self, context: &RpcContext, tier: ExecutionTier) -> CallContext {
        // A modern client may begin with any request.
        self.prepare_services();
        CallContext {
            cancellation: context.ct.clone(),
            catalogue: Arc::clone(&self.catalogue),
            tier,
            client: None,
            caller: Arc::clone(&self.caller),
            handler_depth: 0,
        }
    }

    /// Loads the declared entries for lookups on the protocol's thread, which cannot wait. Only the first request loads
    /// them.
    pub(super) async fn ensure_loaded(&self, context: &RpcContext) -> Result<(), ErrorData> {
        let ready = match self.catalogue.ensure_loaded(&self.call_context(context, ExecutionTier::Light)) {
            Err(ServiceError::Later) => {
                Box::pin(self.run_on_worker(context, |call| call.catalogue.ensure_loaded(call))).await?
            }
            ready => ready,
        };
        ready.map_err(|error| error::from_service_error(error, &context.id))
    }

    /// Returns a context for this server's callers that reads cached state only.
    pub(super) fn cached_only(&self) -> CallContext {
        CallContext { tier: ExecutionTier::Light, ..self.unbounded() }
    }

    /// Returns a context for this server's callers without a time limit.
    pub(super) fn unbounded(&self) -> CallContext {
        CallContext { caller: Arc::clone(&self.caller), ..CallContext::unbounded(&self.catalogue) }
    }

    /// Runs `work` for a request with a client, to which services send notifications and input requests.
    pub(super) async fn run_with_client<T: Send + 'static>(
        &self,
        context: &RpcContext,
        identity: &CallIdentity<'_>,
        work: impl Fn(&CallContext) -> Result<T, ServiceError> + Send + Sync + 'static,
    ) -> Result<Result<T, ServiceError>, ErrorData> {
        let (client, notifications) = RequestClient::new(
            context,
            identity,
            &self.state_sealer,
            self.input_limits.as_ref(),
            self.legacy_subscriptions.log_level(),
            &self.change_notifier,
        )?;
        let client: Arc<dyn Client> = client;
        let done = Box::pin(self.run_on_worker(context, move |call| {
            work(&CallContext { client: Some(Arc::clone(&client)), ..call.clone() })
        }));
        // The last notifications are sent before the answer.
        let (done, ()) = tokio::join!(done, notifications);
        done
    }

    /// Runs `work` on the protocol's thread if it is light, otherwise as [`Self::run_on_worker`]. The outer error is a
    /// protocol error.
    pub(super) async fn try_inline<T: Send + 'static>(
        &self,
        context: &RpcContext,
        work: impl Fn(&CallContext) -> Result<T, ServiceError> + Send + Sync + 'static,
    ) -> Result<Result<T, ServiceError>, ErrorData> {
        match work(&self.call_context(context, ExecutionTier::Light)) {
            // Boxed, because rmcp moves the future of each handler, whatever its size.
            Err(ServiceError::Later | ServiceError::TooLarge { .. }) => {
                Box::pin(self.run_on_worker(context, work)).await
            }
            done => Ok(done),
        }
    }

    /// Runs `work` on a worker thread, and once more with a large-response permit if it finds something large.
    pub(super) async fn run_on_worker<T: Send + 'static>(
        &self,
        context: &RpcContext,
        work: impl Fn(&CallContext) -> Result<T, ServiceError> + Send + Sync + 'static,
    ) -> Result<Result<T, ServiceError>, ErrorData> {
        let (call, work) = (self.call_context(context, ExecutionTier::Full), Arc::new(work));
        let first_attempt = Arc::clone(&work);
        let working = async {
            let share = match &self.caller_workers {
                Some(share) => Arc::clone(share).acquire_owned().await.ok(),
                None => None,
            };
            let permit = (share, Arc::clone(&self.workers).acquire_owned().await);
            let worker = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                first_attempt(&call)
            });
            worker.await.map_err(|_| error::panicked(&context.id))
        };
        let done = context.ct.run_until_cancelled(working).await.unwrap_or_else(|| Err(error::cancelled()))?;
        if !matches!(done, Err(ServiceError::Later | ServiceError::TooLarge { .. })) {
            return Ok(done);
        }
        self.run_large(context, move |call| work(call)).await
    }

    /// Runs `work` with a large-response permit.
    async fn run_large<T: Send + 'static>(
        &self,
        context: &RpcContext,
        work: impl FnOnce(&CallContext) -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<Result<T, ServiceError>, ErrorData> {
        let call = self.call_context(context, ExecutionTier::Large);
        let done = self.large_responses.run(&context.ct, self.backpressure.as_deref(), move || work(&call)).await?;
        done.ok_or_else(|| error::panicked(&context.id))
    }
}
