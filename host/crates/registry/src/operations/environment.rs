//! The environment variables that the operator named.

use serde_json::Value;

use super::{HandlerCapabilities, OperationAnswer, text_argument};

/// Returns a named variable. Every other variable reads as missing, so that not even its existence shows.
pub(super) fn read_variable(capabilities: &HandlerCapabilities, arguments: &Value) -> OperationAnswer {
    Ok(capabilities.environment.get(text_argument(arguments, "name")?).cloned().into())
}
