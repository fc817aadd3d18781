//! What is put into a JSON file, and taken out of it, in the form of what is there.
//!
//! Never: decides what belongs there.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged as _;

use super::document::{Document, content, property};
use crate::entry::{Content, Field, Launch};
use crate::error::EditError;
use crate::table::Shape;
use crate::text::{Splice, indent_of, is_blank, line_start, next_line, without_lines};

impl Document<'_> {
    /// What one field of an entry that is there lacks.
    pub(super) fn update(&self, entry: &Object<'_>, field: &Field) -> Result<Option<Vec<Splice>>, EditError> {
        let there = property(entry, field.key);
        let current = there.and_then(|property| content(&property.value));
        if field.is_good(there.is_some(), current.as_ref()) {
            return Ok(None);
        }
        let leaf = Tree::Leaf(field.content.clone());
        Ok(Some(match there {
            Some(property) => {
                let range = property.value.range();
                vec![Splice::over(range.start, range.end, leaf.render("", "", "", true))]
            }
            None => self.insert(entry, field.key, &leaf),
        }))
    }

    /// The first value of a file that has none.
    pub(super) fn whole(&self, tree: &Tree) -> Vec<Splice> {
        let text = tree.render("", "  ", self.eol, false);
        let after = self.tokens.last().map_or(0, |comment| comment.range.end);
        let before = if after == 0 { "" } else { self.eol };
        let ending = if after == 0 { self.eol } else { "" };
        let end = if after == 0 { self.text.len() } else { after };
        vec![Splice::over(after, end, format!("{before}{text}{ending}"))]
    }

    /// A further property, as the last one of an object and in the form of those before it.
    pub(super) fn insert(&self, object: &Object<'_>, key: &str, tree: &Tree) -> Vec<Splice> {
        let Some(last) = object.properties.last() else { return self.insert_first(object, key, tree) };
        let comma = self.comma(last.range.end, object.range.end);
        let several = self.text.get(object.range.start..last.range.start).is_some_and(|text| text.contains('\n'));
        if !several {
            let pair = format!("{}: {}", quoted(key), tree.render("", "", "", true));
            return match comma {
                Some(comma) => vec![Splice::at(comma.range.end, format!(" {pair},"))],
                None => vec![Splice::at(last.range.end, format!(", {pair}"))],
            };
        }
        let indent = indent_of(self.text, last.range.start);
        let pair = format!("{}: {}", quoted(key), tree.written(self, indent));
        let after = comma.map_or(last.range.end, |comma| comma.range.end);
        // A comment behind the last one, on its line, is about the last one.
        let line_end = next_line(self.text, after);
        let behind = self.behind(after, line_end.min(object.range.end));
        let (eol, ending) = (self.eol, if comma.is_some() { "," } else { "" });
        let line = Splice::at(behind, format!("{eol}{indent}{pair}{ending}"));
        match comma {
            Some(_) => vec![line],
            None if behind == after => vec![Splice { text: format!(",{}", line.text), ..line }],
            None => vec![Splice::at(last.range.end, ","), line],
        }
    }

    fn insert_first(&self, object: &Object<'_>, key: &str, tree: &Tree) -> Vec<Splice> {
        let (start, end) = (object.range.start + 1, object.range.end.saturating_sub(1));
        if self.is_compact() && self.comments(start, end).is_empty() {
            let pair = format!("{}: {}", quoted(key), tree.render("", "", "", true));
            return vec![Splice::over(start, end, pair)];
        }
        let around = indent_of(self.text, object.range.start);
        let indent = format!("{around}{}", self.unit());
        let pair = format!("{}: {}", quoted(key), tree.written(self, &indent));
        let after = self.comments(start, end).last().map_or(start, |comment| comment.range.end);
        let eol = self.eol;
        vec![Splice::over(after, end, format!("{eol}{indent}{pair}{eol}{around}"))]
    }

    pub(super) fn remove(&self, object: &Object<'_>, index: usize) -> Vec<Splice> {
        let Some(property) = object.properties.get(index) else { return Vec::new() };
        let (start, end) = (property.range.start, property.range.end);
        let previous = index.checked_sub(1).and_then(|index| object.properties.get(index));
        let next = object.properties.get(index + 1);
        let comma = self.comma(end, next.map_or(object.range.end, |next| next.range.start));
        let end = comma.map_or(end, |comma| comma.range.end);
        let inner = (object.range.start + 1, object.range.end.saturating_sub(1));
        if object.properties.len() == 1 && self.comments(inner.0, inner.1).is_empty() {
            return vec![Splice::over(inner.0, inner.1, "")];
        }
        // A comment in between is somebody's.
        if let Some(comma) = comma.filter(|comma| !self.comments(property.range.end, comma.range.start).is_empty()) {
            let (comma, property) = (comma.range, property.range);
            return vec![Splice::over(property.start, property.end, ""), Splice::over(comma.start, comma.end, "")];
        }
        // Without it the one before is the last, and has no comma if ours had none.
        let part = previous.and_then(|previous| self.comma(previous.range.end, start));
        let before = part.filter(|_| next.is_none() && comma.is_none());
        let mut splices: Vec<Splice> =
            before.map(|comma| Splice::over(comma.range.start, comma.range.end, "")).into_iter().collect();
        let own_line = is_blank(self.text, line_start(self.text, start), start);
        let line_end = next_line(self.text, end);
        let behind = self.behind(end, line_end);
        if own_line && behind <= line_end && is_blank(self.text, behind, line_end) && line_end < object.range.end {
            splices.push(without_lines(self.text, start, end, self.eol));
        } else if let Some(next) = next {
            let after = if is_blank(self.text, end, next.range.start) { next.range.start } else { end };
            splices.push(Splice::over(start, after, ""));
        } else {
            // The blank that stood before it has nothing to part any more.
            let from = part.map_or(start, |comma| comma.range.end);
            let from = if is_blank(self.text, from, start) { from } else { start };
            splices.push(Splice::over(from, end, ""));
        }
        splices
    }
}

