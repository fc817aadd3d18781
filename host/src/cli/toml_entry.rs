//! Adding, changing and removing one entry in the text of the configuration, without changing any other byte.
//!
//! The parser gives the positions; whole lines or parts of a line are inserted or removed. The result is `None` if the
//! entry cannot be separated from its surroundings. `config_edit` verifies that the result has the intended values.
//!
//! Never: interprets an entry.

use std::collections::HashSet;
use std::ops::Range;

use toml_edit::{Document, InlineTable, Item, Key, Value};

/// Encodes any text as a TOML value on one line.
pub(super) fn toml_string(text: &str) -> String {
    if text.contains(char::is_control) {
        // TOML has JSON's escapes, and requires one more character to be escaped.
        return serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f");
    }
    Value::from(text).to_string()
}

/// Adds `name` to the tables at `path`, with keys and encoded values: as a section at the end, or as an element of an
/// inline table.
pub(super) fn add_entry(text: &str, path: &[&str], name: &str, pairs: &[(&str, String)]) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let (mut tables, mut missing) = (document.as_item(), path);
    while let Some((key, rest)) = missing.split_first() {
        // A table from dotted keys has no braces.
        let found = tables.get(*key).filter(|found| !found.as_inline_table().is_some_and(InlineTable::is_dotted));
        let Some(found) = found else { break };
        (tables, missing) = (found, rest);
    }
    let named = |path: &[&str]| -> String {
        let keys = path.iter().chain([&name]).map(|key| Key::new(*key).display_repr().into_owned());
        keys.collect::<Vec<_>>().join(".")
    };
    let pairs = pairs.iter().map(|(key, value)| format!("{key} = {value}"));
    if let Some(tables) = tables.as_inline_table() {
        let pairs: Vec<_> = pairs.collect();
        return add_to_inline_table(text, tables, &format!("{} = {{ {} }}", named(missing), pairs.join(", ")));
    }
    // The line end of the last line.
    let end = match text.rsplit_once('\n') {
        Some((before, _)) if before.ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let parted = match text {
        blank if blank.trim().is_empty() => String::new(),
        whole if whole.ends_with('\n') => end.to_owned(),
        _ => end.repeat(2),
    };
    let header = format!("[{}]", named(path));
    let section: String = std::iter::once(header).chain(pairs).map(|line| line + end).collect();
    Some(format!("{text}{parted}{section}"))
}

/// Sets values of an entry that has each of these keys already; `None` if it lacks one.
pub(super) fn set_values(text: &str, path: &[&str], name: &str, pairs: &[(&str, String)]) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let entry = path.iter().chain([&name]).try_fold(document.as_item(), |tables, key| tables.get(*key))?;
    let place = |(key, value): &(&str, String)| Some((entry.get(*key)?.as_value()?.span()?, value.clone()));
    let mut places: Vec<_> = pairs.iter().map(place).collect::<Option<_>>()?;
    places.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut edited = text.to_owned();
    for (place, value) in places {
        edited.replace_range(place, &value);
    }
    Some(edited)
}

/// Appends an element to an inline table; `None` if a comment follows the last element.
fn add_to_inline_table(text: &str, tables: &InlineTable, element: &str) -> Option<String> {
    let braces = tables.span()?;
    let inner = braces.start + 1..braces.end.checked_sub(1)?;
    let last = end_of_last_value(tables);
    let from = last.unwrap_or(inner.start);
    let tail = text.get(from..inner.end)?;
    let (at, element) = match (tail.trim(), last) {
        ("", None) => (from, format!(" {element} ")),
        ("", Some(_)) => (from, format!(", {element}")),
        (",", Some(_)) => (from + tail.find(',')? + 1, format!(" {element}")),
        _ => return None,
    };
    Some(format!("{}{element}{}", text.get(..at)?, text.get(at..)?))
}

/// The end of the last value. A table from dotted keys has no end of its own.
fn end_of_last_value(tables: &InlineTable) -> Option<usize> {
    let end = |(_, value): (&str, &Value)| match value {
        Value::InlineTable(below) if below.is_dotted() => end_of_last_value(below),
        value => value.span().map(|value| value.end),
    };
    tables.iter().filter_map(end).max()
}

/// Removes `name` from the tables at `path`, with the comment right above it if a blank line precedes that; other
/// comments belong to something else.
pub(super) fn remove_entry(text: &str, path: &[&str], name: &str) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let tables = path.iter().try_fold(document.as_item(), |tables, key| tables.get(*key))?;
    if let Some(tables) = tables.as_inline_table() {
        return remove_from_inline_table(text, tables, name);
    }
    let tables = tables.as_table()?;
    let mut found = Vec::new();
    collect_entry_spans(tables.key(name)?, tables.get(name)?, &mut found)?;
    Some(remove_lines(text, &document, &found))
}

