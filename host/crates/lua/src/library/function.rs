//! How a function of the library is described, and how a call of it is checked.
//!
//! Owns: the description, from which the functions are registered and the type stubs are written; the check of arguments,
//! with the words of Lua's own library.
//! Never: knows a particular function.

use mlua::{Lua, Table, Value};

use super::Library;
use super::modules::Fault;
use crate::values::{self, type_name};
use wardroom_base::limits::MAX_FUNCTION_ARGUMENT;

/// One function that scripts see.
pub(super) struct Function {
    /// Its place from the global table on, such as `alc.state.get`.
    pub(super) name: &'static str,
    pub(super) doc: &'static str,
    /// Names of the types that it is generic over.
    pub(super) generic: &'static str,
    pub(super) params: &'static [Param],
    pub(super) returns: &'static [Return],
    pub(super) body: Body,
}

pub(super) struct Param {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Its type in the stubs.
    pub(super) shown: &'static str,
    pub(super) doc: &'static str,
    /// Whether it may be nil.
    pub(super) optional: bool,
}

pub(super) struct Return {
    /// Its type in the stubs.
    pub(super) shown: &'static str,
    /// A name, and what there is to say.
    pub(super) doc: &'static str,
}

/// What does the work.
#[derive(Clone, Copy)]
pub(super) enum Body {
    Rust(fn(&mut Call) -> Result<Value, String>),
    /// The function of the same name in `prelude.lua`.
    Prelude,
    /// The function of the same name in mlua-mathlib.
    Math,
    /// A package brings it: it is in the stubs only.
    Package,
    /// Of a handler's module: what goes wrong is a value.
    Module(fn(&mut Call) -> Result<Value, Fault>),
    Several(fn(&mut Call) -> Result<Vec<Value>, Fault>),
}

/// What an argument has to be. Numbers and strings are taken for each other, as Lua's own functions do.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Any,
    String,
    Number,
    Integer,
    /// An integer from 0 to this.
    UpTo(u64),
    /// A number above 0, and not so great that a series takes for ever.
    Positive,
    /// A number from 0 to 1.
    Share,
    Table,
    Function,
    /// What `alc.math.rng_create` returns.
    Rng,
}

pub(super) const fn param(name: &'static str, kind: Kind, shown: &'static str, doc: &'static str) -> Param {
    Param { name, kind, shown, doc, optional: false }
}

pub(super) const fn optional(name: &'static str, kind: Kind, shown: &'static str, doc: &'static str) -> Param {
    Param { name, kind, shown, doc, optional: true }
}

pub(super) const fn returns(shown: &'static str, doc: &'static str) -> Return {
    Return { shown, doc }
}

