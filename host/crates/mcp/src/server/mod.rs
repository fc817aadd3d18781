//! The server: what all connections share, and what one connection's copy has of its own.
//!
//! Owns: how a transport makes the copy that it serves, and the metadata of results.
//! Never: answers a request: `handlers.rs` does.

mod handlers;

use std::sync::{Arc, Once};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, MetaObject};
use rmcp::service::RequestContext;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::backpressure::Backpressure;
use super::changes::ChangeNotifier;
use super::client::{RequestStateSealer, SealKeySource};
use super::error;
use super::kept_replies::KeptReplies;
use super::large_response_queue::LargeResponseQueue;
use super::permits::{CallerShares, PermitChain};
use super::revision::Revision;
use super::subscriptions::LegacySubscriptions;
use super::tasks::TaskRunner;
use crate::limits::{MAX_BLOCKING_REQUESTS, MAX_SAMPLING_REQUESTS, MAX_SAMPLING_REQUESTS_PER_SESSION};
use wardroom_base::activity::Activity;
use wardroom_base::limits::DEFAULT_MEMORY_BYTES;
use wardroom_base::memory::MemoryShare;
use wardroom_config::WatchMode;
use wardroom_service::tasks::TaskStore;
use wardroom_service::{Caller, Catalogue, ContinuationStore, Cost, RequestInfo, ResolvedTool};

/// The name, version and instructions that the server presents.
#[derive(Debug, Clone)]
pub struct ServerIdentity {
    pub name: String,
    pub version: String,
    pub instructions: String,
}

/// One server, for any number of connections.
#[derive(Clone)]
pub struct McpServer {
    pub(super) catalogue: Arc<Catalogue>,
    identity: Arc<ServerIdentity>,
    /// The limits of blocking work: that of the caller, where there are several, and that of the server.
    pub(super) workers: PermitChain,
    /// Whether other callers use this server too.
    pub(super) has_other_callers: bool,
    pub(super) large_responses: LargeResponseQueue,
    services_prepared: Arc<Once>,
    pub(super) kept_replies: Arc<KeptReplies>,
    pub(super) change_notifier: Arc<ChangeNotifier>,
    pub(super) state_sealer: Arc<RequestStateSealer>,
    /// `None` where a response could not reach its call.
    pub(super) input_limits: Option<PermitChain>,
    /// Whether this serves one request outside of any session.
    pub(super) is_sessionless: bool,
    /// The continuation tokens that were used; `None` where none is recorded.
    pub(super) continuations: Option<ContinuationStore>,
    /// Whether lists of tools have the schemas of their answers.
    lists_output_schemas: bool,
    /// The calls that outlive their requests; `None` where no tasks are stored.
    pub(super) tasks: Option<Arc<TaskRunner>>,
    /// The unsent bytes of this connection's client, or of all clients of a transport.
    pub(super) backpressure: Option<Arc<dyn Backpressure>>,
    /// What the requests of this caller may hold.
    memory: MemoryShare,
    /// The requests of all callers.
    pub(super) activity: Activity,
    /// The caller of all requests.
    pub(super) caller: Arc<Caller>,
    /// The subscriptions of this connection's client, if it is a legacy client.
    pub(super) legacy_subscriptions: Arc<LegacySubscriptions>,
}

/// The tool that a request calls, if its transport resolved the name.
#[derive(Clone)]
pub(super) struct ToolOfRequest(pub(super) Arc<dyn ResolvedTool>);

/// How long a client may reuse a list or a resource, in milliseconds. Clients that subscribe are notified of changes;
/// the others are promised nothing.
pub(super) const CACHE_TTL_MS: u64 = 0;

/// Long enough for the first answer to be sent.
const PREPARE_DELAY: Duration = Duration::from_millis(5);

pub(super) type RpcContext = RequestContext<RoleServer>;

impl McpServer {
    #[must_use]
    pub fn new(catalogue: Arc<Catalogue>, identity: ServerIdentity, watch: WatchMode, seal: SealKeySource) -> Self {
        Self {
            change_notifier: ChangeNotifier::new(Arc::clone(&catalogue), watch),
            legacy_subscriptions: Arc::default(),
            backpressure: None,
            memory: MemoryShare::budget(DEFAULT_MEMORY_BYTES),
            activity: Activity::default(),
            caller: Arc::default(),
            state_sealer: Arc::new(RequestStateSealer::new(seal)),
            input_limits: Some(PermitChain::new(MAX_SAMPLING_REQUESTS)),
            is_sessionless: false,
            tasks: None,
            continuations: None,
            catalogue,
            identity: Arc::new(identity),
            workers: PermitChain::new(MAX_BLOCKING_REQUESTS),
            has_other_callers: false,
            lists_output_schemas: true,
            large_responses: LargeResponseQueue::new(),
            services_prepared: Arc::new(Once::new()),
            kept_replies: Arc::new(KeptReplies::new(watch)),
        }
    }

