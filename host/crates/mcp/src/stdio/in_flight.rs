//! The open requests of a stdio client: which run, which wait, and how many there are of each kind.
//!
//! Owns: the counts that the transport limits, and the delivery of messages from the handlers to the outbox.
//! Never: forgets a request before it is answered or cancelled.

use std::io;

use rmcp::model::{GetMeta as _, RequestId, ServerJsonRpcMessage};
use serde_json::Value;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::outbox::Outbox;
use crate::decode::RequestKind;
use crate::request_table::{RequestTable, rewrite_subscription_id};
use wardroom_base::memory::MemoryLease;

#[derive(Default)]
pub(super) struct InFlightRequests {
    table: RequestTable<TrackedRequest>,
    /// Calls that the handlers have.
    pub(super) running_calls: usize,
    /// Subscriptions, including waiting ones.
    pub(super) open_subscriptions: usize,
}

fn names_subscription(message: &ServerJsonRpcMessage) -> bool {
    matches!(message, ServerJsonRpcMessage::Notification(sent)
        if sent.notification.get_meta().subscription_id().is_some())
}

/// A message that answers no request, as the client gets it.
pub(super) enum ClientMessage {
    AsItIs(Box<ServerJsonRpcMessage>),
    Rewritten(Value),
}

impl ClientMessage {
    pub(super) fn push_to(&self, outbox: &Outbox) -> io::Result<()> {
        match self {
            Self::AsItIs(message) => outbox.push(message),
            Self::Rewritten(message) => outbox.push_value(message),
        }
    }
}

pub(super) struct TrackedRequest {
    pub(super) kind: RequestKind,
    /// Set when the handlers have the request. It cancels the request when this is dropped, after its answer was passed on.
    started: Option<DropGuard>,
    /// The memory of the request's message.
    _memory: MemoryLease,
}

impl TrackedRequest {
    const fn is_started(&self) -> bool {
        self.started.is_some()
    }
}

impl InFlightRequests {
    /// Registers a request under a new number; `None` when its id is in use.
    pub(super) fn register(&mut self, id: &RequestId, kind: RequestKind, memory: MemoryLease) -> Option<i64> {
        let number = self.table.register(id, TrackedRequest { kind, started: None, _memory: memory })?;
        self.open_subscriptions += usize::from(kind == RequestKind::Listen);
        Some(number)
    }

    /// Notes that the handlers get a request, and returns the token that cancels it.
    pub(super) fn mark_started(&mut self, number: i64) -> CancellationToken {
        let token = CancellationToken::new();
        if let Some(call) = self.table.get_mut(number) {
            call.started = Some(token.clone().drop_guard());
            self.running_calls += usize::from(call.kind == RequestKind::Call);
        }
        token
    }

    pub(super) fn is_started(&self, number: i64) -> bool {
        self.table.get(number).is_some_and(|(_, request)| request.is_started())
    }

    pub(super) fn remove(&mut self, number: i64) -> Option<TrackedRequest> {
        let (_, call) = self.table.remove(number)?;
        self.count_removed(&call);
        Some(call)
    }

    fn count_removed(&mut self, call: &TrackedRequest) {
        match call.kind {
            RequestKind::Listen => self.open_subscriptions -= 1,
            RequestKind::Call => self.running_calls -= usize::from(call.is_started()),
        }
    }

    pub(super) fn number_of(&self, id: &RequestId) -> Option<i64> {
        self.table.number_of(id)
    }

    /// Returns the requests of one kind that the handlers have.
    pub(super) fn started_numbers(&self, kind: RequestKind) -> Vec<i64> {
        let started = self.table.iter().filter(|(_, call)| call.kind == kind && call.is_started());
        started.map(|(number, _)| number).collect()
    }

    /// Sends a message of the handlers under the client's ids: of the answered request, and of the subscription that a
    /// notification belongs to. Drops the answer to a cancelled request.
    pub(super) fn send(&mut self, message: ServerJsonRpcMessage, outbox: &Outbox) -> io::Result<()> {
        match message {
            ServerJsonRpcMessage::Response(mut response) => {
                let Some((id, call)) = self.remove_answered(&response.id) else { return Ok(()) };
                let number = std::mem::replace(&mut response.id, id.clone());
                let message = ServerJsonRpcMessage::Response(response);
                match call.kind {
                    RequestKind::Call => outbox.push(&message),
                    RequestKind::Listen => {
                        let renamed = rewrite_subscription_id(&message, |named| (*named == number).then_some(&id));
                        renamed.map_or(Ok(()), |message| outbox.push_value(&message))
                    }
                }
            }
            ServerJsonRpcMessage::Error(mut error) => {
                if let Some(number) = &error.id {
                    let Some((id, _)) = self.remove_answered(number) else { return Ok(()) };
                    error.id = Some(id);
                }
                outbox.push(&ServerJsonRpcMessage::Error(error))
            }
            message if !names_subscription(&message) => outbox.push(&message),
            message => self.rewrite(&message).map_or(Ok(()), |message| outbox.push_value(&message)),
        }
    }

    /// Returns a message that answers no request, with the client's id of its subscription; `None` when the client
    /// cancelled that subscription.
    pub(super) fn with_client_ids(&self, message: ServerJsonRpcMessage) -> Option<ClientMessage> {
        if names_subscription(&message) {
            self.rewrite(&message).map(ClientMessage::Rewritten)
        } else {
            Some(ClientMessage::AsItIs(Box::new(message)))
        }
    }

    fn rewrite(&self, message: &ServerJsonRpcMessage) -> Option<Value> {
        rewrite_subscription_id(message, |number| self.table.client_id(number))
    }

    fn remove_answered(&mut self, number: &RequestId) -> Option<(RequestId, TrackedRequest)> {
        let (id, call) = self.table.remove_answered(number)?;
        self.count_removed(&call);
        Some((id, call))
    }
}
