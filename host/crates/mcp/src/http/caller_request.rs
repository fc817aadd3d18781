//! One request to an endpoint whose caller is known.
//!
//! Owns: the methods of a path: POST for messages, GET and DELETE for the streams and the ends of sessions; which requests are
//! answered in place, and which need a loop of rmcp.
//! Never: finds out who calls.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use hyper::header::HeaderMap;
use hyper::{Method, Response, StatusCode};
use rmcp::model::{
    ClientRequest, GetExtensions as _, GetMeta as _, InitializeRequestParams, JsonRpcRequest, ProtocolVersion,
    ServerJsonRpcMessage,
};

use super::callers::EndpointCaller;
use super::headers::{self, RequestVersion};
use super::media_type;
use super::origin_policy::single_value;
use super::principal::Principal;
use super::quota::{Quotas, RequestPermit};
use super::request_body::RequestBody;
use super::response::{
    HttpError, ResponseBody, SESSION_ID_HEADER, SseStream, empty_response, json_response, sse_response,
};
use super::service_loop::{PendingResponse, ResponseOptions, ServiceLoop, ServiceLoopOwner as _};
use super::sessions::{CreateSessionError, SessionGuard, SessionTable};
use crate::McpServer;
use crate::decode::{IncomingMessage, prepare_frame};
use crate::encode::append_message;
use crate::execution::wants_fresh;
use crate::framing::Frame;
use crate::http::limits::MAX_INLINE_DECODE_BYTES;
use crate::in_place::{EarlyRead, append_answer};
use crate::revision::Revision;
use crate::server::ToolOfRequest;

type HttpResult = Result<Response<ResponseBody>, HttpError>;

#[derive(Clone, Copy)]
pub(super) struct CallerRequest<'r> {
    /// The server of all callers.
    pub(super) server: &'r McpServer,
    /// `None` where the endpoint is stateless.
    pub(super) sessions: Option<&'r SessionTable>,
    pub(super) headers: &'r HeaderMap,
    pub(super) caller: &'r EndpointCaller,
    pub(super) principal: Principal,
    pub(super) quotas: &'r Quotas,
}

