//! Routes the messages of one rmcp loop to the HTTP replies that they belong to.
//!
//! Owns: the numbers under which the handlers know the requests (a client may reuse an id as soon as it has cancelled
//! the request), the route of each message, and the stream for messages that belong to no request.
//! Never: gives a client a message for another one: each session, and each request without one, has a router of its
//! own.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, Extensions, GetExtensions as _, GetMeta as _, JsonRpcRequest,
    ProgressToken, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::OriginatingRequestId;
use rmcp::transport::Transport;
use tokio::sync::{Notify, mpsc};

use super::send_budget::{ByteLease, SendBudget};
use crate::encode::append_message;
use crate::error;
use crate::http::limits::MAX_QUEUED_SSE_MESSAGES;
use crate::request_table::{RequestTable, rewrite_subscription_id};

/// An encoded message to a client.
pub(super) enum Outgoing {
    /// The answer, with the code if it is an error.
    Final {
        code: Option<ErrorCode>,
        message: EncodedMessage,
    },
    Interim(EncodedMessage),
}

/// Encoded bytes, which are counted until the client has taken them.
pub(super) struct EncodedMessage {
    pub(super) bytes: Vec<u8>,
    pub(super) lease: ByteLease,
}

pub(super) struct ResponseRouter {
    /// The unsent bytes of all clients.
    send_budget: Arc<SendBudget>,
    state: Mutex<RouterState>,
    /// A listener was attached, or the router was closed.
    listener_changed: Notify,
}

#[derive(Default)]
struct RouterState {
    in_flight: RequestTable<InFlightRequest>,
    listener: Option<mpsc::Sender<Outgoing>>,
    is_closed: bool,
}

/// A request that has no answer yet.
struct InFlightRequest {
    progress_token: Option<ProgressToken>,
    is_subscription: bool,
    sender: mpsc::Sender<Outgoing>,
}

/// The transport of rmcp's loop.
pub(super) struct ChannelTransport {
    incoming: mpsc::UnboundedReceiver<ClientJsonRpcMessage>,
    router: Arc<ResponseRouter>,
}

enum Route {
    Response(mpsc::Sender<Outgoing>),
    /// To the listener, as soon as there is one. Only a message that is sent once, however often its cause occurs, may
    /// wait.
    Queue,
    /// To the current listener; dropped if its queue is full.
    BestEffort(mpsc::Sender<Outgoing>),
    Drop,
}

impl ChannelTransport {
    pub(super) fn new(incoming: mpsc::UnboundedReceiver<ClientJsonRpcMessage>, router: Arc<ResponseRouter>) -> Self {
        Self { incoming, router }
    }
}

/// Why a request is not registered.
#[derive(Debug, Clone, Copy)]
pub(super) enum RegisterError {
    IdInUse,
    /// The session has ended.
    Closed,
}

impl ResponseRouter {
    pub(super) fn new(send_budget: Arc<SendBudget>) -> Self {
        Self { send_budget, state: Mutex::default(), listener_changed: Notify::default() }
    }

    fn lease_message(&self, bytes: Vec<u8>) -> EncodedMessage {
        let lease = self.send_budget.lease(bytes.len());
        EncodedMessage { bytes, lease }
    }

    /// Registers a request under a new number, and returns the receiver of its messages.
    pub(super) fn register(
        &self,
        request: &mut JsonRpcRequest<ClientRequest>,
    ) -> Result<(i64, mpsc::Receiver<Outgoing>), RegisterError> {
        let mut state = self.lock();
        if state.is_closed {
            return Err(RegisterError::Closed);
        }
        let (sender, messages) = mpsc::channel(MAX_QUEUED_SSE_MESSAGES);
        let progress_token = request.request.get_meta().get_progress_token();
        let is_subscription = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
        let in_flight = InFlightRequest { progress_token, is_subscription, sender };
        let number = state.in_flight.register(&request.id, in_flight).ok_or(RegisterError::IdInUse)?;
        request.id = RequestId::Number(number);
        Ok((number, messages))
    }

