//! An endpoint: a path, its callers, and the services that it offers them.
//!
//! Owns: the methods of a path: POST for messages, GET and DELETE for the streams and the ends of sessions.
//! Never: offers more than its own catalogue.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use rmcp::model::{
    ClientRequest, GetExtensions as _, GetMeta as _, InitializeRequestParams, JsonRpcRequest, ProtocolVersion,
    ServerJsonRpcMessage,
};

use super::auth::{AuthError, TokenHash};
use super::callers::{self, CallerProfile, CallerTable, EndpointCaller};
use super::connection_limiter::ConnectionSlot;
use super::headers::{self, RequestVersion};
use super::media_type;
use super::origin_policy::{preflight_response, single_value};
use super::principal::Principal;
use super::quota::{CallerQuotas, Quotas, RequestPermit};
use super::request_body;
use super::response::{
    HttpError, ResponseBody, SESSION_ID_HEADER, SseStream, empty_response, json_response, sse_response,
};
use super::service_loop::{PendingResponse, ResponseOptions, ServiceLoop, ServiceLoopOwner as _};
use super::sessions::{CreateSessionError, SessionGuard, SessionLimits, SessionTable};
use crate::McpServer;
use crate::decode::{IncomingMessage, prepare_frame};
use crate::encode::append_message;
use crate::execution::wants_fresh;
use crate::framing::Frame;
use crate::http::limits::MAX_INLINE_DECODE_BYTES;
use crate::in_place::{EarlyRead, append_answer};
use crate::revision::Revision;
use crate::server::ToolOfRequest;
use wardroom_service::audit::AuditSource;

pub struct Endpoint {
    path: String,
    server: McpServer,
    callers: CallerTable,
    /// `None` where the endpoint is stateless.
    sessions: Option<SessionTable>,
}

/// The parameters of an endpoint.
pub struct EndpointParts {
    pub path: String,
    pub server: McpServer,
    pub scope: Option<String>,
    /// The groups of every caller.
    pub groups: Option<Vec<String>>,
    /// If there are any, a request must carry one of them.
    pub tokens: Vec<TokenHash>,
    /// Whether its callers see the runs and logs of all.
    pub shares_runs: bool,
    /// The limits of its sessions; `None` where it is stateless.
    pub sessions: Option<SessionLimits>,
}

