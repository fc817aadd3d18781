//! YAML from users, as a tree in which every node has its line.
//!
//! Owns: the bounds on size, depth and the expansion of aliases; a duplicate key is an error.
//! Never: interprets keys.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{
    Budget, DuplicateKeyPolicy, Error, MergeKeyPolicy, NonFiniteFloatPolicy, Options, Spanned, from_str_with_options,
};

use crate::limits::{MAX_YAML_BYTES, MAX_YAML_DEPTH, MAX_YAML_NODES};
use wardroom_base::payload::escape_and_truncate;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct YamlNode {
    pub(super) line: u64,
    pub(super) value: YamlValue,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum YamlValue {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<YamlNode>),
    Map(Vec<(YamlKey, YamlNode)>),
    /// An invalid value, with the reason. It invalidates what contains it and nothing beside that.
    Invalid(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct YamlKey {
    pub(super) line: u64,
    pub(super) name: String,
}

/// A syntax error and its line.
#[derive(Debug)]
pub(super) struct YamlError {
    pub(super) line: u64,
    pub(super) message: String,
}

/// Parses one document.
pub(super) fn parse(text: &str) -> Result<YamlNode, YamlError> {
    let node: Spanned<YamlValue> =
        from_str_with_options(text, parser_options()).map_err(|error| to_yaml_error(&error))?;
    Ok(to_node(node))
}

fn parser_options() -> Options {
    let mut budget = Budget::default();
    budget.max_reader_input_bytes = Some(MAX_YAML_BYTES);
    budget.max_depth = MAX_YAML_DEPTH;
    budget.flow_nesting_limit = MAX_YAML_DEPTH;
    budget.max_documents = 1;
    budget.max_nodes = MAX_YAML_NODES;
    budget.max_events = MAX_YAML_NODES * 3;
    budget.max_total_scalar_bytes = MAX_YAML_BYTES;
    let mut options = Options::default();
    options.budget = Some(budget);
    // These are checked here, so that they invalidate only their entry.
    options.duplicate_keys = DuplicateKeyPolicy::PassThrough;
    options.non_finite_float_policy = NonFiniteFloatPolicy::PassThrough;
    options.merge_keys = MergeKeyPolicy::Merge;
    options.alias_limits.max_total_replayed_events = MAX_YAML_NODES;
    // As in YAML 1.2, `yes` and `on` are texts.
    options.strict_booleans = true;
    options
}

fn to_yaml_error(error: &Error) -> YamlError {
    let error = error.without_snippet();
    let line = error.location().map_or(0, |location| location.line());
    let text = error.to_string();
    // The location is a field of its own, and settings for programmers mean nothing to the author of the text.
    let text = text.split(" at line ").next().unwrap_or_default().split(", set ").next().unwrap_or_default();
    let message: String = text.lines().next().unwrap_or_default().chars().take(200).collect();
    YamlError { line, message }
}

fn to_node(spanned: Spanned<YamlValue>) -> YamlNode {
    YamlNode { line: spanned.referenced.line(), value: spanned.value }
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = YamlValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_none<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<YamlValue, D::Error> {
        YamlValue::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlValue, E> {
        Ok(YamlValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<YamlValue, E> {
        Ok(YamlValue::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<YamlValue, E> {
        Ok(YamlValue::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<YamlValue, E> {
        let number = Number::from_f64(value).map(YamlValue::Number);
        Ok(number.unwrap_or_else(|| YamlValue::Invalid(format!("{value} is not a number of JSON"))))
    }

    fn visit_str<E>(self, value: &str) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<YamlValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Spanned<YamlValue>>()? {
            list.push(to_node(item));
        }
        Ok(YamlValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<YamlValue, A::Error> {
        let (mut map, mut names) = (Vec::<(YamlKey, YamlNode)>::new(), HashSet::new());
        while let Some(key) = entries.next_key::<Spanned<YamlValue>>()? {
            let line = key.referenced.line();
            let mut node = to_node(entries.next_value()?);
            let name = match key.value {
                YamlValue::Text(name) => name,
                YamlValue::Number(number) => number.to_string(),
                YamlValue::Bool(value) => value.to_string(),
                YamlValue::Null | YamlValue::List(_) | YamlValue::Map(_) | YamlValue::Invalid(_) => {
                    node = YamlNode { line, value: YamlValue::Invalid("a key must be text".to_owned()) };
                    String::new()
                }
            };
            if !names.insert(name.clone()) && !name.is_empty() {
                node = YamlNode {
                    line,
                    value: YamlValue::Invalid(format!("the key {} occurs twice", escape_and_truncate(&name))),
                };
            }
            map.push((YamlKey { line, name }, node));
        }
        Ok(YamlValue::Map(map))
    }
}

impl YamlNode {
    pub(super) fn to_json(&self) -> Value {
        match &self.value {
            YamlValue::Null | YamlValue::Invalid(_) => Value::Null,
            YamlValue::Bool(value) => (*value).into(),
            YamlValue::Number(number) => number.clone().into(),
            YamlValue::Text(text) => text.clone().into(),
            YamlValue::List(items) => items.iter().map(Self::to_json).collect(),
            YamlValue::Map(fields) => Value::Object(
                fields.iter().map(|(key, node)| (key.name.clone(), node.to_json())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// Counts the node and all values in it.
    pub(super) fn count_values(&self) -> usize {
        let within: usize = match &self.value {
            YamlValue::List(items) => items.iter().map(Self::count_values).sum(),
            YamlValue::Map(fields) => fields.iter().map(|(_, node)| node.count_values()).sum(),
            YamlValue::Null
            | YamlValue::Bool(_)
            | YamlValue::Number(_)
            | YamlValue::Text(_)
            | YamlValue::Invalid(_) => 0,
        };
        within + 1
    }

    /// Returns the line of the first invalid value, with the reason.
    pub(super) fn find_invalid(&self) -> Option<(u64, &str)> {
        match &self.value {
            YamlValue::Invalid(why) => Some((self.line, why)),
            YamlValue::List(items) => items.iter().find_map(Self::find_invalid),
            YamlValue::Map(fields) => fields.iter().find_map(|(_, node)| node.find_invalid()),
            YamlValue::Null | YamlValue::Bool(_) | YamlValue::Number(_) | YamlValue::Text(_) => None,
        }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.value {
            YamlValue::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_list(&self) -> Option<&[Self]> {
        match &self.value {
            YamlValue::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn as_map(&self) -> Option<&[(YamlKey, Self)]> {
        match &self.value {
            YamlValue::Map(fields) => Some(fields),
            _ => None,
        }
    }

    /// Returns the value of a key; `None` if the key is missing or the node is no map.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.as_map()?.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }
}
