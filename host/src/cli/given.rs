//! What a person gives a command after its name: NAME=VALUE, and files that hold a value.
//!
//! Owns: what is a name, and how a value is written: JSON, a text, or `@FILE` for the text of a file.
//! Never: guesses: what is neither is an error or, where a command takes one, its task.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde_json::{Map, Value};

use crate::limits::MAX_ARGUMENT_FILE_BYTES;
use crate::report::{self, CommandError};

/// Arguments after the name of what is run or called.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// The only argument that is no field.
    pub(super) task: Option<String>,
    pub(super) fields: Map<String, Value>,
}

impl Given {
    /// Splits arguments into a task and fields.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, CommandError> {
        Self::parse_with(arguments, |_| false)
    }

    /// As [`Self::parse`], where the fields for which `is_text` holds are texts, whatever they look like: `zip=01234`.
    pub(super) fn parse_with(arguments: &[String], is_text: impl Fn(&str) -> bool) -> Result<Self, CommandError> {
        let mut given = Self::default();
        for argument in arguments {
            match argument.split_once('=').filter(|(name, _)| is_field_name(name)) {
                Some((name, value)) => {
                    let value = parse_value(value, is_text(name))?;
                    if given.fields.insert(name.to_owned(), value).is_some() {
                        return Err(given_twice(name));
                    }
                }
                None if given.task.is_none() => given.task = Some(argument.clone()),
                None => {
                    let what = format!("'{}' is a second task", report::escape_name(argument));
                    return Err(CommandError::new(what, "write a task in quotes, and fields as NAME=VALUE"));
                }
            }
        }
        Ok(given)
    }

    /// Returns the fields alone; `why` says why there is no task.
    pub(super) fn into_fields(self, why: &str) -> Result<Map<String, Value>, CommandError> {
        let Some(task) = self.task else { return Ok(self.fields) };
        let what = format!("'{}' is no field: {why}", report::escape_name(&task));
        Err(CommandError::new(what, "write NAME=VALUE, where a value is JSON, a text, or @FILE"))
    }
}

fn is_field_name(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit())
}

/// The error for a field that has two values: none of them is dropped silently.
pub(super) fn given_twice(name: &str) -> CommandError {
    CommandError::new(format!("{name} is given twice"), "leave out one of its values")
}

/// Returns a task as it was written, or the text of `@FILE`.
pub(super) fn read_task(task: String) -> Result<String, CommandError> {
    match task.strip_prefix('@') {
        Some(path) => read_value_file(path),
        None => Ok(task),
    }
}

/// Reads the value of a field: JSON, the text of a file, or a text. Where only a text can be meant, JSON is one too, unless
/// it is a text in quotes or null.
fn parse_value(text: &str, is_text: bool) -> Result<Value, CommandError> {
    if let Some(path) = text.strip_prefix('@') {
        return read_value_file(path).map(Value::from);
    }
    let value: Option<Value> = serde_json::from_str(text).ok();
    Ok(value.filter(|value| !is_text || value.is_string() || value.is_null()).unwrap_or_else(|| text.into()))
}

/// Reads a file that an argument names, with the rights of the person.
pub(super) fn read_argument_file(path: &Path) -> Result<String, CommandError> {
    read_file(path, "check the path, and that you may read the file")
}

/// Reads the file of `@FILE`.
fn read_value_file(path: &str) -> Result<String, CommandError> {
    read_file(
        Path::new(path),
        "check the path; write a text that begins with @ as NAME='\"@…\"', such as task='\"@…\"'",
    )
}

fn read_file(path: &Path, hint: &str) -> Result<String, CommandError> {
    let name = path.display().to_string();
    #[expect(clippy::disallowed_methods, reason = "a file that the person named")]
    let file =
        File::open(path).map_err(|error| CommandError::with_cause(format!("cannot read {name}"), error, hint))?;
    read_bounded(file, &name, hint)
}

/// Reads all of standard input.
pub(super) fn read_stdin() -> Result<String, CommandError> {
    read_bounded(io::stdin().lock(), "standard input", "pipe a text into it")
}

/// Reads a text that is not too long.
fn read_bounded(input: impl io::Read, name: &str, hint: &str) -> Result<String, CommandError> {
    let mut text = String::new();
    let read = input.take(MAX_ARGUMENT_FILE_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| CommandError::with_cause(format!("cannot read {name}"), error, hint))?;
    if text.len() as u64 > MAX_ARGUMENT_FILE_BYTES {
        let what = format!("{name} is longer than {MAX_ARGUMENT_FILE_BYTES} bytes");
        return Err(CommandError::new(what, "give a shorter text"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(arguments: &[&str]) -> Result<Given, CommandError> {
        Given::parse(&arguments.iter().map(|argument| (*argument).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn values_are_json_or_texts_and_one_argument_is_the_task() {
        let given = parse(&["what is 2=2", "n=3", "list=[1]", "name=Ada", "quoted=\"3\"", "empty="]).ok().unwrap();
        assert_eq!(given.task.as_deref(), Some("what is 2=2"));
        let expected = json!({"n": 3, "list": [1], "name": "Ada", "quoted": "3", "empty": ""});
        assert_eq!(Value::from(given.fields), expected);
        assert!(parse(&["one", "two"]).is_err());
        assert!(parse(&["one"]).ok().unwrap().into_fields("there is none").is_err());
    }

    #[test]
    fn field_that_is_a_text_is_no_number() {
        let arguments = ["zip=01234", "n=01", "code=12345", "quoted=\"3\"", "list=[1]"].map(str::to_owned);
        let given = Given::parse_with(&arguments, |name| name != "n" && name != "list").ok().unwrap();
        let expected = json!({"zip": "01234", "n": "01", "code": "12345", "quoted": "3", "list": [1]});
        assert_eq!(Value::from(given.fields), expected);
    }
}
