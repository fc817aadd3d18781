//! An endpoint: a path, its callers, and the services that it offers them.
//!
//! Owns: the methods of a path: POST for messages, GET and DELETE for the streams and the ends of sessions.
//! Never: offers more than its own catalogue.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use rmcp::model::{ClientRequest, GetExtensions as _, InitializeRequestParams, JsonRpcRequest, ProtocolVersion};

use super::auth::{self, AuthError, TokenHash};
use super::connection_limiter::ConnectionSlot;
use super::headers::{self, RequestVersion};
use super::media_type;
use super::origin_policy::{preflight_response, single_value};
use super::principal::Principal;
use super::quota::{CallerQuota, CallerQuotas, Quotas, RequestPermit};
use super::request_body;
use super::response::{
    HttpError, ResponseBody, SESSION_ID_HEADER, SseStream, empty_response, json_response, sse_response,
};
use super::service_loop::{PendingResponse, ResponseOptions, ServiceLoop, ServiceLoopOwner as _};
use super::sessions::{CreateSessionError, SessionGuard, SessionLimits, SessionTable};
use crate::McpServer;
use crate::decode::{IncomingMessage, prepare_frame};
use crate::framing::Frame;
use crate::server::ToolOfRequest;
use wardroom_service::audit::AuditSource;
use wardroom_service::{Caller, Owner, Transport};

pub struct Endpoint {
    path: String,
    server: McpServer,
    tokens: Vec<TokenHash>,
    /// The caller without a token, then one for each token.
    callers: Vec<EndpointCaller>,
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

/// A caller, through a listener of this machine and through one that other machines reach.
struct EndpointCaller {
    local: Arc<Caller>,
    remote: Arc<Caller>,
    /// Shared by both, and by all endpoints of the owner.
    quota: Arc<CallerQuota>,
}

impl Endpoint {
    #[must_use]
    pub fn new(parts: EndpointParts, quotas: &CallerQuotas) -> Self {
        let EndpointParts { path, server, scope, groups, tokens, shares_runs, sessions } = parts;
        let caller = |(groups, token): (Option<Vec<String>>, Option<&TokenHash>)| {
            let owner = token.map_or(Owner::Anonymous, |token| Owner::Named(token.name.clone()));
            let caller_on = |remote| {
                let transport = Transport::Http { is_remote: remote };
                Arc::new(Caller {
                    scope: scope.clone(),
                    groups: groups.clone(),
                    transport,
                    owner: owner.clone(),
                    shares_runs,
                })
            };
            EndpointCaller {
                local: caller_on(false),
                remote: caller_on(true),
                quota: quotas.of(&owner, server.memory()),
            }
        };
        let groups_with = |token: &TokenHash| groups.iter().flatten().chain(&token.groups).cloned().collect();
        let callers = std::iter::once((groups.clone(), None))
            .chain(tokens.iter().map(|token| (Some(groups_with(token)), Some(token))))
            .map(caller)
            .collect();
        Self { path, server, tokens, callers, sessions: sessions.map(SessionTable::new) }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether requests need no token.
    pub(super) fn is_unauthenticated(&self) -> bool {
        self.tokens.is_empty()
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
        let principal = self.resolve_principal(&head.headers, is_remote).inspect_err(|_| {
            self.server.audit_refusal(&AuditSource::unauthenticated(is_remote), &self.path, "no valid token");
        })?;
        match (&head.method, &self.sessions) {
            (&Method::POST, _) => self.handle_post(head, body, principal, quotas).await,
            (&Method::GET, Some(sessions)) => {
                let acquire_permit = || quotas.acquire_stream(&self.caller_for(principal)?.quota);
                open_sse_stream(&head.headers, sessions, principal, acquire_permit)
            }
            (&Method::DELETE, Some(sessions)) => terminate_session(&head.headers, sessions, principal),
            (_, Some(_)) => Err(HttpError::method_not_allowed("GET, POST, DELETE, OPTIONS")),
            (_, None) => Err(HttpError::method_not_allowed("POST, OPTIONS")),
        }
    }

    fn resolve_principal(&self, headers: &HeaderMap, is_remote: bool) -> Result<Principal, HttpError> {
        if self.tokens.is_empty() {
            return Ok(Principal { token: None, is_remote });
        }
        match auth::authenticate(headers, &self.tokens) {
            Ok(index) => Ok(Principal { token: Some(index), is_remote }),
            Err(AuthError::MissingToken) => {
                Err(HttpError::unauthorized("this endpoint requires a bearer token", "Bearer realm=\"wardroom\""))
            }
            Err(AuthError::InvalidToken) => Err(invalid_token_error()),
        }
    }

    fn caller_for(&self, principal: Principal) -> Result<&EndpointCaller, HttpError> {
        self.callers.get(principal.token.map_or(0, |index| index + 1)).ok_or_else(invalid_token_error)
    }

    /// Returns the server for this caller.
    fn server_for(&self, principal: Principal) -> Result<McpServer, HttpError> {
        let EndpointCaller { local, remote, quota } = self.caller_for(principal)?;
        let caller = if principal.is_remote { remote } else { local };
        Ok(self.server.for_caller(Arc::clone(caller), &quota.shares))
    }

    async fn handle_post(
        &self,
        head: &Parts,
        (body, slot): (Incoming, &ConnectionSlot),
        principal: Principal,
        quotas: &Quotas,
    ) -> Result<Response<ResponseBody>, HttpError> {
        let headers = &head.headers;
        let quota = &self.caller_for(principal)?.quota;
        media_type::check_media_types(headers)?;
        slot.set_receiving(true);
        let (bytes, receive_lease) = request_body::read_body(headers, body, quotas.receive_lease(quota)).await?;
        slot.set_receiving(false);
        let received = bytes.len();
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
            IncomingMessage::Request { kind, request, .. } => {
                let permit = match permit.filter(|_| expected_kind == Some(kind)) {
                    Some(permit) => permit,
                    None => quotas.acquire(kind, quota).await?,
                };
                let permit = permit.with_memory(memory);
                self.handle_request(headers, *request, principal, (permit, quotas)).await
            }
        }
    }

