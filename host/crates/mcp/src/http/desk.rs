//! The desk between requests over HTTP and one loop of rmcp: which message belongs to which reply.
//!
//! Owns: the numbers under which the handlers know the requests (a client may use an id again as soon as it took the request
//! back), the way of each message to the reply that it belongs to, and the stream for those that belong to none.
//! Never: gives a client anything that another one asked for: each session, and each request without one, has its own.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, Extensions, GetExtensions as _, GetMeta as _,
    JsonRpcRequest, ProgressToken, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::OriginatingRequestId;
use rmcp::transport::Transport;
use tokio::sync::{Notify, mpsc};

use super::unsent::{Held, Unsent};
use crate::error::BUSY;
use wardroom_base::limits::MAX_STREAMED;

/// A message on its way to a client, encoded.
pub(super) enum Out {
    /// The answer; with the code if it is an error.
    Last {
        code: Option<ErrorCode>,
        message: Message,
    },
    More(Message),
}

/// The bytes of one, which are counted until the client took them.
pub(super) struct Message {
    pub(super) bytes: Vec<u8>,
    pub(super) held: Held,
}

pub(super) struct Desk {
    /// What clients have not taken.
    unsent: Arc<Unsent>,
    state: Mutex<State>,
    /// Somebody listens to what belongs to no request, or nobody will any more.
    listening: Notify,
}

#[derive(Default)]
struct State {
    open: BTreeMap<i64, Open>,
    last: i64,
    listener: Option<mpsc::Sender<Out>>,
    is_closed: bool,
}

/// A request that has no answer yet.
struct Open {
    id: RequestId,
    token: Option<ProgressToken>,
    is_listen: bool,
    sender: mpsc::Sender<Out>,
}

/// What rmcp's loop reads and writes.
pub(super) struct Link {
    incoming: mpsc::UnboundedReceiver<ClientJsonRpcMessage>,
    desk: Arc<Desk>,
}

enum Way {
    To(mpsc::Sender<Out>),
    /// To whoever listens, whenever somebody does. Only what is told once, however often it happens, may wait so.
    Listener,
    /// To whoever listens now, unless that one takes its time.
    AtOnce(mpsc::Sender<Out>),
    Nowhere,
}

impl Link {
    pub(super) fn new(incoming: mpsc::UnboundedReceiver<ClientJsonRpcMessage>, desk: Arc<Desk>) -> Self {
        Self { incoming, desk }
    }
}

impl Desk {
    pub(super) fn new(unsent: Arc<Unsent>) -> Self {
        Self { unsent, state: Mutex::default(), listening: Notify::default() }
    }

    fn message(&self, bytes: Vec<u8>) -> Message {
        let held = self.unsent.hold(bytes.len());
        Message { bytes, held }
    }

    /// Gives a request its number, and the way back for what belongs to it. Nothing when its id is in use.
    pub(super) fn open(&self, request: &mut JsonRpcRequest<ClientRequest>) -> Option<(i64, mpsc::Receiver<Out>)> {
        let mut state = self.state();
        if state.is_closed || state.open.values().any(|open| open.id == request.id) {
            return None;
        }
        let (sender, messages) = mpsc::channel(MAX_STREAMED);
        state.last += 1;
        let number = state.last;
        let id = std::mem::replace(&mut request.id, RequestId::Number(number));
        let token = request.request.get_meta().get_progress_token();
        let is_listen = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
        state.open.insert(number, Open { id, token, is_listen, sender });
        Some((number, messages))
    }

    /// Forgets a request; whether it had no answer yet. What is still sent for it goes nowhere.
    pub(super) fn close(&self, number: i64) -> bool {
        self.state().open.remove(&number).is_some()
    }

    pub(super) fn number_of(&self, id: &RequestId) -> Option<i64> {
        self.state().open.iter().find(|(_, open)| open.id == *id).map(|(number, _)| *number)
    }

    /// From now on what belongs to no request goes here, and no longer to where it went before.
    pub(super) fn listen(&self) -> mpsc::Receiver<Out> {
        let (sender, messages) = mpsc::channel(MAX_STREAMED);
        let mut state = self.state();
        if !state.is_closed {
            state.listener = Some(sender);
        }
        drop(state);
        self.listening.notify_waiters();
        messages
    }

    /// The end: nobody is answered any more.
    pub(super) fn shut(&self) {
        let mut state = self.state();
        (state.is_closed, state.listener) = (true, None);
        for (_, open) in std::mem::take(&mut state.open) {
            let over = ErrorData::new(BUSY, "the session ended before this was answered", None);
            let bytes = encoded(&ServerJsonRpcMessage::error(over, Some(open.id))).unwrap_or_default();
            // Where a client does not read, the end of its stream is as good.
            drop(open.sender.try_send(Out::Last { code: Some(BUSY), message: self.message(bytes) }));
        }
        drop(state);
        self.listening.notify_waiters();
    }

    /// Ends the stream for what belongs to no request.
    pub(super) fn hush(&self) {
        self.state().listener = None;
    }

