//! YAML that others wrote, as a tree in which everything knows its line.
//!
//! Owns: the bounds on size, depth and what aliases grow into; keys that stand twice are an error.
//! Never: knows what the keys mean.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{
    Budget, DuplicateKeyPolicy, Error, MergeKeyPolicy, NonFiniteFloatPolicy, Options, Spanned, from_str_with_options,
};

use wardroom_base::limits::{MAX_YAML_BYTES, MAX_YAML_DEPTH, MAX_YAML_NODES};
use wardroom_base::payload::shown;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) line: u64,
    pub(super) tree: Tree,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
    /// What cannot be, and why. It spoils what it is in and nothing beside that.
    Wrong(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) line: u64,
    pub(super) name: String,
}

/// What is wrong with a text, and where.
#[derive(Debug)]
pub(super) struct Malformed {
    pub(super) line: u64,
    pub(super) message: String,
}

/// Reads one document.
pub(super) fn parse(text: &str) -> Result<Node, Malformed> {
    let node: Spanned<Tree> = from_str_with_options(text, options()).map_err(|error| malformed(&error))?;
    Ok(placed(node))
}

fn options() -> Options {
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
    // Looked at here, so that they spoil no more than their entry.
    options.duplicate_keys = DuplicateKeyPolicy::PassThrough;
    options.non_finite_float_policy = NonFiniteFloatPolicy::PassThrough;
    options.merge_keys = MergeKeyPolicy::Merge;
    options.alias_limits.max_total_replayed_events = MAX_YAML_NODES;
    // As YAML 1.2 has it: `yes` and `on` are words.
    options.strict_booleans = true;
    options
}

fn malformed(error: &Error) -> Malformed {
    let error = error.without_snippet();
    let line = error.location().map_or(0, |location| location.line());
    let said = error.to_string();
    // Its place is beside it, and what a programmer could set is not for whoever wrote the text.
    let said = said.split(" at line ").next().unwrap_or_default().split(", set ").next().unwrap_or_default();
    let message: String = said.lines().next().unwrap_or_default().chars().take(200).collect();
    Malformed { line, message }
}

fn placed(spanned: Spanned<Tree>) -> Node {
    Node { line: spanned.referenced.line(), tree: spanned.value }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OfTree)
    }
}

struct OfTree;

impl<'de> Visitor<'de> for OfTree {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        Tree::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        let number = Number::from_f64(value).map(Tree::Number);
        Ok(number.unwrap_or_else(|| Tree::Wrong(format!("{value} is a number that JSON has not"))))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Tree, E> {
        Ok(Tree::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<Spanned<Tree>>()? {
            list.push(placed(item));
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let (mut map, mut names) = (Vec::<(Key, Node)>::new(), HashSet::new());
        while let Some(key) = entries.next_key::<Spanned<Tree>>()? {
            let line = key.referenced.line();
            let mut node = placed(entries.next_value()?);
            let name = match key.value {
                Tree::Text(name) => name,
                Tree::Number(number) => number.to_string(),
                Tree::Bool(value) => value.to_string(),
                Tree::Null | Tree::List(_) | Tree::Map(_) | Tree::Wrong(_) => {
                    node = Node { line, tree: Tree::Wrong("a key must be text".to_owned()) };
                    String::new()
                }
            };
            if !names.insert(name.clone()) && !name.is_empty() {
                node = Node { line, tree: Tree::Wrong(format!("the key {} stands there twice", shown(&name))) };
            }
            map.push((Key { line, name }, node));
        }
        Ok(Tree::Map(map))
    }
}

impl Node {
    pub(super) fn json(&self) -> Value {
        match &self.tree {
            Tree::Null | Tree::Wrong(_) => Value::Null,
            Tree::Bool(value) => (*value).into(),
            Tree::Number(number) => number.clone().into(),
            Tree::Text(text) => text.clone().into(),
            Tree::List(items) => items.iter().map(Self::json).collect(),
            Tree::Map(fields) => {
                Value::Object(fields.iter().map(|(key, node)| (key.name.clone(), node.json())).collect::<Map<_, _>>())
            }
        }
    }

    /// How many values it is of.
    pub(super) fn values(&self) -> usize {
        let within: usize = match &self.tree {
            Tree::List(items) => items.iter().map(Self::values).sum(),
            Tree::Map(fields) => fields.iter().map(|(_, node)| node.values()).sum(),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::Wrong(_) => 0,
        };
        within + 1
    }

    /// The first place in it that cannot be, and why.
    pub(super) fn wrong(&self) -> Option<(u64, &str)> {
        match &self.tree {
            Tree::Wrong(why) => Some((self.line, why)),
            Tree::List(items) => items.iter().find_map(Self::wrong),
            Tree::Map(fields) => fields.iter().find_map(|(_, node)| node.wrong()),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) => None,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.tree {
            Tree::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Self]> {
        match &self.tree {
            Tree::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn map(&self) -> Option<&[(Key, Self)]> {
        match &self.tree {
            Tree::Map(fields) => Some(fields),
            _ => None,
        }
    }

    /// What stands under a key; nothing for what is no map.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.map()?.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }
}