    async fn handle_request(
        &self,
        headers: &HeaderMap,
        mut request: JsonRpcRequest<ClientRequest>,
        principal: Principal,
        (permit, quotas): (RequestPermit, &Quotas),
    ) -> Result<Response<ResponseBody>, HttpError> {
        let version = match headers::request_version(headers, &request)? {
            RequestVersion::SelfDescribed(version) => {
                let (is_modern, server) = (headers::is_modern(version.as_str()), self.server_for(principal)?);
                if is_modern {
                    let tool = match &request.request {
                        ClientRequest::CallToolRequest(call) => server.resolve_tool_early(&call.params.name),
                        _ => None,
                    };
                    let params = tool.as_ref().map_or(&[][..], |ToolOfRequest(tool)| tool.param_headers());
                    headers::check_headers(headers, &request, params)?;
                    // What was checked is what is called.
                    if let Some(tool) = tool {
                        request.request.extensions_mut().insert(tool);
                    }
                }
                let options = ResponseOptions::from_request(&request.request, is_modern);
                // The response to an input request would belong to no session.
                let server = if is_modern { server } else { server.without_input_requests() };
                let service_loop =
                    ServiceLoop::start(server, None, quotas.shutdown_token(&request.request), &quotas.send_budget);
                return Ok(PendingResponse::submit(service_loop, request, permit)?.into_response(options).await);
            }
            RequestVersion::Legacy(version) => version,
        };
        let options = ResponseOptions::from_request(&request.request, false);
        let is_initialize = matches!(request.request, ClientRequest::InitializeRequest(_));
        let Some(sessions) = &self.sessions else {
            let client = (!is_initialize).then(|| client_with_version(version));
            let service_loop = ServiceLoop::start(
                self.server_for(principal)?.without_input_requests(),
                client,
                &quotas.terminated,
                &quotas.send_budget,
            );
            return Ok(PendingResponse::submit(service_loop, request, permit)?.into_response(options).await);
        };
        if is_initialize {
            let service_loop =
                ServiceLoop::start(self.server_for(principal)?, None, &quotas.terminated, &quotas.send_budget);
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
        let is_modern = headers::protocol_version(headers)?.is_some_and(headers::is_modern);
        let Some(sessions) = self.sessions.as_ref().filter(|_| !is_modern) else { return Ok(None) };
        find_session(headers, sessions, principal).map(Some)
    }
}

fn invalid_token_error() -> HttpError {
    let challenge = "Bearer realm=\"wardroom\", error=\"invalid_token\"";
    HttpError::unauthorized("this token is not valid for this endpoint", challenge)
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
    name.to_str().map_err(|_| session_not_found())
}

fn find_session(headers: &HeaderMap, sessions: &SessionTable, principal: Principal) -> Result<SessionGuard, HttpError> {
    sessions.find(session_id(headers)?, principal).ok_or_else(session_not_found)
}

fn session_not_found() -> HttpError {
    HttpError::not_found("unknown or expired session: start one with `initialize`")
}

/// Opens the stream for the messages of a session that belong to no request.
fn open_sse_stream(
    headers: &HeaderMap,
    sessions: &SessionTable,
    principal: Principal,
    acquire_permit: impl FnOnce() -> Result<RequestPermit, HttpError>,
) -> Result<Response<ResponseBody>, HttpError> {
    if headers::protocol_version(headers)?.is_some_and(headers::is_modern) {
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
    if headers::protocol_version(headers)?.is_some_and(headers::is_modern) {
        return Err(HttpError::method_not_allowed("POST, OPTIONS"));
    }
    let name = session_id(headers)?;
    if sessions.terminate(name, principal) {
        Ok(empty_response(StatusCode::NO_CONTENT))
    } else {
        Err(session_not_found())
    }
}