fn remove_from_inline_table(text: &str, tables: &InlineTable, name: &str) -> Option<String> {
    let braces = tables.span()?;
    let element = |(key, value): (&str, &Value)| {
        let stands = tables.key(key)?.span()?.start..value.span()?.end;
        Some((stands, key == name))
    };
    let mut elements: Vec<_> = tables.iter().map(element).collect::<Option<_>>()?;
    elements.sort_by_key(|(stands, _)| stands.start);
    let at = elements.iter().position(|(_, is_it)| *is_it)?;
    let own = &elements.get(at)?.0;
    let gone = match (at.checked_sub(1).and_then(|before| elements.get(before)), elements.get(at + 1)) {
        (_, Some((next, _))) => own.start..next.start,
        (Some((before, _)), None) => before.end..own.end,
        (None, None) => braces.start + 1..braces.end.checked_sub(1)?,
    };
    // A comment may not be removed with it.
    let taken = text.get(gone.clone())?;
    if taken.contains('\n') && taken.contains('#') {
        return None;
    }
    Some(format!("{}{}", text.get(..gone.start)?, text.get(gone.end..)?))
}

/// Collects the positions of an entry's headers and values: below its own header, or with its name before each key.
fn collect_entry_spans(key: &Key, item: &Item, found: &mut Vec<Range<usize>>) -> Option<()> {
    match item {
        Item::Value(value) => found.push(key.span()?.start..value.span()?.end),
        Item::Table(table) => {
            if !table.is_dotted() && !table.is_implicit() {
                found.push(table.span()?);
            }
            for (name, item) in table {
                collect_entry_spans(table.key(name)?, item, found)?;
            }
        }
        Item::ArrayOfTables(_) | Item::None => return None,
    }
    Some(())
}

/// Collects the positions of a document's values.
fn collect_value_spans(item: &Item, found: &mut Vec<Range<usize>>) {
    match item {
        Item::Value(value) => found.extend(value.span()),
        Item::Table(table) => table.iter().for_each(|(_, item)| collect_value_spans(item, found)),
        Item::ArrayOfTables(tables) => tables.iter().flatten().for_each(|(_, item)| collect_value_spans(item, found)),
        Item::None => {}
    }
}

/// The lines of a text, with those that continue a value.
struct TomlLines<'t> {
    lines: Vec<&'t str>,
    /// Lines that begin within a value, whatever they look like.
    value_continuations: HashSet<usize>,
}

impl<'t> TomlLines<'t> {
    fn new(text: &'t str, document: &Document<&str>) -> Self {
        let mut spans = Vec::new();
        collect_value_spans(document.as_item(), &mut spans);
        spans.retain(|span| text.get(span.clone()).is_some_and(|value| value.contains('\n')));
        let of_values = spans.iter().flat_map(|span| line_at(text, span.start) + 1..line_at(text, span.end) + 1);
        Self { lines: text.split_inclusive('\n').collect(), value_continuations: of_values.collect() }
    }

    fn is_comment(&self, line: usize) -> bool {
        let is_comment = self.lines.get(line).is_some_and(|text| text.trim_start().starts_with('#'));
        is_comment && !self.value_continuations.contains(&line)
    }

    /// Whether a line is blank; the end of the text counts as blank.
    fn is_blank(&self, line: usize) -> bool {
        self.lines.get(line).is_none_or(|text| text.trim().is_empty()) && !self.value_continuations.contains(&line)
    }

    /// The first line of the comment right above a line if a blank line precedes the comment, else the line itself. A
    /// comment at the beginning of a file describes the file, and one right below another line describes that line.
    fn start_of_comment_above(&self, line: usize) -> usize {
        let mut start = line;
        while start.checked_sub(1).is_some_and(|above| self.is_comment(above)) {
            start -= 1;
        }
        if start.checked_sub(1).is_some_and(|above| self.is_blank(above)) { start } else { line }
    }

    /// Whether the gap has only blank lines, and comments that touch the lines before or after it.
    fn is_entry_gap(&self, between: Range<usize>) -> bool {
        let end = between.end;
        let stands_free = |line: usize| {
            self.is_blank(line) && self.is_comment(line + 1) && (line + 2..end).any(|line| self.is_blank(line))
        };
        between.into_iter().all(|line| self.is_comment(line) || self.is_blank(line) && !stands_free(line))
    }
}

/// The index of the line at a byte offset.
fn line_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// The text without the lines at these positions, their comments, and a blank line that would be redundant.
fn remove_lines(text: &str, document: &Document<&str>, places: &[Range<usize>]) -> String {
    let lines = TomlLines::new(text, document);
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut places: Vec<_> = places.iter().map(|at| line_at(text, at.start)..line_at(text, at.end) + 1).collect();
    places.sort_by_key(|place| place.start);
    for place in places {
        match blocks.last_mut() {
            // A gap between two parts of the entry belongs to it.
            Some(block) if lines.is_entry_gap(block.end..place.start) => block.end = place.end.max(block.end),
            _ => blocks.push(place),
        }
    }
    for block in &mut blocks {
        block.start = lines.start_of_comment_above(block.start);
        match block.start.checked_sub(1) {
            Some(before) if lines.is_blank(before) && lines.is_blank(block.end) => block.start = before,
            None if lines.is_blank(block.end) => block.end += 1,
            _ => {}
        }
    }
    let kept = lines.lines.iter().enumerate().filter(|(line, _)| !blocks.iter().any(|block| block.contains(line)));
    kept.map(|(_, line)| *line).collect()
}
