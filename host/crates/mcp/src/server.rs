//! The request handlers, one for each method: decode, call the catalogue, encode.
//!
//! Owns: what clients of both revisions are answered.
//! Never: interprets a URI or an argument.

#![expect(deprecated, reason = "later revisions drop logging, but today's clients use it")]

use std::sync::{Arc, Once};
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorData, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    PromptsCapability, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, TASKS_EXTENSION_ID,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use super::backpressure::Backpressure;
use super::calls::take_arguments;
use super::changes::ChangeNotifier;
use super::client::{CallIdentity, RequestStateSealer, SealKeySource};
use super::kept_replies::KeptReplies;
use super::large_response_queue::LargeResponseQueue;
use super::permits::{CallerShares, PermitChain};
use super::subscriptions::LegacySubscriptions;
use super::tasks::TaskRunner;
use super::to_wire::Revision;
use super::{error, log_level, to_wire};
use crate::limits::{MAX_BLOCKING_REQUESTS, MAX_SAMPLING_REQUESTS, MAX_SAMPLING_REQUESTS_PER_SESSION};
use wardroom_base::activity::Activity;
use wardroom_base::limits::DEFAULT_MEMORY_BYTES;
use wardroom_base::memory::MemoryShare;
use wardroom_config::WatchMode;
use wardroom_service::tasks::TaskStore;
use wardroom_service::{Caller, Catalogue, ContinuationStore, Cost, ListPage, RequestInfo, ResolvedTool};

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

