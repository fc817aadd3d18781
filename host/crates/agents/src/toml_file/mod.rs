//! Edits one entry of a TOML file. The parser gives the positions; an edit inserts a few lines, so that every other
//! byte stays unchanged. A new entry is a section at the end, where it cannot take over keys of another one.
//!
//! Never: writes a document anew from parsed data.

mod inline_list;
mod sections;

use std::ops::Range;

use toml_edit::{ArrayOfTables, Document, InlineTable, Item, Table, TableLike, Value};

use self::inline_list::InlineList;
use self::sections::{collect_sections, remove_section};
use super::agent::EntryShape;
use super::entry::{EntryField, EntryFieldValue, InstalledEntry, LaunchCommand, OTHER_ELEMENT};
use super::entry_spec::EntrySpec;
use super::error::EditError;
use super::secrets::{announces_secret, is_secret_comment, is_secret_key, is_secret_text};
use super::text::{Splice, TextStyle, line_number, line_start, next_line_start};
use wardroom_base::toml_text;

/// The value that holds the servers.
enum TomlServers<'d> {
    Missing,
    /// Tables by their names: sections, or the keys of one.
    Sections(&'d Table),
    InlineTable(&'d InlineTable),
    /// Tables that contain their names.
    Array(&'d ArrayOfTables),
    InlineArray(&'d toml_edit::Array),
}

pub(super) fn find_entry(text: &str, spec: &EntrySpec<'_>) -> Result<Option<InstalledEntry>, EditError> {
    let document = parse_document(text)?;
    let Some(entry) = locate_entry(text, &locate_servers(text, &document, spec)?, spec)? else { return Ok(None) };
    entry.parse_entry(spec).map(Some).ok_or_else(|| entry.foreign_entry_error(text, spec))
}

pub(super) fn install(
    text: &str,
    style: TextStyle,
    spec: &EntrySpec<'_>,
    launch: &LaunchCommand,
) -> Result<Option<Vec<Splice>>, EditError> {
    let document = parse_document(text)?;
    let servers = locate_servers(text, &document, spec)?;
    let fields = spec.target.shape.fields(launch);
    let Some(entry) = locate_entry(text, &servers, spec)? else {
        return insert_entry(text, style, spec, &servers, &fields).map(Some);
    };
    let Some(table) = entry.table.filter(|_| entry.is_ours(spec)) else {
        if !spec.force {
            return Err(entry.foreign_entry_error(text, spec));
        }
        // The other program's entry is removed; the next step adds ours.
        return remove_entry(text, style, &servers, &entry, spec).map(Some);
    };
    for field in &fields {
        let there = table.get(field.key);
        let current = there.and_then(field_value);
        if field.is_satisfied(there.is_some(), current.as_ref()) {
            continue;
        }
        let value = toml_value(&field.value).to_string();
        return Ok(Some(match there.map(Item::span) {
            Some(Some(span)) => vec![Splice::replacement(span.start, span.end, value)],
            Some(None) => return Err(EditError::NotIsolated),
            None => entry.insert_key(text, style, &format!("{} = {value}", field.key))?,
        }));
    }
    Ok(None)
}

pub(super) fn uninstall(text: &str, style: TextStyle, spec: &EntrySpec<'_>) -> Result<Option<Vec<Splice>>, EditError> {
    let document = parse_document(text)?;
    let servers = locate_servers(text, &document, spec)?;
    let Some(entry) = locate_entry(text, &servers, spec)? else { return Ok(None) };
    if !spec.force && !entry.is_ours(spec) {
        return Err(entry.foreign_entry_error(text, spec));
    }
    remove_entry(text, style, &servers, &entry, spec).map(Some)
}

/// Returns everything in a text but the entry, and but a list of servers that only held it.
pub(super) fn comparable_rest(text: &str, spec: &EntrySpec<'_>) -> Result<toml::Value, EditError> {
    let mut rest = parse_table(text)?;
    let key = spec.target.servers_path.first().copied().unwrap_or_default();
    let name = spec.name.as_str();
    let is_empty = match rest.get_mut(key) {
        Some(toml::Value::Table(servers)) => {
            servers.remove(name);
            servers.is_empty()
        }
        Some(toml::Value::Array(servers)) => {
            servers.retain(|server| server.get("name").and_then(toml::Value::as_str) != Some(name));
            servers.is_empty()
        }
        _ => false,
    };
    if is_empty {
        rest.remove(key);
    }
    Ok(toml::Value::Table(rest))
}

/// Returns where the secrets of a text are.
pub(super) fn secret_ranges(text: &str) -> Result<Vec<Range<usize>>, EditError> {
    let document = parse_document(text)?;
    let (mut found, mut strings) = (Vec::new(), Vec::new());
    collect_item(document.as_item(), false, &mut found, &mut strings);
    // A comment begins outside of all strings, and ends with its line.
    let mut from = 0;
    while let Some(hash) = text.get(from..).and_then(|rest| rest.find('#')).map(|at| from + at) {
        if let Some(string) = strings.iter().find(|string: &&Range<usize>| string.contains(&hash)) {
            from = string.end;
            continue;
        }
        let end = text.get(hash..).and_then(|rest| rest.find(['\r', '\n'])).map_or(text.len(), |at| hash + at);
        found.extend(text.get(hash..end).filter(|comment| is_secret_comment(comment)).map(|_| hash..end));
        from = end;
    }
    Ok(found)
}

/// Collects where the secrets of an item are, and where its strings are.
fn collect_item(item: &Item, is_secret: bool, found: &mut Vec<Range<usize>>, strings: &mut Vec<Range<usize>>) {
    match item {
        Item::None => {}
        Item::Value(value) => collect_value(value, is_secret, found, strings),
        Item::Table(table) => collect_table(table, is_secret, found, strings),
        Item::ArrayOfTables(tables) => {
            tables.iter().for_each(|table| collect_table(table, is_secret, found, strings));
        }
    }
}

fn collect_table(
    table: &dyn TableLike,
    is_secret: bool,
    found: &mut Vec<Range<usize>>,
    strings: &mut Vec<Range<usize>>,
) {
    for (key, item) in table.iter() {
        collect_item(item, is_secret || is_secret_key(key), found, strings);
    }
}

fn collect_value(value: &Value, is_secret: bool, found: &mut Vec<Range<usize>>, strings: &mut Vec<Range<usize>>) {
    let mut is_secret = is_secret;
    match value {
        Value::InlineTable(table) => return collect_table(table, is_secret, found, strings),
        Value::Array(array) => {
            let mut is_announced = false;
            for element in array {
                collect_value(element, is_secret || is_announced, found, strings);
                is_announced = element.as_str().is_some_and(announces_secret);
            }
            return;
        }
        Value::String(text) => {
            strings.extend(value.span());
            is_secret |= is_secret_text(text.value());
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
    found.extend(value.span().filter(|_| is_secret));
}

/// Whether both values are equal. Floats are compared by their bits, since NaN is not equal to itself.
pub(super) fn is_equal_value(one: &toml::Value, other: &toml::Value) -> bool {
    match (one, other) {
        (toml::Value::Float(one), toml::Value::Float(other)) => one.to_bits() == other.to_bits(),
        (toml::Value::Array(one), toml::Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_equal_value(one, other))
        }
        (toml::Value::Table(one), toml::Value::Table(other)) => {
            let is_there = |(key, value): (&String, &toml::Value)| {
                other.get(key).is_some_and(|there| is_equal_value(value, there))
            };
            one.len() == other.len() && one.iter().all(is_there)
        }
        _ => one == other,
    }
}

pub(super) fn render_snippet(spec: &EntrySpec<'_>, launch: &LaunchCommand) -> String {
    render_section(spec, &spec.target.shape.fields(launch), "\n").trim_end().to_owned()
}

/// An entry that the file has.
struct TomlEntry<'d> {
    /// `None` if the value is not a table.
    table: Option<&'d dyn TableLike>,
    /// The start of the entry.
    start: usize,
    placement: Placement<'d>,
}

enum Placement<'d> {
    /// A section with its own header.
    Section(&'d Table),
    /// The value of a key.
    Value(Option<&'d InlineTable>, Range<usize>),
}

impl TomlEntry<'_> {
    fn parse_entry(&self, spec: &EntrySpec<'_>) -> Option<InstalledEntry> {
        let (table, shape) = (self.table?, spec.target.shape);
        let set = table.get(shape.environment_key()).and_then(Item::as_table_like);
        let variable = |(name, value): (&str, &Item)| Some((name.to_owned(), value.as_str()?.to_owned()));
        let set = set.into_iter().flat_map(TableLike::iter).filter_map(variable);
        shape.parse_entry(|key| table.get(key).and_then(field_value), set.collect())
    }

    fn is_ours(&self, spec: &EntrySpec<'_>) -> bool {
        self.parse_entry(spec).is_some_and(|found| spec.own_programs.owns_entry(&found))
    }

    fn foreign_entry_error(&self, text: &str, spec: &EntrySpec<'_>) -> EditError {
        let (line, name) = (line_number(text, self.start), spec.name.as_str().to_owned());
        match self.parse_entry(spec) {
            Some(found) => EditError::ForeignEntry { line, name, command: found.launch.command },
            None => EditError::NoCommand { line, name },
        }
    }

    /// Inserts a key.
    fn insert_key(&self, text: &str, style: TextStyle, pair: &str) -> Result<Vec<Splice>, EditError> {
        match &self.placement {
            Placement::Section(table) => {
                let header = table.span().ok_or(EditError::NotIsolated)?;
                let at = next_line_start(text, header.end);
                let eol = style.eol;
                // A header at the end of the text may have no newline.
                let before = if text.get(..at).is_some_and(|before| before.ends_with('\n')) { "" } else { eol };
                Ok(vec![Splice::insertion(at, format!("{before}{pair}{eol}"))])
            }
            Placement::Value(Some(table), _) => {
                Ok(InlineList::from_inline_table(text, table)?.insert_element(pair, style.eol))
            }
            Placement::Value(None, _) => Err(EditError::NotIsolated),
        }
    }
}

fn parse_table(text: &str) -> Result<toml::Table, EditError> {
    toml_text::parse(text).map_err(|error| {
        let words = error.to_string();
        let reason = words.split_once(": ").map_or(words.as_str(), |(_, reason)| reason);
        EditError::Malformed { line: error.line, reason: reason.trim_end().to_owned() }
    })
}

fn parse_document(text: &str) -> Result<Document<&str>, EditError> {
    // The depth is checked first, because building a deep document would already be too much.
    parse_table(text)?;
    Document::parse(text).map_err(|error| EditError::Malformed {
        line: line_number(text, error.span().map_or(0, |span| span.start)),
        reason: error.message().to_owned(),
    })
}

fn locate_servers<'d>(
    text: &str,
    document: &'d Document<&str>,
    spec: &EntrySpec<'_>,
) -> Result<TomlServers<'d>, EditError> {
    let key = spec.target.servers_path.first().copied().unwrap_or_default();
    let array = spec.target.shape == EntryShape::Vibe;
    match document.get(key) {
        None => Ok(TomlServers::Missing),
        Some(Item::Table(table)) if !array => Ok(TomlServers::Sections(table)),
        Some(Item::Value(Value::InlineTable(table))) if !array => Ok(TomlServers::InlineTable(table)),
        Some(Item::ArrayOfTables(tables)) if array => Ok(TomlServers::Array(tables)),
        Some(Item::Value(Value::Array(values))) if array => Ok(TomlServers::InlineArray(values)),
        Some(other) => Err(EditError::UnexpectedType {
            line: line_number(text, other.span().map_or(0, |span| span.start)),
            key: key.to_owned(),
            expected: if array { "an array of tables" } else { "a table" },
        }),
    }
}

fn locate_entry<'d>(
    text: &str,
    servers: &TomlServers<'d>,
    spec: &EntrySpec<'_>,
) -> Result<Option<TomlEntry<'d>>, EditError> {
    let name = spec.name.as_str();
    let of_item = |item: &'d Item| match item {
        Item::Table(table) => {
            // Without a header, the entry is spread over lines that begin with its name.
            let start = table.span().filter(|_| !table.is_dotted() && !table.is_implicit());
            let spread =
                || EditError::ScatteredEntry { line: key_line_number(text, servers, name), name: name.to_owned() };
            let start = start.ok_or_else(spread)?.start;
            Ok(TomlEntry { table: Some(table), start, placement: Placement::Section(table) })
        }
        Item::Value(value) => entry_from_value(text, name, value),
        Item::ArrayOfTables(_) | Item::None => {
            let line = key_line_number(text, servers, name);
            Err(EditError::UnexpectedType { line, key: name.to_owned(), expected: "a table" })
        }
    };
    let mut named = match servers {
        TomlServers::Missing => Vec::new(),
        TomlServers::Sections(table) => table.get(name).map(of_item).into_iter().collect(),
        TomlServers::InlineTable(table) => {
            table.get(name).map(|value| entry_from_value(text, name, value)).into_iter().collect()
        }
        TomlServers::Array(tables) => {
            let is_named = |table: &&Table| table.get("name").and_then(Item::as_str) == Some(name);
            let entry = |table: &'d Table| {
                let start = table.span().ok_or(EditError::NotIsolated)?.start;
                Ok(TomlEntry { table: Some(table), start, placement: Placement::Section(table) })
            };
            tables.iter().filter(is_named).map(entry).collect()
        }
        TomlServers::InlineArray(values) => {
            let is_named = |value: &&Value| {
                value.as_inline_table().and_then(|table| table.get("name")?.as_str()).is_some_and(|own| own == name)
            };
            values.iter().filter(is_named).map(|value| entry_from_value(text, name, value)).collect()
        }
    };
    match named.len() {
        0 | 1 => named.pop().transpose(),
        _ => {
            let second = named.pop().transpose()?.map_or(0, |entry| entry.start);
            Err(EditError::DuplicateKey { line: line_number(text, second), key: name.to_owned() })
        }
    }
}

