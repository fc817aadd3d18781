//! Front matter in JSON, and the values that the host sends.
//!
//! Owns: the parser's options. They allow nothing that JSON does not.
//! Never: sees a text that is nested deeper than the limit: the parser and its result are recursive.

use std::collections::BTreeSet;

use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Entry, Form, duplicate};
use crate::error::ParseError;
use crate::limits::MAX_DEPTH;
use crate::value::Value;

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_trailing_commas: false,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses a block that is an object.
pub(super) fn parse(block: &str) -> Result<Vec<Entry>, ParseError> {
    let Ast::Object(object) = parse_ast(block)? else {
        return Err(ParseError::malformed(0, "the front matter is no object"));
    };
    let mut entries = Vec::new();
    for property in &object.properties {
        let written = property.value.range();
        let value = to_value(&property.value)?;
        let text = match &value {
            Value::Null | Value::List(_) | Value::Table(_) => None,
            Value::Text(text) => Some(text.clone()),
            Value::Bool(_) | Value::Number(_) => block.get(written.start..written.end).map(str::to_owned),
        };
        let key = property.name.range();
        entries.push(Entry {
            name: property.name.as_str().to_owned(),
            value,
            text,
            key: key.start..key.end,
            written: written.start..written.end,
            form: Form::Inline,
        });
    }
    check_names(&object)?;
    Ok(entries)
}

/// Parses a value of the host.
pub(crate) fn parse_value(json: &str) -> Result<Value, ParseError> {
    to_value(&parse_ast(json)?)
}

fn parse_ast(text: &str) -> Result<Ast<'_>, ParseError> {
    check(text)?;
    let parsed = parse_to_ast(text, &CollectOptions::default(), &OPTIONS)
        .map_err(|error| ParseError::malformed(error.range().start, format!("not JSON: {}", error.kind())))?;
    parsed.value.ok_or_else(|| ParseError::malformed(0, "not JSON: there is no value"))
}

/// Checks the depth, and that no text has a control character: the parser accepts those, other readers of JSON do not.
fn check(text: &str) -> Result<(), ParseError> {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            0..0x20 if in_string => {
                return Err(ParseError::malformed(
                    at,
                    "not JSON: a control character in a text: write `\\n` for a line break",
                ));
            }
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(ParseError::TooDeep { at });
        }
    }
    Ok(())
}

fn to_value(ast: &Ast<'_>) -> Result<Value, ParseError> {
    Ok(match ast {
        Ast::NullKeyword(_) => Value::Null,
        Ast::BooleanLit(flag) => Value::Bool(flag.value),
        Ast::NumberLit(number) => Value::number(number.value),
        Ast::StringLit(text) => Value::Text(text.value.clone().into_owned()),
        Ast::Array(array) => Value::List(array.elements.iter().map(to_value).collect::<Result<_, _>>()?),
        Ast::Object(object) => {
            check_names(object)?;
            let field = |property: &jsonc_parser::ast::ObjectProp<'_>| {
                Ok((property.name.as_str().to_owned(), to_value(&property.value)?))
            };
            Value::Table(object.properties.iter().map(field).collect::<Result<_, ParseError>>()?)
        }
    })
}

fn check_names(object: &Object<'_>) -> Result<(), ParseError> {
    let mut names = BTreeSet::new();
    let again = object.properties.iter().find(|property| !names.insert(property.name.as_str()));
    again.map_or(Ok(()), |property| Err(duplicate(property.name.range().start, property.name.as_str())))
}