impl CallerRequest<'_> {
    pub(super) async fn handle(self, method: &Method, body: RequestBody<'_>) -> HttpResult {
        match (method, self.sessions) {
            (&Method::POST, _) => self.handle_message(body).await,
            (&Method::GET, Some(sessions)) => self.open_sse_stream(sessions),
            (&Method::DELETE, Some(sessions)) => self.terminate_session(sessions),
            (_, Some(_)) => Err(HttpError::method_not_allowed("GET, POST, DELETE, OPTIONS")),
            (_, None) => Err(HttpError::method_not_allowed("POST, OPTIONS")),
        }
    }

    /// Returns the server for this caller.
    fn own_server(self) -> McpServer {
        let caller = self.caller.caller(self.principal.is_remote);
        self.server.for_caller(Arc::clone(caller), &self.caller.quota.shares)
    }

    async fn handle_message(self, body: RequestBody<'_>) -> HttpResult {
        let (headers, quotas, quota) = (self.headers, self.quotas, &self.caller.quota);
        media_type::check_media_types(headers)?;
        let (bytes, receive_lease) = body.read_message(headers, quotas.receive_lease(quota)).await?;
        let received = bytes.len();
        let mut repeated = None;
        if received <= MAX_INLINE_DECODE_BYTES {
            let caller = self.caller.caller(self.principal.is_remote);
            match self.server.look_up_read(&bytes, caller, None, Instant::now()) {
                EarlyRead::Answered(id, read)
                    if headers::is_modern_read(headers, &read.uri) && quotas.send_budget.admits_request() =>
                {
                    self.server.activity.count_request();
                    return encode_response(quotas, |bytes| append_answer(bytes, &id, &read.json));
                }
                EarlyRead::Repeated(read) => repeated = Some(read),
                EarlyRead::Answered(..) | EarlyRead::Unknown => {}
            }
        }
        let scan = move || {
            let frame = prepare_frame(Frame::Line(bytes));
            let kind = frame.request_kind();
            (frame, kind)
        };
        let (frame, expected_kind) = quotas.decode(received, scan).await?;
        // A request that waits is text: decoded, its message may take a hundred times as much.
        let permit = match expected_kind {
            Some(kind) => Some(quotas.acquire(kind, quota).await?),
            None => None,
        };
        drop(receive_lease);
        let memory = quota.lease_message(frame.decoded_bytes())?;
        match quotas.decode(frame.line_bytes(), move || frame.decode()).await? {
            IncomingMessage::Invalid { error, id } => Err(HttpError::protocol_error(error, id)),
            IncomingMessage::Cancel { id } => {
                if let Some(session) = self.session_of_message()?
                    && let Some(number) = session.service_loop().router().number_of(&id)
                {
                    session.service_loop().cancel(number);
                }
                Ok(empty_response(StatusCode::ACCEPTED))
            }
            IncomingMessage::Other(message) => {
                if let Some(session) = self.session_of_message()? {
                    session.service_loop().send(*message);
                }
                Ok(empty_response(StatusCode::ACCEPTED))
            }
            IncomingMessage::Request { kind, mut request, .. } => {
                repeated.map(|read| request.request.extensions_mut().insert(read));
                let permit = match permit.filter(|_| expected_kind == Some(kind)) {
                    Some(permit) => permit,
                    None => quotas.acquire(kind, quota).await?,
                };
                self.answer(*request, permit.with_memory(memory)).await
            }
        }
    }

    async fn answer(self, request: JsonRpcRequest<ClientRequest>, permit: RequestPermit) -> HttpResult {
        match headers::request_version(self.headers, &request)? {
            RequestVersion::SelfDescribed(version) => {
                self.answer_self_described(request, permit, Revision::from_version(version.as_str())).await
            }
            RequestVersion::Legacy(version) => self.answer_legacy(request, permit, version).await,
        }
    }

    async fn answer_self_described(
        self,
        mut request: JsonRpcRequest<ClientRequest>,
        permit: RequestPermit,
        revision: Revision,
    ) -> HttpResult {
        let quotas = self.quotas;
        let mut server = self.own_server();
        if revision.is_modern() {
            if matches!(request.request, ClientRequest::CallToolRequest(_)) && wants_fresh(request.request.get_meta()) {
                let stop = quotas.terminated.child_token();
                if let Err(error) = server.refresh_services(stop, &request.id).await {
                    let answer = ServerJsonRpcMessage::error(error, Some(request.id));
                    return encode_message(&answer, permit, quotas);
                }
            }
            self.check_headers(&server, &mut request)?;
            if let Some(answer) = server.answer_in_place(&mut request, None) {
                return encode_message(&answer, permit, quotas);
            }
        } else {
            // The response to an input request would belong to no session.
            server = server.without_session();
        }
        let options = ResponseOptions::from_request(&request.request, revision);
        let ended = quotas.shutdown_token(&request.request);
        let service_loop = ServiceLoop::start(server, None, ended, &quotas.send_budget);
        Ok(PendingResponse::submit(service_loop, request, permit)?.into_response(options).await)
    }

    /// Checks the headers of a modern request against its body. The tool that was checked is the one that is called.
    fn check_headers(self, server: &McpServer, request: &mut JsonRpcRequest<ClientRequest>) -> Result<(), HttpError> {
        let tool = match &request.request {
            ClientRequest::CallToolRequest(call) => server.resolve_tool_early(&call.params.name),
            _ => None,
        };
        let params = tool.as_ref().map_or(&[][..], |ToolOfRequest(tool)| tool.param_headers());
        headers::check_headers(self.headers, request, params)?;
        tool.map(|tool| request.request.extensions_mut().insert(tool));
        Ok(())
    }

    async fn answer_legacy(
        self,
        request: JsonRpcRequest<ClientRequest>,
        permit: RequestPermit,
        version: ProtocolVersion,
    ) -> HttpResult {
        let options = ResponseOptions::from_request(&request.request, Revision::Legacy);
        let is_initialize = matches!(request.request, ClientRequest::InitializeRequest(_));
        match self.sessions {
            None => {
                let client = (!is_initialize).then(|| client_with_version(version));
                let server = self.own_server().without_session();
                let service_loop = self.start_legacy_loop(server, client);
                Ok(PendingResponse::submit(service_loop, request, permit)?.into_response(options).await)
            }
            Some(sessions) if is_initialize => self.begin_session(sessions, request, permit).await,
            Some(sessions) => {
                let session =
                    self.find_session(sessions).map_err(|refusal| refusal.with_request_id(Some(request.id.clone())))?;
                Ok(PendingResponse::submit(session, request, permit)?.into_response(options).await)
            }
        }
    }

    fn start_legacy_loop(self, server: McpServer, client: Option<InitializeRequestParams>) -> ServiceLoop {
        ServiceLoop::start(server, client, &self.quotas.terminated, &self.quotas.send_budget)
    }

    async fn begin_session(
        self,
        sessions: &SessionTable,
        request: JsonRpcRequest<ClientRequest>,
        permit: RequestPermit,
    ) -> HttpResult {
        let session = SessionTable::create(self.start_legacy_loop(self.own_server(), None), self.principal);
        let answer = PendingResponse::submit(session.clone(), request, permit)?.wait_for_final().await;
        let Some((bytes, is_begun)) = answer else {
            return Err(HttpError::service_unavailable("the server is shutting down"));
        };
        let mut reply = json_response(StatusCode::OK, bytes, None);
        if is_begun {
            let name = sessions.insert(&session).map_err(|why| match why {
                CreateSessionError::Full => HttpError::service_unavailable("too many sessions: try again later"),
                CreateSessionError::NoRandomness => {
                    HttpError::internal("the system gives no random bytes for a session id")
                }
            })?;
            if let Ok(name) = name.parse() {
                reply.headers_mut().insert(SESSION_ID_HEADER, name);
            }
        }
        Ok(reply)
    }

    /// Returns the session of a notification or a response. The modern revision has no sessions, and ignores such
    /// messages.
    fn session_of_message(self) -> Result<Option<SessionGuard>, HttpError> {
        headers::check_version(self.headers)?;
        let is_modern = headers::revision(self.headers)?.is_modern();
        self.sessions.filter(|_| !is_modern).map(|sessions| self.find_session(sessions)).transpose()
    }

    fn find_session(self, sessions: &SessionTable) -> Result<SessionGuard, HttpError> {
        sessions.find(session_id(self.headers)?, self.principal).ok_or_else(HttpError::session_not_found)
    }

    /// Opens the stream for the messages of a session that belong to no request.
    fn open_sse_stream(self, sessions: &SessionTable) -> HttpResult {
        let headers = self.headers;
        if headers::revision(headers)?.is_modern() {
            return Err(HttpError::method_not_allowed("POST, OPTIONS"));
        }
        if !media_type::accepts_media_type(headers, "text/event-stream") {
            return Err(HttpError::new(StatusCode::NOT_ACCEPTABLE, "a stream is text/event-stream: accept that type"));
        }
        let session = self.find_session(sessions)?;
        headers::check_version(headers)?;
        let permit = self.quotas.acquire_stream(&self.caller.quota)?;
        let messages = session.service_loop().router().attach_listener();
        Ok(sse_response(SseStream::with_keep_alive(messages, Box::new((session, permit)))))
    }

    /// Ends a session.
    fn terminate_session(self, sessions: &SessionTable) -> HttpResult {
        if headers::revision(self.headers)?.is_modern() {
            return Err(HttpError::method_not_allowed("POST, OPTIONS"));
        }
        if sessions.terminate(session_id(self.headers)?, self.principal) {
            Ok(empty_response(StatusCode::NO_CONTENT))
        } else {
            Err(HttpError::session_not_found())
        }
    }
}