/// Returns the line on which a server is named first.
fn key_line_number(text: &str, servers: &TomlServers<'_>, name: &str) -> usize {
    let TomlServers::Sections(table) = servers else { return 1 };
    line_number(text, table.key(name).and_then(toml_edit::Key::span).map_or(0, |span| span.start))
}

fn entry_from_value<'d>(text: &str, name: &str, value: &'d Value) -> Result<TomlEntry<'d>, EditError> {
    let (table, span) = (value.as_inline_table(), value.span().ok_or(EditError::NotIsolated)?);
    let start = span.start;
    if table.is_some_and(InlineTable::is_dotted) {
        return Err(EditError::ScatteredEntry { line: line_number(text, start), name: name.to_owned() });
    }
    Ok(TomlEntry { table: table.map(|table| table as &dyn TableLike), start, placement: Placement::Value(table, span) })
}

fn field_value(item: &Item) -> Option<EntryFieldValue> {
    match item.as_value()? {
        Value::String(text) => Some(EntryFieldValue::Text(text.value().clone())),
        Value::Boolean(flag) => Some(EntryFieldValue::Flag(*flag.value())),
        Value::Array(values) => {
            let text = |value: &Value| value.as_str().unwrap_or(OTHER_ELEMENT).to_owned();
            Some(EntryFieldValue::List(values.iter().map(text).collect()))
        }
        Value::Integer(_) | Value::Float(_) | Value::Datetime(_) | Value::InlineTable(_) => None,
    }
}

