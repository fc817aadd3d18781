//! Reads that are answered where they are decoded, without the loop of rmcp, or even before.
//!
//! Owns: which reads those are: all of whose work the protocol's thread may do, and whose answer is a content. The handlers get
//! the work of the others, unless it has begun. A read whose result is kept is not decoded.
//! Never: waits, answers in another form than the handlers do, or answers with an error: the handlers do that.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rmcp::model::{
    ClientRequest, GetExtensions as _, GetMeta as _, JsonRpcRequest, ProtocolVersion, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use tokio_util::sync::CancellationToken;

use super::McpServer;
use super::execution::{run_inline, wants_fresh};
use super::kept_replies::{KeptRead, ReadKey, ReadResult};
use super::plain_request::split_read;
use super::revision::Revision;
use crate::limits::MAX_KEPT_RESULT_BYTES;
use wardroom_base::payload;
use wardroom_service::{Caller, Cost, ResourceContent, Step, Work};

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

/// The params of a read that is repeated, as the client wrote them: its result is worth keeping.
#[derive(Clone)]
pub(super) struct RepeatedRead(Arc<str>);

/// What is known of a message that is not decoded yet.
pub(super) enum EarlyRead {
    /// It is this request, and has this result.
    Answered(RequestId, Arc<ReadResult>),
    Repeated(RepeatedRead),
    Unknown,
}

/// Returns the answer with a result that is JSON, as rmcp writes it.
pub(super) fn append_answer(out: &mut Vec<u8>, id: &RequestId, result: &[u8]) -> io::Result<()> {
    // A vector that grows by itself is copied.
    out.reserve(result.len() + 64);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    serde_json::to_writer(&mut *out, id)?;
    out.extend_from_slice(br#","result":"#);
    out.extend_from_slice(result);
    out.push(b'}');
    Ok(())
}

/// Whether requests without a version of their own are of a session.
fn in_session(negotiated: Option<&ProtocolVersion>) -> bool {
    negotiated.is_some_and(ProtocolVersion::has_initialize)
}

impl McpServer {
    /// Returns what is known of a line of a caller that was received at this time.
    pub(super) fn look_up_read(
        &self,
        line: &[u8],
        caller: &Arc<Caller>,
        negotiated: Option<&ProtocolVersion>,
        received_at: Instant,
    ) -> EarlyRead {
        if line.len() > MAX_KEPT_RESULT_BYTES {
            return EarlyRead::Unknown;
        }
        let Some((id, params)) = split_read(line) else { return EarlyRead::Unknown };
        let key = ReadKey { caller, in_session: in_session(negotiated), params };
        match self.kept_replies.find(key, received_at) {
            // The decoder refuses such an id.
            KeptRead::Result(_) if payload::has_reserved_text(line) => EarlyRead::Unknown,
            KeptRead::Result(result) => EarlyRead::Answered(id, result),
            KeptRead::IsRepeated => EarlyRead::Repeated(RepeatedRead(params.into())),
            KeptRead::Unknown => EarlyRead::Unknown,
        }
    }

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
        let revision = match meta.protocol_version() {
            Some(named) if named == modern && meta.missing_required_keys(&modern).is_empty() => Revision::Modern,
            None if in_session(negotiated) => Revision::Legacy,
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
        let info = self.request_info_with(CancellationToken::new(), false);
        let Ok(Step::Done(content)) = run_inline(work, &info, true) else { return None };
        self.activity.count_request();
        let uri = &read.params.uri;
        let result = self.encodable_read(uri, content, revision);
        if let Some(RepeatedRead(params)) = request.request.extensions().get() {
            let key = ReadKey { caller: &self.caller, in_session: in_session(negotiated), params };
            if self.keep_read(key, uri, revision).is_none() {
                self.kept_replies.give_up(key);
            }
        }
        Some(ServerJsonRpcMessage::response(result, request.id.clone()))
    }

    /// Reads a resource once more, after its folders are watched, and keeps the result. `None` where it cannot be kept: a first read
    /// showed that all of this is little work.
    fn keep_read(&self, key: ReadKey<'_>, uri: &str, revision: Revision) -> Option<()> {
        let watched = self.kept_replies.watch(|| self.catalogue.dependencies(uri, &self.caller).ok())?;
        let work = self.catalogue.resource(uri, &self.caller).ok()?;
        let info = self.request_info_with(CancellationToken::new(), false);
        let Ok(Step::Done(content)) = run_inline(work, &info, true) else { return None };
        let json = serde_json::to_vec(&self.encodable_read(uri, content, revision)).ok()?;
        watched.keep(key, ReadResult { uri: uri.to_owned(), json }).then_some(())
    }

    /// Returns the result of a read, as it is encoded.
    fn encodable_read(&self, uri: &str, content: ResourceContent, revision: Revision) -> ServerResult {
        let mut result = ServerResult::ReadResourceResult(self.read_result(uri.to_owned(), content, revision));
        if !revision.is_modern() {
            result.strip_result_type_for_legacy_peer();
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ReadResourceResult, ResourceContents};

    #[test]
    fn answer_with_a_kept_result_is_what_rmcp_writes() {
        let result = ReadResourceResult::new(vec![ResourceContents::text("a \"text\"\n", "a://b")]);
        let result = ServerResult::ReadResourceResult(result);
        let json = serde_json::to_vec(&result).unwrap();
        for id in [RequestId::Number(-7), RequestId::String("a \"quoted\" \u{e9}\n".into())] {
            let mut answer = b"before".to_vec();
            append_answer(&mut answer, &id, &json).unwrap();
            let message = ServerJsonRpcMessage::response(result.clone(), id);
            assert_eq!(answer, [b"before", serde_json::to_vec(&message).unwrap().as_slice()].concat());
        }
    }
}
