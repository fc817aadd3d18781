//! Requests to the hosts that the operator allowed, made by a separate process that checks each address before it
//! connects.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{HandlerCapabilities, OperationAnswer, error_of_kind, text_argument};
use crate::limits::MAX_HANDLER_FILE_BYTES;
use wardroom_net::limits::MAX_FETCH_TIMEOUT;
use wardroom_net::{FetchRequest, NetError};

/// The timeout of a request, by default.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Sends one request, for at most the time that its handler has left.
pub(super) fn send_request(
    capabilities: &HandlerCapabilities,
    arguments: &Value,
    caller: Option<String>,
    left: Duration,
    cancelled: &dyn Fn() -> bool,
) -> OperationAnswer {
    let Some(http) = &capabilities.http else {
        let message = "the network is off: the operator allows hosts as [registry] hosts";
        return Ok(error_of_kind("PERMISSION_DENIED", message));
    };
    let url = text_argument(arguments, "url")?;
    let method = arguments.get("method").and_then(Value::as_str).unwrap_or("GET").to_ascii_uppercase();
    let seconds = arguments.get("timeout").and_then(Value::as_f64).filter(|seconds| *seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(DEFAULT_TIMEOUT);
    let headers = arguments.get("headers").and_then(Value::as_object);
    let header = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    let request = FetchRequest {
        method,
        headers: headers.into_iter().flatten().filter_map(header).collect(),
        body: arguments.get("body").and_then(Value::as_str).unwrap_or_default().as_bytes().to_vec(),
        timeout: time.min(MAX_FETCH_TIMEOUT).min(left),
        max_bytes: usize::try_from(MAX_HANDLER_FILE_BYTES).unwrap_or(usize::MAX),
        policy: capabilities.network_policy.clone(),
        url: url.to_owned(),
        caller,
    };
    let response = match http.request(&request, cancelled) {
        Ok(response) => response,
        Err(error) => return Ok(failed_fetch(&error)),
    };
    let headers = join_headers(response.headers);
    let mut answer = json!({"status": response.status, "headers": headers, "url": response.url});
    if let Some(fields) = answer.as_object_mut() {
        match String::from_utf8(response.body) {
            Ok(text) => fields.insert("body".to_owned(), text.into()),
            Err(bytes) => fields.insert("base64".to_owned(), STANDARD.encode(bytes.as_bytes()).into()),
        };
    }
    Ok(answer)
}

/// Returns the error of a fetch, with the kind by which a handler decides what to do.
fn failed_fetch(error: &NetError) -> Value {
    let message = error.to_string();
    match error {
        NetError::TimedOut => error_of_kind("TIMEOUT", message),
        NetError::Invalid(_) => error_of_kind("INVALID", message),
        NetError::Refused(_) => error_of_kind("PERMISSION_DENIED", message),
        NetError::HostNotAllowed { .. } => {
            error_of_kind("PERMISSION_DENIED", format!("{message}; the operator can allow it with [registry] hosts"))
        }
        NetError::Cancelled => error_of_kind("CANCELED", message),
        NetError::HelperGone | NetError::Busy | NetError::Failed(_) => error_of_kind("UNAVAILABLE", message),
        NetError::TooLarge(_) | NetError::TooManyRedirects => error_of_kind("INTERNAL", message),
    }
}

/// Joins the values of a header that comes several times, as HTTP allows: by commas, those of `set-cookie` by line ends.
fn join_headers(headers: Vec<(String, String)>) -> BTreeMap<String, String> {
    let mut joined = BTreeMap::<String, String>::new();
    for (name, value) in headers {
        let separator = if name == "set-cookie" { "\n" } else { ", " };
        match joined.get_mut(&name) {
            Some(all) => all.extend([separator, &value]),
            None => drop(joined.insert(name, value)),
        }
    }
    joined
}
