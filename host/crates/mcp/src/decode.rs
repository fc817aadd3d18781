//! Decodes a line to a message for the handlers, or to the error that answers it.
//!
//! Owns: which malformed input gets which error.
//! Never: drops a request without an answer.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetExtensions as _, JsonRpcRequest, RequestId,
};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error;
use crate::framing::Frame;
use crate::limits::MAX_MESSAGE_VALUES;
use crate::plain_request::{CALL_METHOD, decode_plain_request};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::{self, Payload};
use wardroom_service::limits::MAX_MESSAGE_BYTES;

/// A decoded line.
pub enum IncomingMessage {
    Request {
        id: RequestId,
        kind: RequestKind,
        request: Box<JsonRpcRequest<ClientRequest>>,
    },
    /// The client cancels a request.
    Cancel {
        id: RequestId,
    },
    /// A notification, or the response to a server request.
    Other(Box<ClientJsonRpcMessage>),
    Invalid {
        error: ErrorData,
        id: Option<RequestId>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    Call,
    /// Open until it is cancelled.
    Listen,
}

/// The method of a request that stays open.
const LISTEN_METHOD: &str = "subscriptions/listen";

/// A frame whose message is about to be decoded.
pub struct PreparedFrame {
    frame: Frame,
    counts: ValueCounts,
    /// The arguments of a tool's call, which the line lacks then.
    arguments: Option<Payload>,
}

/// Prepares a frame: the arguments of a tool's call are split off, and stay text.
#[must_use]
pub fn prepare_frame(frame: Frame) -> PreparedFrame {
    let line = match frame {
        Frame::Line(line) => line,
        frame @ Frame::Overlong(_) => return PreparedFrame { frame, counts: ValueCounts::default(), arguments: None },
    };
    let whole = ValueCounts::of(&line);
    // The arguments are no values of the message, but they are as many.
    let split = if whole.are_too_many() { None } else { split_arguments(&line) };
    let (arguments, line, counts) = match split {
        Some((arguments, rest)) => {
            let counts = ValueCounts::of(&rest);
            (Some(arguments), rest, counts)
        }
        None => (None, line, whole),
    };
    PreparedFrame { frame: Frame::Line(line), counts, arguments }
}

impl PreparedFrame {
    /// Returns the memory that the message takes when it is decoded, at most: an object takes some hundred bytes, however
    /// short it is.
    #[must_use]
    pub fn decoded_bytes(&self) -> usize {
        const BYTES_PER_OBJECT: usize = 640;
        const BYTES_PER_VALUE: usize = 64;
        let arguments = self.arguments.as_ref().map_or(0, |arguments| 2 * arguments.text_bytes());
        let rest = match &self.frame {
            // It is not decoded.
            Frame::Line(line) if self.counts.are_too_many() => line.len(),
            Frame::Line(line) => {
                line.len() + BYTES_PER_OBJECT * self.counts.objects + BYTES_PER_VALUE * self.counts.values
            }
            Frame::Overlong(head) => head.len(),
        };
        arguments + rest
    }

    /// Returns the bytes that [`Self::decode`] reads.
    #[must_use]
    pub const fn line_bytes(&self) -> usize {
        match &self.frame {
            Frame::Line(line) | Frame::Overlong(line) => line.len(),
        }
    }

    /// Returns which request the frame holds, as far as its fields say so before they are decoded. `None` for any other
    /// message.
    #[must_use]
    pub fn request_kind(&self) -> Option<RequestKind> {
        let Frame::Line(line) = &self.frame else { return None };
        if self.counts.are_too_many() {
            return None;
        }
        match Envelope::parse(line) {
            Envelope { id: Some(_), method: Some(method), .. } if method == LISTEN_METHOD => Some(RequestKind::Listen),
            Envelope { id: Some(_), method: Some(_), .. } => Some(RequestKind::Call),
            _ => None,
        }
    }

