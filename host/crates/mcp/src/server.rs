//! The handlers: decode, ask the catalogue, encode. One for each method that this server has.
//!
//! Owns: what both eras of the protocol are told.
//! Never: looks into a URI or an argument.

#![expect(deprecated, reason = "later revisions drop logging; clients of today's have it")]

use std::collections::BTreeMap;
use std::sync::{Arc, Once};
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorData, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams,
    PromptsCapability, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, TASKS_EXTENSION_ID, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use super::changes::Changes;
use super::client::{Asking, Seal, SealKey, Subject};
use super::http::Unsent;
use super::large::Large;
use super::stdio::Outbox;
use super::subscribers::Older;
use super::tasks::Tasks;
use super::to_wire::Era;
use super::unread::Unread;
use super::{error, log, to_wire};
use wardroom_base::limits::MAX_WORKERS;
use wardroom_base::payload::Payload;
use wardroom_config::Watch;
use wardroom_service::tasks::Table;
use wardroom_service::{CallContext, Caller, Catalogue, Effort, Listing, ServiceError, ToolAnswer, shown};

/// How the server presents itself.
#[derive(Debug, Clone)]
pub struct Identity {
    pub name: String,
    pub version: String,
    pub instructions: String,
}

/// One server, for any number of connections.
#[derive(Clone)]
pub struct Server {
    pub(super) catalogue: Arc<Catalogue>,
    identity: Arc<Identity>,
    pub(super) workers: Arc<Semaphore>,
    /// This caller's share of them, where there are others.
    pub(super) share: Option<Arc<Semaphore>>,
    pub(super) large: Arc<Large>,
    prepared: Arc<Once>,
    pub(super) changes: Arc<Changes>,
    pub(super) seal: Arc<Seal>,
    /// Nothing where no answer could come back.
    pub(super) asking: Option<Asking>,
    /// The calls that outlive their requests, where they may be kept.
    pub(super) tasks: Option<Arc<Tasks>>,
    /// What the client of this connection has not read yet, or all of those of a transport.
    pub(super) unread: Option<Unread>,
    /// Who asks.
    pub(super) caller: Arc<Caller>,
    /// What the client of this connection subscribed to, if it is of the older eras.
    pub(super) older: Arc<Older>,
}

/// How long a client may reuse a list or a resource, in milliseconds. Whoever wants to be told of changes subscribes; to
/// the others nothing is promised.
const TTL_MS: u64 = 0;

/// By then the first answer is out.
const FIRST_ANSWER: Duration = Duration::from_millis(5);

type Context = RequestContext<RoleServer>;

impl Server {
    #[must_use]
    pub fn new(catalogue: Arc<Catalogue>, identity: Identity, watch: Watch, seal: SealKey) -> Self {
        Self {
            changes: Changes::new(Arc::clone(&catalogue), watch),
            older: Arc::default(),
            unread: None,
            caller: Arc::default(),
            seal: Arc::new(Seal::new(seal)),
            asking: Some(Asking::default()),
            tasks: None,
            catalogue,
            identity: Arc::new(identity),
            workers: Arc::new(Semaphore::new(MAX_WORKERS)),
            share: None,
            large: Arc::new(Large::new()),
            prepared: Arc::new(Once::new()),
        }
    }

    /// The same server, with calls that become tasks.
    #[must_use]
    pub fn keeping_tasks(self, table: Option<Table>) -> Self {
        Self { tasks: table.map(Tasks::new).map(Arc::new), ..self }
    }

    /// The same server for a connection that writes there.
    pub(super) fn writing_to(self, outbox: Outbox) -> Self {
        Self { unread: Some(Unread::Pipe(outbox)), older: Arc::default(), ..self }
    }

    /// The same server for clients whose unread answers are counted there.
    pub(super) fn held_by(self, unsent: Arc<Unsent>) -> Self {
        Self { unread: Some(Unread::Sockets(unsent)), ..self }
    }

