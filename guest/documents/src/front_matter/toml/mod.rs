//! Front matter in TOML.
//!
//! Owns: which top-level fields are written in one place. Dates and times stay text, as they are written; so do `inf` and
//! `nan`, which JSON lacks.
//! Never: builds a document before its nesting is checked.

mod nesting;

use toml_edit::{Document, Item, Value as Toml};

use super::{Entry, Form};
use crate::error::ParseError;
use crate::limits::MAX_DEPTH;
use crate::value::Value;

pub(crate) use nesting::first_header;

/// Parses a block. Duplicate names are errors of TOML itself.
pub(super) fn parse(block: &str) -> Result<Vec<Entry>, ParseError> {
    nesting::check(block)?;
    let document = Document::parse(block).map_err(|error| {
        let message: String = error.message().lines().collect::<Vec<_>>().join(", ").chars().take(200).collect();
        ParseError::malformed(error.span().map_or(0, |span| span.start), format!("not TOML: {message}"))
    })?;
    let table = document.as_table();
    let mut entries = Vec::new();
    for (name, item) in table {
        let key = table.key(name).and_then(toml_edit::Key::span).unwrap_or_default();
        let written = item.span().unwrap_or(key.clone());
        let (text, form) = match item {
            Item::Value(value) if !is_dotted(value) => (scalar_text(block, value), Form::Inline),
            _ => (None, Form::Scattered),
        };
        entries.push(Entry { name: name.to_owned(), value: item_value(block, item, 1)?, text, key, written, form });
    }
    entries.sort_by_key(|entry| entry.key.start);
    Ok(entries)
}

fn is_dotted(value: &Toml) -> bool {
    value.as_inline_table().is_some_and(toml_edit::InlineTable::is_dotted)
}

fn scalar_text(block: &str, value: &Toml) -> Option<String> {
    match value {
        Toml::Array(_) | Toml::InlineTable(_) => None,
        Toml::String(text) => Some(text.value().clone()),
        _ => Some(block.get(value.span()?)?.to_owned()),
    }
}

fn item_value(block: &str, item: &Item, depth: usize) -> Result<Value, ParseError> {
    Ok(match item {
        Item::None => Value::Null,
        Item::Value(value) => to_value(block, value, depth)?,
        Item::Table(table) => {
            check_depth(depth, table.span())?;
            let field = |(name, item): (&str, &Item)| Ok((name.to_owned(), item_value(block, item, depth + 1)?));
            Value::Table(table.iter().map(field).collect::<Result<_, ParseError>>()?)
        }
        Item::ArrayOfTables(tables) => {
            check_depth(depth, tables.span())?;
            let mut items = Vec::new();
            for table in tables {
                check_depth(depth + 1, table.span())?;
                let field = |(name, item): (&str, &Item)| Ok((name.to_owned(), item_value(block, item, depth + 2)?));
                items.push(Value::Table(table.iter().map(field).collect::<Result<_, ParseError>>()?));
            }
            Value::List(items)
        }
    })
}

fn to_value(block: &str, value: &Toml, depth: usize) -> Result<Value, ParseError> {
    Ok(match value {
        Toml::String(text) => Value::Text(text.value().clone()),
        Toml::Integer(number) => Value::Number(number.value().to_string()),
        Toml::Boolean(flag) => Value::Bool(*flag.value()),
        Toml::Float(number) => {
            let written = value.span().and_then(|span| block.get(span)).unwrap_or_default().replace('_', "");
            if number.value().is_finite() { Value::number(&written) } else { Value::Text(written) }
        }
        Toml::Datetime(time) => {
            let written = value.span().and_then(|span| block.get(span));
            Value::Text(written.map_or_else(|| time.value().to_string(), str::to_owned))
        }
        Toml::Array(items) => {
            check_depth(depth, items.span())?;
            Value::List(items.iter().map(|item| to_value(block, item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Toml::InlineTable(table) => {
            check_depth(depth, table.span())?;
            let field = |(name, value): (&str, &Toml)| Ok((name.to_owned(), to_value(block, value, depth + 1)?));
            Value::Table(table.iter().map(field).collect::<Result<_, ParseError>>()?)
        }
    })
}

fn check_depth(depth: usize, span: Option<std::ops::Range<usize>>) -> Result<(), ParseError> {
    if depth < MAX_DEPTH { Ok(()) } else { Err(ParseError::TooDeep { at: span.map_or(0, |span| span.start) }) }
}
