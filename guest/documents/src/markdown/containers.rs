//! How deep quotes and lists of a body may be nested, found before it is parsed.
//!
//! Owns: a bound on the containers that a line can be in. The Markdown parser compares each line with every open one: a
//! line of ten thousand `>` before ten thousand lines of text would take it as long as a hundred thousand pages.
//! Never: finds less than there are.

use crate::limits::MAX_CONTAINERS;
use crate::source::lines_from;

/// Returns where a line begins that is in more containers than the limit.
pub(crate) fn find_too_deep(body: &str) -> Option<usize> {
    let too_deep = |line: &str| line.len() > MAX_CONTAINERS && count(line.as_bytes()) > MAX_CONTAINERS;
    lines_from(body, 0).find(|line| too_deep(line.text)).map(|line| line.start)
}

/// Counts the markers at the start of a line, and one for each two columns of their indentation: a list within a list is
/// indented by as many at least. After the mark of a footnote, those behind each `]:` count, wherever its label ends.
fn count(line: &[u8]) -> usize {
    let (mut markers, mut columns, mut at, mut is_in_footnote) = (0_usize, 0_usize, 0_usize, false);
    let mut rule = RuleSearch::default();
    while let Some(rest) = line.get(at..) {
        let length = match rest {
            [b' ', ..] => {
                columns += 1;
                1
            }
            [b'\t', ..] => {
                columns += 4;
                1
            }
            [b'-' | b'*', ..] if rule.is_rule(line, at) => break,
            [b'[', b'^', ..] => {
                markers += 1;
                is_in_footnote = true;
                2
            }
            [b'>', ..] => {
                markers += 1;
                1
            }
            [b'-' | b'+' | b'*', tail @ ..] if ends_marker(tail) => {
                markers += 1;
                1
            }
            [b'0'..=b'9', ..] if let Some(length) = number_marker(rest) => {
                markers += 1;
                length
            }
            _ if is_in_footnote => match rest.windows(2).position(|pair| pair == b"]:") {
                Some(label) => label + 2,
                None => break,
            },
            _ => break,
        };
        at += length;
    }
    // Between two markers there is a space that indents nothing.
    if markers == 0 { 0 } else { markers + columns.saturating_sub(markers) / 2 }
}

/// Returns the length of a marker such as `12.`.
fn number_marker(line: &[u8]) -> Option<usize> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match line.get(digits..) {
        Some([b'.' | b')', tail @ ..]) if digits <= 9 && ends_marker(tail) => Some(digits + 1),
        _ => None,
    }
}

fn ends_marker(rest: &[u8]) -> bool {
    matches!(rest, [] | [b' ' | b'\t', ..])
}

/// Tells lists from horizontal rules, such as `* * *`, reading each byte of a line once for all markers before it.
#[derive(Default)]
struct RuleSearch {
    marker: u8,
    /// The first byte after the last search that is in no rule of that marker.
    other: usize,
}

impl RuleSearch {
    fn is_rule(&mut self, line: &[u8], at: usize) -> bool {
        let Some(marker) = line.get(at).copied() else { return false };
        if marker == self.marker && at < self.other {
            return false;
        }
        let rest = line.get(at..).unwrap_or_default();
        let is_other = |byte: &u8| *byte != marker && !matches!(byte, b' ' | b'\t');
        match rest.iter().position(is_other) {
            Some(length) => {
                (self.marker, self.other) = (marker, at + length);
                false
            }
            None => rest.iter().filter(|byte| **byte == marker).count() >= 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_bounded_by_markers_and_indentation() {
        for (line, containers) in [
            ("text > quote", 0),
            ("        code", 0),
            ("> > - 1. a", 4),
            (">>>", 3),
            ("    - a", 3),
            ("- - - - -", 0),
            ("> * * *", 1),
            ("- - - a", 3),
            ("-a", 0),
            ("1.5", 0),
            ("1234567890. a", 0),
            ("+ ", 1),
            ("[^a]: > > b", 3),
            ("[^a\\]: x]: > [^b]: 1. c", 4),
            ("[^a] > b", 1),
            ("[a]: > b", 0),
        ] {
            assert_eq!(count(line.as_bytes()), containers, "{line}");
        }
    }

    #[test]
    fn hostile_nesting_is_found() {
        let deep = MAX_CONTAINERS + 1;
        for line in [
            "> ".repeat(deep),
            ">".repeat(deep),
            "- ".repeat(deep) + "a",
            "1) > ".repeat(deep / 2 + 1),
            " ".repeat(2 * deep) + "- a",
            "[^a]: ".to_owned() + &">".repeat(deep),
            "[^]: ".repeat(deep),
        ] {
            assert_eq!(find_too_deep(&format!("a\n{line}\nb")), Some(2), "{line}");
        }
        for line in ["- ".repeat(5_000), "*".repeat(5_000), " ".repeat(5_000) + "a", "> ".repeat(MAX_CONTAINERS)] {
            assert_eq!(find_too_deep(&format!("a\n{line}\nb")), None, "{line}");
        }
    }
}
