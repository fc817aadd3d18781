//! Decoding: a line becomes a message for the handlers, or the answer that it deserves instead.
//!
//! Owns: which malformed input gets which error.
//! Never: drops a request in silence.

use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcRequest, RequestId};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::frames::Frame;
use wardroom_base::limits::{MAX_LINE_BYTES, MAX_LINE_VALUES};

/// What a line is.
pub enum Inbound {
    Request {
        id: RequestId,
        kind: Kind,
        request: Box<JsonRpcRequest<ClientRequest>>,
    },
    /// The client takes a request back.
    Cancel {
        id: RequestId,
    },
    /// A notification, or the answer to a request of ours.
    Other(Box<ClientJsonRpcMessage>),
    Refused {
        code: i32,
        message: String,
        id: Option<RequestId>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Call,
    /// Open until it is cancelled.
    Listen,
}

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

pub fn decode(frame: Frame) -> Inbound {
    match frame {
        Frame::Line(line) if line.len() > MAX_LINE_VALUES && values(&line) > MAX_LINE_VALUES => {
            invalid(&format!("the message holds more than {MAX_LINE_VALUES} values"), id_in(&line))
        }
        Frame::Line(line) => match serde_json::from_slice(&line) {
            Ok(message) => sort(message, &line),
            Err(error) => refuse(&line, &error),
        },
        Frame::Overlong(head) => Inbound::Refused {
            code: INVALID_REQUEST,
            message: format!("the message is longer than {MAX_LINE_BYTES} bytes"),
            id: id_in(&head),
        },
    }
}

/// What a line takes while it waits, decoded: each of its values some hundred bytes, however short it is.
pub fn weight(frame: &Frame) -> usize {
    const VALUE_BYTES: usize = 128;
    match frame {
        Frame::Line(line) => line.len() + VALUE_BYTES * values(line),
        Frame::Overlong(head) => head.len(),
    }
}

/// How many values a line holds, at most.
fn values(line: &[u8]) -> usize {
    let (mut values, mut in_string, mut escaped) = (0usize, false, false);
    for byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    values
}

fn sort(message: ClientJsonRpcMessage, line: &[u8]) -> Inbound {
    match message {
        ClientJsonRpcMessage::Request(request) => {
            if has_lost_params(&request.request) && Head::of(line).has_params {
                return Inbound::Refused {
                    code: INVALID_PARAMS,
                    message: format!("invalid params for {}", request.request.method()),
                    id: Some(request.id),
                };
            }
            let listen = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
            let kind = if listen { Kind::Listen } else { Kind::Call };
            Inbound::Request { id: request.id.clone(), kind, request: Box::new(request) }
        }
        ClientJsonRpcMessage::Notification(notification) => {
            // A request whose id is none, such as null, looks like a notification to the decoder.
            if Head::of(line).has_id {
                return invalid("the id must be a string or an integer", None);
            }
            if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                && let Some(id) = &cancelled.params.request_id
            {
                return Inbound::Cancel { id: id.clone() };
            }
            Inbound::Other(Box::new(ClientJsonRpcMessage::Notification(notification)))
        }
        ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => Inbound::Other(Box::new(message)),
    }
}

/// The decoder takes params of a wrong type for none where a method can do without them.
fn has_lost_params(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::ListResourcesRequest(request) => request.params.is_none(),
        ClientRequest::ListResourceTemplatesRequest(request) => request.params.is_none(),
        ClientRequest::ListToolsRequest(request) => request.params.is_none(),
        _ => false,
    }
}

fn refuse(line: &[u8], error: &serde_json::Error) -> Inbound {
    if serde_json::from_slice::<IgnoredAny>(line).is_err() || std::str::from_utf8(line).is_err() {
        tracing::debug!(%error, "a line that is not JSON");
        return Inbound::Refused { code: PARSE_ERROR, message: "the message is not JSON".into(), id: None };
    }
    if line.trim_ascii_start().starts_with(b"[") {
        return invalid("batches are not part of this protocol: send one message at a time", None);
    }
    match Head::of(line) {
        Head { id: Some(id), is_versioned: true, is_call: true, .. } => Inbound::Refused {
            code: INVALID_PARAMS,
            message: "the params must be an object, and so must their `_meta`".into(),
            id: Some(id),
        },
        head => invalid("not a JSON-RPC 2.0 message", head.id),
    }
}

fn invalid(message: &str, id: Option<RequestId>) -> Inbound {
    Inbound::Refused { code: INVALID_REQUEST, message: message.to_owned(), id }
}

fn id_in(line: &[u8]) -> Option<RequestId> {
    Head::of(line).id
}

/// The id of a message that may be cut off or wrong in other ways: whatever was read before the fault counts.
#[derive(Default)]
struct Head {
    has_id: bool,
    id: Option<RequestId>,
    /// It says that it is JSON-RPC 2.0.
    is_versioned: bool,
    /// It names a method.
    is_call: bool,
    /// It has params, of whatever type but null.
    has_params: bool,
}

impl Head {
    fn of(line: &[u8]) -> Self {
        let mut head = Self::default();
        let mut deserializer = serde_json::Deserializer::from_slice(line);
        // The error says nothing that the caller does not know.
        let _ = deserializer.deserialize_map(HeadVisitor(&mut head));
        head
    }
}

struct HeadVisitor<'h>(&'h mut Head);

impl<'de> Visitor<'de> for HeadVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => {
                    self.0.has_id = true;
                    self.0.id = map.next_value::<Maybe<RequestId>>()?.usable();
                }
                "jsonrpc" => {
                    let version: Maybe<String> = map.next_value()?;
                    self.0.is_versioned = version.usable().is_some_and(|version| version == "2.0");
                }
                "method" => self.0.is_call = map.next_value::<Maybe<String>>()?.usable().is_some(),
                "params" => self.0.has_params = map.next_value::<Option<IgnoredAny>>()?.is_some(),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A field that may be of another type, which is then no reason to stop reading.
#[derive(Deserialize)]
#[serde(untagged)]
enum Maybe<T> {
    Usable(T),
    Other(IgnoredAny),
}

impl<T> Maybe<T> {
    fn usable(self) -> Option<T> {
        match self {
            Self::Usable(value) => Some(value),
            Self::Other(IgnoredAny) => None,
        }
    }
}
