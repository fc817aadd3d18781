//! The stdio transport: turns input into a bounded number of requests, and ends them in order at the end of input.
//!
//! Owns: which requests run, wait or are refused, and the end of input.
//! Never: stops reading because requests wait, so that a cancellation always gets through.

use std::collections::VecDeque;
use std::future::{Future, ready};
use std::io;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientRequest, ErrorData,
    GetExtensions as _, JsonRpcRequest, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::either::Either;

use super::in_flight::InFlightRequests;
use super::outbox::Outbox;
use super::ready_tasks::{after_ready_tasks, after_ready_tasks_and_events};
use super::streams::StdinReader;
use crate::McpServer;
use crate::backpressure::Backpressure as _;
use crate::decode::{self, IncomingMessage, RequestKind};
use crate::error;
use crate::framing::{Frame, FrameDecoder};
use crate::in_place::EarlyRead;
use crate::limits::{
    MAX_QUEUED_REQUEST_BYTES, MAX_QUEUED_REQUESTS, MAX_STDIO_LISTEN_STREAMS, MAX_STDIO_RUNNING_REQUESTS,
    MAX_UNSENT_BYTES, SHUTDOWN_TIMEOUT, UNCOUNTED_REQUEST_BYTES,
};
use crate::request_runner::{ClientPeer, RequestRunner};

pub(super) struct StdioTransport {
    input: StdinReader,
    chunk: Vec<u8>,
    /// When the chunk was there.
    received_at: Instant,
    decoder: FrameDecoder,
    outbox: Outbox,
    writer: JoinHandle<()>,
    requests: InFlightRequests,
    /// When the last subscription was started.
    last_subscription: Option<Instant>,
    /// Requests that were read and not started, in order.
    queue: VecDeque<QueuedRequest>,
    queued_bytes: usize,
    /// Messages that go to the handlers before any request: notifications, responses, cancellations.
    urgent: VecDeque<ClientJsonRpcMessage>,
    /// Server requests that the client has not answered.
    server_requests: Vec<RequestId>,
    /// Estimate of the unsent bytes of refusals: at most all unsent bytes.
    error_bytes: usize,
    /// Requests started since the input was last read.
    started_since_read: usize,
    /// Whether requests were answered here, while all other tasks waited.
    must_yield: bool,
    /// Whether the last read of the input found nothing. Until the runtime polls its I/O driver, further reads find nothing either.
    is_input_drained: bool,
    /// Whether rmcp got a message, whose handler has not begun.
    has_passed_message: bool,
    /// The server, for what it can answer at once.
    server: McpServer,
    /// The handlers of calls.
    runner: RequestRunner,
    /// The version on which client and server agreed in `initialize`.
    negotiated: Option<ProtocolVersion>,
    grace: Duration,
    /// When the input ended.
    input_ended_at: Option<Instant>,
}

struct QueuedRequest {
    number: i64,
    kind: RequestKind,
    bytes: usize,
    request: JsonRpcRequest<ClientRequest>,
}

/// Time for a subscription to be acknowledged. After the end of input rmcp acknowledges none, and would wait five
/// seconds for the subscription to end.
const SUBSCRIPTION_ACK_TIME: Duration = Duration::from_millis(50);
/// Time for handlers to end that were cancelled after the end of input.
const CANCELLED_HANDLERS_TIME: Duration = Duration::from_secs(5);
/// Requests that are started in a row before the input is read again, for cancellations.
const MAX_STARTS_PER_READ: usize = 16;

impl StdioTransport {
    pub(super) fn new(
        input: StdinReader,
        (outbox, writer): (Outbox, JoinHandle<()>),
        (server, peer): (McpServer, ClientPeer),
        grace: Duration,
    ) -> Self {
        Self {
            input,
            chunk: Vec::new(),
            received_at: Instant::now(),
            decoder: FrameDecoder::default(),
            outbox,
            writer,
            requests: InFlightRequests::default(),
            last_subscription: None,
            queue: VecDeque::new(),
            queued_bytes: 0,
            urgent: VecDeque::new(),
            server_requests: Vec::new(),
            error_bytes: 0,
            started_since_read: 0,
            must_yield: false,
            is_input_drained: false,
            has_passed_message: false,
            runner: RequestRunner::new(server.clone(), peer),
            server,
            negotiated: None,
            grace,
            input_ended_at: None,
        }
    }

    /// Splits a chunk into frames and accepts them. An empty chunk is the end of input.
    fn accept_chunk(&mut self) {
        self.received_at = Instant::now();
        if self.chunk.is_empty() {
            if let Some(frame) = self.decoder.finish() {
                self.accept_frame(frame);
            }
            return self.end_input();
        }
        self.decoder.push(&self.chunk);
        while let Some(frame) = self.decoder.next_frame() {
            self.accept_frame(frame);
        }
    }

