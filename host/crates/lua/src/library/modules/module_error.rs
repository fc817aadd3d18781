//! Errors of module functions, which return `nil` and an error object instead of a value.
//!
//! Owns: the kinds of errors that functions here use, and the conversion of the server's errors.

use mlua::{Function as LuaFunction, Lua, Table, Value};
use serde_json::Value as Json;

use crate::json_conversion;
use crate::library::function::{FunctionCall, error_text};

/// The registry key of the function in `handler.lua` that creates an error object.
pub(super) const ERROR_CONSTRUCTOR_KEY: &str = "wardroom.fault";
/// The prefix of the registry key of a class's metatable. The class's name follows.
pub(super) const CLASS_KEY_PREFIX: &str = "wardroom.class.";

pub(in crate::library) struct ModuleError {
    kind: String,
    message: String,
    is_retryable: Option<bool>,
    details: Json,
}

impl ModuleError {
    pub(super) fn new(kind: &str, message: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), message: message.into(), is_retryable: Some(false), details: Json::Null }
    }

    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new("NOT_FOUND", message)
    }

    /// Converts the server's answer if it consists of an error only.
    fn from_answer(answer: &Json) -> Option<Self> {
        let error = answer.as_object().filter(|answer| answer.len() == 1)?.get("error")?;
        let text = |name: &str| error.get(name).and_then(Json::as_str);
        Some(Self {
            kind: text("kind").unwrap_or("UNKNOWN").to_owned(),
            message: text("message")?.to_owned(),
            is_retryable: error.get("retryable").and_then(Json::as_bool),
            details: error.get("details").cloned().unwrap_or_default(),
        })
    }

    /// Creates the error object.
    pub(super) fn to_lua(&self, lua: &Lua) -> mlua::Result<Value> {
        let maker: LuaFunction = lua.named_registry_value(ERROR_CONSTRUCTOR_KEY)?;
        let details = json_conversion::from_json(lua, &self.details).unwrap_or(Value::Nil);
        maker.call((self.message.as_str(), self.kind.as_str(), self.is_retryable, details))
    }
}

/// An error without a kind, which counts as invalid input.
impl From<String> for ModuleError {
    fn from(message: String) -> Self {
        Self::new("INVALID", message)
    }
}

impl From<mlua::Error> for ModuleError {
    fn from(error: mlua::Error) -> Self {
        Self::new("INTERNAL", error_text(&error))
    }
}

impl FunctionCall<'_> {
    /// Sends a request to the server. A refusal becomes an error value, with which the handler may continue.
    pub(super) fn try_request(&self, operation: &str, arguments: Json) -> Result<Json, ModuleError> {
        let refused = |message| ModuleError { is_retryable: None, ..ModuleError::new("INTERNAL", message) };
        let answer = self.library.host.request(operation, arguments).map_err(refused)?;
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
