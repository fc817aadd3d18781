//! The form of a file of tests.
//!
//! Owns: its keys, and when what came is what was expected.
//! Never: runs anything.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::cli::run::WrittenAnswer;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TestFile {
    #[serde(default)]
    pub(super) test: Vec<WrittenTest>,
}

/// A test: what is run, what its questions are answered, and what must come.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTest {
    pub(super) name: String,
    pub(super) strategy: Option<String>,
    pub(super) scenario: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) task: Option<String>,
    /// Fields of `ctx` beside the task.
    #[serde(default)]
    pub(super) ctx: Map<String, Value>,
    /// The arguments of a tool.
    #[serde(default)]
    pub(super) arguments: Map<String, Value>,
    #[serde(default)]
    pub(super) answers: Vec<WrittenAnswer>,
    /// By the path of a value in the result.
    #[serde(default)]
    pub(super) expect: BTreeMap<String, Expected>,
    /// A part of the message with which it must fail.
    pub(super) error: Option<String>,
}

/// What a value must be.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Expected {
    Containing(Containing),
    Equal(Value),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Containing {
    contains: String,
}

impl TestFile {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// The line, and what is wrong there.
    pub(super) fn parse(text: &str) -> Result<Self, (usize, String)> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            let line = 1 + text.bytes().take(start).filter(|byte| *byte == b'\n').count();
            (line, error.message().to_owned())
        })
    }
}

impl WrittenTest {
    /// Checks what came: the result, or why there is none.
    ///
    /// # Errors
    /// What is not as it was expected.
    pub(super) fn check(&self, came: &Result<Value, String>) -> Result<(), String> {
        match (came, &self.error) {
            (Ok(result), None) => self.check_result(result),
            (Ok(_), Some(expected)) => Err(format!("it did not fail with \"{expected}\"")),
            (Err(message), Some(expected)) if message.contains(expected) => Ok(()),
            (Err(message), Some(expected)) => Err(format!("it failed with \"{message}\", not with \"{expected}\"")),
            (Err(message), None) => Err(format!("it failed: {message}")),
        }
    }

    fn check_result(&self, result: &Value) -> Result<(), String> {
        for (path, expected) in &self.expect {
            let value = value_at(result, path);
            if !value.is_some_and(|value| expected.is_met_by(value)) {
                let is = value.map_or_else(|| "missing".to_owned(), Value::to_string);
                return Err(format!("{path} is {is}, expected {}", expected.describe()));
            }
        }
        Ok(())
    }
}

/// Returns the value at a path such as `answer` or `results.0.score`.
fn value_at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}

impl Expected {
    fn is_met_by(&self, value: &Value) -> bool {
        match self {
            Self::Containing(Containing { contains }) => value.as_str().is_some_and(|text| text.contains(contains)),
            // A whole number and the same one with a fraction are equal.
            Self::Equal(expected) => value == expected || value.as_f64().is_some_and(|n| expected.as_f64() == Some(n)),
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Containing(Containing { contains }) => format!("a text with \"{contains}\""),
            Self::Equal(expected) => expected.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn test(text: &str) -> WrittenTest {
        TestFile::parse(&format!("[[test]]\nname = \"t\"\n{text}")).unwrap().test.remove(0)
    }

    #[test]
    fn result_is_checked_by_paths() {
        let test = test("expect = { \"a.0.b\" = 1, c = { contains = \"el\" } }");
        assert_eq!(test.check(&Ok(json!({"a": [{"b": 1.0}], "c": "hello"}))), Ok(()));
        let failed = test.check(&Ok(json!({"a": [{"b": 2}], "c": "hello"}))).unwrap_err();
        assert_eq!(failed, "a.0.b is 2, expected 1");
        assert_eq!(test.check(&Ok(json!({"c": 1}))).unwrap_err(), "a.0.b is missing, expected 1");
        assert_eq!(test.check(&Err("no".into())).unwrap_err(), "it failed: no");
    }

    #[test]
    fn expected_failure_is_a_success() {
        let test = test("error = \"no task\"");
        assert_eq!(test.check(&Err("run: no task given".into())), Ok(()));
        assert!(test.check(&Err("other".into())).is_err() && test.check(&Ok(json!({}))).is_err());
    }

    #[test]
    fn unknown_key_is_an_error_with_its_line() {
        assert_eq!(TestFile::parse("[[test]]\nname = \"t\"\nanswer = 1\n").unwrap_err().0, 3);
    }
}
