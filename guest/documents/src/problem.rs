//! The mistakes in a source that is checked, with their positions.
//!
//! Owns: the problems of one source, up to a limit, and their positions.
//! Never: words a problem; the checks do.

use wardroom_lua_syntax::position::{Locator, Position};

/// The most problems of one source. An author fixes the first ones and checks again.
pub const MAX_PROBLEMS: usize = 50;

/// The most bytes of the source that a message repeats. A name may be as long as its source.
const MAX_QUOTED_BYTES: usize = 60;

/// A mistake in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub position: Position,
    pub message: String,
}

/// A check ends early: at a mistake after which the rest cannot be understood, or at [`MAX_PROBLEMS`].
#[derive(Debug)]
pub(crate) struct Halt;

/// The problems of one source so far, by their offsets.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<(usize, String)>);

impl Problems {
    /// Adds a problem, if there is room for it.
    ///
    /// # Errors
    /// There is no room for another one.
    #[cold]
    pub(crate) fn add(&mut self, at: usize, message: impl Into<String>) -> Result<(), Halt> {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push((at, message.into()));
        }
        if self.0.len() < MAX_PROBLEMS { Ok(()) } else { Err(Halt) }
    }

    /// Adds a problem after which the check cannot go on.
    #[cold]
    pub(crate) fn fatal(&mut self, at: usize, message: impl Into<String>) -> Halt {
        let _full = self.add(at, message);
        Halt
    }

    /// Returns the problems in the order of the source.
    pub(crate) fn locate(mut self, source: &[u8]) -> Vec<Problem> {
        self.0.sort_by_key(|(at, _)| *at);
        let mut locator = Locator::new(source);
        self.0.into_iter().map(|(at, message)| Problem { position: locator.locate(at), message }).collect()
    }
}

/// Returns a part of the source for a message: as text, and cut when it is long.
#[cold]
pub(crate) fn quoted(part: &[u8]) -> String {
    let text = String::from_utf8_lossy(part.get(..MAX_QUOTED_BYTES).unwrap_or(part));
    let end = if part.len() > MAX_QUOTED_BYTES { "…" } else { "" };
    // A cut within a character leaves a replacement character at the end.
    let text = if end.is_empty() { &text } else { text.trim_end_matches(char::REPLACEMENT_CHARACTER) };
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).chain(end.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locate_sorts_and_counts_lines() {
        let mut problems = Problems::default();
        problems.add(5, "second").unwrap();
        problems.add(0, "first").unwrap();
        let located = problems.locate(b"ab\r\ncd");
        let place = |line, column| Position { line, column };
        assert_eq!(located[0], Problem { position: place(1, 1), message: "first".into() });
        assert_eq!(located[1], Problem { position: place(2, 2), message: "second".into() });
    }

    #[test]
    fn problem_past_the_limit_is_dropped() {
        let mut problems = Problems::default();
        for at in 1..MAX_PROBLEMS {
            assert!(problems.add(at, "x").is_ok());
        }
        assert!(problems.add(0, "last").is_err());
        assert!(problems.add(0, "too many").is_err());
        assert_eq!(problems.locate(b"").len(), MAX_PROBLEMS);
    }

    #[test]
    fn quoted_part_is_short_text() {
        assert_eq!(quoted(b"a\nb\xff"), "a b\u{fffd}");
        assert_eq!(quoted("é".repeat(40).as_bytes()), format!("{}…", "é".repeat(30)));
        assert_eq!(quoted(format!("x{}", "é".repeat(40)).as_bytes()), format!("x{}…", "é".repeat(29)));
    }
}
