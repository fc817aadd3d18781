//! Insertions into a JSON file and removals from it, in the file's own formatting.
//!
//! Never: decides which values belong there.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged as _;

use super::document::{JsonDocument, field_value, find_property};
use crate::agent::EntryShape;
use crate::entry::{EntryField, EntryFieldValue, LaunchCommand};
use crate::error::EditError;
use crate::text::{Splice, indent_of, is_blank, line_start, next_line_start, remove_lines};

impl JsonDocument<'_> {
    /// Returns the splices that bring one field of an existing entry up to date; `None` if it is.
    pub(super) fn update_field(
        &self,
        entry: &Object<'_>,
        field: &EntryField,
    ) -> Result<Option<Vec<Splice>>, EditError> {
        let there = find_property(entry, field.key);
        let current = there.and_then(|property| field_value(&property.value));
        if field.is_satisfied(there.is_some(), current.as_ref()) {
            return Ok(None);
        }
        let leaf = JsonTree::Leaf(field.value.clone());
        Ok(Some(match there {
            Some(property) => {
                let range = property.value.range();
                vec![Splice::replacement(range.start, range.end, leaf.render("", "", "", true))]
            }
            None => self.insert_property(entry, field.key, &leaf),
        }))
    }

    /// Inserts the first value of a file that has none.
    pub(super) fn insert_root(&self, tree: &JsonTree) -> Vec<Splice> {
        let text = tree.render("", "  ", self.eol, false);
        let after = self.tokens.last().map_or(0, |comment| comment.range.end);
        let before = if after == 0 { "" } else { self.eol };
        let ending = if after == 0 { self.eol } else { "" };
        let end = if after == 0 { self.text.len() } else { after };
        vec![Splice::replacement(after, end, format!("{before}{text}{ending}"))]
    }

    /// Inserts a property, as the last one of an object and formatted as those before it.
    pub(super) fn insert_property(&self, object: &Object<'_>, key: &str, tree: &JsonTree) -> Vec<Splice> {
        let Some(last) = object.properties.last() else { return self.insert_first_property(object, key, tree) };
        let comma = self.find_comma(last.range.end, object.range.end);
        let several = self.text.get(object.range.start..last.range.start).is_some_and(|text| text.contains('\n'));
        if !several {
            let pair = format!("{}: {}", quote(key), tree.render("", "", "", true));
            return match comma {
                Some(comma) => vec![Splice::insertion(comma.range.end, format!(" {pair},"))],
                None => vec![Splice::insertion(last.range.end, format!(", {pair}"))],
            };
        }
        let indent = indent_of(self.text, last.range.start);
        let pair = format!("{}: {}", quote(key), tree.render_like(self, indent));
        let after = comma.map_or(last.range.end, |comma| comma.range.end);
        // A comment after the last property, on its line, belongs to that property.
        let line_end = next_line_start(self.text, after);
        let behind = self.trailing_comments_end(after, line_end.min(object.range.end));
        // So do the blanks at the end of that line.
        let blanks = self.text.get(behind..line_end).and_then(|rest| rest.strip_suffix('\n'));
        let blanks = blanks.map(|rest| rest.strip_suffix('\r').unwrap_or(rest));
        let behind = behind + blanks.filter(|rest| rest.trim().is_empty()).map_or(0, str::len);
        let (eol, ending) = (self.eol, if comma.is_some() { "," } else { "" });
        let line = Splice::insertion(behind, format!("{eol}{indent}{pair}{ending}"));
        match comma {
            Some(_) => vec![line],
            None if behind == after => vec![Splice { text: format!(",{}", line.text), ..line }],
            None => vec![Splice::insertion(last.range.end, ","), line],
        }
    }

    fn insert_first_property(&self, object: &Object<'_>, key: &str, tree: &JsonTree) -> Vec<Splice> {
        let (start, end) = (object.range.start + 1, object.range.end.saturating_sub(1));
        if self.is_compact() && self.comments_between(start, end).is_empty() {
            let pair = format!("{}: {}", quote(key), tree.render("", "", "", true));
            return vec![Splice::replacement(start, end, pair)];
        }
        let around = indent_of(self.text, object.range.start);
        let indent = format!("{around}{}", self.indent_unit());
        let pair = format!("{}: {}", quote(key), tree.render_like(self, &indent));
        let after = self.comments_between(start, end).last().map_or(start, |comment| comment.range.end);
        let eol = self.eol;
        vec![Splice::replacement(after, end, format!("{eol}{indent}{pair}{eol}{around}"))]
    }

    pub(super) fn remove_property(&self, object: &Object<'_>, index: usize) -> Vec<Splice> {
        let Some(property) = object.properties.get(index) else { return Vec::new() };
        let (start, end) = (property.range.start, property.range.end);
        let previous = index.checked_sub(1).and_then(|index| object.properties.get(index));
        let next = object.properties.get(index + 1);
        let comma = self.find_comma(end, next.map_or(object.range.end, |next| next.range.start));
        let end = comma.map_or(end, |comma| comma.range.end);
        let inner = (object.range.start + 1, object.range.end.saturating_sub(1));
        if object.properties.len() == 1 && self.comments_between(inner.0, inner.1).is_empty() {
            return vec![Splice::replacement(inner.0, inner.1, "")];
        }
        // A comment in between belongs to the user and stays.
        if let Some(comma) =
            comma.filter(|comma| !self.comments_between(property.range.end, comma.range.start).is_empty())
        {
            let (comma, property) = (comma.range, property.range);
            return vec![
                Splice::replacement(property.start, property.end, ""),
                Splice::replacement(comma.start, comma.end, ""),
            ];
        }
        // After the removal the previous property is the last. It has no trailing comma if ours had none.
        let part = previous.and_then(|previous| self.find_comma(previous.range.end, start));
        let before = part.filter(|_| next.is_none() && comma.is_none());
        let mut splices: Vec<Splice> =
            before.map(|comma| Splice::replacement(comma.range.start, comma.range.end, "")).into_iter().collect();
        let own_line = is_blank(self.text, line_start(self.text, start), start);
        let line_end = next_line_start(self.text, end);
        let behind = self.trailing_comments_end(end, line_end);
        if own_line && behind <= line_end && is_blank(self.text, behind, line_end) && line_end < object.range.end {
            splices.push(remove_lines(self.text, start, end, self.eol));
        } else if let Some(next) = next {
            let after = if is_blank(self.text, end, next.range.start) { next.range.start } else { end };
            splices.push(Splice::replacement(start, after, ""));
        } else {
            // The blank before the property separates nothing any more.
            let from = part.map_or(start, |comma| comma.range.end);
            let from = if is_blank(self.text, from, start) { from } else { start };
            splices.push(Splice::replacement(from, end, ""));
        }
        splices
    }
}