impl Endpoint {
    #[must_use]
    pub fn new(parts: EndpointParts, quotas: &CallerQuotas) -> Self {
        let EndpointParts { path, server, scope, groups, tokens, shares_runs, sessions } = parts;
        let profile =
            CallerProfile { scope, groups, shares_runs, memory: server.memory().clone(), quotas: quotas.clone() };
        let callers = CallerTable::new(profile, tokens);
        Self { path, server, callers, sessions: sessions.map(SessionTable::new) }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether requests need no token.
    pub(super) fn is_unauthenticated(&self) -> bool {
        self.callers.is_open()
    }

    /// Admits the bearers of these tokens alone, and ends what others began: see [`CallerTable::replace`].
    pub(super) fn replace_tokens(&self, tokens: Vec<TokenHash>, may_be_open: bool) {
        for caller in self.callers.replace(tokens, may_be_open) {
            caller.revoked.cancel();
            self.sessions.iter().for_each(|sessions| sessions.terminate_all_of(caller.id));
        }
    }

    /// Counts a request that was refused before its endpoint was known.
    pub(super) fn audit_refusal(&self, is_remote: bool, reason: &'static str) {
        self.server.audit_refusal(&AuditSource::unauthenticated(is_remote), "http", reason);
    }

    pub(super) fn prepare_services(&self) {
        self.server.prepare_services();
    }

    pub(super) fn sessions(&self) -> Option<&SessionTable> {
        self.sessions.as_ref()
    }

    pub(super) async fn handle(
        &self,
        head: &Parts,
        body: (Incoming, &ConnectionSlot),
        is_remote: bool,
        quotas: &Quotas,
    ) -> Result<Response<ResponseBody>, HttpError> {
        // A browser sends no token with a preflight request.
        if head.method == Method::OPTIONS {
            return Ok(preflight_response(&head.headers));
        }
        let caller = self.authenticate(&head.headers, is_remote, quotas)?;
        tokio::select! {
            biased;
            () = caller.revoked.cancelled() => Err(caller.revoked_error()),
            answered = self.handle_authenticated(head, body, (&caller, is_remote), quotas) => {
                answered.map(|reply| reply.map(|body| body.until_revoked(&caller.revoked)))
            }
        }
    }

    fn authenticate(
        &self,
        headers: &HeaderMap,
        is_remote: bool,
        quotas: &Quotas,
    ) -> Result<Arc<EndpointCaller>, HttpError> {
        self.callers.authenticate(headers).map_err(|error| {
            self.server.audit_refusal(&AuditSource::unauthenticated(is_remote), &self.path, "no valid token");
            match error {
                AuthError::MissingToken => callers::missing_token_error(),
                AuthError::InvalidToken => {
                    quotas.refused_tokens.record();
                    callers::invalid_token_error()
                }
            }
        })
    }

    async fn handle_authenticated(
        &self,
        head: &Parts,
        body: (Incoming, &ConnectionSlot),
        (caller, is_remote): (&EndpointCaller, bool),
        quotas: &Quotas,
    ) -> Result<Response<ResponseBody>, HttpError> {
        let principal = Principal { caller: caller.id, is_remote };
        match (&head.method, &self.sessions) {
            (&Method::POST, _) => self.handle_post(head, body, (caller, principal), quotas).await,
            (&Method::GET, Some(sessions)) => {
                open_sse_stream(&head.headers, sessions, principal, || quotas.acquire_stream(&caller.quota))
            }
            (&Method::DELETE, Some(sessions)) => terminate_session(&head.headers, sessions, principal),
            (_, Some(_)) => Err(HttpError::method_not_allowed("GET, POST, DELETE, OPTIONS")),
            (_, None) => Err(HttpError::method_not_allowed("POST, OPTIONS")),
        }
    }

    /// Returns the server for this caller.
    fn server_for(&self, caller: &EndpointCaller, principal: Principal) -> McpServer {
        self.server.for_caller(Arc::clone(caller.caller(principal.is_remote)), &caller.quota.shares)
    }

    async fn handle_post(
        &self,
        head: &Parts,
        body: (Incoming, &ConnectionSlot),
        (caller, principal): (&EndpointCaller, Principal),
        quotas: &Quotas,
    ) -> Result<Response<ResponseBody>, HttpError> {
        let headers = &head.headers;
        let quota = &caller.quota;
        media_type::check_media_types(headers)?;
        let (bytes, receive_lease) = request_body::read_body(headers, body, quotas.receive_lease(quota)).await?;
        let received = bytes.len();
        let mut repeated = None;
        if received <= MAX_INLINE_DECODE_BYTES {
            match self.server.look_up_read(&bytes, caller.caller(principal.is_remote), None, Instant::now()) {
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
                if let Some(session) = self.session_for_message(headers, principal)?
                    && let Some(number) = session.service_loop().router().number_of(&id)
                {
                    session.service_loop().cancel(number);
                }
                Ok(empty_response(StatusCode::ACCEPTED))
            }
            IncomingMessage::Other(message) => {
                if let Some(session) = self.session_for_message(headers, principal)? {
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
                let permit = permit.with_memory(memory);
                self.handle_request(headers, *request, (caller, principal), (permit, quotas)).await
            }
        }
    }

    async fn handle_request(
        &self,
        headers: &HeaderMap,
        mut request: JsonRpcRequest<ClientRequest>,
        (caller, principal): (&EndpointCaller, Principal),
        (permit, quotas): (RequestPermit, &Quotas),
    ) -> Result<Response<ResponseBody>, HttpError> {
        let version = match headers::request_version(headers, &request)? {
            RequestVersion::SelfDescribed(version) => {
                let server = self.server_for(caller, principal);
                let revision = Revision::from_version(version.as_str());
                if revision.is_modern() {
                    let tool = match &request.request {
                        ClientRequest::CallToolRequest(call) => {
                            if wants_fresh(request.request.get_meta()) {
                                let stop = quotas.terminated.child_token();
                                if let Err(error) = server.refresh_services(stop, &request.id).await {
                                    let answer = ServerJsonRpcMessage::error(error, Some(request.id));
                                    return encode_message(&answer, permit, quotas);
                                }
                            }
                            server.resolve_tool_early(&call.params.name)
                        }
                        _ => None,
                    };
                    let params = tool.as_ref().map_or(&[][..], |ToolOfRequest(tool)| tool.param_headers());
                    headers::check_headers(headers, &request, params)?;
                    // What was checked is what is called.
                    if let Some(tool) = tool {
                        request.request.extensions_mut().insert(tool);
                    }
                }
                if revision.is_modern()
                    && let Some(answer) = server.answer_in_place(&mut request, None)
                {
                    return encode_message(&answer, permit, quotas);
                }
                let options = ResponseOptions::from_request(&request.request, revision);
                // The response to an input request would belong to no session.
                let server = if revision.is_modern() { server } else { server.without_session() };
                let service_loop =
                    ServiceLoop::start(server, None, quotas.shutdown_token(&request.request), &quotas.send_budget);
                return Ok(PendingResponse::submit(service_loop, request, permit)?.into_response(options).await);
            }
            RequestVersion::Legacy(version) => version,
        };
        let options = ResponseOptions::from_request(&request.request, Revision::Legacy);
        let is_initialize = matches!(request.request, ClientRequest::InitializeRequest(_));
        let Some(sessions) = &self.sessions else {
            let client = (!is_initialize).then(|| client_with_version(version));
            let service_loop = ServiceLoop::start(
                self.server_for(caller, principal).without_session(),
                client,
                &quotas.terminated,
                &quotas.send_budget,
            );
            return Ok(PendingResponse::submit(service_loop, request, permit)?.into_response(options).await);
        };
        if is_initialize {
            let service_loop =
                ServiceLoop::start(self.server_for(caller, principal), None, &quotas.terminated, &quotas.send_budget);
            let session = SessionTable::create(service_loop, principal);
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
            return Ok(reply);
        }
        let session = find_session(headers, sessions, principal)
            .map_err(|refusal| refusal.with_request_id(Some(request.id.clone())))?;
        Ok(PendingResponse::submit(session, request, permit)?.into_response(options).await)
    }

    /// Returns the session of a notification or a response. The modern revision has no sessions, and ignores such
    /// messages.
    fn session_for_message(
        &self,
        headers: &HeaderMap,
        principal: Principal,
    ) -> Result<Option<SessionGuard>, HttpError> {
        headers::check_version(headers)?;
        let is_modern = headers::revision(headers)?.is_modern();
        let Some(sessions) = self.sessions.as_ref().filter(|_| !is_modern) else { return Ok(None) };
        find_session(headers, sessions, principal).map(Some)
    }
}

/// Returns the reply of an answer.
fn encode_message(
    answer: &ServerJsonRpcMessage,
    permit: RequestPermit,
    quotas: &Quotas,
) -> Result<Response<ResponseBody>, HttpError> {
    let reply = encode_response(quotas, |bytes| append_message(bytes, answer));
    drop(permit);
    reply
}

/// Returns a reply, whose bytes are counted until the client has taken them.
fn encode_response(
    quotas: &Quotas,
    append: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
) -> Result<Response<ResponseBody>, HttpError> {
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

fn find_session(headers: &HeaderMap, sessions: &SessionTable, principal: Principal) -> Result<SessionGuard, HttpError> {
    sessions.find(session_id(headers)?, principal).ok_or_else(HttpError::session_not_found)
}

/// Opens the stream for the messages of a session that belong to no request.
fn open_sse_stream(
    headers: &HeaderMap,
    sessions: &SessionTable,
    principal: Principal,
    acquire_permit: impl FnOnce() -> Result<RequestPermit, HttpError>,
) -> Result<Response<ResponseBody>, HttpError> {
    if headers::revision(headers)?.is_modern() {
        return Err(HttpError::method_not_allowed("POST, OPTIONS"));
    }
    if !media_type::accepts_media_type(headers, "text/event-stream") {
        return Err(HttpError::new(StatusCode::NOT_ACCEPTABLE, "a stream is text/event-stream: accept that type"));
    }
    let session = find_session(headers, sessions, principal)?;
    headers::check_version(headers)?;
    let permit = acquire_permit()?;
    let messages = session.service_loop().router().attach_listener();
    Ok(sse_response(SseStream::with_keep_alive(messages, Box::new((session, permit)))))
}

/// Ends a session.
fn terminate_session(
    headers: &HeaderMap,
    sessions: &SessionTable,
    principal: Principal,
) -> Result<Response<ResponseBody>, HttpError> {
    if headers::revision(headers)?.is_modern() {
        return Err(HttpError::method_not_allowed("POST, OPTIONS"));
    }
    let name = session_id(headers)?;
    if sessions.terminate(name, principal) {
        Ok(empty_response(StatusCode::NO_CONTENT))
    } else {
        Err(HttpError::session_not_found())
    }
}
