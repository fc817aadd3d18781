//! The requests of one connection or session that have no answer yet, for both transports.
//!
//! Owns: their numbers. The handlers know a request by a number that is never reused, because a client may reuse an id
//! as soon as it has cancelled the request, while the first handler still ends. The ids of the client are put back here.
//! Never: forgets a request before it is answered or cancelled.

use std::collections::{BTreeMap, HashMap};

use rmcp::model::{RequestId, ServerJsonRpcMessage};
use serde_json::Value;

/// Requests by number, each with what its transport keeps of it.
pub(crate) struct RequestTable<T> {
    requests: BTreeMap<i64, (RequestId, T)>,
    numbers_by_id: HashMap<RequestId, i64>,
    last_number: i64,
}

impl<T> Default for RequestTable<T> {
    fn default() -> Self {
        Self { requests: BTreeMap::new(), numbers_by_id: HashMap::new(), last_number: 0 }
    }
}

impl<T> RequestTable<T> {
    /// Registers a request under a new number; `None` when its id is in use.
    pub(crate) fn register(&mut self, id: &RequestId, request: T) -> Option<i64> {
        if self.numbers_by_id.contains_key(id) {
            return None;
        }
        self.last_number += 1;
        self.numbers_by_id.insert(id.clone(), self.last_number);
        self.requests.insert(self.last_number, (id.clone(), request));
        Some(self.last_number)
    }

    pub(crate) fn get(&self, number: i64) -> Option<&(RequestId, T)> {
        self.requests.get(&number)
    }

    pub(crate) fn get_mut(&mut self, number: i64) -> Option<&mut T> {
        self.requests.get_mut(&number).map(|(_, request)| request)
    }

    pub(crate) fn remove(&mut self, number: i64) -> Option<(RequestId, T)> {
        let removed = self.requests.remove(&number)?;
        self.numbers_by_id.remove(&removed.0);
        Some(removed)
    }

    /// Removes the request that a message of the handlers answers.
    pub(crate) fn remove_answered(&mut self, number: &RequestId) -> Option<(RequestId, T)> {
        let RequestId::Number(number) = number else { return None };
        self.remove(*number)
    }

    /// Removes all requests, in the order of their numbers.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (RequestId, T)> + use<T> {
        self.numbers_by_id.clear();
        std::mem::take(&mut self.requests).into_values()
    }

    pub(crate) fn number_of(&self, id: &RequestId) -> Option<i64> {
        self.numbers_by_id.get(id).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (i64, &T)> {
        self.requests.iter().map(|(number, (_, request))| (*number, request))
    }

    /// Returns the client's id of a request, if the client still waits for it.
    pub(crate) fn client_id(&self, number: &RequestId) -> Option<&RequestId> {
        let RequestId::Number(number) = number else { return None };
        self.requests.get(number).map(|(id, _)| id)
    }
}

/// Replaces the id of the subscription in a message with the client's id; `None` when `client_id` does not know it.
pub(crate) fn rewrite_subscription_id<'i>(
    message: &ServerJsonRpcMessage,
    client_id: impl Fn(&RequestId) -> Option<&'i RequestId>,
) -> Option<Value> {
    const SUBSCRIPTION_ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";
    let mut value = serde_json::to_value(message).unwrap_or_default();
    for part in ["params", "result"] {
        let named = value.pointer_mut(&format!("/{part}/_meta")).and_then(|meta| meta.get_mut(SUBSCRIPTION_ID_KEY));
        if let Some(named) = named {
            let number = serde_json::from_value(named.clone()).ok()?;
            *named = serde_json::json!(client_id(&number)?);
        }
    }
    Some(value)
}
