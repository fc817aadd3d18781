//! What a function of a module gives instead of a value: `nil` and an error object, as handlers expect.
//!
//! Owns: the kinds that functions here use, and what the server says that becomes such an error.

use mlua::{Function as LuaFunction, Lua, Table, Value};
use serde_json::Value as Json;

use crate::library::function::{Call, words};
use crate::values;

/// Where `handler.lua`'s function lies that makes an error object.
pub(super) const MAKER: &str = "wardroom.fault";
/// Where the metatable of a class lies, after its name.
pub(super) const CLASS: &str = "wardroom.class.";

pub(in crate::library) struct Fault {
    kind: String,
    message: String,
    retryable: Option<bool>,
    details: Json,
}

impl Fault {
    pub(super) fn new(kind: &str, message: impl Into<String>) -> Self {
        Self { kind: kind.to_owned(), message: message.into(), retryable: Some(false), details: Json::Null }
    }

    pub(super) fn not_found(message: impl Into<String>) -> Self {
        Self::new("NOT_FOUND", message)
    }

    /// What the server answered, where that is an error and nothing else.
    fn told(answer: &Json) -> Option<Self> {
        let error = answer.as_object().filter(|answer| answer.len() == 1)?.get("error")?;
        let text = |name: &str| error.get(name).and_then(Json::as_str);
        Some(Self {
            kind: text("kind").unwrap_or("UNKNOWN").to_owned(),
            message: text("message")?.to_owned(),
            retryable: error.get("retryable").and_then(Json::as_bool),
            details: error.get("details").cloned().unwrap_or_default(),
        })
    }

    /// The error object.
    pub(super) fn object(&self, lua: &Lua) -> mlua::Result<Value> {
        let maker: LuaFunction = lua.named_registry_value(MAKER)?;
        let details = values::from_json(lua, &self.details).unwrap_or(Value::Nil);
        maker.call((self.message.as_str(), self.kind.as_str(), self.retryable, details))
    }
}

/// What a call of a function is refused with is bad input, where nothing else is said.
impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self::new("INVALID", message)
    }
}

impl From<mlua::Error> for Fault {
    fn from(error: mlua::Error) -> Self {
        Self::new("INTERNAL", words(&error))
    }
}

impl Call<'_> {
    /// Asks the server. A refusal is an error of the handler's, who may go on.
    pub(super) fn request(&self, operation: &str, arguments: Json) -> Result<Json, Fault> {
        let refused = |message| Fault { retryable: None, ..Fault::new("INTERNAL", message) };
        let answer = self.library.host.ask(operation, arguments).map_err(refused)?;
        Fault::told(&answer).map_or(Ok(answer), Err)
    }

    /// Asks the server, and gives its answer as it is.
    pub(super) fn fetch(&self, operation: &str, arguments: Json) -> Result<Value, Fault> {
        let answer = self.request(operation, arguments)?;
        Ok(self.decode(&answer)?)
    }

    /// A new object of this class.
    pub(super) fn object(&self, class: &str) -> Result<Table, Fault> {
        let object = self.lua.create_table()?;
        let metatable: Table = self.lua.named_registry_value(&format!("{CLASS}{class}"))?;
        object.set_metatable(Some(metatable))?;
        Ok(object)
    }

    /// A field of the object that the method was called on.
    pub(super) fn own<T: mlua::FromLua>(&self, field: &str) -> Result<T, Fault> {
        let this = self.this.as_ref().ok_or_else(|| self.blame("there is no object"))?;
        Ok(this.raw_get(field)?)
    }

    /// A field of an optional table of options, without those that are nil.
    pub(super) fn option(options: Option<&Table>, field: &str) -> Option<Value> {
        options
            .and_then(|options| options.raw_get(field).ok())
            .filter(|value: &Value| !value.is_nil() && *value != Value::NULL)
    }
}
