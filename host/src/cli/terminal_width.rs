//! The width of the terminal that standard output is.

use std::io::{self, IsTerminal as _};

use console::Term;

/// Columns of a terminal that does not say how many it has.
const USUAL_WIDTH: usize = 80;

/// Returns the columns of the terminal; `None` where standard output is none, so that a program reads it.
pub(super) fn terminal_width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let columns = Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    Some(columns.filter(|columns| *columns > 0).unwrap_or(USUAL_WIDTH))
}
