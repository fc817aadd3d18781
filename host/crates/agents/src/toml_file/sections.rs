//! The sections of a TOML file, and their lines.
//!
//! Never: decides which sections are removed.

use std::ops::Range;

use toml_edit::{Item, Table};

use crate::text::{Splice, is_blank, line_start, next_line_start};

/// Collects the ranges of tables, from the header to the last value: tables below a table are sections of their own.
pub(super) fn collect_sections(table: &Table, found: &mut Vec<Range<usize>>) {
    if let Some(header) = table.span().filter(|_| !table.is_implicit()) {
        found.push(header.start..last_value_end(table).max(header.end));
    }
    collect_subsections(table, found);
}

fn collect_subsections(table: &Table, found: &mut Vec<Range<usize>>) {
    for (_, item) in table {
        match item {
            Item::Table(table) if table.is_dotted() => collect_subsections(table, found),
            Item::Table(table) => collect_sections(table, found),
            Item::ArrayOfTables(tables) => tables.iter().for_each(|table| collect_sections(table, found)),
            Item::Value(_) | Item::None => {}
        }
    }
}

/// Returns the end of a section's last value.
fn last_value_end(table: &Table) -> usize {
    let ends = table.iter().map(|(_, item)| match item {
        Item::Value(value) => value.span().map_or(0, |span| span.end),
        Item::Table(table) if table.is_dotted() => last_value_end(table),
        Item::Table(_) | Item::ArrayOfTables(_) | Item::None => 0,
    });
    ends.max().unwrap_or(0)
}

/// Removes the lines of a section, with the blank line that separates it from the text before.
pub(super) fn remove_section(text: &str, section: &Range<usize>) -> Splice {
    let (mut start, mut end) = (line_start(text, section.start), next_line_start(text, section.end));
    let line_before = line_start(text, start.saturating_sub(1));
    if start > 0 && is_blank(text, line_before, start) {
        start = line_before;
    } else if start == 0 && is_blank(text, end, next_line_start(text, end)) {
        end = next_line_start(text, end);
    }
    Splice::replacement(start, end, "")
}
