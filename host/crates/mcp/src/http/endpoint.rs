//! An endpoint: a path, who may ask there, and what is offered to them.
//!
//! Owns: the methods of a path: POST for messages, GET and DELETE for the streams and the ends of sessions.
//! Never: offers more than its own catalogue.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use rmcp::model::{ClientRequest, ErrorCode, InitializeRequestParams, JsonRpcRequest, ProtocolVersion};
use sha2::{Digest as _, Sha256};

use super::body;
use super::calls::{Call, Holder as _, Lane, Manner};
use super::headers::{self, Era};
use super::keys::{self, Closed, Key};
use super::policy::{one, preflight};
use super::reply::{Body, Events, Refusal, SESSION, empty, events, json};
use super::sessions::{Bounds, Nameless, Sessions, Use};
use super::shared::{Share, Shared, Turn};
use super::types;
use super::unsent::Held;
use crate::Server;
use crate::stdio::{Frame, Inbound, Kind, decode, weight};
use wardroom_base::limits::{LONG_BODY_BYTES, MAX_WEIGHT, SMALL_BODY_BYTES};
use wardroom_service::{Caller, Transport};

pub struct Endpoint {
    path: String,
    server: Server,
    keys: Vec<Key>,
    /// Without a token, and with each.
    callers: Vec<Callers>,
    /// Nothing where every request stands for itself.
    sessions: Option<Sessions>,
}

/// What an endpoint is made of.
pub struct EndpointParts {
    pub path: String,
    pub server: Server,
    pub scope: Option<String>,
    /// Those of everybody who asks here.
    pub groups: Option<Vec<String>>,
    /// One of them must be shown, if there are any.
    pub keys: Vec<Key>,
    /// Of sessions, where there are any.
    pub sessions: Option<Bounds>,
}

/// One who asks, by a listener of this machine, and by one that others reach.
struct Callers {
    near: Arc<Caller>,
    remote: Arc<Caller>,
    /// Of either.
    share: Share,
}

/// Who asks, as far as a session belongs to somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Asker {
    /// By the place of the key.
    key: Option<usize>,
    remote: bool,
}

