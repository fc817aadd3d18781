//! The transport: what is read becomes requests in a bounded number, and the end of input ends them in order.
//!
//! Owns: which requests run, wait or are refused, and what happens at the end of input.
//! Never: stops reading while requests wait, so a cancellation always gets through.

use std::collections::VecDeque;
use std::future::{Future, ready};
use std::io;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData,
    JsonRpcRequest, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::either::Either;

use super::calls::Calls;
use super::ends::Input;
use super::frames::{Frame, Frames};
use super::inbox::{self, Inbound, Kind};
use super::outbox::Outbox;
use crate::error::BUSY;
use wardroom_base::limits::{
    MAX_LISTENS, MAX_RUNNING_REQUESTS, MAX_UNSENT_BYTES, MAX_WAITING_BYTES, MAX_WAITING_REQUESTS, SHUTDOWN_TIME,
};

pub(super) struct StdioTransport {
    input: Input,
    chunk: Vec<u8>,
    frames: Frames,
    outbox: Outbox,
    writer: JoinHandle<()>,
    calls: Calls,
    /// When the last subscription was started.
    last_listen: Option<Instant>,
    /// Requests that were read and not started, in order.
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    /// What goes to the handlers before any request: notifications, answers, cancellations.
    urgent: VecDeque<ClientJsonRpcMessage>,
    /// What the client was asked and has not answered.
    asked: Vec<RequestId>,
    /// Bytes of refusals that the client has not read, or less than all bytes that it has not read.
    refused_bytes: usize,
    /// Requests started since the input was last looked at.
    started: usize,
    grace: Duration,
    /// The end of input.
    ended: Option<Instant>,
}

struct Waiting {
    number: i64,
    kind: Kind,
    bytes: usize,
    message: ClientJsonRpcMessage,
}

/// How long a subscription has to be acknowledged. At the end of messages rmcp acknowledges no more, and would then wait
/// five seconds for the subscription to end.
const OPENING_TIME: Duration = Duration::from_millis(50);
/// Requests that are started in a row before the input is looked at again, for cancellations.
const LOOK_EVERY: usize = 16;

impl StdioTransport {
    pub(super) fn new(input: Input, outbox: Outbox, writer: JoinHandle<()>, grace: Duration) -> Self {
        Self {
            input,
            chunk: Vec::new(),
            frames: Frames::default(),
            outbox,
            writer,
            calls: Calls::default(),
            last_listen: None,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            urgent: VecDeque::new(),
            asked: Vec::new(),
            refused_bytes: 0,
            started: 0,
            grace,
            ended: None,
        }
    }

    /// Takes what was read apart.
    fn accept_chunk(&mut self) {
        if self.chunk.is_empty() {
            if let Some(frame) = self.frames.rest() {
                self.accept(frame);
            }
            return self.end_input();
        }
        self.frames.push(&self.chunk);
        while let Some(frame) = self.frames.next() {
            self.accept(frame);
        }
    }

    fn accept(&mut self, frame: Frame) {
        let bytes = inbox::weight(&frame);
        match inbox::decode(frame) {
            Inbound::Request { id, kind, request } => self.queue(id, kind, bytes, *request),
            Inbound::Cancel { id } => self.cancel(&id),
            Inbound::Other(message) => {
                if let Some(answered) = answered(&message) {
                    self.asked.retain(|asked| asked != answered);
                }
                self.urgent.push_back(*message);
            }
            Inbound::Refused { code, message, id } => self.refuse(ErrorCode(code), message, id),
        }
    }

    fn queue(&mut self, id: RequestId, kind: Kind, bytes: usize, mut request: JsonRpcRequest<ClientRequest>) {
        if self.waiting.len() >= MAX_WAITING_REQUESTS || self.waiting_bytes + bytes > MAX_WAITING_BYTES {
            let message = format!("server busy: {} requests wait already", self.waiting.len());
            return self.refuse(BUSY, message, Some(id));
        }
        if kind == Kind::Listen && self.calls.listening >= MAX_LISTENS {
            let message = format!("server busy: {MAX_LISTENS} subscriptions are open already");
            return self.refuse(BUSY, message, Some(id));
        }
        let Some(number) = self.calls.open(&id, kind) else {
            let message = "a request with this id is still running".to_owned();
            return self.refuse(ErrorCode::INVALID_REQUEST, message, Some(id));
        };
        request.id = RequestId::Number(number);
        // A large answer waits for room among those that were not read yet.
        self.waiting_bytes += bytes;
        self.waiting.push_back(Waiting { number, kind, bytes, message: ClientJsonRpcMessage::Request(request) });
    }

    /// A waiting request is forgotten; a running one is the handlers' business. Neither is answered.
    fn cancel(&mut self, id: &RequestId) {
        let Some(number) = self.calls.number_of(id) else { return };
        if self.calls.close(number).is_some_and(|call| call.started) {
            return self.tell_cancelled(number, None);
        }
        if let Some(at) = self.waiting.iter().position(|waiting| waiting.number == number)
            && let Some(waiting) = self.waiting.remove(at)
        {
            self.waiting_bytes -= waiting.bytes;
        }
    }

    fn tell_cancelled(&mut self, number: i64, reason: Option<&str>) {
        let params = CancelledNotificationParam::new(Some(RequestId::Number(number)), reason.map(str::to_owned));
        self.urgent.push_back(ClientJsonRpcMessage::notification(CancelledNotification::new(params).into()));
    }

    fn refuse(&mut self, code: ErrorCode, message: String, id: Option<RequestId>) {
        let before = self.outbox.unsent();
        // A client that is gone needs no answer.
        let _ = self.outbox.add(&ServerJsonRpcMessage::error(ErrorData::new(code, message, None), id));
        self.refused_bytes += self.outbox.unsent().saturating_sub(before);
    }