    fn accept_frame(&mut self, frame: Frame) {
        let mut repeated = None;
        if let Frame::Line(line) = &frame {
            let (server, negotiated) = (&self.server, self.negotiated.as_ref());
            let found = server.look_up_read(line, &server.caller, negotiated, self.received_at.into_std());
            match found {
                EarlyRead::Answered(id, result) if self.comes_next(&id) => {
                    return self.deliver_result(&id, &result.json);
                }
                EarlyRead::Repeated(read) => repeated = Some(read),
                EarlyRead::Answered(..) | EarlyRead::Unknown => {}
            }
        }
        let frame = decode::prepare_frame(frame);
        let bytes = frame.decoded_bytes();
        match frame.decode() {
            IncomingMessage::Request { id, kind, mut request } => {
                repeated.map(|read| request.request.extensions_mut().insert(read));
                self.enqueue(id, kind, bytes, *request);
            }
            IncomingMessage::Cancel { id } => self.cancel_request(&id),
            IncomingMessage::Other(message) => {
                if let Some(answered) = answered_request_id(&message) {
                    self.server_requests.retain(|asked| asked != answered);
                }
                self.urgent.push_back(*message);
            }
            IncomingMessage::Invalid { error, id } => self.send_error(error, id),
        }
    }

    /// Whether a request with this id could be answered now: nothing that was sent before it waits.
    fn comes_next(&self, id: &RequestId) -> bool {
        self.queue.is_empty()
            && self.urgent.is_empty()
            && !self.has_passed_message
            && self.requests.number_of(id).is_none()
            && self.outbox.unsent_bytes() <= MAX_UNSENT_BYTES
    }

    /// Answers a request whose result was kept.
    fn deliver_result(&mut self, id: &RequestId, result: &[u8]) {
        self.server.activity.count_request();
        // A client that is gone needs no answer.
        let _ = self.outbox.push_result(id, result);
        self.started_since_read += 1;
        self.must_yield = true;
    }

    fn enqueue(&mut self, id: RequestId, kind: RequestKind, bytes: usize, mut request: JsonRpcRequest<ClientRequest>) {
        if self.queue.len() >= MAX_QUEUED_REQUESTS || self.queued_bytes + bytes > MAX_QUEUED_REQUEST_BYTES {
            let message = format!("server busy: {} requests wait already", self.queue.len());
            return self.send_error(error::busy(message), Some(id));
        }
        if kind == RequestKind::Listen && self.requests.open_subscriptions >= MAX_STDIO_LISTEN_STREAMS {
            let message = format!("server busy: {MAX_STDIO_LISTEN_STREAMS} subscriptions are open already");
            return self.send_error(error::busy(message), Some(id));
        }
        let memory = match self.server.memory().lease(if bytes > UNCOUNTED_REQUEST_BYTES { bytes } else { 0 }) {
            Ok(memory) => memory,
            Err(error) => return self.send_error(error::busy(error.to_string()), Some(id)),
        };
        let Some(number) = self.requests.register(&id, kind, memory) else {
            let error = error::invalid_request("a request with this id is still running");
            return self.send_error(error, Some(id));
        };
        request.id = RequestId::Number(number);
        // The answer is not counted here: a large one waits until enough bytes were read.
        self.queued_bytes += bytes;
        self.queue.push_back(QueuedRequest { number, kind, bytes, request });
    }

    /// Removes a waiting request, or cancels a running one. Neither is answered.
    fn cancel_request(&mut self, id: &RequestId) {
        let Some(number) = self.requests.number_of(id) else { return };
        if self.requests.is_started(number) {
            return self.cancel_started(number, None);
        }
        self.requests.remove(number);
        if let Some(at) = self.queue.iter().position(|waiting| waiting.number == number)
            && let Some(waiting) = self.queue.remove(at)
        {
            self.queued_bytes -= waiting.bytes;
        }
    }

    /// Cancels a request that the handlers have.
    fn cancel_started(&mut self, number: i64, reason: Option<&str>) {
        // rmcp has the subscriptions.
        if self.requests.remove(number).is_some_and(|request| request.kind == RequestKind::Listen) {
            let params = CancelledNotificationParam::new(Some(RequestId::Number(number)), reason.map(str::to_owned));
            self.urgent.push_back(ClientJsonRpcMessage::notification(CancelledNotification::new(params).into()));
        }
    }

    fn send_error(&mut self, error: ErrorData, id: Option<RequestId>) {
        let before = self.outbox.unsent_bytes();
        // A client that is gone needs no answer.
        let _ = self.outbox.push(&ServerJsonRpcMessage::error(error, id));
        self.error_bytes += self.outbox.unsent_bytes().saturating_sub(before);
    }

