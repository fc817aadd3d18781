//! One entry in the text of the configuration: put in or taken out, and every other byte stays what it was.
//!
//! The parser says where things stand; lines, or a piece of one, are added or taken away. Nothing is given where the entry
//! cannot be told from what is around it. Whether the result means what it should is for `edit` to see.
//!
//! Never: knows what an entry means.

use std::ops::Range;

use toml_edit::{Document, InlineTable, Item, Key, Value};

/// A text as a value on one line, whatever is in it.
pub(super) fn string(text: &str) -> String {
    if text.contains(char::is_control) {
        // TOML has JSON's escapes, and wants one more character escaped.
        return serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f");
    }
    Value::from(text).to_string()
}

/// Adds `name` to the tables at `path`, with keys and values as TOML has them: a section at the end, or an element where
/// they are written in braces.
pub(super) fn add(text: &str, path: &[&str], name: &str, pairs: &[(&str, String)]) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let (mut tables, mut missing) = (document.as_item(), path);
    while let Some((key, rest)) = missing.split_first() {
        let Some(found) = tables.get(*key) else { break };
        (tables, missing) = (found, rest);
    }
    let named = |path: &[&str]| -> String {
        let keys = path.iter().chain([&name]).map(|key| Key::new(*key).display_repr().into_owned());
        keys.collect::<Vec<_>>().join(".")
    };
    let pairs = pairs.iter().map(|(key, value)| format!("{key} = {value}"));
    if let Some(tables) = tables.as_inline_table() {
        let pairs: Vec<_> = pairs.collect();
        return into_braces(text, tables, &format!("{} = {{ {} }}", named(missing), pairs.join(", ")));
    }
    // As the line before it ends.
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

/// One more element behind the last one. A comment there is in the way.
fn into_braces(text: &str, tables: &InlineTable, element: &str) -> Option<String> {
    let braces = tables.span()?;
    let inner = braces.start + 1..braces.end.checked_sub(1)?;
    let last = tables.iter().filter_map(|(_, value)| value.span()).map(|value| value.end).max();
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

/// Takes `name` out of the tables at `path`, and a comment right above it; what stands before that, with a blank line
/// between, is about something else.
pub(super) fn remove(text: &str, path: &[&str], name: &str) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let tables = path.iter().try_fold(document.as_item(), |tables, key| tables.get(*key))?;
    if let Some(tables) = tables.as_inline_table() {
        return out_of_braces(text, tables, name);
    }
    let tables = tables.as_table()?;
    let mut found = Vec::new();
    written(tables.key(name)?, tables.get(name)?, &mut found)?;
    Some(without(text, &found))
}

fn out_of_braces(text: &str, tables: &InlineTable, name: &str) -> Option<String> {
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
    // Nobody's comment goes with it.
    let taken = text.get(gone.clone())?;
    if taken.contains('\n') && taken.contains('#') {
        return None;
    }
    Some(format!("{}{}", text.get(..gone.start)?, text.get(gone.end..)?))
}

/// Where the headers and the values of an entry are: under a header of its own, or with its name before each key.
fn written(key: &Key, item: &Item, found: &mut Vec<Range<usize>>) -> Option<()> {
    match item {
        Item::Value(value) => found.push(key.span()?.start..value.span()?.end),
        Item::Table(table) => {
            if !table.is_dotted() && !table.is_implicit() {
                found.push(table.span()?);
            }
            for (name, item) in table {
                written(table.key(name)?, item, found)?;
            }
        }
        Item::ArrayOfTables(_) | Item::None => return None,
    }
    Some(())
}

/// A text without the lines of these places, the comments right above them, and an empty line that would be one too many. A
/// line of a longer text may look like a comment; without it that text is another one, or none, which is found out.
fn without(text: &str, places: &[Range<usize>]) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_comment = |line: usize| lines.get(line).is_some_and(|line| line.trim_start().starts_with('#'));
    // Behind the last line, too.
    let is_blank = |line: usize| lines.get(line).is_none_or(|line| line.trim().is_empty());
    let line_of = |at: usize| text.bytes().take(at).filter(|byte| *byte == b'\n').count();
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut places: Vec<_> = places.iter().map(|at| line_of(at.start)..line_of(at.end) + 1).collect();
    places.sort_by_key(|lines| lines.start);
    for place in places {
        match blocks.last_mut() {
            // What is between two lines of the entry alone is part of it.
            Some(block) if (block.end..place.start).all(|line| is_comment(line) || is_blank(line)) => {
                block.end = place.end.max(block.end);
            }
            _ => blocks.push(place),
        }
    }
    for block in &mut blocks {
        while block.start.checked_sub(1).is_some_and(is_comment) {
            block.start -= 1;
        }
        match block.start.checked_sub(1) {
            Some(before) if is_blank(before) && is_blank(block.end) => block.start = before,
            None if is_blank(block.end) => block.end += 1,
            _ => {}
        }
    }
    let kept = lines.iter().enumerate().filter(|(line, _)| !blocks.iter().any(|block| block.contains(line)));
    kept.map(|(_, line)| *line).collect()
}