    #[must_use]
    pub fn decode(self) -> IncomingMessage {
        match self.frame {
            Frame::Line(line) if self.counts.are_too_many() => {
                invalid_request(&format!("the message holds more than {MAX_MESSAGE_VALUES} values"), read_id(&line))
            }
            // Not its id either, which would be decoded like the rest.
            Frame::Line(line) if payload::has_reserved_text(&line) => {
                invalid_request("no text may begin with $serde_json::private::", None)
            }
            Frame::Line(line) => {
                let message = match decode_plain_request(&line) {
                    Some(request) => {
                        let (id, request) = (request.id.clone(), Box::new(request));
                        IncomingMessage::Request { id, kind: RequestKind::Call, request }
                    }
                    None => match serde_json::from_slice(&line) {
                        Ok(message) => classify_message(message, &line),
                        Err(error) => diagnose_line(&line, &error),
                    },
                };
                message.with_arguments(self.arguments)
            }
            Frame::Overlong(head) => invalid_request(
                &format!("the message is longer than {}", ByteSize(MAX_MESSAGE_BYTES as u64)),
                read_id(&head),
            ),
        }
    }
}

/// The arguments of a tool's call, as text: the tool reads them as what it needs.
#[derive(Clone)]
pub(crate) struct ToolArguments(pub(crate) Arc<Payload>);

impl IncomingMessage {
    fn with_arguments(mut self, arguments: Option<Payload>) -> Self {
        if let (Self::Request { request, .. }, Some(arguments)) = (&mut self, arguments) {
            request.request.extensions_mut().insert(ToolArguments(Arc::new(arguments)));
        }
        self
    }
}

/// The parts of a call of a tool around its arguments.
#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<ToolCallParams<'a>>,
}

#[derive(Deserialize)]
struct ToolCallParams<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Splits the arguments of a tool's call off, which are an object, and returns the call with none in their place.
/// `None` for every other message, and for one that the decoder refuses anyway.
fn split_arguments(line: &[u8]) -> Option<(Payload, Vec<u8>)> {
    // In another spelling the arguments are decoded with the message, and count with it.
    if !CALL_METHOD.is_in(line) {
        return None;
    }
    let ToolCall { method, params } = serde_json::from_slice(line).ok()?;
    let arguments = params.filter(|_| method.is_some_and(|method| method == "tools/call"))?.arguments?;
    let start = (arguments.get().as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    let (head, tail) = (line.get(..start)?, line.get(start + arguments.get().len()..)?);
    let payload = Payload::from_text(arguments.to_owned()).ok().filter(Payload::is_object)?;
    Some((payload, [head, b"{}", tail].concat()))
}

/// How many values a line holds, at most.
#[derive(Default)]
struct ValueCounts {
    /// All values, objects among them.
    values: usize,
    objects: usize,
}

impl ValueCounts {
    fn of(line: &[u8]) -> Self {
        let (mut values, mut objects, mut in_string, mut escaped) = (0usize, 0usize, false, false);
        for byte in line {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b',' | b'[' if !in_string => values += 1,
                b'{' if !in_string => (values, objects) = (values + 1, objects + 1),
                _ => {}
            }
        }
        Self { values, objects }
    }

    const fn are_too_many(&self) -> bool {
        self.values > MAX_MESSAGE_VALUES
    }
}

fn classify_message(message: ClientJsonRpcMessage, line: &[u8]) -> IncomingMessage {
    match message {
        ClientJsonRpcMessage::Request(request) => {
            if has_lost_params(&request.request) && Envelope::parse(line).has_params {
                let error = error::invalid_params(format!("invalid params for {}", request.request.method()));
                return IncomingMessage::Invalid { error, id: Some(request.id) };
            }
            let listen = matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
            let kind = if listen { RequestKind::Listen } else { RequestKind::Call };
            IncomingMessage::Request { id: request.id.clone(), kind, request: Box::new(request) }
        }
        ClientJsonRpcMessage::Notification(notification) => {
            // To the decoder, a request with an invalid id such as null looks like a notification.
            if Envelope::parse(line).has_id {
                return invalid_request("the id must be a string or an integer", None);
            }
            if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                && let Some(id) = &cancelled.params.request_id
            {
                return IncomingMessage::Cancel { id: id.clone() };
            }
            IncomingMessage::Other(Box::new(ClientJsonRpcMessage::Notification(notification)))
        }
        ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => IncomingMessage::Other(Box::new(message)),
    }
}