/// Returns the reply of an answer.
fn encode_message(answer: &ServerJsonRpcMessage, permit: RequestPermit, quotas: &Quotas) -> HttpResult {
    let reply = encode_response(quotas, |bytes| append_message(bytes, answer));
    drop(permit);
    reply
}

/// Returns a reply, whose bytes are counted until the client has taken them.
fn encode_response(quotas: &Quotas, append: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> HttpResult {
    let mut bytes = Vec::new();
    append(&mut bytes).map_err(|_| HttpError::internal("cannot encode the answer as JSON"))?;
    let lease = quotas.send_budget.lease(bytes.len());
    Ok(json_response(StatusCode::OK, bytes, Some(lease)))
}

/// Returns a client of which only the version is known.
fn client_with_version(version: ProtocolVersion) -> InitializeRequestParams {
    let mut client = InitializeRequestParams::default();
    client.protocol_version = version;
    client
}

fn session_id(headers: &HeaderMap) -> Result<&str, HttpError> {
    let header = single_value(headers, &SESSION_ID_HEADER)
        .map_err(|()| HttpError::bad_request("more than one Mcp-Session-Id header"))?;
    let missing = "no Mcp-Session-Id: send `initialize` first, or a request of 2026-07-28, which needs no session";
    let name = header.ok_or_else(|| HttpError::bad_request(missing))?;
    name.to_str().map_err(|_| HttpError::session_not_found())
}
