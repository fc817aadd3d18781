//! Descriptions of library functions, and the check of their arguments.
//!
//! Owns: the description, from which functions are registered and type stubs are generated; the check of arguments,
//! with the messages of Lua's own library.
//! Never: depends on a particular function.

use mlua::{Lua, Table, Value};

use super::LibraryContext;
use super::module_error::{ModuleError, error_text};
use crate::json_conversion::{self, type_name};
use crate::limits::MAX_SPECIAL_FUNCTION_ARGUMENT;
use wardroom_base::payload::Payload;

/// The description of a function.
pub(super) struct LibraryFunction {
    /// The path from the global table, such as `alc.state.get`.
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    /// The names of its type parameters.
    pub(super) generics: &'static str,
    pub(super) params: &'static [FunctionParam],
    pub(super) returns: &'static [FunctionReturn],
    pub(super) body: FunctionBody,
}

pub(super) struct FunctionParam {
    pub(super) name: &'static str,
    pub(super) kind: ParamKind,
    /// The type in the stubs.
    pub(super) lua_type: &'static str,
    pub(super) doc: &'static str,
    /// Whether the argument may be nil.
    pub(super) is_optional: bool,
}

pub(super) struct FunctionReturn {
    /// The type in the stubs.
    pub(super) lua_type: &'static str,
    /// A name and a description.
    pub(super) doc: &'static str,
}

/// The implementation of a function.
#[derive(Clone, Copy)]
pub(super) enum FunctionBody {
    Rust(fn(&mut FunctionCall) -> Result<Value, String>),
    /// The function of the same name in `prelude.lua`.
    Prelude,
    /// The function of the same name in mlua-mathlib.
    Math,
    /// A function of a package, which is only in the stubs.
    Package,
    /// A function of a handler's module, which returns errors as values.
    Module(fn(&mut FunctionCall) -> Result<Value, ModuleError>),
    ModuleMultiValue(fn(&mut FunctionCall) -> Result<Vec<Value>, ModuleError>),
}

/// The accepted values of a parameter. Numbers and strings are converted to each other, as in Lua's own functions.
#[derive(Clone, Copy)]
pub(super) enum ParamKind {
    Any,
    String,
    Number,
    Integer,
    /// An integer from 0 to this maximum.
    UpTo(u64),
    /// A number above 0 and up to `MAX_SPECIAL_FUNCTION_ARGUMENT`, above which a series may never end.
    Positive,
    /// A number from 0 to 1.
    UnitInterval,
    Table,
    Function,
    /// A generator that `alc.math.rng_create` returned.
    Rng,
}

pub(super) const fn param(
    name: &'static str,
    kind: ParamKind,
    shown: &'static str,
    doc: &'static str,
) -> FunctionParam {
    FunctionParam { name, kind, lua_type: shown, doc, is_optional: false }
}

pub(super) const fn optional_param(
    name: &'static str,
    kind: ParamKind,
    shown: &'static str,
    doc: &'static str,
) -> FunctionParam {
    FunctionParam { name, kind, lua_type: shown, doc, is_optional: true }
}

pub(super) const fn returns(shown: &'static str, doc: &'static str) -> FunctionReturn {
    FunctionReturn { lua_type: shown, doc }
}

impl LibraryFunction {
    /// The name in errors about arguments, without the prefix `alc.`.
    fn display_name(&self) -> &'static str {
        self.name.strip_prefix("alc.").unwrap_or(self.name)
    }

    /// The last part of the name.
    pub(super) fn base_name(&self) -> &'static str {
        self.name.rsplit(['.', ':']).next().unwrap_or(self.name)
    }

    /// Checks the arguments of a call. Missing ones are nil; extra ones are dropped.
    pub(super) fn check_arguments(&self, lua: &Lua, given: mlua::MultiValue) -> Result<Vec<Value>, String> {
        let mut given = given.into_iter();
        let check = |(at, param): (usize, &FunctionParam)| {
            let value = given.next();
            let got = value.as_ref().map_or("no value", type_name);
            let value = value.filter(|value| *value != Value::NULL || !param.is_optional).unwrap_or(Value::Nil);
            if param.is_optional && value == Value::Nil {
                return Ok(Value::Nil);
            }
            if matches!(param.kind, ParamKind::Any) && (got != "no value" || param.is_optional) {
                return Ok(value);
            }
            param.kind.coerce(lua, value).map_err(|expected| {
                let (number, blamed) = (at + 1, self.display_name());
                match expected {
                    ArgumentMismatch::WrongKind(kind) => {
                        format!("bad argument #{number} to '{blamed}' ({kind} expected, got {got})")
                    }
                    ArgumentMismatch::WrongValue(words) => format!("bad argument #{number} to '{blamed}' ({words})"),
                }
            })
        };
        let mut checked = self
            .params
            .iter()
            .filter(|param| param.name != "...")
            .enumerate()
            .map(check)
            .collect::<Result<Vec<_>, _>>()?;
        if self.params.last().is_some_and(|last| last.name == "...") {
            checked.extend(given);
        }
        Ok(checked)
    }
}

