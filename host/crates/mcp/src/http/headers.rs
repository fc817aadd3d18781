//! The headers of the modern revision, which repeat parts of the body so that proxies can route by them.
//!
//! Owns: the revision of a request, and the check that its headers and its body agree.
//! Never: trusts a header that the body does not confirm.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hyper::header::{HeaderMap, HeaderName};
use rmcp::model::{CallToolRequest, ClientRequest, GetMeta as _, JsonRpcRequest, ProtocolVersion};
use serde_json::Value;

use super::origin_policy::single_value;
use super::response::HttpError;
use crate::decode::ToolArguments;
use crate::error;
use crate::revision::Revision;
use wardroom_base::payload::Payload;
use wardroom_service::{ParamHeader, escape_and_truncate};

const PROTOCOL_VERSION_HEADER: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD_HEADER: HeaderName = HeaderName::from_static("mcp-method");
const NAME_HEADER: HeaderName = HeaderName::from_static("mcp-name");

/// The version of a request, by its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestVersion {
    /// From its session; where there are none, from this version of its header.
    Legacy(ProtocolVersion),
    /// From the request itself.
    SelfDescribed(ProtocolVersion),
}

/// Returns the version that the header names.
pub(super) fn protocol_version(headers: &HeaderMap) -> Result<Option<&str>, HttpError> {
    let header = single_value(headers, &PROTOCOL_VERSION_HEADER)
        .map_err(|()| HttpError::bad_request("more than one MCP-Protocol-Version header"))?;
    let text = header.map(|header| header.to_str()).transpose();
    text.map_err(|_| HttpError::bad_request("the MCP-Protocol-Version header is not text"))
}

/// Returns the revision that the header says; the legacy one where it is missing.
pub(super) fn revision(headers: &HeaderMap) -> Result<Revision, HttpError> {
    Ok(protocol_version(headers)?.map_or(Revision::Legacy, Revision::from_version))
}

/// Returns the version of a request, if its headers and its body agree on it.
pub(super) fn request_version(
    headers: &HeaderMap,
    request: &JsonRpcRequest<ClientRequest>,
) -> Result<RequestVersion, HttpError> {
    let refused = |refusal: HttpError| refusal.with_request_id(Some(request.id.clone()));
    let header = protocol_version(headers).map_err(refused)?;
    if let ClientRequest::InitializeRequest(initialize) = &request.request {
        let named = initialize.params.protocol_version.clone();
        if header.is_some_and(|header| header != named.as_str()) {
            return Err(refused(HttpError::bad_request(
                "the MCP-Protocol-Version header differs from the version in the body",
            )));
        }
        return Ok(RequestVersion::Legacy(named));
    }
    let meta = request.request.get_meta();
    let Some(named) = meta.protocol_version() else {
        let must = matches!(request.request, ClientRequest::DiscoverRequest(_))
            || header.is_some_and(|header| Revision::from_version(header).is_modern());
        if must {
            let missing = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).join(", ");
            let message = format!("fields of the request's `_meta` are missing or malformed: {missing}");
            return Err(HttpError::protocol_error(error::invalid_params(message), Some(request.id.clone())));
        }
        let version = match header {
            None => ProtocolVersion::V_2025_03_26,
            Some(header) => parse_known_version(header).ok_or_else(|| {
                refused(HttpError::bad_request(format!(
                    "unsupported MCP-Protocol-Version: {}",
                    escape_and_truncate(header)
                )))
            })?,
        };
        return Ok(RequestVersion::Legacy(version));
    };
    match header {
        Some(header) if header == named.as_str() => Ok(RequestVersion::SelfDescribed(named)),
        Some(_) => Err(header_mismatch(request, "the MCP-Protocol-Version header differs from the request's `_meta`")),
        None => Err(header_mismatch(request, "the MCP-Protocol-Version header is missing")),
    }
}

/// Checks that the version of a notification or a response is known, if its header names one.
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), HttpError> {
    match protocol_version(headers)? {
        Some(header) if parse_known_version(header).is_none() => {
            Err(HttpError::bad_request(format!("unsupported MCP-Protocol-Version: {}", escape_and_truncate(header))))
        }
        _ => Ok(()),
    }
}

fn parse_known_version(version: &str) -> Option<ProtocolVersion> {
    ProtocolVersion::KNOWN_VERSIONS.iter().find(|known| known.as_str() == version).cloned()
}

/// Whether the headers are those of a read of `uri` in the modern revision. Where they are not, [`check_headers`] says why.
pub(super) fn is_modern_read(headers: &HeaderMap, uri: &str) -> bool {
    let is = |name: &HeaderName, text: &str| matches!(header_text(headers, name), Ok(Some(header)) if header == text);
    is(&PROTOCOL_VERSION_HEADER, ProtocolVersion::V_2026_07_28.as_str())
        && is(&METHOD_HEADER, "resources/read")
        && is(&NAME_HEADER, uri)
}

