//! Reads that are answered where they are decoded, without the loop of rmcp.
//!
//! Owns: which reads those are: all of whose work the protocol's thread may do, and whose answer is a content. The handlers get
//! the work of the others, unless it has begun.
//! Never: waits, answers in another form than the handlers do, or answers with an error: the handlers do that.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    ClientRequest, GetExtensions as _, GetMeta as _, JsonRpcRequest, ProtocolVersion, ServerJsonRpcMessage,
    ServerResult,
};
use tokio_util::sync::CancellationToken;

use super::McpServer;
use super::execution::{run_inline, wants_fresh};
use wardroom_service::{Cost, ResourceContent, Step, Work};

/// The work of a read that the handlers are to run: what it names was looked up already.
#[derive(Clone)]
pub(super) struct PreparedRead(Arc<Mutex<Option<Work<ResourceContent>>>>);

impl PreparedRead {
    fn new(work: Work<ResourceContent>) -> Self {
        Self(Arc::new(Mutex::new(Some(work))))
    }

    /// Returns the work to who asks first.
    pub(super) fn take(&self) -> Option<Work<ResourceContent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl McpServer {
    /// Returns the answer to a read; `None` where the handlers have to answer. `negotiated` is the version of the session, if
    /// the request belongs to one.
    pub(super) fn answer_in_place(
        &self,
        request: &mut JsonRpcRequest<ClientRequest>,
        negotiated: Option<&ProtocolVersion>,
    ) -> Option<ServerJsonRpcMessage> {
        // A handler that panics does so once more, and is answered.
        catch_unwind(AssertUnwindSafe(|| self.read_in_place(request, negotiated))).ok().flatten()
    }

    fn read_in_place(
        &self,
        request: &mut JsonRpcRequest<ClientRequest>,
        negotiated: Option<&ProtocolVersion>,
    ) -> Option<ServerJsonRpcMessage> {
        let ClientRequest::ReadResourceRequest(read) = &request.request else { return None };
        if read.params.request_state.is_some() || read.params.input_responses.is_some() {
            return None;
        }
        let meta = request.request.get_meta();
        let modern = ProtocolVersion::V_2026_07_28;
        let is_modern = match meta.protocol_version() {
            Some(named) if named == modern && meta.missing_required_keys(&modern).is_empty() => true,
            None if negotiated.is_some_and(ProtocolVersion::has_initialize) => false,
            Some(_) | None => return None,
        };
        if wants_fresh(meta) {
            return None;
        }
        let work = self.catalogue.resource(&read.params.uri, &self.caller).ok()?;
        if work.cost() != Cost::Inline || work.uses_client() {
            request.request.extensions_mut().insert(PreparedRead::new(work));
            return None;
        }
        let info = self.uncounted_request_info(CancellationToken::new(), false);
        let Ok(Step::Done(content)) = run_inline(work, &info, true) else { return None };
        self.activity.count_request();
        let mut result =
            ServerResult::ReadResourceResult(self.read_result(read.params.uri.clone(), content, is_modern));
        if !is_modern {
            result.strip_result_type_for_legacy_peer();
        }
        Some(ServerJsonRpcMessage::response(result, request.id.clone()))
    }
}