impl Endpoint {
    #[must_use]
    pub fn new(parts: EndpointParts) -> Self {
        let EndpointParts { path, server, scope, groups, keys, sessions } = parts;
        let caller = |(groups, key): (Option<Vec<String>>, Option<&Key>)| {
            let digest = key.map_or([0; 32], |key| key.digest);
            let who = Sha256::new_with_prefix(path.as_bytes()).chain_update([0]).chain_update(digest).finalize();
            let of = |remote| {
                let transport = Transport::Http { remote };
                Arc::new(Caller { scope: scope.clone(), groups: groups.clone(), transport, who: Some(who.into()) })
            };
            Callers { near: of(false), remote: of(true), share: Share::new() }
        };
        let with = |key: &Key| groups.iter().flatten().chain(&key.groups).cloned().collect();
        let callers = std::iter::once((groups.clone(), None))
            .chain(keys.iter().map(|key| (Some(with(key)), Some(key))))
            .map(caller)
            .collect();
        Self { path, server, keys, callers, sessions: sessions.map(Sessions::new) }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether anybody may ask who reaches it.
    pub(super) fn is_open(&self) -> bool {
        self.keys.is_empty()
    }

    pub(super) fn prepare(&self) {
        self.server.prepare();
    }

    pub(super) fn sessions(&self) -> Option<&Sessions> {
        self.sessions.as_ref()
    }

    pub(super) async fn answer(
        &self,
        head: &Parts,
        body: Incoming,
        remote: bool,
        shared: &Shared,
    ) -> Result<Response<Body>, Refusal> {
        // A browser sends no token with this one.
        if head.method == Method::OPTIONS {
            return Ok(preflight(&head.headers));
        }
        let asker = self.asker(&head.headers, remote)?;
        match (&head.method, &self.sessions) {
            (&Method::POST, _) => self.post(head, body, asker, shared).await,
            (&Method::GET, Some(sessions)) => {
                let turn = || shared.listen(&self.callers(asker)?.share);
                stream(&head.headers, sessions, asker, turn)
            }
            (&Method::DELETE, Some(sessions)) => end(&head.headers, sessions, asker),
            (_, Some(_)) => Err(Refusal::not_allowed("GET, POST, DELETE, OPTIONS")),
            (_, None) => Err(Refusal::not_allowed("POST, OPTIONS")),
        }
    }

    fn asker(&self, headers: &HeaderMap, remote: bool) -> Result<Asker, Refusal> {
        if self.keys.is_empty() {
            return Ok(Asker { key: None, remote });
        }
        match keys::shown(headers, &self.keys) {
            Ok(key) => Ok(Asker { key: Some(key), remote }),
            Err(Closed::Missing) => {
                Err(Refusal::unauthorized("this endpoint asks for a token", "Bearer realm=\"wardroom\""))
            }
            Err(Closed::Wrong) => Err(closed()),
        }
    }

    fn callers(&self, asker: Asker) -> Result<&Callers, Refusal> {
        self.callers.get(asker.key.map_or(0, |key| key + 1)).ok_or_else(closed)
    }

    /// The server as this one gets it.
    fn server(&self, asker: Asker) -> Result<Server, Refusal> {
        let Callers { near, remote, share } = self.callers(asker)?;
        let caller = if asker.remote { remote } else { near };
        Ok(self.server.called_by(Arc::clone(caller), Arc::clone(&share.workers), &share.asks))
    }

    async fn post(
        &self,
        head: &Parts,
        body: Incoming,
        asker: Asker,
        shared: &Shared,
    ) -> Result<Response<Body>, Refusal> {
        let headers = &head.headers;
        types::check(headers)?;
        let (bytes, held) = body::read(headers, body, &shared.reading).await?;
        let (message, held) = if bytes.len() > LONG_BODY_BYTES {
            let decoding = shared.apart(move || decoded(bytes, held)).await;
            decoding.ok_or_else(|| Refusal::failed("the message could not be read"))??
        } else {
            decoded(bytes, held)?
        };
        match message {
            Inbound::Refused { code, message, id } => Err(Refusal::of(ErrorCode(code), message, id)),
            Inbound::Cancel { id } => {
                if let Some(session) = self.of_message(headers, asker)?
                    && let Some(number) = session.lane().desk().number_of(&id)
                {
                    session.lane().cancel(number);
                }
                Ok(empty(StatusCode::ACCEPTED))
            }
            Inbound::Other(message) => {
                if let Some(session) = self.of_message(headers, asker)? {
                    session.lane().tell(*message);
                }
                Ok(empty(StatusCode::ACCEPTED))
            }
            Inbound::Request { kind, request, .. } => {
                let share = &self.callers(asker)?.share;
                let turn = match kind {
                    Kind::Call => shared.turn(share).await?,
                    Kind::Listen => shared.listen(share)?,
                };
                drop(held);
                self.ask(headers, *request, asker, (turn, shared)).await
            }
        }
    }

    async fn ask(
        &self,
        headers: &HeaderMap,
        request: JsonRpcRequest<ClientRequest>,
        asker: Asker,
        (turn, shared): (Turn, &Shared),
    ) -> Result<Response<Body>, Refusal> {
        let version = match headers::era(headers, &request)? {
            Era::ByItself(version) => {
                let (is_newer, server) = (headers::is_newer(version.as_str()), self.server(asker)?);
                if is_newer {
                    headers::check(headers, &request, &server.patient())?;
                }
                let manner = Manner::of(&request.request, is_newer);
                // An answer to what it asked would belong to no session.
                let server = if is_newer { server } else { server.never_asking() };
                let lane = Lane::start(server, None, shared.until(&request.request), &shared.unsent);
                return Ok(Call::start(lane, request, turn)?.reply(manner).await);
            }
            Era::Older(version) => version,
        };
        let manner = Manner::of(&request.request, false);
        let is_beginning = matches!(request.request, ClientRequest::InitializeRequest(_));
        let Some(sessions) = &self.sessions else {
            let client = (!is_beginning).then(|| client_of(version));
            let lane = Lane::start(self.server(asker)?.never_asking(), client, &shared.ended, &shared.unsent);
            return Ok(Call::start(lane, request, turn)?.reply(manner).await);
        };
        if is_beginning {
            let lane = Lane::start(self.server(asker)?, None, &shared.ended, &shared.unsent);
            let session = Sessions::begin(lane, asker);
            let answer = Call::start(session.clone(), request, turn)?.answer().await;
            let Some((bytes, is_begun)) = answer else { return Err(Refusal::busy("the server is about to end")) };
            let mut reply = json(StatusCode::OK, bytes, None);
            if is_begun {
                let name = sessions.add(&session).map_err(|why| match why {
                    Nameless::Full => Refusal::busy("too many sessions are in use"),
                    Nameless::NoRandomness => Refusal::failed("there is no randomness to name a session by"),
                })?;
                if let Ok(name) = name.parse() {
                    reply.headers_mut().insert(SESSION, name);
                }
            }
            return Ok(reply);
        }
        let session =
            session_of(headers, sessions, asker).map_err(|refusal| refusal.for_request(Some(request.id.clone())))?;
        Ok(Call::start(session, request, turn)?.reply(manner).await)
    }

    /// The session that a message without an answer belongs to. The newer era has none; there it says nothing.
    fn of_message(&self, headers: &HeaderMap, asker: Asker) -> Result<Option<Use>, Refusal> {
        headers::check_version(headers)?;
        let is_newer = headers::version(headers)?.is_some_and(headers::is_newer);
        let Some(sessions) = self.sessions.as_ref().filter(|_| !is_newer) else { return Ok(None) };
        session_of(headers, sessions, asker).map(Some)
    }
}

fn closed() -> Refusal {
    let challenge = "Bearer realm=\"wardroom\", error=\"invalid_token\"";
    Refusal::unauthorized("this token does not open this endpoint", challenge)
}

/// What was sent, with the count of what it takes.
fn decoded(bytes: Vec<u8>, mut held: Held) -> Result<(Inbound, Held), Refusal> {
    let is_small = bytes.len() <= SMALL_BODY_BYTES;
    let frame = Frame::Line(bytes);
    // What is refused for the number of its values is never built.
    if !held.grow(weight(&frame).min(MAX_WEIGHT)) && !is_small {
        return Err(body::busy());
    }
    Ok((decode(frame), held))
}

/// A client of which nothing but the version is known.
fn client_of(version: ProtocolVersion) -> InitializeRequestParams {
    let mut client = InitializeRequestParams::default();
    client.protocol_version = version;
    client
}

fn session_name(headers: &HeaderMap) -> Result<&str, Refusal> {
    let header = one(headers, &SESSION).map_err(|()| Refusal::bad_request("more than one Mcp-Session-Id header"))?;
    let missing = "no Mcp-Session-Id: send `initialize` first, or a request of 2026-07-28, which says who asks";
    let name = header.ok_or_else(|| Refusal::bad_request(missing))?;
    name.to_str().map_err(|_| gone())
}

fn session_of(headers: &HeaderMap, sessions: &Sessions, asker: Asker) -> Result<Use, Refusal> {
    sessions.find(session_name(headers)?, asker).ok_or_else(gone)
}

fn gone() -> Refusal {
    Refusal::not_found("there is no such session, or no more: begin one with `initialize`")
}

/// The stream for what belongs to no request of a session.
fn stream(
    headers: &HeaderMap,
    sessions: &Sessions,
    asker: Asker,
    turn: impl FnOnce() -> Result<Turn, Refusal>,
) -> Result<Response<Body>, Refusal> {
    if headers::version(headers)?.is_some_and(headers::is_newer) {
        return Err(Refusal::not_allowed("POST, OPTIONS"));
    }
    if !types::accepts(headers, "text/event-stream") {
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, "a stream is text/event-stream: accept that"));
    }
    let session = session_of(headers, sessions, asker)?;
    headers::check_version(headers)?;
    let turn = turn()?;
    let messages = session.lane().desk().listen();
    Ok(events(Events::quiet(messages, Box::new((session, turn)))))
}

/// The end of a session.
fn end(headers: &HeaderMap, sessions: &Sessions, asker: Asker) -> Result<Response<Body>, Refusal> {
    if headers::version(headers)?.is_some_and(headers::is_newer) {
        return Err(Refusal::not_allowed("POST, OPTIONS"));
    }
    let name = session_name(headers)?;
    if sessions.end(name, asker) { Ok(empty(StatusCode::NO_CONTENT)) } else { Err(gone()) }
}