    /// The same server for one more client, which is known so and has that share of what works, and of what asks.
    pub(super) fn called_by(&self, caller: Arc<Caller>, workers: Arc<Semaphore>, asks: &Arc<Semaphore>) -> Self {
        let asking = self.asking.as_ref().map(|asking| asking.of_another(asks));
        Self { caller, older: Arc::default(), asking, share: Some(workers), ..self.clone() }
    }

    /// The same server for a client that can be asked only by ending its call.
    pub(super) fn never_asking(self) -> Self {
        Self { asking: None, ..self }
    }

    /// The same server with other services to offer, of those that it has.
    #[must_use]
    pub fn offering(&self, catalogue: Arc<Catalogue>, identity: Identity) -> Self {
        let changes = Changes::new(Arc::clone(&catalogue), self.changes.how());
        Self { changes, catalogue, identity: Arc::new(identity), prepared: Arc::new(Once::new()), ..self.clone() }
    }

    /// Gets the services ready while the client is busy with the first answer.
    #[expect(clippy::disallowed_methods, reason = "one short job, which ends by itself and which nobody waits for")]
    pub(super) fn prepare(&self) {
        self.prepared.call_once(|| {
            let catalogue = Arc::clone(&self.catalogue);
            tokio::spawn(async move {
                tokio::time::sleep(FIRST_ANSWER).await;
                drop(tokio::task::spawn_blocking(move || catalogue.prepare()));
            });
        });
    }

    /// A request belongs to an era: the older ones begin with `initialize`, the newer one says so in each request.
    pub(super) fn expect_era(context: &Context) -> Result<(), ErrorData> {
        if context.protocol_version().is_some() {
            return Ok(());
        }
        Err(error::invalid_params(
            "no protocol version: send `initialize` first, or name one in the request's `_meta` as \
             io.modelcontextprotocol/protocolVersion",
        ))
    }

    /// What the newer era wants to find on every result.
    pub(super) fn meta(&self, context: &Context) -> Option<MetaObject> {
        let modern = context.protocol_version().is_some_and(|version| !version.has_initialize());
        modern.then(|| {
            let info = Value::from_iter([("name", self.identity.name.as_str()), ("version", &self.identity.version)]);
            MetaObject([(String::from("io.modelcontextprotocol/serverInfo"), info)].into_iter().collect())
        })
    }