    /// Whether a client sends what is refused, and does not read the refusals. It is read no further, and waited
    /// for no longer than the grace.
    fn is_flooded(&mut self) -> bool {
        self.error_bytes = self.error_bytes.min(self.outbox.unsent_bytes());
        self.error_bytes > MAX_UNSENT_BYTES
    }

    /// Returns the next message for rmcp, if it may have one now. Answers and starts the requests before it, as long as the
    /// input need not be read.
    fn next_message(&mut self) -> Option<ClientJsonRpcMessage> {
        if let Some(message) = self.urgent.pop_front() {
            self.has_passed_message = true;
            return Some(message);
        }
        while self.requests.running_calls < MAX_STDIO_RUNNING_REQUESTS
            && self.outbox.unsent_bytes() <= MAX_UNSENT_BYTES
            && self.started_since_read < MAX_STARTS_PER_READ
        {
            let QueuedRequest { number, kind, bytes, mut request } = self.queue.pop_front()?;
            self.queued_bytes -= bytes;
            self.started_since_read += 1;
            if let Some(answer) = self.server.answer_in_place(&mut request, self.negotiated.as_ref()) {
                self.deliver(answer);
                continue;
            }
            let cancellation = self.requests.mark_started(number);
            match kind {
                RequestKind::Call => self.runner.start(request, cancellation),
                RequestKind::Listen => {
                    self.last_subscription = Some(Instant::now());
                    self.has_passed_message = true;
                    return Some(ClientJsonRpcMessage::Request(request));
                }
            }
        }
        None
    }

    /// Passes on the answer to a request that was handled here.
    fn deliver(&mut self, answer: ServerJsonRpcMessage) {
        if let ServerJsonRpcMessage::Response(response) = &answer
            && let ServerResult::InitializeResult(initialized) = &response.result
        {
            self.negotiated = Some(initialized.protocol_version.clone());
        }
        // A client that is gone needs no answer.
        let _ = self.requests.send(answer, &self.outbox);
        self.must_yield = true;
    }

    /// Returns the next message after the end of input.
    async fn next_message_after_end(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let message = self.next_message();
            if message.is_some() || self.started_since_read < MAX_STARTS_PER_READ {
                self.outbox.write_now();
                return message;
            }
            self.started_since_read = 0;
            self.let_others_run().await;
        }
    }

    /// Writes the answers, and lets other tasks run where requests were answered here. Then the handlers run that were started:
    /// reads that are answered at once may come for ever.
    async fn let_others_run(&mut self) {
        self.outbox.write_now();
        let has_answered = std::mem::take(&mut self.must_yield);
        if self.is_input_drained || has_answered && self.outbox.unsent_bytes() > 0 {
            after_ready_tasks_and_events().await;
        } else if has_answered {
            after_ready_tasks().await;
        }
        self.deliver_ready_answers().await;
    }

    /// Passes on the answers that are there, so that they leave in one write: as many as requests may start before the input is read.
    async fn deliver_ready_answers(&mut self) {
        for _ in 0..MAX_STARTS_PER_READ {
            let Some(answer) = self.runner.ready_answer().await else { return };
            self.deliver(answer);
        }
    }

    /// Ends the input. Subscriptions end with it; calls have the grace.
    fn end_input(&mut self) {
        self.input_ended_at = Some(Instant::now());
        self.queue.retain(|waiting| waiting.kind == RequestKind::Call);
        self.cancel_all_started(RequestKind::Listen);
    }

    fn cancel_all_started(&mut self, kind: RequestKind) {
        for number in self.requests.started_numbers(kind) {
            self.cancel_started(number, Some("end of input"));
        }
    }

    /// Returns the remaining requests after the end of input, then `None`. Each message that a handler sends drops this
    /// future, and it starts again.
    async fn receive_after_end(&mut self, ended: Instant) -> Option<ClientJsonRpcMessage> {
        let deadline = ended + self.grace;
        if self.outbox.is_broken() {
            self.queue.clear();
            self.cancel_all_started(RequestKind::Call);
        }
        // A handler that waits for a response of the client gets an error.
        if let Some(asked) = self.server_requests.pop() {
            let error = error::invalid_request("the client has ended");
            return Some(ClientJsonRpcMessage::error(error, Some(asked)));
        }
        if let Some(message) = self.next_message_after_end().await {
            return Some(message);
        }
        while !self.outbox.is_broken() && (self.requests.running_calls > 0 || !self.queue.is_empty()) {
            let is_running = self.requests.running_calls > 0;
            let ended_in_time = tokio::select! {
                Some(answer) = self.runner.next_answer() => {
                    self.deliver(answer);
                    true
                }
                // The client reads slowly, so that requests still wait.
                () = self.outbox.wait_for_progress(), if !self.queue.is_empty() => true,
                () = self.outbox.wait_closed() => false,
                () = tokio::time::sleep_until(deadline) => {
                    if is_running {
                        tracing::warn!("requests still run after the end of input: cancelling them");
                    }
                    false
                }
            };
            if !ended_in_time {
                self.queue.clear();
                self.cancel_all_started(RequestKind::Call);
            }
            if let Some(message) = self.next_message_after_end().await {
                return Some(message);
            }
        }
        if let Some(at) = self.last_subscription {
            tokio::time::sleep_until(at + SUBSCRIPTION_ACK_TIME).await;
        }
        None
    }
}

