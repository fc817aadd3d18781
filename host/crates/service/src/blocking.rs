//! Requests that are resolved and run on one thread: for commands, and for handlers, which have a thread of their own.
//!
//! Never: called on the protocol's thread.

use std::collections::BTreeMap;
use std::sync::Arc;

use wardroom_base::payload::Payload;

use super::{Catalogue, RenderedPrompt, RequestInfo, ResourceContent, ServiceError, ToolOutput, VariableCompletion};

impl Catalogue {
    /// Reads a resource.
    ///
    /// # Errors
    /// As [`Self::resource`].
    pub fn read_blocking(self: &Arc<Self>, uri: &str, info: &RequestInfo) -> Result<ResourceContent, ServiceError> {
        self.resource(uri, &info.caller)?.finish(info)
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// As [`Self::tool`], and as the call's.
    pub fn call_blocking(
        self: &Arc<Self>,
        tool: &str,
        arguments: Payload,
        info: &RequestInfo,
    ) -> Result<ToolOutput, ServiceError> {
        self.tool(tool, &info.caller).finish(info)?.call(arguments).finish(info)
    }

    /// Renders a prompt.
    ///
    /// # Errors
    /// As [`Self::prompt`].
    pub fn render_blocking(
        self: &Arc<Self>,
        prompt: &str,
        arguments: &BTreeMap<String, String>,
        info: &RequestInfo,
    ) -> Result<RenderedPrompt, ServiceError> {
        self.prompt(prompt, &Arc::new(arguments.clone()), &info.caller)?.finish(info)
    }

    /// Completes a template's variable.
    ///
    /// # Errors
    /// As [`Self::complete_variable`].
    pub fn complete_variable_blocking(
        self: &Arc<Self>,
        completing: &VariableCompletion,
        info: &RequestInfo,
    ) -> Result<Vec<String>, ServiceError> {
        self.complete_variable(completing, &info.caller)?.finish(info)
    }
}
