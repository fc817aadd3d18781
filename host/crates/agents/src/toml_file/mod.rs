//! One entry of a TOML file. The parser says where everything stands; an edit puts a few lines in between, so that every
//! other byte stays what it was. A new entry is a section at the end, where it cannot take over keys of another one.
//!
//! Never: writes a document anew from what was parsed.

mod brackets;
mod sections;

use std::ops::Range;

use toml_edit::{ArrayOfTables, Document, InlineTable, Item, Table, TableLike, Value};

use self::brackets::List;
use self::sections::{sections, whole_lines};
use super::edit::Wanted;
use super::entry::{Content, Field, Found, Launch};
use super::error::EditError;
use super::table::Shape;
use super::text::{Manners, Splice, line_of, line_start, next_line};
use wardroom_base::toml_text;

/// What the servers stand in.
enum Servers<'d> {
    Missing,
    /// Tables by their names: sections, or the keys of one.
    Sections(&'d Table),
    InlineTable(&'d InlineTable),
    /// Tables with their names in them.
    Array(&'d ArrayOfTables),
    InlineArray(&'d toml_edit::Array),
}

pub(super) fn find(text: &str, wanted: &Wanted<'_>) -> Result<Option<Found>, EditError> {
    let document = parse(text)?;
    let Some(entry) = entry(text, &servers(text, &document, wanted)?, wanted)? else { return Ok(None) };
    entry.found(wanted).map(Some).ok_or_else(|| entry.foreign(text, wanted))
}

pub(super) fn install(
    text: &str,
    manners: Manners,
    wanted: &Wanted<'_>,
    launch: &Launch,
) -> Result<Option<Vec<Splice>>, EditError> {
    let document = parse(text)?;
    let servers = servers(text, &document, wanted)?;
    let fields = wanted.target.shape.fields(launch);
    let Some(entry) = entry(text, &servers, wanted)? else {
        return new_entry(text, manners, wanted, &servers, &fields).map(Some);
    };
    let Some(table) = entry.table.filter(|_| entry.is_ours(wanted)) else {
        if !wanted.force {
            return Err(entry.foreign(text, wanted));
        }
        // What belongs to another program goes; the next step adds ours.
        return remove(text, manners, &servers, &entry, wanted).map(Some);
    };
    for field in &fields {
        let there = table.get(field.key);
        let current = there.and_then(content);
        if field.is_good(there.is_some(), current.as_ref()) {
            continue;
        }
        let value = value(&field.content).to_string();
        return Ok(Some(match there.map(Item::span) {
            Some(Some(span)) => vec![Splice::over(span.start, span.end, value)],
            Some(None) => return Err(EditError::NotAlone),
            None => entry.insert(text, manners, &format!("{} = {value}", field.key))?,
        }));
    }
    Ok(None)
}

pub(super) fn uninstall(text: &str, manners: Manners, wanted: &Wanted<'_>) -> Result<Option<Vec<Splice>>, EditError> {
    let document = parse(text)?;
    let servers = servers(text, &document, wanted)?;
    let Some(entry) = entry(text, &servers, wanted)? else { return Ok(None) };
    if !wanted.force && !entry.is_ours(wanted) {
        return Err(entry.foreign(text, wanted));
    }
    remove(text, manners, &servers, &entry, wanted).map(Some)
}

/// Everything in a text but the entry, and a list of servers that only held it.
pub(super) fn rest(text: &str, wanted: &Wanted<'_>) -> Result<toml::Value, EditError> {
    let mut rest = table(text)?;
    let key = wanted.target.servers.first().copied().unwrap_or_default();
    let name = wanted.name.as_str();
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

/// Whether both say the same. A float that is no number is not equal to itself.
pub(super) fn is_same(one: &toml::Value, other: &toml::Value) -> bool {
    match (one, other) {
        (toml::Value::Float(one), toml::Value::Float(other)) => one.to_bits() == other.to_bits(),
        (toml::Value::Array(one), toml::Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (toml::Value::Table(one), toml::Value::Table(other)) => {
            let is_there =
                |(key, value): (&String, &toml::Value)| other.get(key).is_some_and(|there| is_same(value, there));
            one.len() == other.len() && one.iter().all(is_there)
        }
        _ => one == other,
    }
}

pub(super) fn snippet(wanted: &Wanted<'_>, launch: &Launch) -> String {
    section(wanted, &wanted.target.shape.fields(launch), "\n").trim_end().to_owned()
}

/// An entry that is there.
struct Entry<'d> {
    /// Nothing where it is something else.
    table: Option<&'d dyn TableLike>,
    /// Where it begins.
    start: usize,
    stands: Stands<'d>,
}

enum Stands<'d> {
    /// Under a header of its own.
    Section(&'d Table),
    /// As the value of a key.
    Value(Option<&'d InlineTable>, Range<usize>),
}

impl Entry<'_> {
    fn found(&self, wanted: &Wanted<'_>) -> Option<Found> {
        let (table, shape) = (self.table?, wanted.target.shape);
        let set = table.get(shape.environment()).and_then(Item::as_table_like);
        let variable = |(name, value): (&str, &Item)| Some((name.to_owned(), value.as_str()?.to_owned()));
        let set = set.into_iter().flat_map(TableLike::iter).filter_map(variable);
        shape.found(|key| table.get(key).and_then(content), set.collect())
    }

    fn is_ours(&self, wanted: &Wanted<'_>) -> bool {
        self.found(wanted).is_some_and(|found| wanted.owners.owns(&found))
    }

    fn foreign(&self, text: &str, wanted: &Wanted<'_>) -> EditError {
        let (line, name) = (line_of(text, self.start), wanted.name.as_str().to_owned());
        match self.found(wanted) {
            Some(found) => EditError::Foreign { line, name, command: found.launch.command },
            None => EditError::StartsNothing { line, name },
        }
    }

    /// A further key.
    fn insert(&self, text: &str, manners: Manners, pair: &str) -> Result<Vec<Splice>, EditError> {
        match &self.stands {
            Stands::Section(table) => {
                let header = table.span().ok_or(EditError::NotAlone)?;
                let at = next_line(text, header.end);
                let eol = manners.eol;
                // A header that nothing follows may have no line of its own.
                let before = if text.get(..at).is_some_and(|before| before.ends_with('\n')) { "" } else { eol };
                Ok(vec![Splice::at(at, format!("{before}{pair}{eol}"))])
            }
            Stands::Value(Some(table), _) => Ok(List::of_table(text, table)?.insert(pair, manners.eol)),
            Stands::Value(None, _) => Err(EditError::NotAlone),
        }
    }
}

fn table(text: &str) -> Result<toml::Table, EditError> {
    toml_text::parse(text).map_err(|error| {
        let words = error.to_string();
        let reason = words.split_once(": ").map_or(words.as_str(), |(_, reason)| reason);
        EditError::Malformed { line: error.line, reason: reason.trim_end().to_owned() }
    })
}

fn parse(text: &str) -> Result<Document<&str>, EditError> {
    // Depth first: building a deep document would be too late to ask.
    table(text)?;
    Document::parse(text).map_err(|error| EditError::Malformed {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        reason: error.message().to_owned(),
    })
}

fn servers<'d>(text: &str, document: &'d Document<&str>, wanted: &Wanted<'_>) -> Result<Servers<'d>, EditError> {
    let key = wanted.target.servers.first().copied().unwrap_or_default();
    let array = wanted.target.shape == Shape::Vibe;
    match document.get(key) {
        None => Ok(Servers::Missing),
        Some(Item::Table(table)) if !array => Ok(Servers::Sections(table)),
        Some(Item::Value(Value::InlineTable(table))) if !array => Ok(Servers::InlineTable(table)),
        Some(Item::ArrayOfTables(tables)) if array => Ok(Servers::Array(tables)),
        Some(Item::Value(Value::Array(values))) if array => Ok(Servers::InlineArray(values)),
        Some(other) => Err(EditError::Shape {
            line: line_of(text, other.span().map_or(0, |span| span.start)),
            key: key.to_owned(),
            expected: if array { "an array of tables" } else { "a table" },
        }),
    }
}

fn entry<'d>(text: &str, servers: &Servers<'d>, wanted: &Wanted<'_>) -> Result<Option<Entry<'d>>, EditError> {
    let name = wanted.name.as_str();
    let of_item = |item: &'d Item| match item {
        Item::Table(table) => {
            // Without a header it is spread over lines that begin with its name.
            let start = table.span().filter(|_| !table.is_dotted() && !table.is_implicit());
            let spread = || EditError::Spread { line: key_line(text, servers, name), name: name.to_owned() };
            let start = start.ok_or_else(spread)?.start;
            Ok(Entry { table: Some(table), start, stands: Stands::Section(table) })
        }
        Item::Value(value) => of_value(text, name, value),
        Item::ArrayOfTables(_) | Item::None => {
            let line = key_line(text, servers, name);
            Err(EditError::Shape { line, key: name.to_owned(), expected: "a table" })
        }
    };
    let mut named = match servers {
        Servers::Missing => Vec::new(),
        Servers::Sections(table) => table.get(name).map(of_item).into_iter().collect(),
        Servers::InlineTable(table) => table.get(name).map(|value| of_value(text, name, value)).into_iter().collect(),
        Servers::Array(tables) => {
            let is_named = |table: &&Table| table.get("name").and_then(Item::as_str) == Some(name);
            let entry = |table: &'d Table| {
                let start = table.span().ok_or(EditError::NotAlone)?.start;
                Ok(Entry { table: Some(table), start, stands: Stands::Section(table) })
            };
            tables.iter().filter(is_named).map(entry).collect()
        }
        Servers::InlineArray(values) => {
            let is_named = |value: &&Value| {
                value.as_inline_table().and_then(|table| table.get("name")?.as_str()).is_some_and(|own| own == name)
            };
            values.iter().filter(is_named).map(|value| of_value(text, name, value)).collect()
        }
    };
    match named.len() {
        0 | 1 => named.pop().transpose(),
        _ => {
            let second = named.pop().transpose()?.map_or(0, |entry| entry.start);
            Err(EditError::Duplicate { line: line_of(text, second), key: name.to_owned() })
        }
    }
}

/// Where a server is named first.
fn key_line(text: &str, servers: &Servers<'_>, name: &str) -> usize {
    let Servers::Sections(table) = servers else { return 1 };
    line_of(text, table.key(name).and_then(toml_edit::Key::span).map_or(0, |span| span.start))
}

fn of_value<'d>(text: &str, name: &str, value: &'d Value) -> Result<Entry<'d>, EditError> {
    let (table, span) = (value.as_inline_table(), value.span().ok_or(EditError::NotAlone)?);
    let start = span.start;
    if table.is_some_and(InlineTable::is_dotted) {
        return Err(EditError::Spread { line: line_of(text, start), name: name.to_owned() });
    }
    Ok(Entry { table: table.map(|table| table as &dyn TableLike), start, stands: Stands::Value(table, span) })
}