/// Returns the id of the server request that a message answers.
const fn answered_request_id(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ClientJsonRpcMessage::Response(response) => Some(&response.id),
        ClientJsonRpcMessage::Error(error) => error.id.as_ref(),
        ClientJsonRpcMessage::Request(_) | ClientJsonRpcMessage::Notification(_) => None,
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    /// Sends a message. A notification, and its sender, wait while the client has many unread bytes.
    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let ServerJsonRpcMessage::Request(request) = &message {
            self.server_requests.push(request.id.clone());
        }
        let must_wait =
            matches!(message, ServerJsonRpcMessage::Notification(_)) && self.outbox.unsent_bytes() > MAX_UNSENT_BYTES;
        if !must_wait {
            let sent = self.requests.send(message, &self.outbox);
            // Messages that rmcp sends in a row leave in one write.
            self.outbox.announce();
            return Either::Left(ready(sent));
        }
        let Some(message) = self.requests.with_client_ids(message) else { return Either::Left(ready(Ok(()))) };
        let outbox = self.outbox.clone();
        Either::Right(Box::pin(async move {
            outbox.wait_for_capacity().await;
            message.push_to(&outbox).inspect(|()| outbox.announce())
        }))
    }

    /// Cancel safe: all state is in `self`.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if self.has_passed_message {
            // rmcp has a task for the message by now. It comes before the requests that were sent after the message.
            after_ready_tasks().await;
            self.has_passed_message = false;
        }
        loop {
            if self.outbox.is_broken() && self.input_ended_at.is_none() {
                self.end_input();
            }
            if let Some(ended) = self.input_ended_at {
                return self.receive_after_end(ended).await;
            }
            if self.started_since_read >= MAX_STARTS_PER_READ && !self.is_flooded() {
                // Before the input, so that nothing is lost where this future is dropped here.
                self.let_others_run().await;
                self.started_since_read = 0;
                let read = self.input.try_read(&mut self.chunk);
                self.is_input_drained = matches!(&read, Err(error) if error.kind() == io::ErrorKind::WouldBlock);
                match read {
                    Ok(()) => self.accept_chunk(),
                    Err(_) if self.is_input_drained => {}
                    Err(_) => self.end_input(),
                }
                continue;
            }
            if let Some(message) = self.next_message() {
                self.outbox.write_now();
                return Some(message);
            }
            if self.started_since_read >= MAX_STARTS_PER_READ && !self.is_flooded() {
                continue;
            }
            self.started_since_read = 0;
            self.outbox.write_now();
            // Unsent bytes may hold up waiting requests: the next one starts when the client has read some.
            let has_waiting = !self.queue.is_empty();
            let flooded = self.is_flooded();
            tokio::select! {
                Some(answer) = self.runner.next_answer() => {
                    self.deliver(answer);
                    self.deliver_ready_answers().await;
                }
                read = self.input.read(&mut self.chunk), if !flooded => match read {
                    Ok(()) => {
                        self.is_input_drained = false;
                        self.accept_chunk();
                    }
                    Err(error) => {
                        tracing::debug!(%error, "cannot read standard input");
                        self.end_input();
                    }
                },
                () = self.outbox.wait_for_progress(), if has_waiting || flooded => {}
                () = tokio::time::sleep(self.grace), if flooded => self.end_input(),
                // No answer would be read.
                () = self.outbox.wait_closed() => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // What still runs here has no client any more.
        self.queue.clear();
        self.cancel_all_started(RequestKind::Call);
        let cancelled = async { while self.runner.next_answer().await.is_some() {} };
        let _ = tokio::time::timeout(CANCELLED_HANDLERS_TIME, cancelled).await;
        // A client may read slowly, but not for ever.
        let soonest = Instant::now() + SHUTDOWN_TIMEOUT;
        let deadline = self.input_ended_at.map_or(soonest, |ended| soonest.max(ended + self.grace));
        let _ = tokio::time::timeout_at(deadline, self.outbox.flush()).await;
        self.writer.abort();
        Ok(())
    }
}