pub(super) fn entry_tree(shape: EntryShape, name: &str, launch: &LaunchCommand) -> JsonTree {
    JsonTree::Object(vec![(name.to_owned(), JsonTree::from_fields(&shape.fields(launch)))])
}

/// Nests a value under keys, none of which exists yet.
pub(super) fn nest_under(keys: &[&str], tree: JsonTree) -> JsonTree {
    keys.iter().rev().fold(tree, |tree, key| JsonTree::Object(vec![((*key).to_owned(), tree)]))
}

/// A value that is inserted.
pub(super) enum JsonTree {
    Leaf(EntryFieldValue),
    Object(Vec<(String, Self)>),
}

impl JsonTree {
    pub(super) fn from_fields(fields: &[EntryField]) -> Self {
        Self::Object(fields.iter().map(|field| (field.key.to_owned(), Self::Leaf(field.value.clone()))).collect())
    }

    /// Renders the value in the formatting of the file that it is inserted into.
    pub(super) fn render_like(&self, document: &JsonDocument<'_>, indent: &str) -> String {
        self.render(indent, document.indent_unit(), document.eol, document.is_compact())
    }

    pub(super) fn render(&self, indent: &str, unit: &str, eol: &str, compact: bool) -> String {
        match self {
            Self::Leaf(EntryFieldValue::Text(text)) => quote(text),
            Self::Leaf(EntryFieldValue::Flag(flag)) => flag.to_string(),
            Self::Leaf(EntryFieldValue::List(texts)) => {
                format!("[{}]", texts.iter().map(|text| quote(text)).collect::<Vec<_>>().join(", "))
            }
            Self::Object(pairs) if compact => {
                let pair = |(key, tree): &(String, Self)| format!("{}: {}", quote(key), tree.render("", "", "", true));
                format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            Self::Object(pairs) => {
                let inner = format!("{indent}{unit}");
                let pair = |(key, tree): &(String, Self)| {
                    format!("{eol}{inner}{}: {}", quote(key), tree.render(&inner, unit, eol, false))
                };
                format!("{{{}{eol}{indent}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(","))
            }
        }
    }
}

pub(super) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
