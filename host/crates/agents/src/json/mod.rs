//! Edits one entry of a JSON file, with or without comments. The parser gives the positions; an edit inserts a few
//! splices, so that every other byte stays unchanged.
//!
//! Never: writes a document anew from parsed data.

mod document;
mod splices;
mod surrogates;

use std::collections::VecDeque;
use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;

use self::document::{JsonDocument, expect_object, find_property, launch_object, parse};
use self::splices::{JsonTree, entry_tree, nest_under, quote};
use self::surrogates::replace_unpaired;
use super::agent::{ConfigFormat, EntryShape};
use super::entry::{InstalledEntry, LaunchCommand};
use super::entry_spec::EntrySpec;
use super::error::EditError;
use super::secrets::{announces_secret, is_secret_comment, is_secret_key, is_secret_text};
use super::text::{Splice, TextStyle, indent_of};

/// The path to the object that holds the servers, as far as it exists.
struct ServersPath<'d, 'a> {
    /// The objects from the root on, each with the key that led to it.
    objects: Vec<(&'static str, &'d Object<'a>)>,
    /// The keys that are missing below the last object.
    missing_keys: Vec<&'static str>,
    shape: EntryShape,
}

pub(super) fn find_entry(
    text: &str,
    style: TextStyle,
    spec: &EntrySpec<'_>,
) -> Result<Option<InstalledEntry>, EditError> {
    let readable = replace_unpaired(text);
    let document = parse(text, &readable, style, spec.target.format)?;
    let Some(path) = locate_servers(&document, spec)? else { return Ok(None) };
    let Some(property) = entry_property(&path, spec) else { return Ok(None) };
    let found = property.value.as_object().and_then(|entry| document::parse_entry(entry, path.shape));
    found.map(Some).ok_or_else(|| document.foreign_entry_error(property, None))
}

/// Returns the next change towards the installed entry; `None` if the entry is installed.
pub(super) fn install(
    text: &str,
    style: TextStyle,
    spec: &EntrySpec<'_>,
    launch: &LaunchCommand,
) -> Result<Option<Vec<Splice>>, EditError> {
    let readable = replace_unpaired(text);
    let document = parse(text, &readable, style, spec.target.format)?;
    let name = spec.name.as_str();
    let Some(path) = locate_servers(&document, spec)? else {
        let tree = nest_under(spec.target.servers_path, entry_tree(spec.target.shape, name, launch));
        return Ok(Some(document.insert_root(&tree)));
    };
    let fields = path.shape.fields(launch);
    let Some((_, servers)) = path.objects.last() else { return Err(EditError::NotIsolated) };
    if let Some((first, rest)) = path.missing_keys.split_first() {
        let tree = nest_under(rest, entry_tree(path.shape, name, launch));
        return Ok(Some(document.insert_property(servers, first, &tree)));
    }
    let Some(property) = find_property(servers, name) else {
        return Ok(Some(document.insert_property(servers, name, &JsonTree::from_fields(&fields))));
    };
    let entry = property.value.as_object();
    let starts = entry.and_then(|entry| document::parse_entry(entry, path.shape));
    let is_ours = starts.as_ref().is_some_and(|starts| spec.own_programs.owns_entry(starts));
    let Some(entry) = entry.filter(|_| is_ours) else {
        if !spec.force {
            return Err(document.foreign_entry_error(property, starts));
        }
        // The other program's fields are of no use to ours.
        let text =
            JsonTree::from_fields(&fields).render_like(&document, indent_of(document.text, property.range.start));
        let value = property.value.range();
        return Ok((starts.as_ref().map(|starts| &starts.launch) != Some(launch))
            .then(|| vec![Splice::replacement(value.start, value.end, text)]));
    };
    let holder = launch_object(entry, path.shape);
    fields.iter().find_map(|field| document.update_field(holder, field).transpose()).transpose()
}

/// Returns the next change towards the removed entry; `None` if there is no entry.
pub(super) fn uninstall(text: &str, style: TextStyle, spec: &EntrySpec<'_>) -> Result<Option<Vec<Splice>>, EditError> {
    let readable = replace_unpaired(text);
    let document = parse(text, &readable, style, spec.target.format)?;
    let Some(path) = locate_servers(&document, spec)? else { return Ok(None) };
    let Some(property) = entry_property(&path, spec) else { return Ok(None) };
    if !spec.force {
        let starts = property.value.as_object().and_then(|entry| document::parse_entry(entry, path.shape));
        if !starts.as_ref().is_some_and(|starts| spec.own_programs.owns_entry(starts)) {
            return Err(document.foreign_entry_error(property, starts));
        }
    }
    // A list of servers that only held our entry is removed with it.
    let (mut gone, mut above) = (property.range.start, path.objects.len() - 1);
    while let Some((key, object)) = path.objects.get(above) {
        if above == 0 || object.properties.len() > 1 {
            break;
        }
        let Some((_, parent)) = path.objects.get(above - 1) else { break };
        let Some(of_object) = find_property(parent, key) else { break };
        if !document.comments_between(of_object.range.start, of_object.range.end).is_empty() {
            break;
        }
        (gone, above) = (of_object.range.start, above - 1);
    }
    let Some((_, holder)) = path.objects.get(above) else { return Ok(None) };
    let index = holder.properties.iter().position(|property| property.range.start == gone);
    Ok(index.map(|index| document.remove_property(holder, index)))
}

/// Returns the text without the entry, in a form in which two texts compare.
pub(super) fn comparable_rest(text: &str, style: TextStyle, spec: &EntrySpec<'_>) -> Result<String, EditError> {
    let readable = replace_unpaired(text);
    let document = parse(text, &readable, style, spec.target.format)?;
    let Some(root) = &document.root else { return Ok(String::new()) };
    let path = locate_servers(&document, spec)?;
    let mut keys: Vec<&str> = path
        .iter()
        .flat_map(|path| path.objects.iter().skip(1).map(|(key, _)| *key).chain(path.missing_keys.iter().copied()))
        .collect();
    // The path without the entry.
    if path.is_some_and(|path| {
        path.shape == EntryShape::OpenCode && path.objects.get(1).is_some_and(|(_, mcp)| has_nested_servers(mcp))
    }) {
        keys.push("servers");
    }
    Ok(document.comparable_value(&Value::Object(root.clone()), Some(&keys), spec.name.as_str()))
}

/// Returns where the secrets of a text are.
pub(super) fn secret_ranges(
    text: &str,
    style: TextStyle,
    format: ConfigFormat,
) -> Result<Vec<Range<usize>>, EditError> {
    let readable = replace_unpaired(text);
    let document = parse(text, &readable, style, format)?;
    let comments = document.tokens.iter().filter(|token| document::is_comment(token));
    let comments = comments.map(|token| token.range.start..token.range.end);
    let is_secret = |range: &Range<usize>| text.get(range.clone()).is_some_and(is_secret_comment);
    let mut ranges: Vec<Range<usize>> = comments.filter(is_secret).collect();
    let root = document.root.into_iter().map(|root| (Value::Object(root), false));
    let mut values: Vec<(Value<'_>, bool)> = root.collect();
    while let Some((value, is_secret)) = values.pop() {
        let range = value.range();
        match value {
            Value::Object(object) => values.extend(object.properties.into_iter().map(|property| {
                let is_secret = is_secret || is_secret_key(property.name.as_str());
                (property.value, is_secret)
            })),
            Value::Array(array) => {
                let mut is_announced = false;
                for element in array.elements {
                    let announces = matches!(&element, Value::StringLit(text) if announces_secret(&text.value));
                    values.push((element, is_secret || is_announced));
                    is_announced = announces;
                }
            }
            Value::StringLit(text) if !is_secret && !is_secret_text(&text.value) => {}
            Value::StringLit(_) => ranges.push(range.start..range.end),
            Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) if is_secret => {
                ranges.push(range.start..range.end);
            }
            Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => {}
        }
    }
    Ok(ranges)
}

/// Renders an entry alone, as a person would type it.
pub(super) fn render_snippet(spec: &EntrySpec<'_>, launch: &LaunchCommand) -> String {
    let tree = nest_under(spec.target.servers_path, entry_tree(spec.target.shape, spec.name.as_str(), launch));
    tree.render("", "  ", "\n", false)
}

/// Locates the servers; returns `None` if the file has no value at all.
fn locate_servers<'d, 'a>(
    document: &'d JsonDocument<'a>,
    spec: &EntrySpec<'_>,
) -> Result<Option<ServersPath<'d, 'a>>, EditError> {
    let Some(root) = &document.root else { return Ok(None) };
    let (mut objects, mut shape) = (vec![("", root)], spec.target.shape);
    let mut keys: VecDeque<&'static str> = spec.target.servers_path.iter().copied().collect();
    while let Some(key) = keys.pop_front() {
        let Some((_, above)) = objects.last() else { return Ok(None) };
        let Some(property) = find_property(above, key) else {
            keys.push_front(key);
            return Ok(Some(ServersPath { objects, missing_keys: keys.into(), shape }));
        };
        let below = expect_object(document, property)?;
        objects.push((key, below));
        // An existing entry of the first version is used, even if there is a `servers` key beside it.
        if shape == EntryShape::OpenCode
            && keys.is_empty()
            && has_nested_servers(below)
            && !has_direct_entry(below, shape, spec)
        {
            keys.push_back("servers");
            shape = EntryShape::OpenCodeNested;
        }
    }
    Ok(Some(ServersPath { objects, missing_keys: Vec::new(), shape }))
}

/// Whether the object directly has an entry of our name with a command.
fn has_direct_entry(servers: &Object<'_>, shape: EntryShape, spec: &EntrySpec<'_>) -> bool {
    let entry = servers.get_object(spec.name.as_str());
    entry.is_some_and(|entry| document::parse_entry(entry, shape).is_some())
}

/// Whether `mcp` has the second version's shape: a key `servers` that is not an entry of the first version.
fn has_nested_servers(mcp: &Object<'_>) -> bool {
    let Some(servers) = mcp.get_object("servers") else { return false };
    let of_a_server = |name: &str| {
        servers.properties.iter().any(|property| property.name.as_str() == name && property.value.as_object().is_none())
    };
    !["type", "command", "url", "enabled"].into_iter().any(of_a_server)
}

/// Returns the property with the entry's name, of any type.
fn entry_property<'d, 'a>(path: &ServersPath<'d, 'a>, spec: &EntrySpec<'_>) -> Option<&'d ObjectProp<'a>> {
    let (_, servers) = path.objects.last().filter(|_| path.missing_keys.is_empty())?;
    find_property(servers, spec.name.as_str())
}

impl JsonDocument<'_> {
    /// Renders everything but the entry, which may be of any type: the part that an edit must not change. Objects that
    /// only lead to the entry count as missing.
    fn comparable_value(&self, value: &Value<'_>, path: Option<&[&str]>, name: &str) -> String {
        let all = |parts: Vec<String>| parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",");
        match value {
            Value::Object(object) => {
                let property = |property: &ObjectProp<'_>| {
                    let key = property.name.as_str();
                    // In some shapes the entry is beside keys that lead to others.
                    if path.is_some() && key == name {
                        return String::new();
                    }
                    let below = path.and_then(|path| path.split_first()).filter(|(first, _)| **first == key);
                    let rest = self.comparable_value(&property.value, below.map(|(_, rest)| rest), name);
                    if rest.is_empty() { rest } else { format!("{}:{rest}", quote(key)) }
                };
                let parts = all(object.properties.iter().map(property).collect());
                if parts.is_empty() && path.is_some() { parts } else { format!("{{{parts}}}") }
            }
            Value::Array(array) => {
                format!(
                    "[{}]",
                    all(array.elements.iter().map(|value| self.comparable_value(value, None, name)).collect())
                )
            }
            scalar => self.text.get(scalar.range().start..scalar.range().end).unwrap_or_default().to_owned(),
        }
    }
}
