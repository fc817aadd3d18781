//! A parsed JSON file, with or without comments, and the positions of its parts.
//!
//! Never: changes anything.

use std::collections::HashSet;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::de::IgnoredAny;

use crate::agent::{ConfigFormat, EntryShape};
use crate::entry::{EntryFieldValue, InstalledEntry, OTHER_ELEMENT};
use crate::error::EditError;
use crate::text::{TextStyle, indent_of, is_blank, line_number};
use wardroom_base::limits::MAX_JSON_DEPTH;

/// A parsed file.
pub(super) struct JsonDocument<'a> {
    pub(super) text: &'a str,
    pub(super) eol: &'static str,
    pub(super) root: Option<Object<'a>>,
    pub(super) tokens: Vec<TokenAndRange<'a>>,
}

/// Parses `text`, which replaces the `written` one for the parser: see [`super::surrogates`].
pub(super) fn parse<'a>(
    written: &str,
    text: &'a str,
    style: TextStyle,
    format: ConfigFormat,
) -> Result<JsonDocument<'a>, EditError> {
    let comments = matches!(format, ConfigFormat::Jsonc | ConfigFormat::JsonWithComments);
    let options = ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: format == ConfigFormat::Jsonc,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let parsed = parse_to_ast(text, &collect, &options)
        .map_err(|error| EditError::Malformed { line: error.line_display(), reason: error.kind().to_string() })?;
    let tokens = parsed.tokens.unwrap_or_default();
    if let Some(comment) = tokens.iter().find(|token| !comments && is_comment(token)) {
        let reason = "a comment, which the program of this file does not accept".to_owned();
        return Err(EditError::Malformed { line: line_number(text, comment.range.start), reason });
    }
    check_depth(text, &tokens)?;
    if !comments && parsed.value.is_some() {
        // The agent accepts standard JSON only.
        serde_json::from_str::<IgnoredAny>(text)
            .map_err(|error| EditError::Malformed { line: error.line(), reason: error.to_string() })?;
    }
    let root = match parsed.value {
        None => None,
        Some(Value::Object(object)) => Some(object),
        Some(other) => {
            let line = line_number(text, other.start());
            return Err(EditError::Malformed { line, reason: "the file is not a JSON object".to_owned() });
        }
    };
    if let Some(root) = &root {
        check_duplicate_keys(written, text, root)?;
    }
    Ok(JsonDocument { text, eol: style.eol, root, tokens })
}

