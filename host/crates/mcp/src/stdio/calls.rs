//! The requests that have no answer yet.
//!
//! Owns: their numbers. The handlers know a request by a number of ours that is never used twice, because a client may
//! use an id again as soon as it took the request back, while the handler of the first one still ends.
//! Never: forgets a request before it is answered or taken back.

use std::collections::HashMap;
use std::io;

use rmcp::model::{RequestId, ServerJsonRpcMessage};
use serde_json::Value;

use super::inbox::Kind;
use super::outbox::Outbox;

#[derive(Default)]
pub(super) struct Calls {
    open: HashMap<i64, Call>,
    numbers: HashMap<RequestId, i64>,
    last: i64,
    /// Calls that the handlers have.
    pub(super) running: usize,
    /// Subscriptions, waiting ones too.
    pub(super) listening: usize,
}

pub(super) struct Call {
    /// The client's id.
    pub(super) id: RequestId,
    pub(super) kind: Kind,
    /// The handlers have it.
    pub(super) started: bool,
}

impl Calls {
    /// Gives a request its number; nothing when the id is in use.
    pub(super) fn open(&mut self, id: &RequestId, kind: Kind) -> Option<i64> {
        if self.numbers.contains_key(id) {
            return None;
        }
        self.last += 1;
        self.numbers.insert(id.clone(), self.last);
        self.open.insert(self.last, Call { id: id.clone(), kind, started: false });
        self.listening += usize::from(kind == Kind::Listen);
        Some(self.last)
    }

    pub(super) fn start(&mut self, number: i64) {
        if let Some(call) = self.open.get_mut(&number) {
            call.started = true;
            self.running += usize::from(call.kind == Kind::Call);
        }
    }

    pub(super) fn close(&mut self, number: i64) -> Option<Call> {
        let call = self.open.remove(&number)?;
        self.numbers.remove(&call.id);
        match call.kind {
            Kind::Listen => self.listening -= 1,
            Kind::Call => self.running -= usize::from(call.started),
        }
        Some(call)
    }

    pub(super) fn number_of(&self, id: &RequestId) -> Option<i64> {
        self.numbers.get(id).copied()
    }

    /// The requests of one kind that the handlers have.
    pub(super) fn started(&self, kind: Kind) -> Vec<i64> {
        let started = self.open.iter().filter(|(_, call)| call.kind == kind && call.started);
        started.map(|(number, _)| *number).collect()
    }

    /// The id by which the client knows a request of ours, if it still waits for it.
    fn id_of(&self, number: &RequestId) -> Option<&RequestId> {
        let RequestId::Number(number) = number else { return None };
        self.open.get(number).map(|call| &call.id)
    }

    /// Sends a message of the handlers, with the names that the client knows: the id of an answered request, and of the
    /// subscription that a notification belongs to. An answer that the client does not wait for any more is dropped.
    pub(super) fn send(&mut self, message: ServerJsonRpcMessage, outbox: &Outbox) -> io::Result<()> {
        match message {
            ServerJsonRpcMessage::Response(mut response) => {
                let Some(call) = self.closed_by(&response.id) else { return Ok(()) };
                let number = std::mem::replace(&mut response.id, call.id.clone());
                let message = ServerJsonRpcMessage::Response(response);
                match call.kind {
                    Kind::Call => outbox.add(&message),
                    Kind::Listen => {
                        let renamed = renamed(&message, |named| (*named == number).then_some(&call.id));
                        renamed.map_or(Ok(()), |message| outbox.add(&message))
                    }
                }
            }
            ServerJsonRpcMessage::Error(mut error) => {
                if let Some(number) = &error.id {
                    let Some(call) = self.closed_by(number) else { return Ok(()) };
                    error.id = Some(call.id);
                }
                outbox.add(&ServerJsonRpcMessage::Error(error))
            }
            ServerJsonRpcMessage::Notification(_) | ServerJsonRpcMessage::Request(_) => {
                self.for_client(&message).map_or(Ok(()), |message| outbox.add(&message))
            }
        }
    }

    /// A message of the server's own accord, with the client's name for the subscription that it belongs to; nothing when
    /// the client took that one back.
    pub(super) fn for_client(&self, message: &ServerJsonRpcMessage) -> Option<Value> {
        renamed(message, |number| self.id_of(number))
    }

    fn closed_by(&mut self, number: &RequestId) -> Option<Call> {
        let RequestId::Number(number) = number else { return None };
        self.close(*number)
    }
}

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A message with its subscription under another name; nothing when it has none.
fn renamed<'i>(message: &ServerJsonRpcMessage, id: impl Fn(&RequestId) -> Option<&'i RequestId>) -> Option<Value> {
    let mut value = serde_json::to_value(message).unwrap_or_default();
    for part in ["params", "result"] {
        if let Some(named) = value.pointer_mut(&format!("/{part}/_meta")).and_then(|meta| meta.get_mut(SUBSCRIPTION)) {
            let number = serde_json::from_value(named.clone()).ok()?;
            *named = serde_json::json!(id(&number)?);
        }
    }
    Some(value)
}
