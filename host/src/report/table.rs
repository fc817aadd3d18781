//! Tables: at a terminal with headings, as wide as it is; elsewhere one line for each row, in columns of a fixed width.
//!
//! Owns: how a table is laid out.
//! Never: cuts a cell off, or changes a line that a program reads.

use unicode_width::UnicodeWidthStr as _;

use super::terminal::{self, TextRole, paint};
use super::{CommandError, escape_name, print_line, write_line};

/// The space between two columns at a terminal.
const GAP: &str = "  ";
/// How far a row's further lines are indented where its columns do not fit beside each other.
const INDENT: usize = 4;
/// The narrowest column of a text.
const MIN_TEXT_COLUMNS: usize = 24;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    heading: &'static str,
    /// The least number of characters for a program.
    plain_width: usize,
    align: Align,
    /// Whether it is a text, which may be wrapped.
    is_text: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

impl Column {
    /// A column of names, states or numbers. A program finds it at least `plain_width` characters wide.
    pub(crate) const fn new(heading: &'static str, plain_width: usize) -> Self {
        Self { heading, plain_width, align: Align::Left, is_text: false }
    }

    /// A column of texts, which a narrow terminal wraps.
    pub(crate) const fn text(heading: &'static str, plain_width: usize) -> Self {
        Self { is_text: true, ..Self::new(heading, plain_width) }
    }

    pub(crate) const fn right(self) -> Self {
        Self { align: Align::Right, ..self }
    }
}

/// A cell: a text on one line, and what it is.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    role: Option<TextRole>,
}

impl Cell {
    pub(crate) fn new(text: impl AsRef<str>, role: TextRole) -> Self {
        Self { text: escape_name(text.as_ref()), role: Some(role) }
    }

    fn width(&self) -> usize {
        self.text.width()
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: escape_name(text.as_ref()), role: None }
    }
}

/// A table that is printed when all of its rows are known.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    columns: [Column; N],
    /// What separates two columns for a program.
    separator: &'static str,
    rows: Vec<[Cell; N]>,
}

impl<const N: usize> Table<N> {
    pub(crate) const fn new(separator: &'static str, columns: [Column; N]) -> Self {
        Self { columns, separator, rows: Vec::new() }
    }

    pub(crate) fn add(&mut self, row: [Cell; N]) {
        self.rows.push(row);
    }

    /// Prints the table: nothing, if it has no rows.
    pub(crate) fn print(&self) -> Result<(), CommandError> {
        if !terminal::is_output_terminal() {
            return self.rows.iter().try_for_each(|row| print_line(&self.plain_line(row)));
        }
        let lines = self.layout(terminal::output_size().columns, terminal::obeys_styles());
        lines.iter().try_for_each(|line| write_line(line))
    }

    fn plain_line(&self, row: &[Cell; N]) -> String {
        let cells = self.columns.iter().zip(row).map(|(column, cell)| {
            let width = column.plain_width;
            match column.align {
                Align::Left => format!("{:<width$}", cell.text),
                Align::Right => format!("{:>width$}", cell.text),
            }
        });
        cells.collect::<Vec<_>>().join(self.separator).trim_end().to_owned()
    }

    /// Lays the table out for a terminal of so many columns.
    fn layout(&self, columns: usize, is_styled: bool) -> Vec<String> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let widths = self.natural_widths();
        // A column without a single text is left out.
        let shown: Vec<usize> =
            (0..N).filter(|at| self.rows.iter().any(|row| row.get(*at).is_some_and(|cell| cell.width() > 0))).collect();
        let heading = |at: usize| self.columns.get(at).map_or("", |column| column.heading);
        let headings = self.columns.map(|column| Cell::new(column.heading, TextRole::Heading));
        match self.fit(&widths, &shown, columns) {
            Some(widths) => {
                let with_headings = shown.iter().any(|at| !heading(*at).is_empty());
                let headings = with_headings.then_some(&headings);
                let rows = headings.into_iter().chain(&self.rows);
                rows.flat_map(|row| self.beside(row, &shown, &widths, is_styled)).collect()
            }
            None => self.rows.iter().flat_map(|row| below(row, columns, is_styled)).collect(),
        }
    }

    fn natural_widths(&self) -> [usize; N] {
        let mut widths = self.columns.map(|column| column.heading.width());
        for row in &self.rows {
            widths.iter_mut().zip(row).for_each(|(width, cell)| *width = cell.width().max(*width));
        }
        widths
    }

    /// Returns the widths with which the columns fit, of which the widest text gives way; `None` if they do not.
    fn fit(&self, natural: &[usize; N], shown: &[usize], columns: usize) -> Option<[usize; N]> {
        let mut widths = *natural;
        let gaps = GAP.len() * shown.len().saturating_sub(1);
        let total = |widths: &[usize; N]| shown.iter().filter_map(|at| widths.get(*at)).sum::<usize>() + gaps;
        let excess = total(&widths).saturating_sub(columns);
        if excess > 0 {
            let is_text = |at: &usize| self.columns.get(*at).is_some_and(|column| column.is_text);
            let widest = shown.iter().copied().filter(is_text).max_by_key(|at| widths.get(*at).copied())?;
            let width = widths.get_mut(widest)?;
            *width = width.checked_sub(excess).filter(|width| *width >= MIN_TEXT_COLUMNS)?;
        }
        Some(widths)
    }

    /// Lays a row out with its cells beside each other; a text that is wider than its column is wrapped in it.
    fn beside(&self, row: &[Cell; N], shown: &[usize], widths: &[usize; N], is_styled: bool) -> Vec<String> {
        let cells: Vec<(Align, usize, Option<TextRole>, Vec<String>)> = shown
            .iter()
            .filter_map(|at| {
                let (column, cell, width) = (self.columns.get(*at)?, row.get(*at)?, *widths.get(*at)?);
                let pieces = if cell.width() > width { wrap(&cell.text, width) } else { vec![cell.text.clone()] };
                Some((column.align, width, cell.role, pieces))
            })
            .collect();
        let n_lines = cells.iter().map(|(.., pieces)| pieces.len()).max().unwrap_or_default();
        let line = |number: usize| {
            let mut line = String::new();
            // Spaces stand only before a text.
            let mut owed = 0;
            for (at, (align, width, role, pieces)) in cells.iter().enumerate() {
                let piece = pieces.get(number).map_or("", String::as_str);
                let padding = width.saturating_sub(piece.width());
                owed += if at == 0 { 0 } else { GAP.len() };
                let (before, after) = if *align == Align::Right { (padding, 0) } else { (0, padding) };
                owed += before;
                if !piece.is_empty() {
                    line.extend(std::iter::repeat_n(' ', owed));
                    line.push_str(&paint(piece, *role, is_styled));
                    owed = 0;
                }
                owed += after;
            }
            line
        };
        (0..n_lines).map(line).collect()
    }
}

