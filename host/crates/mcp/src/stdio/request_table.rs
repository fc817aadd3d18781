//! The requests that have no answer yet.
//!
//! Owns: their numbers. The handlers know a request by a number that is never reused, because a client may reuse an id
//! as soon as it has cancelled the request, while the first handler still ends.
//! Never: forgets a request before it is answered or cancelled.

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
    /// Subscriptions, including waiting ones.
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
    /// Registers a request under a new number; `None` when its id is in use.
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

    /// Returns the requests of one kind that the handlers have.
    pub(super) fn started_numbers(&self, kind: RequestKind) -> Vec<i64> {
        let started = self.requests.iter().filter(|(_, call)| call.kind == kind && call.is_started);
        started.map(|(number, _)| *number).collect()
    }

    /// Returns the client's id of a request, if the client still waits for it.
    fn client_id(&self, number: &RequestId) -> Option<&RequestId> {
        let RequestId::Number(number) = number else { return None };
        self.requests.get(number).map(|call| &call.id)
    }

    /// Sends a message of the handlers under the client's ids: of the answered request, and of the subscription that a
    /// notification belongs to. Drops the answer to a cancelled request.
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

    /// Returns a notification or server request with the client's id of its subscription; `None` when that subscription
    /// was cancelled.
    pub(super) fn with_client_ids(&self, message: &ServerJsonRpcMessage) -> Option<Value> {
        rewrite_subscription_id(message, |number| self.client_id(number))
    }

    fn remove_answered(&mut self, number: &RequestId) -> Option<TrackedRequest> {
        let RequestId::Number(number) = number else { return None };
        self.remove(*number)
    }
}

const SUBSCRIPTION_ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";

/// Replaces the id of the subscription in a message; `None` when it is unknown.
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