fn content(item: &Item) -> Option<Content> {
    match item.as_value()? {
        Value::String(text) => Some(Content::Text(text.value().clone())),
        Value::Boolean(flag) => Some(Content::Flag(*flag.value())),
        Value::Array(values) => {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            Some(Content::List(values.iter().map(text).collect::<Option<_>>()?))
        }
        Value::Integer(_) | Value::Float(_) | Value::Datetime(_) | Value::InlineTable(_) => None,
    }
}

fn value(content: &Content) -> Value {
    match content {
        Content::Text(text) => text.as_str().into(),
        Content::Flag(flag) => (*flag).into(),
        Content::List(texts) => texts.iter().map(String::as_str).collect(),
    }
}

/// The keys of an entry, with its name where that is one of them.
fn pairs(wanted: &Wanted<'_>, fields: &[Field]) -> Vec<String> {
    let name = (wanted.target.shape == Shape::Vibe).then(|| format!("name = {}", Value::from(wanted.name.as_str())));
    let pair = |field: &Field| format!("{} = {}", field.key, value(&field.content));
    name.into_iter().chain(fields.iter().map(pair)).collect()
}

fn section(wanted: &Wanted<'_>, fields: &[Field], eol: &str) -> String {
    let key = wanted.target.servers.first().copied().unwrap_or_default();
    let header = match wanted.target.shape {
        Shape::Vibe => format!("[[{key}]]"),
        // The letters of a name need no quotes.
        _ => format!("[{key}.{}]", wanted.name.as_str()),
    };
    std::iter::once(header).chain(pairs(wanted, fields)).map(|line| line + eol).collect()
}

