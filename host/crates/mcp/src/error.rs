//! The table of protocol errors: the only module that makes one.
//!
//! Owns: the code and the message that a client gets. Causes go to the log, under the same request id.
//! Never: lets a path, a backtrace or a library's message through.

use std::fmt::Display;

use rmcp::model::{ErrorCode, ErrorData, RequestId, TASKS_EXTENSION_ID};
use serde_json::json;

use wardroom_base::payload::Payload;
use wardroom_service::error_code::{BUSY, FOLDER_REMOVED, HELPER_GONE};
use wardroom_service::{ClientCapability, ServiceError, escape_and_truncate};

/// The server is busy. Outside the range that the protocol reserves.
const BUSY_CODE: ErrorCode = ErrorCode(-31_000);

/// Converts the error of a service call to a protocol error.
pub(super) fn from_service_error(error: ServiceError, id: &RequestId) -> ErrorData {
    match error {
        // -32602 in every revision: the `alc://` specification says so, and so does the newest revision.
        ServiceError::NotFound { ref uri } | ServiceError::NotFoundSimilar { ref uri, .. } => {
            let data = json!({"uri": uri});
            ErrorData::new(ErrorCode::INVALID_PARAMS, error.to_string(), Some(data))
        }
        ServiceError::Invalid(message) => invalid_params(message),
        ServiceError::UnknownTool(_) | ServiceError::UnknownPrompt(_) => invalid_params(error.to_string()),
        ServiceError::MissingCapability(feature) => missing_capability(feature, &error.to_string()),
        ServiceError::Tool { code, message, .. } if code == BUSY => ErrorData::new(BUSY_CODE, message, None),
        // No other request helps.
        ServiceError::Tool { code: code @ (FOLDER_REMOVED | HELPER_GONE), message, .. } => {
            tracing::error!(%id, reason = message, "request failed");
            ErrorData::new(ErrorCode::INTERNAL_ERROR, message, Some(json!({"code": code.as_str()})))
        }
        ServiceError::Tool { message, .. } => invalid_params(message),
        ServiceError::Protocol { code, message, data } => {
            ErrorData::new(ErrorCode(code), message, data.map(Payload::into_value))
        }
        // Not expected here: a full attempt follows a light one, and a handler requests input only where it may.
        ServiceError::InputRequired(_) => log_internal(id, error.to_string(), None),
        ServiceError::TooLarge { public_message: public, cause } => log_internal(id, public, Some(&cause)),
        ServiceError::Internal { public_message: public, cause } => {
            log_internal(id, public, cause.as_ref().map(|cause| cause as &dyn Display))
        }
    }
}

fn log_internal(id: &RequestId, public: String, cause: Option<&dyn Display>) -> ErrorData {
    let cause = cause.map(ToString::to_string);
    tracing::error!(%id, reason = public, cause, "request failed");
    ErrorData::new(ErrorCode::INTERNAL_ERROR, public, None)
}

pub(super) fn parse_error(message: &'static str) -> ErrorData {
    ErrorData::new(ErrorCode::PARSE_ERROR, message, None)
}

pub(super) fn invalid_request(message: impl Into<String>) -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_REQUEST, message.into(), None)
}

/// The headers of an HTTP request contradict its body.
pub(super) fn header_mismatch(message: impl Into<String>) -> ErrorData {
    ErrorData::new(ErrorCode::HEADER_MISMATCH, message.into(), None)
}

pub(super) fn invalid_params(message: impl Into<String>) -> ErrorData {
    ErrorData::new(ErrorCode::INVALID_PARAMS, message.into(), None)
}

/// The client did not declare a capability that the call needs.
fn missing_capability(feature: ClientCapability, message: &str) -> ErrorData {
    let needed = match feature {
        ClientCapability::Sampling => json!({"sampling": {}}),
        ClientCapability::SamplingWithTools => json!({"sampling": {"tools": {}}}),
        ClientCapability::FormElicitation => json!({"elicitation": {}}),
        ClientCapability::UrlElicitation => json!({"elicitation": {"url": {}}}),
        ClientCapability::Roots => json!({"roots": {}}),
    };
    let data = json!({"requiredCapabilities": needed});
    ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, message.to_owned(), Some(data))
}

/// The client did not declare the tasks extension, and the tool runs only as a task.
pub(super) fn missing_tasks_extension() -> ErrorData {
    let data = json!({"requiredCapabilities": {"extensions": {(TASKS_EXTENSION_ID): {}}}});
    let message = format!("this tool runs only as a task: use a client that declares {TASKS_EXTENSION_ID}");
    ErrorData::new(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, message, Some(data))
}

pub(super) fn internal_with_message(message: impl Into<String>) -> ErrorData {
    ErrorData::new(ErrorCode::INTERNAL_ERROR, message.into(), None)
}

pub(super) fn method_not_found(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("Unknown method: {}", escape_and_truncate(method)), None)
}

/// There is no capacity for the request.
pub(super) fn busy(message: impl Into<String>) -> ErrorData {
    ErrorData::new(BUSY_CODE, message.into(), None)
}

/// A handler panicked. The log has the panic.
pub(super) fn panicked(id: &RequestId) -> ErrorData {
    tracing::error!(%id, "a handler panicked");
    ErrorData::new(ErrorCode::INTERNAL_ERROR, "internal error", None)
}

/// The client cancelled the request, so that this answer is not sent.
pub(super) fn cancelled() -> ErrorData {
    ErrorData::new(ErrorCode::INTERNAL_ERROR, "cancelled", None)
}

/// Whether an error says that the server is busy.
pub(super) fn is_busy(error: &ErrorData) -> bool {
    error.code == BUSY_CODE
}

/// Whether an error is that of a cancelled request.
pub(super) fn is_cancelled(error: &ErrorData) -> bool {
    *error == cancelled()
}
