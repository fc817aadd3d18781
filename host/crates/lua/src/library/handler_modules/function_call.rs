//! What module functions do beside computing: they ask the server, and create objects.
//!
//! Never: raises an error; each failure is a [`ModuleError`].

use mlua::{Table, Value};
use serde_json::Value as Json;

use crate::library::function::FunctionCall;
use crate::library::module_error::{CLASS_KEY_PREFIX, ModuleError};

impl FunctionCall<'_> {
    /// Sends a request to the server. A refusal becomes an error value, with which the handler may continue.
    pub(super) fn try_request(&self, operation: &str, arguments: Json) -> Result<Json, ModuleError> {
        let answer = self.library.host.request(operation, arguments).map_err(ModuleError::refused)?.into_value();
        ModuleError::from_answer(&answer).map_or(Ok(answer), Err)
    }

    /// Sends a request to the server, and converts the answer to a Lua value.
    pub(super) fn try_request_value(&self, operation: &str, arguments: Json) -> Result<Value, ModuleError> {
        let answer = self.try_request(operation, arguments)?;
        Ok(self.decode(&answer)?)
    }

    /// Creates an object of this class.
    pub(super) fn new_object(&self, class: &str) -> Result<Table, ModuleError> {
        let object = self.lua.create_table()?;
        let metatable: Table = self.lua.named_registry_value(&format!("{CLASS_KEY_PREFIX}{class}"))?;
        object.set_metatable(Some(metatable))?;
        Ok(object)
    }

    /// Reads a field of the method's object.
    pub(super) fn object_field<T: mlua::FromLua>(&self, field: &str) -> Result<T, ModuleError> {
        let this = self.this.as_ref().ok_or_else(|| self.format_error("there is no object"))?;
        Ok(this.raw_get(field)?)
    }

    /// Reads a field of an optional table. `None` if it is nil or null.
    pub(super) fn option_field(options: Option<&Table>, field: &str) -> Option<Value> {
        options
            .and_then(|options| options.raw_get(field).ok())
            .filter(|value: &Value| !value.is_nil() && *value != Value::NULL)
    }
}
