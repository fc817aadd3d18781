//! One request over HTTP from its turn to its reply.
//!
//! Owns: whether the reply is one message or a stream of them, which shows when the handlers say something, and that a
//! request ends with its reply: whoever closes it takes the request back.
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

use super::desk::{Desk, Link, Out};
use super::reply::{Body, Events, Refusal, events, json};
use super::shared::Turn;
use super::unsent::Unsent;
use crate::{Guarded, Server};
use wardroom_base::limits::KEEP_ALIVE_TIME;

/// A loop of rmcp, which ends with this value, and with it whatever still runs in it.
pub(super) struct Lane {
    desk: Arc<Desk>,
    incoming: mpsc::UnboundedSender<ClientJsonRpcMessage>,
    _running: RunningService<RoleServer, Guarded>,
}

impl Lane {
    /// For a client that is known so, or nothing where each request says who asks. It ends with `ended` at the latest.
    pub(super) fn start(
        server: Server,
        client: Option<InitializeRequestParams>,
        ended: &CancellationToken,
        unsent: &Arc<Unsent>,
    ) -> Self {
        let desk = Arc::new(Desk::new(Arc::clone(unsent)));
        let (incoming, messages) = mpsc::unbounded_channel();
        let link = Link::new(messages, Arc::clone(&desk));
        let running = serve_directly_with_ct(Guarded(server), link, client, ended.child_token());
        Self { desk, incoming, _running: running }
    }

    pub(super) fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Hands a message to the handlers.
    pub(super) fn tell(&self, message: ClientJsonRpcMessage) {
        // A loop that has ended needs no message.
        drop(self.incoming.send(message));
    }

    /// The client takes a request back: its stream ends, and it is not answered.
    pub(super) fn cancel(&self, number: i64) {
        if self.desk.close(number) {
            let params = CancelledNotificationParam::new(Some(RequestId::Number(number)), None);
            self.tell(ClientJsonRpcMessage::notification(CancelledNotification::new(params).into()));
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.desk.shut();
    }
}

/// A request that the handlers have.
pub(super) struct Call<L: Holder> {
    lane: L,
    number: i64,
    messages: mpsc::Receiver<Out>,
    turn: Turn,
}

/// Something that holds a lane: a session, or a request without one.
pub(super) trait Holder: Send + Sync + 'static {
    fn lane(&self) -> &Lane;
}

impl Holder for Lane {
    fn lane(&self) -> &Lane {
        self
    }
}

/// What a reply depends on beside the answer.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    /// The newer era, where some errors are also HTTP's.
    pub(super) is_newer: bool,
    /// The request lacked some of what it must say about itself.
    pub(super) is_malformed: bool,
}

/// Takes the request back unless its reply was whole.
struct Taken<L: Holder> {
    lane: L,
    number: i64,
    _turn: Turn,
}

impl<L: Holder> Drop for Taken<L> {
    fn drop(&mut self) {
        self.lane.lane().cancel(self.number);
    }
}

impl<L: Holder> Call<L> {
    /// Hands a request to the handlers.
    pub(super) fn start(lane: L, mut request: JsonRpcRequest<ClientRequest>, turn: Turn) -> Result<Self, Refusal> {
        let id = request.id.clone();
        let Some((number, messages)) = lane.lane().desk.open(&mut request) else {
            return Err(Refusal::bad_request("a request with this id is still running").for_request(Some(id)));
        };
        lane.lane().tell(ClientJsonRpcMessage::Request(request));
        Ok(Self { lane, number, messages, turn })
    }

    /// The reply, as soon as it shows what it is. Where nothing is said for long, a stream that says that it is there.
    pub(super) async fn reply(self, manner: Manner) -> Response<Body> {
        let Self { lane, number, mut messages, turn } = self;
        let taken = Taken { lane, number, _turn: turn };
        let first = tokio::select! {
            first = messages.recv() => first,
            () = sleep(KEEP_ALIVE_TIME) => return events(Events::quiet(messages, Box::new(taken))),
        };
        match first {
            Some(Out::Last { code, message }) => json(manner.status(code), message.bytes, Some(message.held)),
            Some(Out::More(first)) => events(Events::new(Some(first), messages, Box::new(taken))),
            None => events(Events::new(None, messages, Box::new(()))),
        }
    }

    /// The answer alone, and whether it is none of an error.
    pub(super) async fn answer(mut self) -> Option<(Vec<u8>, bool)> {
        loop {
            if let Out::Last { code, message } = self.messages.recv().await? {
                return Some((message.bytes, code.is_none()));
            }
        }
    }
}

impl Manner {
    fn status(self, code: Option<ErrorCode>) -> StatusCode {
        match code {
            Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION) => StatusCode::BAD_REQUEST,
            Some(code) if self.is_newer => match code {
                ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
                ErrorCode::INVALID_PARAMS if self.is_malformed => StatusCode::BAD_REQUEST,
                ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
                _ => StatusCode::OK,
            },
            _ => StatusCode::OK,
        }
    }

    pub(super) fn of(request: &ClientRequest, is_newer: bool) -> Self {
        let missing = request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28);
        Self { is_newer, is_malformed: is_newer && !missing.is_empty() }
    }
}