fn toml_value(content: &EntryFieldValue) -> Value {
    match content {
        EntryFieldValue::Text(text) => text.as_str().into(),
        EntryFieldValue::Flag(flag) => (*flag).into(),
        EntryFieldValue::List(texts) => texts.iter().map(String::as_str).collect(),
    }
}

/// Renders the keys of an entry, with its name if that is one of them.
fn render_pairs(spec: &EntrySpec<'_>, fields: &[EntryField]) -> Vec<String> {
    let name = (spec.target.shape == EntryShape::Vibe).then(|| format!("name = {}", Value::from(spec.name.as_str())));
    let pair = |field: &EntryField| format!("{} = {}", field.key, toml_value(&field.value));
    name.into_iter().chain(fields.iter().map(pair)).collect()
}

fn render_section(spec: &EntrySpec<'_>, fields: &[EntryField], eol: &str) -> String {
    let key = spec.target.servers_path.first().copied().unwrap_or_default();
    let header = match spec.target.shape {
        EntryShape::Vibe => format!("[[{key}]]"),
        // A server name needs no quotes.
        _ => format!("[{key}.{}]", spec.name.as_str()),
    };
    std::iter::once(header).chain(render_pairs(spec, fields)).map(|line| line + eol).collect()
}

fn insert_entry(
    text: &str,
    style: TextStyle,
    spec: &EntrySpec<'_>,
    servers: &TomlServers<'_>,
    fields: &[EntryField],
) -> Result<Vec<Splice>, EditError> {
    let inline = || format!("{{ {} }}", render_pairs(spec, fields).join(", "));
    match servers {
        TomlServers::Missing | TomlServers::Sections(_) | TomlServers::Array(_) => {
            let (eol, section) = (style.eol, render_section(spec, fields, style.eol));
            let before = match text {
                blank if blank.trim().is_empty() => String::new(),
                whole if whole.ends_with('\n') => eol.to_owned(),
                _ => eol.repeat(2),
            };
            Ok(vec![Splice::insertion(text.len(), before + &section)])
        }
        TomlServers::InlineTable(table) => {
            let pair = format!("{} = {}", spec.name.as_str(), inline());
            Ok(InlineList::from_inline_table(text, table)?.insert_element(&pair, style.eol))
        }
        TomlServers::InlineArray(values) => {
            Ok(InlineList::from_array(text, values)?.insert_element(&inline(), style.eol))
        }
    }
}

fn remove_entry(
    text: &str,
    style: TextStyle,
    servers: &TomlServers<'_>,
    entry: &TomlEntry<'_>,
    spec: &EntrySpec<'_>,
) -> Result<Vec<Splice>, EditError> {
    let span = match &entry.placement {
        Placement::Section(table) => {
            let mut lines = Vec::new();
            collect_sections(table, &mut lines);
            return Ok(lines.into_iter().map(|lines| remove_section(text, &lines)).collect());
        }
        Placement::Value(_, span) => span.clone(),
    };
    match servers {
        TomlServers::Sections(table) => {
            let key = table.key(spec.name.as_str()).and_then(toml_edit::Key::span).ok_or(EditError::NotIsolated)?;
            Ok(vec![Splice::replacement(line_start(text, key.start), next_line_start(text, span.end), "")])
        }
        TomlServers::InlineTable(table) => InlineList::from_inline_table(text, table)?.remove_element(&span, style.eol),
        TomlServers::InlineArray(values) => InlineList::from_array(text, values)?.remove_element(&span, style.eol),
        TomlServers::Missing | TomlServers::Array(_) => Err(EditError::NotIsolated),
    }
}
