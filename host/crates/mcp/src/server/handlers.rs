//! The request handlers, one for each method: decode, call the catalogue, encode.
//!
//! Owns: what clients of both revisions are answered.
//! Never: interprets a URI or an argument.

#![expect(deprecated, reason = "later revisions drop logging, but today's clients use it")]

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorData, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptsCapability,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, TASKS_EXTENSION_ID, UnsubscribeRequestParams,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Map;

use super::{CACHE_TTL_MS, McpServer, RpcContext};
use crate::calls::take_arguments;
use crate::client::CallIdentity;
use crate::revision::Revision;
use crate::{error, log_level, to_wire};
use wardroom_service::ListPage;

impl McpServer {
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
            let list_changed = self.notifies_of_changes().then_some(true);
            let mut prompts = PromptsCapability::default();
            prompts.list_changed = list_changed;
            capabilities.prompts = Some(prompts);
            if let Some(tools) = &mut capabilities.tools {
                tools.list_changed = list_changed;
            }
            capabilities.logging = (!self.is_sessionless).then(Map::new);
        }
        if let Some(resources) = capabilities.resources.as_mut().filter(|_| self.notifies_of_changes()) {
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
        if Revision::from_context(&context).is_modern() || self.is_sessionless || !self.catalogue.has_prompts() {
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
        let is_modern = Revision::from_context(&context).is_modern();
        let method = request.method.as_str();
        let is_here = self.has_tasks() || !method.starts_with("tasks/");
        if KNOWN_METHODS.contains(&method) && is_here && !(is_modern && LEGACY_METHODS.contains(&method)) {
            return Err(error::invalid_params(format!("invalid params for {}", request.method)));
        }
        Err(error::method_not_found(&request.method))
    }
}
