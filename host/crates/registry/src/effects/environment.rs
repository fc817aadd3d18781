//! The variables of the environment that the operator named.

use serde_json::Value;

use super::{Reach, text};

/// What another one holds is not said, nor whether it is there.
pub(super) fn get(reach: &Reach, arguments: &Value) -> Result<Value, String> {
    Ok(reach.environment.get(text(arguments, "name")?).cloned().into())
}
