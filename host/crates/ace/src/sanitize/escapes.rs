//! Colours and other escape sequences of terminals.
//!
//! Never: changes a text without one, or takes a text for a part of a sequence that has no end.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';
/// `ESC [` in one character.
const CONTROL_SEQUENCE: char = '\u{9b}';
/// Longest title or address in a sequence, in characters.
const MAX_SEQUENCE_CHARS: usize = 1_000;

/// Returns a text without escape sequences.
pub(crate) fn without_escapes(text: &str) -> Cow<'_, str> {
    let is_start = |c| matches!(c, ESCAPE | CONTROL_SEQUENCE);
    if !text.contains(is_start) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_start) {
        let (before, sequence) = rest.split_at(at);
        plain.push_str(before);
        rest = after_sequence(sequence);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Returns what is after the sequence that a text begins with.
fn after_sequence(text: &str) -> &str {
    let mut chars = text.chars();
    let kind = match chars.next() {
        Some(CONTROL_SEQUENCE) => Some('['),
        _ => chars.clone().next().filter(|kind| matches!(kind, '[' | ']' | 'P' | 'X' | '^' | '_')),
    };
    let Some(kind) = kind else { return chars.as_str() };
    if text.starts_with(ESCAPE) {
        chars.next();
    }
    let inner = chars.as_str();
    if kind == '[' {
        // Parameters, and a letter that ends them.
        let end = inner.trim_start_matches(|c| (' '..='?').contains(&c));
        return end.strip_prefix(|c| ('@'..='~').contains(&c)).unwrap_or(end);
    }
    // A title or an address: up to BEL or `ESC \`.
    let mut end = inner.char_indices().take(MAX_SEQUENCE_CHARS).take_while(|(_, c)| *c != '\n');
    let after = match end.find(|(_, c)| matches!(*c, '\u{7}' | ESCAPE)) {
        Some((at, ESCAPE)) => inner.get(at..).and_then(|after| after.strip_prefix("\u{1b}\\")),
        Some((at, _)) => inner.get(at + 1..),
        None => None,
    };
    after.unwrap_or(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_removed_whole() {
        for (text, plain) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{9b}1;31mred", "red"),
            ("a\u{1b}]0;title\u{7}b\u{1b}]8;;https://x\u{1b}\\c", "abc"),
            ("a\u{1b}]no end", "ano end"),
            ("a\u{1b}(b", "a(b"),
            ("a\u{1b}[31", "a"),
            ("a\u{1b}", "a"),
            ("a\u{1b}[\u{1b}[mä", "aä"),
        ] {
            assert_eq!(without_escapes(text), plain, "{text:?}");
        }
    }
}