/// Whether a request is of the revision without sessions.
pub(super) fn is_modern(context: &RpcContext) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

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

    /// Returns the same server for a client that gets input requests only as the result of its call.
    pub(super) fn without_input_requests(self) -> Self {
        Self { input_limits: None, ..self }
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
        is_modern(context).then(|| self.server_meta())
    }

    /// Returns the metadata that every result of the modern revision has.
    pub(super) fn server_meta(&self) -> MetaObject {
        let info = Value::from_iter([("name", self.identity.name.as_str()), ("version", &self.identity.version)]);
        MetaObject([(String::from("io.modelcontextprotocol/serverInfo"), info)].into_iter().collect())
    }

    fn list_page<T>(
        items: Vec<T>,
        request: Option<&PaginatedRequestParams>,
        context: &RpcContext,
    ) -> Result<ListPage<T>, ErrorData> {
        let cursor = request.and_then(|request| request.cursor.as_deref());
        ListPage::paginate(items, cursor).map_err(|error| error::from_service_error(error, &context.id))
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities =
            ServerCapabilities::builder().enable_resources().enable_tools().enable_completions().build();
        // User-defined entries change while the server runs, and write log messages.
        if self.catalogue.has_prompts() {
            let list_changed = self.change_notifier.is_enabled().then_some(true);
            let mut prompts = PromptsCapability::default();
            prompts.list_changed = list_changed;
            capabilities.prompts = Some(prompts);
            if let Some(tools) = &mut capabilities.tools {
                tools.list_changed = list_changed;
            }
            capabilities.logging = Some(Map::new());
        }
        if let Some(resources) = capabilities.resources.as_mut().filter(|_| self.change_notifier.is_enabled()) {
            (resources.subscribe, resources.list_changed) = (Some(true), Some(true));
        }
        if self.has_tasks() {
            capabilities.extensions.get_or_insert_default().insert(TASKS_EXTENSION_ID.to_owned(), Map::new());
        }
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(&self.identity.name, &self.identity.version))
            .with_instructions(&self.identity.instructions)
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RpcContext,
    ) -> Result<InitializeResult, ErrorData> {
        self.prepare_services();
        let answer = self.negotiate_initialize(&request)?;
        // From here on the negotiated version counts, not the requested one.
        request.protocol_version = answer.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(answer)
    }

    async fn discover(&self, _context: RpcContext) -> Result<DiscoverResult, ErrorData> {
        self.prepare_services();
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_cache_scope(CacheScope::Private))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RpcContext,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.admit(&context).await?;
        self.subscribe_to_lists(&context.peer).await;
        let cursor = request.and_then(|request| request.cursor);
        let page = self.run(&context, self.catalogue.resources(None, cursor.as_deref())).await?;
        let page = page.map_err(|error| error::from_service_error(error, &context.id))?;
        let resources = page.items.into_iter().map(to_wire::resource).collect();
        let mut result = ListResourcesResult::with_all_items(resources)
            .with_ttl_ms(CACHE_TTL_MS)
            .with_cache_scope(CacheScope::Private);
        (result.next_cursor, result.meta) = (page.next_cursor, self.result_meta(&context));
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RpcContext,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.admit(&context).await?;
        let templates = self.run(&context, self.catalogue.templates()).await?;
        let templates = templates.map_err(|error| error::from_service_error(error, &context.id))?;
        let page = Self::list_page(templates, request.as_ref(), &context)?;
        let templates = page.items.into_iter().map(Arc::unwrap_or_clone).map(to_wire::template).collect();
        let mut result = ListResourceTemplatesResult::with_all_items(templates)
            .with_ttl_ms(CACHE_TTL_MS)
            .with_cache_scope(CacheScope::Private);
        (result.next_cursor, result.meta) = (page.next_cursor, self.result_meta(&context));
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RpcContext,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.admit(&context).await?;
        if request.request_state.is_none() {
            return self.read_resource_now(&request, &context).await;
        }
        let identity = CallIdentity::for_resource(&request, &self.caller);
        Box::pin(self.run_once(&identity, self.read_resource_now(&request, &context))).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RpcContext,
    ) -> Result<ListToolsResult, ErrorData> {
        self.admit(&context).await?;
        let cursor = request.and_then(|request| request.cursor);
        let page = self.run(&context, self.catalogue.tools(cursor.as_deref())).await?;
        let page = page.map_err(|error| error::from_service_error(error, &context.id))?;
        // Earlier revisions do not know the schemas of answers.
        let knows_output = context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2025_06_18);
        let revision = Some(Revision::from_context(&context)).filter(|_| self.lists_output_schemas && knows_output);
        let tools = page.items.iter().map(|tool| to_wire::tool(tool, revision)).collect();
        let mut result =
            ListToolsResult::with_all_items(tools).with_ttl_ms(CACHE_TTL_MS).with_cache_scope(CacheScope::Private);
        (result.next_cursor, result.meta) = (page.next_cursor, self.result_meta(&context));
        Ok(result)
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        mut context: RpcContext,
    ) -> Result<CallToolResponse, ErrorData> {
        self.admit(&context).await?;
        let arguments = take_arguments(&mut request, &mut context);
        if request.request_state.is_none() {
            return self.call_tool_now(&request, &arguments, context).await;
        }
        let identity = CallIdentity::for_tool(&request, &arguments, &self.caller);
        Box::pin(self.run_once(&identity, self.call_tool_now(&request, &arguments, context))).await
    }

    async fn get_task(&self, request: GetTaskParams, context: RpcContext) -> Result<GetTaskResult, ErrorData> {
        self.admit(&context).await?;
        Box::pin(self.read_task(request, context)).await
    }

    async fn update_task(&self, request: UpdateTaskParams, context: RpcContext) -> Result<(), ErrorData> {
        self.admit(&context).await?;
        Box::pin(self.answer_task(request, context)).await
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: RpcContext) -> Result<(), ErrorData> {
        self.admit(&context).await?;
        Box::pin(self.end_task(request, context)).await
    }

    async fn complete(&self, request: CompleteRequestParams, context: RpcContext) -> Result<CompleteResult, ErrorData> {
        self.admit(&context).await?;
        Box::pin(self.complete_argument(request, context)).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RpcContext,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.admit(&context).await?;
        if !self.catalogue.has_prompts() {
            return Err(error::method_not_found("prompts/list"));
        }
        let cursor = request.and_then(|request| request.cursor);
        let page = self.run(&context, self.catalogue.prompts(cursor.as_deref())).await?;
        let page = page.map_err(|error| error::from_service_error(error, &context.id))?;
        let prompts = page.items.iter().map(|prompt| to_wire::prompt(prompt)).collect();
        let mut result =
            ListPromptsResult::with_all_items(prompts).with_ttl_ms(CACHE_TTL_MS).with_cache_scope(CacheScope::Private);
        (result.next_cursor, result.meta) = (page.next_cursor, self.result_meta(&context));
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RpcContext,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.admit(&context).await?;
        if !self.catalogue.has_prompts() {
            return Err(error::method_not_found("prompts/get"));
        }
        if request.request_state.is_none() {
            return self.get_prompt_now(&request, &context).await;
        }
        let identity = CallIdentity::for_prompt(&request, &self.caller);
        Box::pin(self.run_once(&identity, self.get_prompt_now(&request, &context))).await
    }

    async fn set_level(&self, request: SetLevelRequestParams, context: RpcContext) -> Result<(), ErrorData> {
        self.admit(&context).await?;
        // In the modern revision each request names its own log level.
        if is_modern(&context) || !self.catalogue.has_prompts() {
            return Err(error::method_not_found("logging/setLevel"));
        }
        self.legacy_subscriptions.set_log_level(log_level::from_wire(request.level));
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.subscribe_to_lists(&context.peer).await;
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: RpcContext) -> Result<(), ErrorData> {
        self.admit(&context).await?;
        Box::pin(self.subscribe_resource(request.uri, &context)).await
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, context: RpcContext) -> Result<(), ErrorData> {
        self.admit(&context).await?;
        self.unsubscribe_resource(&request.uri)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(self.accepted_filter(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        Box::pin(self.notify_listener(&context)).await
    }

    /// Answers a request that the decoder has no type for: an unknown method, or a known one with invalid params.
    async fn on_custom_request(&self, request: CustomRequest, context: RpcContext) -> Result<CustomResult, ErrorData> {
        const KNOWN_METHODS: [&str; 18] = [
            "initialize",
            "server/discover",
            "ping",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "resources/subscribe",
            "resources/unsubscribe",
            "tools/list",
            "tools/call",
            "completion/complete",
            "prompts/list",
            "prompts/get",
            "logging/setLevel",
            "subscriptions/listen",
            "tasks/get",
            "tasks/update",
            "tasks/cancel",
        ];
        /// The methods that the modern revision has no more.
        const LEGACY_METHODS: [&str; 5] =
            ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
        let is_modern = is_modern(&context);
        let method = request.method.as_str();
        let is_here = self.has_tasks() || !method.starts_with("tasks/");
        if KNOWN_METHODS.contains(&method) && is_here && !(is_modern && LEGACY_METHODS.contains(&method)) {
            return Err(error::invalid_params(format!("invalid params for {}", request.method)));
        }
        Err(error::method_not_found(&request.method))
    }
}