enum ArgumentMismatch {
    WrongKind(&'static str),
    /// The right kind, but not an accepted value.
    WrongValue(String),
}

impl ParamKind {
    fn coerce(self, lua: &Lua, value: Value) -> Result<Value, ArgumentMismatch> {
        match (self, value) {
            (Self::Any, Value::Nil) => Err(ArgumentMismatch::WrongKind("value")),
            (Self::Any, value) => Ok(value),
            (Self::String, value @ Value::String(_)) => Ok(value),
            (Self::String, value @ (Value::Integer(_) | Value::Number(_))) => {
                let text = lua.coerce_string(value).ok().flatten();
                text.map(Value::String).ok_or(ArgumentMismatch::WrongKind("string"))
            }
            (Self::String, _) => Err(ArgumentMismatch::WrongKind("string")),
            (Self::Table, value @ Value::Table(_))
            | (Self::Function, value @ Value::Function(_))
            | (Self::Rng, value @ Value::UserData(_)) => Ok(value),
            // A table with `__call` counts as a function.
            (Self::Function, Value::Table(table)) if is_callable(&table) => Ok(Value::Table(table)),
            (Self::Table, _) => Err(ArgumentMismatch::WrongKind("table")),
            (Self::Function, _) => Err(ArgumentMismatch::WrongKind("function")),
            (Self::Rng, _) => Err(ArgumentMismatch::WrongKind("rng")),
            (Self::Number | Self::Positive | Self::UnitInterval, value) => self.check_range(coerce_number(lua, value)?),
            (Self::Integer, value) => require_integer(&coerce_number(lua, value)?).map(Value::Integer),
            (Self::UpTo(most), value) => {
                let whole = require_integer(&coerce_number(lua, value)?)?;
                let is_within = u64::try_from(whole).is_ok_and(|whole| whole <= most);
                let within = || ArgumentMismatch::WrongValue(format!("expected 0 to {most}, got {whole}"));
                is_within.then_some(Value::Integer(whole)).ok_or_else(within)
            }
        }
    }

    fn check_range(self, value: Value) -> Result<Value, ArgumentMismatch> {
        let float = as_float(&value).unwrap_or(f64::NAN);
        let (is_valid, expected) = match self {
            Self::Positive => (float > 0.0 && float <= MAX_SPECIAL_FUNCTION_ARGUMENT, "a number above 0, up to 1e12"),
            Self::UnitInterval => ((0.0..=1.0).contains(&float), "a number from 0 to 1"),
            _ => (true, "number"),
        };
        is_valid
            .then_some(value)
            .ok_or_else(|| ArgumentMismatch::WrongValue(format!("expected {expected}, got {float}")))
    }
}

fn is_callable(table: &Table) -> bool {
    table.metatable().is_some_and(|meta| matches!(meta.raw_get("__call"), Ok(Value::Function(_))))
}

fn coerce_number(lua: &Lua, value: Value) -> Result<Value, ArgumentMismatch> {
    match value {
        Value::Integer(_) | Value::Number(_) => Ok(value),
        Value::String(_) => {
            let integer = lua.coerce_integer(value.clone()).ok().flatten().map(Value::Integer);
            let number = integer.or_else(|| lua.coerce_number(value).ok().flatten().map(Value::Number));
            number.ok_or(ArgumentMismatch::WrongKind("number"))
        }
        _ => Err(ArgumentMismatch::WrongKind("number")),
    }
}

fn require_integer(value: &Value) -> Result<i64, ArgumentMismatch> {
    as_integer(value).ok_or_else(|| ArgumentMismatch::WrongValue("number has no integer representation".to_owned()))
}

/// Converts a number to a float.
pub(super) fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Number(value) => Some(*value),
        _ => None,
    }
}

