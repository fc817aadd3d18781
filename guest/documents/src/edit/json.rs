//! Fields in JSON, as Hugo has them.
//!
//! Owns: the commas. Before a new field there is the same white space as before the last one.
//! Never: changes white space within a value that it does not change.

use super::{Edit, Splice};
use crate::value::{Value, write_quoted};

pub(super) fn splices(edit: &Edit<'_>, value: Option<&Value>) -> Vec<Splice> {
    match (edit.entry(), value) {
        (Some(entry), Some(value)) => vec![Splice::new(entry.written.clone(), value.to_json())],
        (Some(_), None) => remove(edit).into_iter().collect(),
        (None, Some(value)) => vec![insert(edit, value)],
        (None, None) => Vec::new(),
    }
}

fn insert(edit: &Edit<'_>, value: &Value) -> Splice {
    let mut field = String::new();
    write_quoted(edit.name, &mut field);
    field.push_str(": ");
    value.write_json(&mut field);
    let Some(last) = edit.entries.last() else {
        let eol = edit.eol;
        return Splice::new(0..edit.block.len(), format!("{{{eol}  {field}{eol}}}"));
    };
    let before = edit.text(0..last.key.start);
    let space = before.get(before.trim_end().len()..).unwrap_or_default();
    // The first field of a line may follow the brace at once; a second one does not follow its comma so.
    let space = if space.is_empty() && edit.entries.len() == 1 { " " } else { space };
    Splice::new(last.written.end..last.written.end, format!(",{space}{field}"))
}

fn remove(edit: &Edit<'_>) -> Option<Splice> {
    let index = edit.entries.iter().position(|entry| entry.name == edit.name)?;
    let entry = edit.entries.get(index)?;
    let next = edit.entries.get(index + 1);
    let previous = index.checked_sub(1).and_then(|index| edit.entries.get(index));
    let range = match (previous, next) {
        (_, Some(next)) => entry.key.start..next.key.start,
        (Some(previous), None) => previous.written.end..entry.written.end,
        (None, None) => edit.text(0..entry.key.start).trim_end().len()..entry.written.end,
    };
    Some(Splice::new(range, ""))
}
