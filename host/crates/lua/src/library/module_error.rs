//! Errors of module functions, which return `nil` and an error object instead of a value.
//!
//! Owns: the kinds of errors that module functions use, and the conversion of the server's errors.

use mlua::{Function as LuaFunction, Lua, Value};
use serde_json::Value as Json;

use crate::json_conversion;

/// The registry key of the function in `handler.lua` that creates an error object.
pub(super) const ERROR_CONSTRUCTOR_KEY: &str = "wardroom.fault";
/// The prefix of the registry key of a class's metatable. The class's name follows.
pub(super) const CLASS_KEY_PREFIX: &str = "wardroom.class.";

pub(super) struct ModuleError {
    kind: String,
    message: String,
    is_retryable: Option<bool>,
    details: Json,
}

impl ModuleError {
    pub(super) fn new(kind: &str, message: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), message: message.into(), is_retryable: Some(false), details: Json::Null }
    }

    /// Of a refusal of the server, which does not say whether a later attempt may succeed.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self { is_retryable: None, ..Self::new("INTERNAL", message) }
    }

    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new("NOT_FOUND", message)
    }

    /// Converts the server's answer if it consists of an error only.
    pub(super) fn from_answer(answer: &Json) -> Option<Self> {
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

/// The message of an mlua error for a script: the innermost cause, without Rust's types.
pub(super) fn error_text(error: &mlua::Error) -> String {
    match error {
        mlua::Error::RuntimeError(message) | mlua::Error::SyntaxError { message, .. } => message.clone(),
        mlua::Error::MemoryError(_) => "not enough memory".to_owned(),
        mlua::Error::CallbackError { cause, .. } | mlua::Error::WithContext { cause, .. } => error_text(cause),
        mlua::Error::BadArgument { pos, cause, .. } => format!("argument #{pos}: {}", error_text(cause)),
        mlua::Error::FromLuaConversionError { from, message, .. } => match message {
            Some(message) => format!("unsuitable {from} ({message})"),
            None => format!("unsuitable {from}"),
        },
        other => other.to_string(),
    }
}
