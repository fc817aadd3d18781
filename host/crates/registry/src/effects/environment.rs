//! The variables of the environment that the operator named.

use serde_json::Value;

use super::{HandlerCapabilities, text_argument};

/// What another one holds is not said, nor whether it is there.
pub(super) fn read_variable(reach: &HandlerCapabilities, arguments: &Value) -> Result<Value, String> {
    Ok(reach.environment.get(text_argument(arguments, "name")?).cloned().into())
}