    fn page<T>(
        items: Vec<T>,
        request: Option<&PaginatedRequestParams>,
        context: &Context,
    ) -> Result<Listing<T>, ErrorData> {
        let cursor = request.and_then(|request| request.cursor.as_deref());
        Listing::page(items, cursor).map_err(|error| error::of_service(error, &context.id))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities =
            ServerCapabilities::builder().enable_resources().enable_tools().enable_completions().build();
        // What is declared while the server runs comes, goes and logs.
        if self.catalogue.has_prompts() {
            let told = self.changes.are_told().then_some(true);
            let mut prompts = PromptsCapability::default();
            prompts.list_changed = told;
            capabilities.prompts = Some(prompts);
            if let Some(tools) = &mut capabilities.tools {
                tools.list_changed = told;
            }
            capabilities.logging = Some(Map::new());
        }
        if let Some(resources) = capabilities.resources.as_mut().filter(|_| self.changes.are_told()) {
            (resources.subscribe, resources.list_changed) = (Some(true), Some(true));
        }
        if self.keeps_tasks() {
            capabilities.extensions.get_or_insert_default().insert(TASKS_EXTENSION_ID.to_owned(), Map::new());
        }
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(&self.identity.name, &self.identity.version))
            .with_instructions(&self.identity.instructions)
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        self.prepare();
        let answer = self.negotiate_initialize(&request)?;
        // What counts from here on is the version that was agreed on, not the one that was asked for.
        request.protocol_version = answer.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(answer)
    }

    async fn discover(&self, _context: Context) -> Result<DiscoverResult, ErrorData> {
        self.prepare();
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_cache_scope(CacheScope::Private))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        Self::expect_era(&context)?;
        self.tell_of_lists(&context.peer).await;
        let cursor = request.and_then(|request| request.cursor);
        let listed = move |call: &CallContext| call.catalogue.resources(None, cursor.as_deref(), call);
        let page = self.try_here(&context, listed).await?;
        let page = page.map_err(|error| error::of_service(error, &context.id))?;
        let resources = page.items.into_iter().map(to_wire::resource).collect();
        let mut result =
            ListResourcesResult::with_all_items(resources).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private);
        (result.next_cursor, result.meta) = (page.next, self.meta(&context));
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Self::expect_era(&context)?;
        let listed = |call: &CallContext| {
            call.catalogue.ready(call)?;
            Ok(call.catalogue.templates(call))
        };
        let templates =
            self.try_here(&context, listed).await?.map_err(|error| error::of_service(error, &context.id))?;
        let page = Self::page(templates, request.as_ref(), &context)?;
        let templates = page.items.into_iter().map(Arc::unwrap_or_clone).map(to_wire::template).collect();
        let mut result = ListResourceTemplatesResult::with_all_items(templates)
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(CacheScope::Private);
        (result.next_cursor, result.meta) = (page.next, self.meta(&context));
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Self::expect_era(&context)?;
        let uri = request.uri.clone();
        let work = move |call: &CallContext| call.catalogue.read(&uri, call);
        let subject = Subject::resource(&request, &self.caller);
        let read = match work(&self.call(&context, Effort::Light)) {
            Err(ServiceError::Later | ServiceError::TooLarge { .. }) => {
                Box::pin(self.run_asking(&context, &subject, work)).await?
            }
            done => done,
        };
        if let Err(ServiceError::Asks(asks)) = read {
            return Ok(self.seal.ask(&asks, &subject)?.into());
        }
        let content = read.map_err(|error| error::of_service(error, &context.id))?;
        let mut result = ReadResourceResult::new(vec![to_wire::contents(request.uri, content)])
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(CacheScope::Private);
        result.meta = self.meta(&context);
        Ok(result.into())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Self::expect_era(&context)?;
        let cursor = request.and_then(|request| request.cursor);
        let listed = move |call: &CallContext| call.catalogue.tools(cursor.as_deref(), call);
        let page = self.try_here(&context, listed).await?;
        let page = page.map_err(|error| error::of_service(error, &context.id))?;
        let era = Era::of(&context);
        let tools = page.items.iter().map(|tool| to_wire::tool(tool, era)).collect();
        let mut result =
            ListToolsResult::with_all_items(tools).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private);
        (result.next_cursor, result.meta) = (page.next, self.meta(&context));
        Ok(result)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        Self::expect_era(&context)?;
        self.ready(&context).await?;
        if let Some(using) = self.as_task(&request.name, &context)? {
            return Box::pin(self.call_as_task(request, using, context)).await;
        }
        let subject = Subject::tool(&request, &self.caller);
        let (name, given) = (request.name.clone(), request.arguments.clone().unwrap_or_default());
        let called = self.run_asking(&context, &subject, move |call| {
            call.catalogue.call(&name, Payload::from_value(Value::Object(given.clone())), call)
        });
        let era = Era::of(&context);
        let result = match called.await? {
            Ok(ToolAnswer { asks: Some(asks), .. }) => return Ok(self.seal.ask(&asks, &subject)?.into()),
            Err(ServiceError::Asks(asks)) => return Ok(self.seal.ask(&asks, &subject)?.into()),
            Ok(answer) => Ok(to_wire::tool_answer(answer, era)),
            Err(error) => to_wire::tool_failure(error, &context.id, era),
        };
        let mut result = result.map_err(|error| error::of_service(error, &context.id))?;
        result.meta = merged(result.meta, self.meta(&context));
        Ok(result.into())
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        Self::expect_era(&context)?;
        Box::pin(self.look_at_task(request, context)).await
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        Self::expect_era(&context)?;
        Box::pin(self.answer_task(request, context)).await
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        Self::expect_era(&context)?;
        Box::pin(self.end_task(request, context)).await
    }

    async fn complete(&self, request: CompleteRequestParams, context: Context) -> Result<CompleteResult, ErrorData> {
        Self::expect_era(&context)?;
        Box::pin(self.completed(request, context)).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Self::expect_era(&context)?;
        if !self.catalogue.has_prompts() {
            return Err(error::method_not_found("prompts/list"));
        }
        let cursor = request.and_then(|request| request.cursor);
        let listed = move |call: &CallContext| call.catalogue.prompts(cursor.as_deref(), call);
        let page = self.try_here(&context, listed).await?;
        let page = page.map_err(|error| error::of_service(error, &context.id))?;
        let prompts = page.items.iter().map(|prompt| to_wire::prompt(prompt)).collect();
        let mut result =
            ListPromptsResult::with_all_items(prompts).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Private);
        (result.next_cursor, result.meta) = (page.next, self.meta(&context));
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        Self::expect_era(&context)?;
        if !self.catalogue.has_prompts() {
            return Err(error::method_not_found("prompts/get"));
        }
        let subject = Subject::prompt(&request, &self.caller);
        let name = request.name.clone();
        let arguments = texts(request.arguments.clone().unwrap_or_default())?;
        let filled = self.run_asking(&context, &subject, move |call| call.catalogue.prompt(&name, &arguments, call));
        let answer = match filled.await? {
            Err(ServiceError::Asks(asks)) => return Ok(self.seal.ask(&asks, &subject)?.into()),
            filled => filled.map_err(|error| error::of_service(error, &context.id))?,
        };
        let mut result = to_wire::prompt_answer(answer);
        result.meta = merged(result.meta, self.meta(&context));
        Ok(result.into())
    }

    async fn set_level(&self, request: SetLevelRequestParams, context: Context) -> Result<(), ErrorData> {
        Self::expect_era(&context)?;
        // In the newer era each request says what it wants to hear.
        let is_newer = context.protocol_version().is_some_and(|version| !version.has_initialize());
        if is_newer || !self.catalogue.has_prompts() {
            return Err(error::method_not_found("logging/setLevel"));
        }
        self.older.set_level(log::from_wire(request.level));
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.tell_of_lists(&context.peer).await;
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        Self::expect_era(&context)?;
        Box::pin(self.tell_of(request.uri, &context)).await
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        Self::expect_era(&context)?;
        self.tell_no_more_of(&request.uri)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(self.accepted(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        Box::pin(self.tell_listener(&context)).await
    }

    /// What a tool's parameters are, for those that a transport repeats beside the message.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = self.catalogue.tool(name, &self.glance())?;
        Some(to_wire::tool(&tool, Era::Newer))
    }

    /// Where the decoder puts a request it has no type for: an unknown method, or a known one with wrong params.
    async fn on_custom_request(&self, request: CustomRequest, context: Context) -> Result<CustomResult, ErrorData> {
        const KNOWN: [&str; 18] = [
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
        /// Those that the newer era has no more.
        const OLDER: [&str; 5] =
            ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
        let is_newer = context.protocol_version().is_some_and(|version| !version.has_initialize());
        let method = request.method.as_str();
        let is_here = self.keeps_tasks() || !method.starts_with("tasks/");
        if KNOWN.contains(&method) && is_here && !(is_newer && OLDER.contains(&method)) {
            return Err(error::invalid_params(format!("invalid params for {}", request.method)));
        }
        Err(error::method_not_found(&request.method))
    }
}

/// The values of a prompt's arguments are texts. A client that sends a number means its text.
fn texts(arguments: Map<String, Value>) -> Result<BTreeMap<String, String>, ErrorData> {
    let text = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, text)),
        Value::Number(_) | Value::Bool(_) => Ok((name, value.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            Err(error::invalid_params(format!("the argument {} of a prompt must be text", shown(&name))))
        }
    };
    arguments.into_iter().map(text).collect()
}

/// A service's own notes and the server's.
pub(super) fn merged(own: Option<MetaObject>, server: Option<MetaObject>) -> Option<MetaObject> {
    let Some(mut meta) = own else { return server };
    meta.0.extend(server.into_iter().flat_map(|server| server.0));
    Some(meta)
}