/// Converts an integer, or a float without a fraction, to an integer.
pub(super) fn as_integer(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(value) => Some(*value),
        // The bounds are powers of two, which floats hold exactly.
        Value::Number(value) if value.fract() == 0.0 && (-(2_f64.powi(63))..2_f64.powi(63)).contains(value) => {
            Some(*value as i64)
        }
        _ => None,
    }
}

/// A call with checked arguments, which are taken in order.
pub(super) struct FunctionCall<'a> {
    pub(super) library: &'a LibraryContext,
    pub(super) lua: &'a Lua,
    pub(super) function: &'static LibraryFunction,
    /// The object of a method call.
    pub(super) this: Option<Table>,
    arguments: std::vec::IntoIter<Value>,
    argument_number: usize,
}

impl<'a> FunctionCall<'a> {
    pub(super) fn new(
        library: &'a LibraryContext,
        lua: &'a Lua,
        function: &'static LibraryFunction,
        arguments: mlua::MultiValue,
    ) -> Result<Self, String> {
        let arguments = function.check_arguments(lua, arguments)?.into_iter();
        Ok(Self { library, lua, function, this: None, arguments, argument_number: 0 })
    }

    pub(super) fn next_value(&mut self) -> Value {
        self.argument_number += 1;
        self.arguments.next().unwrap_or(Value::Nil)
    }

    pub(super) fn remaining_values(&mut self) -> mlua::MultiValue {
        self.arguments.by_ref().collect()
    }

    /// The bytes of the next argument, a string. Empty if the argument is nil.
    pub(super) fn next_bytes(&mut self) -> Vec<u8> {
        self.next_value().as_string().map(|text| text.as_bytes().to_vec()).unwrap_or_default()
    }

    pub(super) fn next_text(&mut self) -> Result<String, String> {
        let bytes = self.next_bytes();
        let blamed = self.function.display_name();
        String::from_utf8(bytes)
            .map_err(|_| format!("bad argument #{} to '{blamed}' (not UTF-8)", self.argument_number))
    }

    pub(super) fn next_optional_text(&mut self) -> Result<Option<String>, String> {
        match self.arguments.as_slice().first() {
            None | Some(Value::Nil) => {
                self.next_value();
                Ok(None)
            }
            Some(_) => self.next_text().map(Some),
        }
    }

    pub(super) fn next_table(&mut self) -> Option<Table> {
        match self.next_value() {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The next argument as JSON. `name` begins the path in an error.
    pub(super) fn next_json(&mut self, name: &str) -> Result<serde_json::Value, String> {
        let value = self.next_value();
        self.encode(&value, name)
    }

    /// The text of the next argument as JSON.
    pub(super) fn next_json_text(&mut self, name: &str) -> Result<String, String> {
        let value = self.next_value();
        json_conversion::to_json_text(self.lua, &value, name).map_err(|message| self.format_error(&message))
    }

    pub(super) fn encode(&self, value: &Value, name: &str) -> Result<serde_json::Value, String> {
        json_conversion::to_json(self.lua, value, name).map_err(|message| self.format_error(&message))
    }

    pub(super) fn decode(&self, value: &serde_json::Value) -> Result<Value, String> {
        json_conversion::from_json(self.lua, value).map_err(|message| self.format_error(&message))
    }

    pub(super) fn decode_payload(&self, payload: &Payload) -> Result<Value, String> {
        json_conversion::from_payload(self.lua, payload).map_err(|message| self.format_error(&message))
    }

    /// Prefixes a message with the function's name.
    pub(super) fn format_error(&self, message: &str) -> String {
        format!("{}: {message}", self.function.name)
    }

    pub(super) fn create_string(&self, text: &str) -> Result<Value, String> {
        self.lua.create_string(text).map(Value::String).map_err(|error| error_text(&error))
    }

    /// Sends a request to the host, and converts the answer to a Lua value.
    pub(super) fn request_value(&self, operation: &str, arguments: serde_json::Value) -> Result<Value, String> {
        self.decode_payload(&self.library.host.request(operation, arguments)?)
    }

    pub(super) fn notify(&self, operation: &str, arguments: serde_json::Value) -> Result<Value, String> {
        self.library.host.notify(operation, arguments).map(|()| Value::Nil)
    }
}
