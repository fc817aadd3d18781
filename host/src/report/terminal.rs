//! What standard output and standard error lead to: whether a person reads there, how wide the terminal is, and whether it
//! has colours.
//!
//! Never: writes anything.

use std::io::{self, IsTerminal as _};

use anstyle::{AnsiColor, Style};
use rustix::termios::tcgetwinsize;

use crate::assemble::settings::env_variable;

/// A terminal that does not say its size.
const DEFAULT_SIZE: TerminalSize = TerminalSize { columns: 80, rows: 24 };
/// The narrowest terminal for which text is laid out.
const MIN_COLUMNS: usize = 20;
/// The widest help.
const MAX_HELP_COLUMNS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TerminalSize {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// Whether a person reads standard output.
pub(crate) fn is_output_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The columns in which something may be drawn on standard output; `None` where a program reads it.
pub(crate) fn drawing_columns() -> Option<usize> {
    is_output_terminal().then(|| output_size().columns)
}

/// The columns of clap's help on standard output: of a wide terminal a part, as lines are read best; 0, which is no limit, where
/// a program reads it.
pub(crate) fn help_columns() -> usize {
    drawing_columns().map_or(0, |columns| columns.min(MAX_HELP_COLUMNS))
}

/// Whether a picture can be drawn that changes, and keys be read.
pub(crate) fn can_draw() -> bool {
    is_output_terminal() && io::stdin().is_terminal() && !is_dumb()
}

/// The size of the terminal of standard output.
pub(super) fn output_size() -> TerminalSize {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
            TerminalSize { columns: usize::from(size.ws_col).max(MIN_COLUMNS), rows: usize::from(size.ws_row) }
        }
        _ => DEFAULT_SIZE,
    }
}

/// Whether a terminal obeys escape sequences: not where the person or the terminal does without them.
pub(crate) fn obeys_styles() -> bool {
    env_variable("NO_COLOR").is_none() && !is_dumb()
}

/// Whether the terminal cannot move its cursor.
pub(super) fn is_dumb() -> bool {
    env_variable("TERM").is_none_or(|kind| kind == "dumb")
}

/// What a text is, which its colour shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextRole {
    /// What is good, or added.
    Good,
    /// What needs attention.
    Warning,
    /// What is bad, or removed.
    Bad,
    /// What names a thing.
    Name,
    /// What is read second.
    Faint,
    /// The head of a column.
    Heading,
}

impl TextRole {
    /// The escape sequences before and after a text of this role.
    pub(super) const fn style(self) -> Style {
        match self {
            Self::Good => AnsiColor::Green.on_default(),
            Self::Warning => AnsiColor::Yellow.on_default(),
            Self::Bad => AnsiColor::Red.on_default(),
            Self::Name => AnsiColor::Cyan.on_default(),
            Self::Faint => Style::new().dimmed(),
            Self::Heading => Style::new().bold(),
        }
    }
}

/// Returns a text that was escaped already with the escape sequences of its role, where the terminal obeys them.
pub(super) fn paint(escaped: &str, role: Option<TextRole>, is_styled: bool) -> String {
    match role.filter(|_| is_styled && !escaped.is_empty()) {
        Some(role) => {
            let style = role.style();
            format!("{style}{escaped}{style:#}")
        }
        None => escaped.to_owned(),
    }
}