    fn route(&self, message: ServerJsonRpcMessage) -> io::Result<(Way, Out)> {
        let mut state = self.state();
        match message {
            ServerJsonRpcMessage::Response(mut response) => {
                let Some(open) = state.take(&response.id) else { return Ok(self.nothing()) };
                let number = std::mem::replace(&mut response.id, open.id.clone());
                let message = ServerJsonRpcMessage::Response(response);
                let bytes = if open.is_listen { renamed(&message, &number, &open.id)? } else { encoded(&message)? };
                Ok((Way::To(open.sender), Out::Last { code: None, message: self.message(bytes) }))
            }
            ServerJsonRpcMessage::Error(mut error) => {
                let open = error.id.as_ref().and_then(|number| state.take(number));
                let Some(open) = open else { return Ok(self.nothing()) };
                let code = Some(error.error.code);
                error.id = Some(open.id);
                let bytes = encoded(&ServerJsonRpcMessage::Error(error))?;
                Ok((Way::To(open.sender), Out::Last { code, message: self.message(bytes) }))
            }
            ServerJsonRpcMessage::Notification(ref notification) => {
                let mut meta = None;
                let way = match &notification.notification {
                    ServerNotification::ProgressNotification(progress) => {
                        let token = Some(&progress.params.progress_token);
                        state.open.values().find(|open| open.token.as_ref() == token).map(Open::way)
                    }
                    // A call waits until these are delivered.
                    ServerNotification::LoggingMessageNotification(_)
                    | ServerNotification::CancelledNotification(_) => {
                        let open = state.origin(notification.notification.extensions());
                        open.map(Open::way).or_else(|| state.listener.clone().map(Way::AtOnce))
                    }
                    other => match other.get_meta().subscription_id() {
                        Some(number @ RequestId::Number(at)) => {
                            let open = state.open.get(&at);
                            meta = open.map(|open| (number, open.id.clone()));
                            open.map(Open::way)
                        }
                        _ => Some(Way::Listener),
                    },
                };
                let bytes = match &meta {
                    Some((number, id)) => renamed(&message, number, id)?,
                    None => encoded(&message)?,
                };
                Ok((way.unwrap_or(Way::Nowhere), Out::More(self.message(bytes))))
            }
            ServerJsonRpcMessage::Request(ref request) => {
                let origin = request.request.extensions().get::<OriginatingRequestId>();
                let open = match origin {
                    Some(OriginatingRequestId(RequestId::Number(number))) => state.open.get(number),
                    _ => state.only(),
                };
                let way = match open {
                    Some(open) => Way::To(open.sender.clone()),
                    None if origin.is_none() && state.listener.is_some() => Way::Listener,
                    None => return Err(io::Error::new(io::ErrorKind::NotConnected, "nobody reads the question")),
                };
                Ok((way, Out::More(self.message(encoded(&message)?))))
            }
        }
    }

    fn nothing(&self) -> (Way, Out) {
        (Way::Nowhere, Out::More(self.message(Vec::new())))
    }

    async fn deliver(&self, way: Way, mut out: Out) {
        match way {
            // Whoever is gone needs no answer.
            Way::To(sender) => drop(sender.send(out).await),
            Way::AtOnce(listener) => drop(listener.try_send(out)),
            Way::Nowhere => {}
            Way::Listener => loop {
                let listening = self.listening.notified();
                let (listener, is_closed) = {
                    let state = self.state();
                    (state.listener.clone(), state.is_closed)
                };
                if is_closed {
                    return;
                }
                if let Some(listener) = listener {
                    match listener.send(out).await {
                        Ok(()) => return,
                        Err(mpsc::error::SendError(unsent)) => out = unsent,
                    }
                    self.forget(&listener);
                }
                listening.await;
            },
        }
    }

    /// Unless another one listens already.
    fn forget(&self, gone: &mpsc::Sender<Out>) {
        let mut state = self.state();
        if state.listener.as_ref().is_some_and(|listener| listener.same_channel(gone)) {
            state.listener = None;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, number: &RequestId) -> Option<Open> {
        let RequestId::Number(number) = number else { return None };
        self.open.remove(number)
    }

    /// The request that a message belongs to, unless it has its answer.
    fn origin(&self, extensions: &Extensions) -> Option<&Open> {
        match extensions.get() {
            Some(OriginatingRequestId(RequestId::Number(number))) => self.open.get(number),
            _ => None,
        }
    }

    /// The only request that there is.
    fn only(&self) -> Option<&Open> {
        let mut open = self.open.values();
        open.next().filter(|_| open.next().is_none())
    }
}

impl Open {
    fn way(&self) -> Way {
        Way::To(self.sender.clone())
    }
}

fn encoded(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(message)?)
}

/// A message with the client's name for the subscription that it belongs to.
fn renamed(message: &ServerJsonRpcMessage, number: &RequestId, id: &RequestId) -> io::Result<Vec<u8>> {
    const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
    let mut value = serde_json::to_value(message)?;
    for part in ["params", "result"] {
        let named = value.pointer_mut(&format!("/{part}/_meta")).and_then(|meta| meta.get_mut(SUBSCRIPTION));
        if let Some(named) = named.filter(|named| **named == number.clone().into_json_value()) {
            *named = id.clone().into_json_value();
        }
    }
    Ok(serde_json::to_vec(&value)?)
}

impl Transport<RoleServer> for Link {
    type Error = io::Error;

    /// Encoded at once: what is held for a large answer is let go of when this returns.
    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let routed = self.desk.route(message);
        let desk = Arc::clone(&self.desk);
        async move {
            let (way, out) = routed?;
            desk.deliver(way, out).await;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.desk.shut();
        Ok(())
    }
}
