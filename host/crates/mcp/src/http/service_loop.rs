//! One request over HTTP, from its permit to its reply, in a loop of rmcp.
//!
//! Owns: whether the reply is one message or a stream, which the first message of the handlers decides, and that a
//! request ends with its reply: closing the reply cancels the request.
//! Never: answers for the handlers.

use std::sync::Arc;

use hyper::{Response, StatusCode};
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta as _,
    InitializeRequestParams, JsonRpcRequest, ProtocolVersion, RequestId,
};
use rmcp::service::{RunningService, serve_directly_with_ct};
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::quota::RequestPermit;
use super::reply_router::{ChannelTransport, Outgoing, RegisterError, ResponseRouter};
use super::response::{HttpError, ResponseBody, SseStream, json_response, sse_response};
use super::send_budget::SendBudget;
use crate::http::limits::SSE_KEEP_ALIVE_INTERVAL;
use crate::revision::Revision;
use crate::{CatchPanic, McpServer};

/// A loop of rmcp, which ends when this is dropped, with everything that runs in it.
pub(super) struct ServiceLoop {
    router: Arc<ResponseRouter>,
    incoming: mpsc::UnboundedSender<ClientJsonRpcMessage>,
    _service: RunningService<RoleServer, CatchPanic>,
}

impl ServiceLoop {
    /// Starts a loop for a known client; `None` where each request describes its client. It ends with `ended` at the
    /// latest.
    pub(super) fn start(
        server: McpServer,
        client: Option<InitializeRequestParams>,
        ended: &CancellationToken,
        send_budget: &Arc<SendBudget>,
    ) -> Self {
        let router = Arc::new(ResponseRouter::new(Arc::clone(send_budget)));
        let (incoming, messages) = mpsc::unbounded_channel();
        let transport = ChannelTransport::new(messages, Arc::clone(&router));
        let service = serve_directly_with_ct(CatchPanic(server), transport, client, ended.child_token());
        Self { router, incoming, _service: service }
    }

    pub(super) fn router(&self) -> &ResponseRouter {
        &self.router
    }

    /// Passes a message to the handlers.
    pub(super) fn send(&self, message: ClientJsonRpcMessage) {
        // A loop that has ended needs no message.
        drop(self.incoming.send(message));
    }

    /// Cancels a request for its client: its stream ends without an answer.
    pub(super) fn cancel(&self, number: i64) {
        if self.router.remove(number) {
            let params = CancelledNotificationParam::new(Some(RequestId::Number(number)), None);
            self.send(ClientJsonRpcMessage::notification(CancelledNotification::new(params).into()));
        }
    }
}

impl Drop for ServiceLoop {
    fn drop(&mut self) {
        self.router.close();
    }
}

/// A request that the handlers have.
pub(super) struct PendingResponse<L: ServiceLoopOwner> {
    service_loop: L,
    number: i64,
    messages: mpsc::Receiver<Outgoing>,
    permit: RequestPermit,
}

/// An owner of a loop: a session, or a request without one.
pub(super) trait ServiceLoopOwner: Send + Sync + 'static {
    fn service_loop(&self) -> &ServiceLoop;
}

impl ServiceLoopOwner for ServiceLoop {
    fn service_loop(&self) -> &ServiceLoop {
        self
    }
}

/// The properties of a request that decide its reply, beside the answer.
#[derive(Clone, Copy)]
pub(super) struct ResponseOptions {
    /// In the modern one, some protocol errors are also errors of HTTP.
    pub(super) revision: Revision,
    /// The metadata of the request lacks required fields.
    pub(super) is_malformed: bool,
}

/// Cancels the request unless its reply was complete.
struct CancelOnDrop<L: ServiceLoopOwner> {
    service_loop: L,
    number: i64,
    _permit: RequestPermit,
}

impl<L: ServiceLoopOwner> Drop for CancelOnDrop<L> {
    fn drop(&mut self) {
        self.service_loop.service_loop().cancel(self.number);
    }
}

impl<L: ServiceLoopOwner> PendingResponse<L> {
    /// Passes a request to the handlers.
    pub(super) fn submit(
        owner: L,
        mut request: JsonRpcRequest<ClientRequest>,
        permit: RequestPermit,
    ) -> Result<Self, HttpError> {
        let id = request.id.clone();
        let (number, messages) = owner.service_loop().router.register(&mut request).map_err(|error| {
            let error = match error {
                RegisterError::IdInUse => HttpError::bad_request("a request with this id is still running"),
                RegisterError::Closed => HttpError::session_not_found(),
            };
            error.with_request_id(Some(id))
        })?;
        owner.service_loop().send(ClientJsonRpcMessage::Request(request));
        Ok(Self { service_loop: owner, number, messages, permit })
    }

    /// Returns the reply, as soon as its form is known. After [`SSE_KEEP_ALIVE_INTERVAL`] without a message it is a
    /// stream.
    pub(super) async fn into_response(self, options: ResponseOptions) -> Response<ResponseBody> {
        let Self { service_loop: owner, number, mut messages, permit } = self;
        let guard = CancelOnDrop { service_loop: owner, number, _permit: permit };
        let first = tokio::select! {
            first = messages.recv() => first,
            () = sleep(SSE_KEEP_ALIVE_INTERVAL) => return sse_response(SseStream::with_keep_alive(messages, Box::new(guard))),
        };
        match first {
            Some(Outgoing::Final { code, message }) => {
                json_response(options.status_for(code), message.bytes, Some(message.lease))
            }
            Some(Outgoing::Interim(first)) => sse_response(SseStream::new(Some(first), messages, Box::new(guard))),
            None => sse_response(SseStream::new(None, messages, Box::new(()))),
        }
    }

    /// Waits for the answer alone, and returns whether it is a result.
    pub(super) async fn wait_for_final(mut self) -> Option<(Vec<u8>, bool)> {
        loop {
            if let Outgoing::Final { code, message } = self.messages.recv().await? {
                return Some((message.bytes, code.is_none()));
            }
        }
    }
}

impl ResponseOptions {
    fn status_for(self, code: Option<ErrorCode>) -> StatusCode {
        match code {
            Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION) => StatusCode::BAD_REQUEST,
            Some(code) if self.revision.is_modern() => match code {
                ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
                ErrorCode::INVALID_PARAMS if self.is_malformed => StatusCode::BAD_REQUEST,
                ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
                _ => StatusCode::OK,
            },
            _ => StatusCode::OK,
        }
    }

    pub(super) fn from_request(request: &ClientRequest, revision: Revision) -> Self {
        let missing = request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28);
        Self { revision, is_malformed: revision.is_modern() && !missing.is_empty() }
    }
}
