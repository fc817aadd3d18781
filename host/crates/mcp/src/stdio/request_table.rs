//! The requests that have no answer yet.
//!
//! Owns: their numbers. The handlers know a request by a number of ours that is never used twice, because a client may
//! use an id again as soon as it took the request back, while the handler of the first one still ends.
//! Never: forgets a request before it is answered or taken back.

use std::collections::HashMap;
use std::io;

use rmcp::model::{RequestId, ServerJsonRpcMessage};
use serde_json::Value;

use super::decode::RequestKind;
use super::outbox::Outbox;

#[derive(Default)]
pub(super) struct RequestTable {
    requests: HashMap<i64, TrackedRequest>,
    numbers_by_id: HashMap<RequestId, i64>,
    last_number: i64,
    /// Calls that the handlers have.
    pub(super) running_calls: usize,
    /// Subscriptions, waiting ones too.
    pub(super) open_subscriptions: usize,
}

pub(super) struct TrackedRequest {
    /// The client's id.
    pub(super) id: RequestId,
    pub(super) kind: RequestKind,
    /// The handlers have it.
    pub(super) is_started: bool,
}

impl RequestTable {
    /// Gives a request its number; nothing when the id is in use.
    pub(super) fn register(&mut self, id: &RequestId, kind: RequestKind) -> Option<i64> {
        if self.numbers_by_id.contains_key(id) {
            return None;
        }
        self.last_number += 1;
        self.numbers_by_id.insert(id.clone(), self.last_number);
        self.requests.insert(self.last_number, TrackedRequest { id: id.clone(), kind, is_started: false });
        self.open_subscriptions += usize::from(kind == RequestKind::Listen);
        Some(self.last_number)
    }

    pub(super) fn mark_started(&mut self, number: i64) {
        if let Some(call) = self.requests.get_mut(&number) {
            call.is_started = true;
            self.running_calls += usize::from(call.kind == RequestKind::Call);
        }
    }

    pub(super) fn remove(&mut self, number: i64) -> Option<TrackedRequest> {
        let call = self.requests.remove(&number)?;
        self.numbers_by_id.remove(&call.id);
        match call.kind {
            RequestKind::Listen => self.open_subscriptions -= 1,
            RequestKind::Call => self.running_calls -= usize::from(call.is_started),
        }
        Some(call)
    }

    pub(super) fn number_of(&self, id: &RequestId) -> Option<i64> {
        self.numbers_by_id.get(id).copied()
    }

    /// The requests of one kind that the handlers have.
    pub(super) fn started_numbers(&self, kind: RequestKind) -> Vec<i64> {
        let started = self.requests.iter().filter(|(_, call)| call.kind == kind && call.is_started);
        started.map(|(number, _)| *number).collect()
    }

    /// The id by which the client knows a request of ours, if it still waits for it.
    fn client_id(&self, number: &RequestId) -> Option<&RequestId> {
        let RequestId::Number(number) = number else { return None };
        self.requests.get(number).map(|call| &call.id)
    }

    /// Sends a message of the handlers, with the names that the client knows: the id of an answered request, and of the
    /// subscription that a notification belongs to. An answer that the client does not wait for any more is dropped.
    pub(super) fn send(&mut self, message: ServerJsonRpcMessage, outbox: &Outbox) -> io::Result<()> {
        match message {
            ServerJsonRpcMessage::Response(mut response) => {
                let Some(call) = self.remove_answered(&response.id) else { return Ok(()) };
                let number = std::mem::replace(&mut response.id, call.id.clone());
                let message = ServerJsonRpcMessage::Response(response);
                match call.kind {
                    RequestKind::Call => outbox.push(&message),
                    RequestKind::Listen => {
                        let renamed = rewrite_subscription_id(&message, |named| (*named == number).then_some(&call.id));
                        renamed.map_or(Ok(()), |message| outbox.push(&message))
                    }
                }
            }
            ServerJsonRpcMessage::Error(mut error) => {
                if let Some(number) = &error.id {
                    let Some(call) = self.remove_answered(number) else { return Ok(()) };
                    error.id = Some(call.id);
                }
                outbox.push(&ServerJsonRpcMessage::Error(error))
            }
            ServerJsonRpcMessage::Notification(_) | ServerJsonRpcMessage::Request(_) => {
                self.with_client_ids(&message).map_or(Ok(()), |message| outbox.push(&message))
            }
        }
    }

    /// A message of the server's own accord, with the client's name for the subscription that it belongs to; nothing when
    /// the client took that one back.
    pub(super) fn with_client_ids(&self, message: &ServerJsonRpcMessage) -> Option<Value> {
        rewrite_subscription_id(message, |number| self.client_id(number))
    }

    fn remove_answered(&mut self, number: &RequestId) -> Option<TrackedRequest> {
        let RequestId::Number(number) = number else { return None };
        self.remove(*number)
    }
}

const SUBSCRIPTION_ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// A message with its subscription under another name; nothing when it has none.
fn rewrite_subscription_id<'i>(
    message: &ServerJsonRpcMessage,
    id: impl Fn(&RequestId) -> Option<&'i RequestId>,
) -> Option<Value> {
    let mut value = serde_json::to_value(message).unwrap_or_default();
    for part in ["params", "result"] {
        if let Some(named) =
            value.pointer_mut(&format!("/{part}/_meta")).and_then(|meta| meta.get_mut(SUBSCRIPTION_ID_KEY))
        {
            let number = serde_json::from_value(named.clone()).ok()?;
            *named = serde_json::json!(id(&number)?);
        }
    }
    Some(value)
}