impl Function {
    /// Its name where it is blamed: without the global that everything lies in.
    fn blamed(&self) -> &'static str {
        self.name.strip_prefix("alc.").unwrap_or(self.name)
    }

    /// The name in its table.
    pub(super) fn last_name(&self) -> &'static str {
        self.name.rsplit(['.', ':']).next().unwrap_or(self.name)
    }

    /// Checks what a script passed; what is missing is nil, what is more is dropped.
    pub(super) fn check(&self, lua: &Lua, given: mlua::MultiValue) -> Result<Vec<Value>, String> {
        let mut given = given.into_iter();
        let check = |(at, param): (usize, &Param)| {
            let value = given.next();
            let got = value.as_ref().map_or("no value", type_name);
            let value = value.filter(|value| *value != Value::NULL || !param.optional).unwrap_or(Value::Nil);
            if param.optional && value == Value::Nil {
                return Ok(Value::Nil);
            }
            if matches!(param.kind, Kind::Any) && (got != "no value" || param.optional) {
                return Ok(value);
            }
            param.kind.admit(lua, value).map_err(|expected| {
                let (number, blamed) = (at + 1, self.blamed());
                match expected {
                    Expected::Kind(kind) => {
                        format!("bad argument #{number} to '{blamed}' ({kind} expected, got {got})")
                    }
                    Expected::Of(words) => format!("bad argument #{number} to '{blamed}' ({words})"),
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

enum Expected {
    Kind(&'static str),
    /// The right kind, but not what is wanted of it.
    Of(String),
}

impl Kind {
    fn admit(self, lua: &Lua, value: Value) -> Result<Value, Expected> {
        match (self, value) {
            (Self::Any, Value::Nil) => Err(Expected::Kind("value")),
            (Self::Any, value) => Ok(value),
            (Self::String, value @ Value::String(_)) => Ok(value),
            (Self::String, value @ (Value::Integer(_) | Value::Number(_))) => {
                let text = lua.coerce_string(value).ok().flatten();
                text.map(Value::String).ok_or(Expected::Kind("string"))
            }
            (Self::String, _) => Err(Expected::Kind("string")),
            (Self::Table, value @ Value::Table(_))
            | (Self::Function, value @ Value::Function(_))
            | (Self::Rng, value @ Value::UserData(_)) => Ok(value),
            // What can be called will do.
            (Self::Function, Value::Table(table)) if callable(&table) => Ok(Value::Table(table)),
            (Self::Table, _) => Err(Expected::Kind("table")),
            (Self::Function, _) => Err(Expected::Kind("function")),
            (Self::Rng, _) => Err(Expected::Kind("rng")),
            (Self::Number | Self::Positive | Self::Share, value) => self.number(number(lua, value)?),
            (Self::Integer, value) => integer(&number(lua, value)?).map(Value::Integer),
            (Self::UpTo(most), value) => {
                let whole = integer(&number(lua, value)?)?;
                let is_within = u64::try_from(whole).is_ok_and(|whole| whole <= most);
                let within = || Expected::Of(format!("expected 0 to {most}, got {whole}"));
                is_within.then_some(Value::Integer(whole)).ok_or_else(within)
            }
        }
    }

    fn number(self, value: Value) -> Result<Value, Expected> {
        let float = float(&value).unwrap_or(f64::NAN);
        let (is_good, wanted) = match self {
            Self::Positive => (float > 0.0 && float <= MAX_FUNCTION_ARGUMENT, "a number above 0, up to 1e12"),
            Self::Share => ((0.0..=1.0).contains(&float), "a number from 0 to 1"),
            _ => (true, "number"),
        };
        is_good.then_some(value).ok_or_else(|| Expected::Of(format!("expected {wanted}, got {float}")))
    }
}

fn callable(table: &Table) -> bool {
    table.metatable().is_some_and(|meta| matches!(meta.raw_get("__call"), Ok(Value::Function(_))))
}

fn number(lua: &Lua, value: Value) -> Result<Value, Expected> {
    match value {
        Value::Integer(_) | Value::Number(_) => Ok(value),
        Value::String(_) => {
            let integer = lua.coerce_integer(value.clone()).ok().flatten().map(Value::Integer);
            let number = integer.or_else(|| lua.coerce_number(value).ok().flatten().map(Value::Number));
            number.ok_or(Expected::Kind("number"))
        }
        _ => Err(Expected::Kind("number")),
    }
}

fn integer(value: &Value) -> Result<i64, Expected> {
    whole(value).ok_or_else(|| Expected::Of("number has no integer representation".to_owned()))
}

/// A number as a float.
pub(super) fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Number(value) => Some(*value),
        _ => None,
    }
}

/// An integer, or a float without a fraction.
pub(super) fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Integer(value) => Some(*value),
        // The bounds are powers of two, which floats hold exactly.
        Value::Number(value) if value.fract() == 0.0 && (-(2_f64.powi(63))..2_f64.powi(63)).contains(value) => {
            Some(*value as i64)
        }
        _ => None,
    }
}
/// One call whose arguments were checked: they are taken in their order.
pub(super) struct Call<'a> {
    pub(super) library: &'a Library,
    pub(super) lua: &'a Lua,
    pub(super) function: &'static Function,
    /// The object that a method was called on.
    pub(super) this: Option<Table>,
    arguments: std::vec::IntoIter<Value>,
    taken: usize,
}

impl<'a> Call<'a> {
    pub(super) fn new(
        library: &'a Library,
        lua: &'a Lua,
        function: &'static Function,
        arguments: mlua::MultiValue,
    ) -> Result<Self, String> {
        let arguments = function.check(lua, arguments)?.into_iter();
        Ok(Self { library, lua, function, this: None, arguments, taken: 0 })
    }

    pub(super) fn value(&mut self) -> Value {
        self.taken += 1;
        self.arguments.next().unwrap_or(Value::Nil)
    }

    pub(super) fn rest(&mut self) -> mlua::MultiValue {
        self.arguments.by_ref().collect()
    }

    /// A string's bytes; of nothing, none.
    pub(super) fn bytes(&mut self) -> Vec<u8> {
        self.value().as_string().map(|text| text.as_bytes().to_vec()).unwrap_or_default()
    }

    pub(super) fn text(&mut self) -> Result<String, String> {
        let bytes = self.bytes();
        let blamed = self.function.blamed();
        String::from_utf8(bytes).map_err(|_| format!("bad argument #{} to '{blamed}' (not UTF-8)", self.taken))
    }

    pub(super) fn text_or_none(&mut self) -> Result<Option<String>, String> {
        match self.arguments.as_slice().first() {
            None | Some(Value::Nil) => {
                self.value();
                Ok(None)
            }
            Some(_) => self.text().map(Some),
        }
    }

    pub(super) fn table(&mut self) -> Option<Table> {
        match self.value() {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// An argument as JSON; `name` is how its path begins in an error.
    pub(super) fn json(&mut self, name: &str) -> Result<serde_json::Value, String> {
        let value = self.value();
        self.encode(&value, name)
    }

    pub(super) fn encode(&self, value: &Value, name: &str) -> Result<serde_json::Value, String> {
        values::to_json(self.lua, value, name).map_err(|message| self.blame(&message))
    }

    pub(super) fn decode(&self, value: &serde_json::Value) -> Result<Value, String> {
        values::from_json(self.lua, value).map_err(|message| self.blame(&message))
    }

    /// A sentence with the function's name before it.
    pub(super) fn blame(&self, message: &str) -> String {
        format!("{}: {message}", self.function.name)
    }

    pub(super) fn string(&self, text: &str) -> Result<Value, String> {
        self.lua.create_string(text).map(Value::String).map_err(|error| words(&error))
    }

    /// Asks the host; its answer as Lua sees it.
    pub(super) fn ask(&self, operation: &str, arguments: serde_json::Value) -> Result<Value, String> {
        self.decode(&self.library.host.ask(operation, arguments)?)
    }

    pub(super) fn post(&self, operation: &str, arguments: serde_json::Value) -> Result<Value, String> {
        self.library.host.post(operation, arguments).map(|()| Value::Nil)
    }
}

/// What an error of mlua says to a script: the innermost reason, without Rust's types.
pub(super) fn words(error: &mlua::Error) -> String {
    match error {
        mlua::Error::RuntimeError(message) | mlua::Error::SyntaxError { message, .. } => message.clone(),
        mlua::Error::MemoryError(_) => "not enough memory".to_owned(),
        mlua::Error::CallbackError { cause, .. } | mlua::Error::WithContext { cause, .. } => words(cause),
        mlua::Error::BadArgument { pos, cause, .. } => format!("argument #{pos}: {}", words(cause)),
        mlua::Error::FromLuaConversionError { from, message, .. } => match message {
            Some(message) => format!("unfit {from} ({message})"),
            None => format!("unfit {from}"),
        },
        other => other.to_string(),
    }
}
