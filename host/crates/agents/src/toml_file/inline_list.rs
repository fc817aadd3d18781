//! Inserts and removes one element of an array in brackets or an inline table.
//!
//! Never: removes a comment.

use std::ops::Range;

use toml_edit::{Array, InlineTable, Value};

use crate::error::EditError;
use crate::text::{Splice, indent_of, is_blank, line_start, next_line_start, remove_lines};

/// Collects the ranges of a table's pairs. For a dotted key only the first table that it creates has its start, and no
/// table has the end of its value.
fn collect_pair_spans(table: &InlineTable, start: Option<usize>, found: &mut Vec<Range<usize>>) -> Option<()> {
    let mut outer = start;
    for (key, value) in table {
        let start = outer.take().map_or_else(|| Some(table.key(key)?.span()?.start), Some)?;
        match value {
            Value::InlineTable(below) if below.is_dotted() => collect_pair_spans(below, Some(start), found)?,
            value => found.push(start..value.span()?.end),
        }
    }
    Some(())
}

/// The positions of a list's parts.
pub(super) struct InlineList<'t> {
    text: &'t str,
    /// The range between both brackets.
    inner: Range<usize>,
    /// In their order.
    elements: Vec<Range<usize>>,
}

impl<'t> InlineList<'t> {
    pub(super) fn from_array(text: &'t str, values: &Array) -> Result<Self, EditError> {
        Self::new(text, values.span(), values.iter().map(Value::span).collect())
    }

    pub(super) fn from_inline_table(text: &'t str, table: &InlineTable) -> Result<Self, EditError> {
        let mut elements = Vec::new();
        let whole = collect_pair_spans(table, None, &mut elements).and_then(|()| table.span());
        Self::new(text, whole, Some(elements))
    }

    fn new(text: &'t str, whole: Option<Range<usize>>, elements: Option<Vec<Range<usize>>>) -> Result<Self, EditError> {
        let (whole, mut elements) = whole.zip(elements).ok_or(EditError::NotIsolated)?;
        elements.sort_by_key(|element| element.start);
        Ok(Self { text, inner: whole.start + 1..whole.end.saturating_sub(1), elements })
    }

    /// Finds the comma between two positions, skipping comments.
    fn find_comma(&self, from: usize, to: usize) -> Option<usize> {
        let mut at = from;
        for line in self.text.get(from..to)?.split_inclusive('\n') {
            let code = line.split('#').next().unwrap_or_default();
            if let Some(comma) = code.find(',') {
                return Some(at + comma);
            }
            at += line.len();
        }
        None
    }

    /// Returns the end of a position's line if only a comment follows, else the position.
    fn trailing_comment_end(&self, after: usize) -> usize {
        let rest = self.text.get(after..next_line_start(self.text, after)).unwrap_or_default();
        let is_free = rest.trim_start().is_empty() || rest.trim_start().starts_with('#');
        if is_free { after + rest.trim_end_matches(['\r', '\n']).len() } else { after }
    }

    /// Inserts an element, as the last one and formatted as those before it.
    pub(super) fn insert_element(&self, element: &str, eol: &str) -> Vec<Splice> {
        let (text, Range { start, end }) = (self.text, self.inner.clone());
        let inner = text.get(start..end).unwrap_or_default();
        let Some(last) = self.elements.last() else {
            if !inner.contains('\n') {
                return vec![Splice::insertion(start, element)];
            }
            let behind = self.trailing_comment_end(start + inner.trim_end().len());
            return vec![Splice::insertion(behind, format!("{eol}{}  {element},", indent_of(text, start)))];
        };
        let comma = self.find_comma(last.end, end);
        let after = comma.map_or(last.end, |comma| comma + 1);
        let behind = self.trailing_comment_end(after);
        let ending = if comma.is_some() { "," } else { "" };
        let several = text.get(start..last.start).is_some_and(|before| before.contains('\n'));
        let element = if several || behind > after {
            format!("{eol}{}{element}{ending}", indent_of(text, last.start))
        } else {
            format!(" {element}{ending}")
        };
        match comma {
            Some(_) => vec![Splice::insertion(behind, element)],
            None if behind == after => vec![Splice::insertion(after, format!(",{element}"))],
            None => vec![Splice::insertion(last.end, ","), Splice::insertion(behind, element)],
        }
    }

    /// Removes the element that ends where this value ends.
    pub(super) fn remove_element(&self, value: &Range<usize>, eol: &str) -> Result<Vec<Splice>, EditError> {
        let text = self.text;
        let index = self.elements.iter().position(|element| element.end == value.end).ok_or(EditError::NotIsolated)?;
        let own = self.elements.get(index).ok_or(EditError::NotIsolated)?;
        let previous = index.checked_sub(1).and_then(|index| self.elements.get(index));
        let next = self.elements.get(index + 1);
        let comma = self.find_comma(own.end, next.map_or(self.inner.end, |next| next.start));
        if let Some(comma) = comma.filter(|comma| !is_blank(text, own.end, *comma)) {
            return Ok(vec![Splice::replacement(own.start, own.end, ""), Splice::replacement(comma, comma + 1, "")]);
        }
        let end = comma.map_or(own.end, |comma| comma + 1);
        // After the removal the previous element is the last. It has no trailing comma if ours had none.
        let part = previous.and_then(|previous| self.find_comma(previous.end, own.start));
        let before = part.filter(|_| next.is_none() && comma.is_none());
        let mut splices: Vec<Splice> =
            before.map(|comma| Splice::replacement(comma, comma + 1, "")).into_iter().collect();
        let after_line = next_line_start(text, end);
        let is_own_line = is_blank(text, line_start(text, own.start), own.start) && is_blank(text, end, after_line);
        splices.push(if is_own_line && after_line <= self.inner.end {
            remove_lines(text, own.start, end, eol)
        } else if let Some(next) = next.filter(|next| is_blank(text, end, next.start)) {
            Splice::replacement(own.start, next.start, "")
        } else {
            // The blank before the element separates nothing any more, except a comment that would move to another
            // line.
            let is_followed = text.get(end..).is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('#'));
            let from = part.map_or(own.start, |comma| comma + 1);
            Splice::replacement(if !is_followed && is_blank(text, from, own.start) { from } else { own.start }, end, "")
        });
        Ok(splices)
    }
}