fn check_depth(text: &str, tokens: &[TokenAndRange<'_>]) -> Result<(), EditError> {
    let mut depth = 0_usize;
    for token in tokens {
        match token.token {
            Token::OpenBrace | Token::OpenBracket => depth += 1,
            Token::CloseBrace | Token::CloseBracket => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_JSON_DEPTH {
            let reason = format!("nested deeper than {MAX_JSON_DEPTH} levels");
            return Err(EditError::Malformed { line: line_number(text, token.range.start), reason });
        }
    }
    Ok(())
}

/// Rejects duplicate keys, because which of them the agent uses is unknown.
fn check_duplicate_keys(written: &str, text: &str, root: &Object<'_>) -> Result<(), EditError> {
    let mut objects = vec![root];
    while let Some(object) = objects.pop() {
        let mut keys = HashSet::new();
        for property in &object.properties {
            let key = property.name.as_str();
            if !keys.insert(key) {
                let (line, range) = (line_number(text, property.range.start), property.name.range());
                if range.text(text) == range.text(written) {
                    return Err(EditError::DuplicateKey { line, key: key.to_owned() });
                }
                let reason = "a key with an unpaired surrogate occurs twice".to_owned();
                return Err(EditError::Malformed { line, reason });
            }
            let mut values = vec![&property.value];
            while let Some(value) = values.pop() {
                match value {
                    Value::Object(object) => objects.push(object),
                    Value::Array(array) => values.extend(&array.elements),
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

pub(super) fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

pub(super) fn find_property<'d, 'a>(object: &'d Object<'a>, key: &str) -> Option<&'d ObjectProp<'a>> {
    object.properties.iter().find(|property| property.name.as_str() == key)
}

pub(super) fn expect_object<'d, 'a>(
    document: &JsonDocument<'a>,
    property: &'d ObjectProp<'a>,
) -> Result<&'d Object<'a>, EditError> {
    property.value.as_object().ok_or_else(|| EditError::UnexpectedType {
        line: document.line_number(property.range.start),
        key: property.name.as_str().to_owned(),
        expected: "an object",
    })
}

pub(super) fn field_value(value: &Value<'_>) -> Option<EntryFieldValue> {
    match value {
        Value::StringLit(text) => Some(EntryFieldValue::Text(text.value.clone().into_owned())),
        Value::BooleanLit(flag) => Some(EntryFieldValue::Flag(flag.value)),
        Value::Array(array) => {
            let text = |value: &Value<'_>| {
                value.as_string_lit().map_or_else(|| OTHER_ELEMENT.to_owned(), |text| text.value.clone().into_owned())
            };
            Some(EntryFieldValue::List(array.elements.iter().map(text).collect()))
        }
        Value::NumberLit(_) | Value::Object(_) | Value::NullKeyword(_) => None,
    }
}

/// Returns the object of an entry that holds the launch command.
pub(super) fn launch_object<'o, 'a>(entry: &'o Object<'a>, shape: EntryShape) -> &'o Object<'a> {
    let within =
        if shape == EntryShape::Cline && entry.get("command").is_none() { entry.get_object("transport") } else { None };
    within.unwrap_or(entry)
}

pub(super) fn parse_entry(entry: &Object<'_>, shape: EntryShape) -> Option<InstalledEntry> {
    let holder = launch_object(entry, shape);
    let field =
        |key: &str| holder.get(key).or_else(|| entry.get(key)).and_then(|property| field_value(&property.value));
    let set = holder.get_object(shape.environment_key()).into_iter().flat_map(|set| &set.properties);
    let variable = |property: &ObjectProp<'_>| {
        let value = property.value.as_string_lit()?.value.clone().into_owned();
        Some((property.name.as_str().to_owned(), value))
    };
    shape.parse_entry(field, set.filter_map(variable).collect())
}

impl JsonDocument<'_> {
    pub(super) fn line_number(&self, position: usize) -> usize {
        line_number(self.text, position)
    }

    pub(super) fn foreign_entry_error(&self, property: &ObjectProp<'_>, found: Option<InstalledEntry>) -> EditError {
        let (line, name) = (self.line_number(property.range.start), property.name.as_str().to_owned());
        match found {
            Some(found) => EditError::ForeignEntry { line, name, command: found.launch.command },
            None => EditError::NoCommand { line, name },
        }
    }

    /// Whether the file is on one line, as programs write it for themselves.
    pub(super) fn is_compact(&self) -> bool {
        self.root.as_ref().is_some_and(|root| !root.properties.is_empty() && !root.range.text(self.text).contains('\n'))
    }

    /// Returns the indentation of one level: that of the root's first line.
    pub(super) fn indent_unit(&self) -> &str {
        let first = self.root.as_ref().and_then(|root| root.properties.first());
        let unit = first.map(|first| indent_of(self.text, first.range.start)).unwrap_or_default();
        if unit.is_empty() { "  " } else { unit }
    }

    pub(super) fn find_comma(&self, from: usize, to: usize) -> Option<&TokenAndRange<'_>> {
        self.tokens
            .iter()
            .find(|token| token.token == Token::Comma && token.range.start >= from && token.range.end <= to)
    }

    /// Returns the comments that begin in a range.
    pub(super) fn comments_between(&self, from: usize, to: usize) -> Vec<&TokenAndRange<'_>> {
        let within =
            |token: &&TokenAndRange<'_>| is_comment(token) && token.range.start >= from && token.range.start < to;
        self.tokens.iter().filter(within).collect()
    }

    /// Returns the end of the comments that follow a position with only blanks in between.
    pub(super) fn trailing_comments_end(&self, after: usize, end: usize) -> usize {
        let mut behind = after;
        for comment in self.comments_between(after, end) {
            if !is_blank(self.text, behind, comment.range.start) {
                break;
            }
            behind = comment.range.end;
        }
        behind
    }
}