    /// Returns the same server, with calls that become tasks.
    #[must_use]
    pub fn with_tasks(self, table: Option<TaskStore>) -> Self {
        Self { tasks: table.map(TaskRunner::new).map(Arc::new), ..self }
    }

    /// Returns the same server, whose lists of tools have the schemas of their answers or not.
    #[must_use]
    pub fn with_output_schemas(self, lists_output_schemas: bool) -> Self {
        Self { lists_output_schemas, ..self }
    }

    /// Returns the same server, which records the continuation tokens that were used.
    #[must_use]
    pub fn with_continuations(self, continuations: Option<ContinuationStore>) -> Self {
        Self { continuations, ..self }
    }

    /// Returns the same server with this memory for all requests.
    #[must_use]
    pub fn with_memory(self, memory: MemoryShare) -> Self {
        Self { memory, ..self }
    }

    /// Returns the same server, which notes its requests there.
    #[must_use]
    pub fn with_activity(self, activity: Activity) -> Self {
        Self { activity, ..self }
    }

    pub(super) const fn memory(&self) -> &MemoryShare {
        &self.memory
    }

    /// Returns the same server for clients whose unsent bytes `backpressure` counts.
    pub(super) fn with_backpressure(self, backpressure: Arc<dyn Backpressure>) -> Self {
        Self { backpressure: Some(backpressure), ..self }
    }

    /// Returns the same server for one more client, with its caller, and its caller's share of the workers, the large
    /// answers, the input requests and the memory.
    pub(super) fn for_caller(&self, caller: Arc<Caller>, shares: &CallerShares) -> Self {
        let session = Arc::new(Semaphore::new(MAX_SAMPLING_REQUESTS_PER_SESSION));
        let input_limits =
            self.input_limits.as_ref().map(|limits| limits.within(&shares.input_requests).within(&session));
        Self {
            caller,
            legacy_subscriptions: Arc::default(),
            input_limits,
            workers: self.workers.within(&shares.workers),
            large_responses: self.large_responses.within(&shares.large_responses),
            memory: shares.memory.clone(),
            has_other_callers: true,
            ..self.clone()
        }
    }

    /// Returns the same server for a request outside of any session: its client gets input requests only as the result of its
    /// call, and no notification after it.
    pub(super) fn without_session(self) -> Self {
        Self { input_limits: None, is_sessionless: true, ..self }
    }

    /// Whether a legacy client can be notified of changes.
    pub(super) fn notifies_of_changes(&self) -> bool {
        !self.is_sessionless && self.change_notifier.is_enabled()
    }

    /// Returns the same server with another selection of its services.
    #[must_use]
    pub fn with_catalogue(&self, catalogue: Arc<Catalogue>, identity: ServerIdentity) -> Self {
        let watch = self.change_notifier.watch_mode();
        Self {
            change_notifier: ChangeNotifier::new(Arc::clone(&catalogue), watch),
            catalogue,
            identity: Arc::new(identity),
            services_prepared: Arc::new(Once::new()),
            kept_replies: Arc::new(KeptReplies::new(watch)),
            ..self.clone()
        }
    }

    /// Prepares the services while the client is busy with the first answer.
    #[expect(clippy::disallowed_methods, reason = "one short job that ends by itself and is not waited for")]
    pub(super) fn prepare_services(&self) {
        self.services_prepared.call_once(|| {
            let catalogue = Arc::clone(&self.catalogue);
            tokio::spawn(async move {
                tokio::time::sleep(PREPARE_DELAY).await;
                drop(tokio::task::spawn_blocking(move || catalogue.warm_up()));
            });
        });
    }

    /// Requires a protocol version: legacy clients agree on one in `initialize`, modern ones name it in each request.
    pub(super) fn require_protocol_version(context: &RpcContext) -> Result<(), ErrorData> {
        if context.protocol_version().is_some() {
            return Ok(());
        }
        Err(error::invalid_params(
            "no protocol version: send `initialize` first, or name one in the request's `_meta` as \
             io.modelcontextprotocol/protocolVersion",
        ))
    }

    /// Resolves the name of a tool for a transport that checks a request before it is handled. `None` for a tool that
    /// the caller may not see, and while the entries are not loaded.
    pub(super) fn resolve_tool_early(&self, name: &str) -> Option<ToolOfRequest> {
        let info = RequestInfo { caller: Arc::clone(&self.caller), ..RequestInfo::new(&self.catalogue) };
        self.catalogue.tool(name, &self.caller).finish_within(Cost::Inline, &info).ok().flatten().map(ToolOfRequest)
    }

    /// Returns the metadata of a result, which one of the modern revision has.
    pub(super) fn result_meta(&self, context: &RpcContext) -> Option<MetaObject> {
        Revision::from_context(context).is_modern().then(|| self.server_meta())
    }

    /// Returns the metadata that every result of the modern revision has.
    pub(super) fn server_meta(&self) -> MetaObject {
        let info = Value::from_iter([("name", self.identity.name.as_str()), ("version", &self.identity.version)]);
        MetaObject([(String::from("io.modelcontextprotocol/serverInfo"), info)].into_iter().collect())
    }
}
