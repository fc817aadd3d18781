//! Reads, tool calls and prompts: the requests that may request input of their client.
//!
//! Owns: how one becomes work of the catalogue, and its outcome a result.
//! Never: decides whether a request with a `requestState` may act: `continued_call.rs` does.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams, GetPromptResponse,
    MetaObject, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
};
use serde_json::{Map, Value};

use super::client::CallIdentity;
use super::error;
use super::revision::Revision;
use super::server::{CACHE_TTL_MS, McpServer, RpcContext, ToolOfRequest};
use super::to_wire;
use crate::decode::ToolArguments;
use crate::in_place::PreparedRead;
use wardroom_base::payload::Payload;
use wardroom_service::{ResolvedTool, ResourceContent, ServiceError, ToolOutput, escape_and_truncate};

impl McpServer {
    /// Reads a resource for a request that does not continue a call that ran before.
    pub(super) async fn read_resource_now(
        &self,
        request: &ReadResourceRequestParams,
        context: &RpcContext,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let identity = || CallIdentity::for_resource(request, &self.caller);
        let prepared = context.extensions.get::<PreparedRead>().and_then(PreparedRead::take);
        let read = match prepared.map_or_else(|| self.catalogue.resource(&request.uri, &self.caller), Ok) {
            Ok(work) => self.run_with_client(context, work, identity).await?,
            Err(error) => Err(error),
        };
        if let Err(ServiceError::InputRequired(required)) = read {
            return Ok(self.state_sealer.input_required(&required, &identity())?.into());
        }
        if let Err(ServiceError::NotFound { .. } | ServiceError::NotFoundSimilar { .. }) = read {
            self.audit_unseen("resources/read", "not found");
        }
        let content = read.map_err(|error| error::from_service_error(error, &context.id))?;
        Ok(self.read_result(request.uri.clone(), content, Revision::from_context(context)).into())
    }

    /// Returns the result of a read.
    pub(super) fn read_result(&self, uri: String, content: ResourceContent, revision: Revision) -> ReadResourceResult {
        let mut result = ReadResourceResult::new(vec![to_wire::resource_contents(uri, content)])
            .with_ttl_ms(CACHE_TTL_MS)
            .with_cache_scope(CacheScope::Private);
        result.meta = revision.is_modern().then(|| self.server_meta());
        result
    }

    /// Resolves the name of a tool: as the transport resolved it already, or now.
    async fn resolve_tool(
        &self,
        name: &str,
        context: &RpcContext,
    ) -> Result<Result<Arc<dyn ResolvedTool>, ServiceError>, ErrorData> {
        match context.extensions.get() {
            Some(ToolOfRequest(tool)) => Ok(Ok(Arc::clone(tool))),
            None => self.run(context, self.catalogue.tool(name, &self.caller)).await,
        }
    }

    /// Calls a tool for such a request.
    pub(super) async fn call_tool_now(
        &self,
        request: &CallToolRequestParams,
        arguments: &Payload,
        context: RpcContext,
    ) -> Result<CallToolResponse, ErrorData> {
        let called = match self.resolve_tool(&request.name, &context).await? {
            Ok(tool) => match self.task_support(tool.task_support(), &context)? {
                Some(support) => {
                    return Box::pin(self.call_as_task((request.clone(), arguments.clone()), tool, support, context))
                        .await;
                }
                None => {
                    let call = tool.call(arguments.clone()).with_client();
                    let identity = || CallIdentity::for_tool(request, arguments, &self.caller);
                    self.run_with_client(&context, call, identity).await?
                }
            },
            Err(error) => {
                self.audit_unseen("tools/call", "unknown tool");
                Err(error)
            }
        };
        let revision = Revision::from_context(&context);
        self.tool_response(called, (request, arguments), &context, revision)
    }

    /// Converts the outcome of a tool's call.
    pub(super) fn tool_response(
        &self,
        called: Result<ToolOutput, ServiceError>,
        (request, arguments): (&CallToolRequestParams, &Payload),
        context: &RpcContext,
        revision: Revision,
    ) -> Result<CallToolResponse, ErrorData> {
        let identity = || CallIdentity::for_tool(request, arguments, &self.caller);
        let result = match called {
            Ok(ToolOutput { input_required: Some(required), .. }) => {
                return Ok(self.state_sealer.input_required(&required, &identity())?.into());
            }
            Err(ServiceError::InputRequired(required)) => {
                return Ok(self.state_sealer.input_required(&required, &identity())?.into());
            }
            Ok(answer) => Ok(to_wire::tool_result(answer, revision)),
            Err(error) => to_wire::tool_error_result(error, &context.id, revision),
        };
        let mut result = result.map_err(|error| error::from_service_error(error, &context.id))?;
        result.meta = merge_meta(result.meta, self.result_meta(context));
        Ok(result.into())
    }

    /// Renders a prompt for such a request.
    pub(super) async fn get_prompt_now(
        &self,
        request: &GetPromptRequestParams,
        context: &RpcContext,
    ) -> Result<GetPromptResponse, ErrorData> {
        let identity = || CallIdentity::for_prompt(request, &self.caller);
        let arguments = Arc::new(prompt_arguments(request.arguments.clone().unwrap_or_default())?);
        let rendered = match self.catalogue.prompt(&request.name, &arguments, &self.caller) {
            Ok(work) => self.run_with_client(context, work, identity).await?,
            Err(error) => Err(error),
        };
        let answer = match rendered {
            Err(ServiceError::InputRequired(required)) => {
                return Ok(self.state_sealer.input_required(&required, &identity())?.into());
            }
            filled => filled.map_err(|error| error::from_service_error(error, &context.id))?,
        };
        let mut result = to_wire::prompt_result(answer);
        result.meta = merge_meta(result.meta, self.result_meta(context));
        Ok(result.into())
    }
}

/// Takes the arguments of a tool's call: as the decoder split them off, or as they are in the message.
pub(super) fn take_arguments(request: &mut CallToolRequestParams, context: &mut RpcContext) -> Payload {
    let inline = request.arguments.take().unwrap_or_default();
    match context.extensions.remove::<ToolArguments>() {
        Some(ToolArguments(arguments)) => Arc::unwrap_or_clone(arguments),
        None => Payload::from_value(inline.into()),
    }
}

/// Converts the values of a prompt's arguments to text. A client that sends a number means its text.
fn prompt_arguments(arguments: Map<String, Value>) -> Result<BTreeMap<String, String>, ErrorData> {
    let text = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok((name, text)),
        Value::Number(_) | Value::Bool(_) => Ok((name, value.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            Err(error::invalid_params(format!("the argument {} of a prompt must be text", escape_and_truncate(&name))))
        }
    };
    arguments.into_iter().map(text).collect()
}

/// Merges the metadata of a service and of the server.
fn merge_meta(own: Option<MetaObject>, server: Option<MetaObject>) -> Option<MetaObject> {
    let Some(mut meta) = own else { return server };
    meta.0.extend(server.into_iter().flat_map(|server| server.0));
    Some(meta)
}