    /// Removes a request, and returns whether it had no answer yet. Later messages for it are dropped.
    pub(super) fn remove(&self, number: i64) -> bool {
        self.lock().in_flight.remove(number).is_some()
    }

    pub(super) fn number_of(&self, id: &RequestId) -> Option<i64> {
        self.lock().in_flight.number_of(id)
    }

    /// Attaches the listener for messages that belong to no request, in place of an earlier one.
    pub(super) fn attach_listener(&self) -> mpsc::Receiver<Outgoing> {
        let (sender, messages) = mpsc::channel(MAX_QUEUED_SSE_MESSAGES);
        let mut state = self.lock();
        if !state.is_closed {
            state.listener = Some(sender);
        }
        drop(state);
        self.listener_changed.notify_waiters();
        messages
    }

    /// Closes the router: open requests get an error.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        (state.is_closed, state.listener) = (true, None);
        for (id, open) in state.in_flight.drain() {
            let over = error::busy("the session ended before this request was answered");
            let code = Some(over.code);
            let bytes = encode(&ServerJsonRpcMessage::error(over, Some(id))).unwrap_or_default();
            // A client that does not read sees the end of its stream instead.
            drop(open.sender.try_send(Outgoing::Final { code, message: self.lease_message(bytes) }));
        }
        drop(state);
        self.listener_changed.notify_waiters();
    }

    /// Ends the stream for messages that belong to no request.
    pub(super) fn close_listener(&self) {
        self.lock().listener = None;
    }

    fn route(&self, message: ServerJsonRpcMessage) -> io::Result<(Route, Outgoing)> {
        let mut state = self.lock();
        match message {
            ServerJsonRpcMessage::Response(mut response) => {
                let Some((id, open)) = state.in_flight.remove_answered(&response.id) else {
                    return Ok(self.no_route());
                };
                let number = std::mem::replace(&mut response.id, id.clone());
                let message = ServerJsonRpcMessage::Response(response);
                let bytes = if open.is_subscription {
                    encode_for_subscription(&message, &number, &id)?
                } else {
                    encode(&message)?
                };
                Ok((Route::Response(open.sender), Outgoing::Final { code: None, message: self.lease_message(bytes) }))
            }
            ServerJsonRpcMessage::Error(mut error) => {
                let answered = error.id.as_ref().and_then(|number| state.in_flight.remove_answered(number));
                let Some((id, open)) = answered else { return Ok(self.no_route()) };
                let code = Some(error.error.code);
                error.id = Some(id);
                let bytes = encode(&ServerJsonRpcMessage::Error(error))?;
                Ok((Route::Response(open.sender), Outgoing::Final { code, message: self.lease_message(bytes) }))
            }
            ServerJsonRpcMessage::Notification(ref notification) => {
                let mut meta = None;
                let route = match &notification.notification {
                    ServerNotification::ProgressNotification(progress) => {
                        let token = Some(&progress.params.progress_token);
                        let mut requests = state.in_flight.iter().map(|(_, open)| open);
                        requests.find(|open| open.progress_token.as_ref() == token).map(InFlightRequest::route)
                    }
                    // Not queued, because the call waits until they are delivered.
                    ServerNotification::LoggingMessageNotification(_)
                    | ServerNotification::CancelledNotification(_) => {
                        let open = state.originating_request(notification.notification.extensions());
                        open.map(InFlightRequest::route).or_else(|| state.listener.clone().map(Route::BestEffort))
                    }
                    other => match other.get_meta().subscription_id() {
                        Some(number @ RequestId::Number(at)) => {
                            let open = state.in_flight.get(at);
                            meta = open.map(|(id, _)| (number, id.clone()));
                            open.map(|(_, open)| open.route())
                        }
                        _ => Some(Route::Queue),
                    },
                };
                let bytes = match &meta {
                    Some((number, id)) => encode_for_subscription(&message, number, id)?,
                    None => encode(&message)?,
                };
                Ok((route.unwrap_or(Route::Drop), Outgoing::Interim(self.lease_message(bytes))))
            }
            ServerJsonRpcMessage::Request(ref request) => {
                let origin = request.request.extensions().get::<OriginatingRequestId>();
                let open = match origin {
                    Some(OriginatingRequestId(RequestId::Number(number))) => {
                        state.in_flight.get(*number).map(|(_, open)| open)
                    }
                    _ => state.only_in_flight(),
                };
                let route = match open {
                    Some(open) => Route::Response(open.sender.clone()),
                    None if origin.is_none() && state.listener.is_some() => Route::Queue,
                    None => return Err(io::Error::new(io::ErrorKind::NotConnected, "the client has no open stream")),
                };
                Ok((route, Outgoing::Interim(self.lease_message(encode(&message)?))))
            }
        }
    }

    fn no_route(&self) -> (Route, Outgoing) {
        (Route::Drop, Outgoing::Interim(self.lease_message(Vec::new())))
    }

    async fn deliver(&self, route: Route, mut outgoing: Outgoing) {
        match route {
            // A client that is gone needs no answer.
            Route::Response(sender) => drop(sender.send(outgoing).await),
            Route::BestEffort(listener) => drop(listener.try_send(outgoing)),
            Route::Drop => {}
            Route::Queue => loop {
                let listening = self.listener_changed.notified();
                let (listener, is_closed) = {
                    let state = self.lock();
                    (state.listener.clone(), state.is_closed)
                };
                if is_closed {
                    return;
                }
                if let Some(listener) = listener {
                    match listener.send(outgoing).await {
                        Ok(()) => return,
                        Err(mpsc::error::SendError(unsent)) => outgoing = unsent,
                    }
                    self.clear_listener(&listener);
                }
                listening.await;
            },
        }
    }

    /// Removes a listener that is gone, unless it was replaced.
    fn clear_listener(&self, gone: &mpsc::Sender<Outgoing>) {
        let mut state = self.lock();
        if state.listener.as_ref().is_some_and(|listener| listener.same_channel(gone)) {
            state.listener = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, RouterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RouterState {
    /// Returns the request that a message belongs to, unless it has its answer.
    fn originating_request(&self, extensions: &Extensions) -> Option<&InFlightRequest> {
        match extensions.get() {
            Some(OriginatingRequestId(RequestId::Number(number))) => self.in_flight.get(*number).map(|(_, open)| open),
            _ => None,
        }
    }

    /// Returns the open request, if there is exactly one.
    fn only_in_flight(&self) -> Option<&InFlightRequest> {
        let mut open = self.in_flight.iter().map(|(_, open)| open);
        open.next().filter(|_| open.next().is_none())
    }
}

impl InFlightRequest {
    fn route(&self) -> Route {
        Route::Response(self.sender.clone())
    }
}

fn encode(message: &ServerJsonRpcMessage) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    append_message(&mut bytes, message)?;
    Ok(bytes)
}

/// Encodes a message with the client's id of its subscription.
fn encode_for_subscription(message: &ServerJsonRpcMessage, number: &RequestId, id: &RequestId) -> io::Result<Vec<u8>> {
    match rewrite_subscription_id(message, |named| (named == number).then_some(id)) {
        Some(renamed) => Ok(serde_json::to_vec(&renamed)?),
        None => encode(message),
    }
}

impl Transport<RoleServer> for ChannelTransport {
    type Error = io::Error;

    /// Encodes the message at once: the large-response permit is released when this returns.
    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let routed = self.router.route(message);
        let router = Arc::clone(&self.router);
        async move {
            let (route, outgoing) = routed?;
            router.deliver(route, outgoing).await;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.router.close();
        Ok(())
    }
}