pub(super) fn entry_tree(shape: Shape, name: &str, launch: &Launch) -> Tree {
    Tree::Object(vec![(name.to_owned(), Tree::of(&shape.fields(launch)))])
}

/// A value below keys, of which none is there yet.
pub(super) fn nested(keys: &[&str], tree: Tree) -> Tree {
    keys.iter().rev().fold(tree, |tree, key| Tree::Object(vec![((*key).to_owned(), tree)]))
}

/// What is written.
pub(super) enum Tree {
    Leaf(Content),
    Object(Vec<(String, Self)>),
}

impl Tree {
    pub(super) fn of(fields: &[Field]) -> Self {
        Self::Object(fields.iter().map(|field| (field.key.to_owned(), Self::Leaf(field.content.clone()))).collect())
    }

    /// In the form of the file that it goes into.
    pub(super) fn written(&self, document: &Document<'_>, indent: &str) -> String {
        self.render(indent, document.unit(), document.eol, document.is_compact())
    }

    pub(super) fn render(&self, indent: &str, unit: &str, eol: &str, compact: bool) -> String {
        match self {
            Self::Leaf(Content::Text(text)) => quoted(text),
            Self::Leaf(Content::Flag(flag)) => flag.to_string(),
            Self::Leaf(Content::List(texts)) => {
                format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
            }
            Self::Object(pairs) if compact => {
                let pair = |(key, tree): &(String, Self)| format!("{}: {}", quoted(key), tree.render("", "", "", true));
                format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            Self::Object(pairs) => {
                let inner = format!("{indent}{unit}");
                let pair = |(key, tree): &(String, Self)| {
                    format!("{eol}{inner}{}: {}", quoted(key), tree.render(&inner, unit, eol, false))
                };
                format!("{{{}{eol}{indent}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(","))
            }
        }
    }
}

pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