/// Whether the decoder may have dropped params of a wrong type, which it does for methods that work without params.
fn has_lost_params(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::ListResourcesRequest(request) => request.params.is_none(),
        ClientRequest::ListResourceTemplatesRequest(request) => request.params.is_none(),
        ClientRequest::ListToolsRequest(request) => request.params.is_none(),
        ClientRequest::ListPromptsRequest(request) => request.params.is_none(),
        _ => false,
    }
}

fn diagnose_line(line: &[u8], error: &serde_json::Error) -> IncomingMessage {
    if serde_json::from_slice::<IgnoredAny>(line).is_err() || std::str::from_utf8(line).is_err() {
        tracing::debug!(%error, "received a line that is not JSON");
        return IncomingMessage::Invalid { error: error::parse_error("the message is not JSON"), id: None };
    }
    if line.trim_ascii_start().starts_with(b"[") {
        return invalid_request("batches are not part of this protocol: send one message at a time", None);
    }
    match Envelope::parse(line) {
        Envelope { id: Some(id), is_json_rpc: true, method: Some(_), .. } => {
            IncomingMessage::Invalid { error: error::invalid_params(fault_of_params(line)), id: Some(id) }
        }
        Envelope { id: None, has_id: true, is_json_rpc: true, method: Some(_), .. } => {
            invalid_request("the id must be a string or an integer", None)
        }
        head => invalid_request("the message is not a JSON-RPC 2.0 message", head.id),
    }
}

/// Says why a request cannot be decoded although it is JSON with a method and an id.
fn fault_of_params(line: &[u8]) -> &'static str {
    let is_object = |value: Option<&Value>| value.is_none_or(Value::is_object);
    match serde_json::from_slice::<Value>(line) {
        Ok(message) => {
            let params = message.get("params");
            if is_object(params) && is_object(params.and_then(|params| params.get("_meta"))) {
                "a field of the message is missing, is there twice, or has a wrong type"
            } else {
                "the params must be an object, and so must their `_meta`"
            }
        }
        Err(error) => match error.to_string() {
            error if error.contains("surrogate") || error.contains("hex escape") => {
                "a text has an escape that is half of a surrogate pair"
            }
            error if error.contains("number out of range") => "a number is out of range",
            error if error.contains("recursion limit") => "the message is nested too deep",
            _ => "the message cannot be decoded",
        },
    }
}

fn invalid_request(message: &str, id: Option<RequestId>) -> IncomingMessage {
    IncomingMessage::Invalid { error: error::invalid_request(message), id }
}

fn read_id(line: &[u8]) -> Option<RequestId> {
    Envelope::parse(line).id
}

/// The fields of a message that may be truncated or malformed: those before the fault count.
#[derive(Default)]
struct Envelope {
    has_id: bool,
    id: Option<RequestId>,
    /// The version is 2.0.
    is_json_rpc: bool,
    /// The `method`, if it is text.
    method: Option<String>,
    /// There are params, of any type but null.
    has_params: bool,
}

impl Envelope {
    fn parse(line: &[u8]) -> Self {
        let mut head = Self::default();
        let mut deserializer = serde_json::Deserializer::from_slice(line);
        // The error adds nothing to the fields that were read.
        let _ = deserializer.deserialize_map(EnvelopeVisitor(&mut head));
        head
    }
}

struct EnvelopeVisitor<'h>(&'h mut Envelope);

impl<'de> Visitor<'de> for EnvelopeVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => {
                    self.0.has_id = true;
                    self.0.id = map.next_value::<LenientField<RequestId>>()?.into_value();
                }
                "jsonrpc" => {
                    let version: LenientField<String> = map.next_value()?;
                    self.0.is_json_rpc = version.into_value().is_some_and(|version| version == "2.0");
                }
                "method" => self.0.method = map.next_value::<LenientField<String>>()?.into_value(),
                "params" => self.0.has_params = map.next_value::<Option<IgnoredAny>>()?.is_some(),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A field of any type, so that a wrong type does not stop the parser.
#[derive(Deserialize)]
#[serde(untagged)]
enum LenientField<T> {
    Usable(T),
    Other(IgnoredAny),
}

impl<T> LenientField<T> {
    fn into_value(self) -> Option<T> {
        match self {
            Self::Usable(value) => Some(value),
            Self::Other(IgnoredAny) => None,
        }
    }
}