    /// A client that writes what must be refused and does not read the refusals is not read any further, and not waited
    /// for longer than the grace.
    fn is_flooded(&mut self) -> bool {
        self.refused_bytes = self.refused_bytes.min(self.outbox.unsent());
        self.refused_bytes > MAX_UNSENT_BYTES
    }

    /// The next message for the handlers, if one may go now.
    fn deliver(&mut self) -> Option<ClientJsonRpcMessage> {
        if let Some(message) = self.urgent.pop_front() {
            return Some(message);
        }
        if self.calls.running >= MAX_RUNNING_REQUESTS || self.outbox.unsent() > MAX_UNSENT_BYTES {
            return None;
        }
        let Waiting { number, kind, bytes, message } = self.waiting.pop_front()?;
        self.waiting_bytes -= bytes;
        if kind == Kind::Listen {
            self.last_listen = Some(Instant::now());
        }
        self.calls.start(number);
        self.started += 1;
        Some(message)
    }

    /// Subscriptions end with the input; everything else has the grace.
    fn end_input(&mut self) {
        self.ended = Some(Instant::now());
        self.waiting.retain(|waiting| waiting.kind == Kind::Call);
        self.cancel_all(Kind::Listen);
    }

    fn cancel_all(&mut self, kind: Kind) {
        for number in self.calls.started(kind) {
            self.calls.close(number);
            self.tell_cancelled(number, Some("end of input"));
        }
    }

    /// After the end of input: the requests that are left, then nothing. Whatever is said drops this future, and it
    /// begins again.
    async fn receive_rest(&mut self, ended: Instant) -> Option<ClientJsonRpcMessage> {
        let deadline = ended + self.grace;
        if self.outbox.is_broken() {
            self.waiting.clear();
            self.cancel_all(Kind::Call);
        }
        // Whoever waits for an answer of the client's waits for nothing.
        if let Some(asked) = self.asked.pop() {
            let error = ErrorData::new(ErrorCode::INVALID_REQUEST, "the client has ended", None);
            return Some(ClientJsonRpcMessage::error(error, Some(asked)));
        }
        if let Some(message) = self.deliver() {
            return Some(message);
        }
        while !self.waiting.is_empty() && self.calls.running == 0 && !self.outbox.is_broken() {
            // The client reads slowly.
            let _ = tokio::time::timeout_at(deadline, self.outbox.progress()).await;
            if Instant::now() >= deadline {
                self.waiting.clear();
            }
            if let Some(message) = self.deliver() {
                return Some(message);
            }
        }
        if self.calls.running > 0 && !self.outbox.is_broken() {
            tokio::select! {
                () = tokio::time::sleep_until(deadline) => {
                    tracing::warn!("requests still run after the end of input, cancelled");
                }
                () = self.outbox.gone() => {}
            }
            self.waiting.clear();
            self.cancel_all(Kind::Call);
            return self.deliver();
        }
        if let Some(at) = self.last_listen {
            tokio::time::sleep_until(at + OPENING_TIME).await;
        }
        None
    }
}

/// The question that a message answers.
const fn answered(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ClientJsonRpcMessage::Response(response) => Some(&response.id),
        ClientJsonRpcMessage::Error(error) => error.id.as_ref(),
        ClientJsonRpcMessage::Request(_) | ClientJsonRpcMessage::Notification(_) => None,
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    /// What nobody asked for waits until the client has read what it asked for; its sender waits with it.
    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let ServerJsonRpcMessage::Request(request) = &message {
            self.asked.push(request.id.clone());
        }
        let held = matches!(message, ServerJsonRpcMessage::Notification(_)) && self.outbox.unsent() > MAX_UNSENT_BYTES;
        if !held {
            return Either::Left(ready(self.calls.send(message, &self.outbox)));
        }
        let Some(message) = self.calls.for_client(&message) else { return Either::Left(ready(Ok(()))) };
        let outbox = self.outbox.clone();
        Either::Right(Box::pin(async move {
            outbox.has_room().await;
            outbox.add(&message)
        }))
    }

    /// Nothing is lost when this future is dropped: all of its state is in `self`.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.outbox.is_broken() && self.ended.is_none() {
                self.end_input();
            }
            if let Some(ended) = self.ended {
                return self.receive_rest(ended).await;
            }
            if self.started >= LOOK_EVERY && !self.is_flooded() {
                self.started = 0;
                match self.input.try_read(&mut self.chunk) {
                    Ok(()) => self.accept_chunk(),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => self.end_input(),
                }
                continue;
            }
            if let Some(message) = self.deliver() {
                return Some(message);
            }
            self.started = 0;
            // With requests waiting, it may be the client's turn to read: then what it takes lets the next one start.
            let held = !self.waiting.is_empty();
            let flooded = self.is_flooded();
            tokio::select! {
                read = self.input.read(&mut self.chunk), if !flooded => match read {
                    Ok(()) => self.accept_chunk(),
                    Err(error) => {
                        tracing::debug!(%error, "standard input is gone");
                        self.end_input();
                    }
                },
                () = self.outbox.progress(), if held || flooded => {}
                () = tokio::time::sleep(self.grace), if flooded => self.end_input(),
                // Nobody would read an answer.
                () = self.outbox.gone() => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // A client may read slowly, but not for ever.
        let soonest = Instant::now() + SHUTDOWN_TIME;
        let deadline = self.ended.map_or(soonest, |ended| soonest.max(ended + self.grace));
        let _ = tokio::time::timeout_at(deadline, self.outbox.settle()).await;
        self.writer.abort();
        Ok(())
    }
}