fn new_entry(
    text: &str,
    manners: Manners,
    wanted: &Wanted<'_>,
    servers: &Servers<'_>,
    fields: &[Field],
) -> Result<Vec<Splice>, EditError> {
    let inline = || format!("{{ {} }}", pairs(wanted, fields).join(", "));
    match servers {
        Servers::Missing | Servers::Sections(_) | Servers::Array(_) => {
            let (eol, section) = (manners.eol, section(wanted, fields, manners.eol));
            let before = match text {
                blank if blank.trim().is_empty() => String::new(),
                whole if whole.ends_with('\n') => eol.to_owned(),
                _ => eol.repeat(2),
            };
            Ok(vec![Splice::at(text.len(), before + &section)])
        }
        Servers::InlineTable(table) => {
            let pair = format!("{} = {}", wanted.name.as_str(), inline());
            Ok(List::of_table(text, table)?.insert(&pair, manners.eol))
        }
        Servers::InlineArray(values) => Ok(List::of_array(text, values)?.insert(&inline(), manners.eol)),
    }
}

fn remove(
    text: &str,
    manners: Manners,
    servers: &Servers<'_>,
    entry: &Entry<'_>,
    wanted: &Wanted<'_>,
) -> Result<Vec<Splice>, EditError> {
    let span = match &entry.stands {
        Stands::Section(table) => {
            let mut lines = Vec::new();
            sections(table, &mut lines);
            return Ok(lines.into_iter().map(|lines| whole_lines(text, &lines)).collect());
        }
        Stands::Value(_, span) => span.clone(),
    };
    match servers {
        Servers::Sections(table) => {
            let key = table.key(wanted.name.as_str()).and_then(toml_edit::Key::span).ok_or(EditError::NotAlone)?;
            Ok(vec![Splice::over(line_start(text, key.start), next_line(text, span.end), "")])
        }
        Servers::InlineTable(table) => List::of_table(text, table)?.remove(&span, manners.eol),
        Servers::InlineArray(values) => List::of_array(text, values)?.remove(&span, manners.eol),
        Servers::Missing | Servers::Array(_) => Err(EditError::NotAlone),
    }
}