/// Lays a row out where the table is wider than the terminal: cells beside each other as they fit, on further lines that are
/// indented.
fn below(row: &[Cell], columns: usize, is_styled: bool) -> Vec<String> {
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    for cell in row.iter().filter(|cell| cell.width() > 0) {
        if used > 0 && used + GAP.len() + cell.width() > columns {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push_str(GAP);
            used += GAP.len();
        } else if !lines.is_empty() {
            line.push_str(&" ".repeat(INDENT));
            used = INDENT;
        }
        for (at, piece) in wrap(&cell.text, columns.saturating_sub(used).max(1)).iter().enumerate() {
            if at > 0 {
                lines.push(std::mem::take(&mut line));
                line.push_str(&" ".repeat(used));
            }
            line.push_str(&paint(piece, cell.role, is_styled));
        }
        used += cell.width();
    }
    lines.push(line);
    lines
}

/// Breaks a text into lines between words. A word that is wider than a line stays whole, so that it can be copied.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
    for word in text.split(' ') {
        let width = word.width();
        if used > 0 && used + 1 + width > columns {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += width;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<3> {
        let columns = [Column::new("NAME", 6), Column::new("N", 3).right(), Column::text("WHAT", 0)];
        let mut table = Table::new(" ", columns);
        table.add([Cell::new("one", TextRole::Name), "1".into(), "a text of several words that is long".into()]);
        table.add(["zwölf".into(), "12".into(), "".into()]);
        table
    }

    #[test]
    fn program_reads_columns_of_a_fixed_width() {
        let table = table();
        let lines: Vec<String> = table.rows.iter().map(|row| table.plain_line(row)).collect();
        assert_eq!(lines, ["one      1 a text of several words that is long", "zwölf   12"]);
    }

    #[test]
    fn columns_are_as_wide_as_their_texts_where_they_fit() {
        let shown = ["NAME    N  WHAT", "one     1  a text of several words that is long", "zwölf  12"];
        assert_eq!(table().layout(60, false), shown);
    }

    #[test]
    fn text_is_wrapped_in_its_column_where_it_does_not_fit() {
        let shown = ["NAME    N  WHAT", "one     1  a text of several words that", "           is long", "zwölf  12"];
        assert_eq!(table().layout(40, false), shown);
    }

    #[test]
    fn row_is_broken_where_columns_do_not_fit() {
        let shown = ["one  1", "    a text of", "    several words", "    that is long", "zwölf  12"];
        assert_eq!(table().layout(20, false), shown);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let mut table = Table::new(" ", [Column::new("NAME", 0), Column::new("X", 0)]);
        table.add(["日本".into(), "x".into()]);
        table.add(["ab".into(), "y".into()]);
        assert_eq!(table.layout(60, false), ["NAME  X", "日本  x", "ab    y"]);
    }

    #[test]
    fn word_that_is_wider_than_a_line_stays_whole() {
        assert_eq!(
            wrap("see https://example.org/a/long/path now", 10),
            ["see", "https://example.org/a/long/path", "now"]
        );
    }

    #[test]
    fn control_characters_are_escaped_and_roles_painted() {
        let mut table = Table::new(" ", [Column::new("", 0)]);
        table.add([Cell::new("a\u{1b}[2Jb", TextRole::Bad)]);
        let painted = table.layout(60, true);
        assert_eq!(painted, ["\u{1b}[31ma\\u{1b}[2Jb\u{1b}[0m"]);
    }
}