/// Checks that the headers of a modern request repeat its body. `params` are the headers of the tool that it calls.
pub(super) fn check_headers(
    headers: &HeaderMap,
    request: &JsonRpcRequest<ClientRequest>,
    params: &[ParamHeader],
) -> Result<(), HttpError> {
    let wrong = |message: String| header_mismatch(request, message);
    let method = request.request.method();
    match header_text(headers, &METHOD_HEADER).map_err(wrong)? {
        Some(header) if header == method => {}
        Some(_) => return Err(wrong("the Mcp-Method header differs from the method of the body".to_owned())),
        None => return Err(wrong("the Mcp-Method header is missing".to_owned())),
    }
    if let Some(name) = target_name(&request.request) {
        match header_text(headers, &NAME_HEADER).map_err(wrong)? {
            Some(header) if decode_header_value(header).map_err(wrong)? == name => {}
            Some(_) => return Err(wrong("the Mcp-Name header differs from the name in the body".to_owned())),
            None => return Err(wrong("the Mcp-Name header is missing".to_owned())),
        }
    }
    let ClientRequest::CallToolRequest(call) = &request.request else { return Ok(()) };
    for param in params {
        let name = format!("mcp-param-{}", param.header.to_ascii_lowercase());
        let Ok(header) = HeaderName::from_bytes(name.as_bytes()) else { continue };
        let argument = argument_at(call, &param.path);
        match (header_text(headers, &header).map_err(wrong)?, &argument) {
            (None, None) => {}
            (Some(given), Some(expected))
                if matches_argument(&decode_header_value(given).map_err(wrong)?, expected) => {}
            (Some(_), Some(_)) => {
                return Err(wrong(format!("the Mcp-Param-{} header differs from its argument", param.header)));
            }
            (Some(_), None) => return Err(wrong(format!("the Mcp-Param-{} header lacks its argument", param.header))),
            (None, Some(_)) => return Err(wrong(format!("the Mcp-Param-{} header is missing", param.header))),
        }
    }
    Ok(())
}

/// Returns the argument at a path of names, unless it is null.
fn argument_at(call: &CallToolRequest, path: &[String]) -> Option<Value> {
    let mut names = path.iter();
    let argument = match call.extensions.get() {
        Some(ToolArguments(arguments)) => arguments.field(names.next()?)?,
        None => Payload::from_value(call.params.arguments.as_ref()?.get(names.next()?)?.clone()),
    };
    let argument = names.try_fold(argument, |value, name| value.field(name))?;
    // A header repeats a text, a number or a flag, and only such are compared.
    let argument =
        if argument.is_object() || argument.is_list() { Value::Array(Vec::new()) } else { argument.into_value() };
    Some(argument).filter(|argument| !argument.is_null())
}

/// Returns the name, URI or task id that a request is for.
fn target_name(request: &ClientRequest) -> Option<&str> {
    match request {
        ClientRequest::CallToolRequest(request) => Some(&request.params.name),
        ClientRequest::GetPromptRequest(request) => Some(&request.params.name),
        ClientRequest::ReadResourceRequest(request) => Some(&request.params.uri),
        ClientRequest::SubscribeRequest(request) => Some(&request.params.uri),
        ClientRequest::UnsubscribeRequest(request) => Some(&request.params.uri),
        ClientRequest::GetTaskRequest(request) => Some(&request.params.task_id),
        ClientRequest::UpdateTaskRequest(request) => Some(&request.params.task_id),
        ClientRequest::CancelTaskRequest(request) => Some(&request.params.task_id),
        _ => None,
    }
}

fn header_text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, String> {
    let header = single_value(headers, name).map_err(|()| format!("more than one {name} header"))?;
    let text = header.map(|header| header.to_str()).transpose();
    Ok(text.map_err(|_| format!("the {name} header is not text"))?.map(str::trim))
}

/// Decodes a value that may be wrapped in base64. An incomplete wrapper is part of the value.
fn decode_header_value(header: &str) -> Result<String, String> {
    let Some(inner) = header.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(header.to_owned());
    };
    let decoded = BASE64_STANDARD.decode(inner).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.ok_or_else(|| "a header is not Base64 of UTF-8 text".to_owned())
}

/// Whether a header is the text of an argument. Numbers are compared by value.
fn matches_argument(header: &str, argument: &Value) -> bool {
    match argument {
        Value::String(text) => header == text,
        Value::Bool(flag) => header == if *flag { "true" } else { "false" },
        Value::Number(number) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            match whole.or_else(|| exact_integer(number.as_f64()?)) {
                Some(whole) => {
                    let given = header.parse::<i128>().ok();
                    given.or_else(|| exact_integer(header.parse().ok()?)) == Some(whole)
                }
                None => header.parse::<f64>().ok() == number.as_f64(),
            }
        }
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Converts a whole number such as `3.0`, which is an integer to JSON Schema.
fn exact_integer(number: f64) -> Option<i128> {
    const MAX_EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "the number is whole and exact")]
    (number.fract() == 0.0 && number.abs() <= MAX_EXACT_FLOAT).then_some(number as i128)
}

fn header_mismatch(request: &JsonRpcRequest<ClientRequest>, message: impl Into<String>) -> HttpError {
    HttpError::protocol_error(error::header_mismatch(message), Some(request.id.clone()))
}
