//! Colours and other escape sequences of terminals.
//!
//! Never: changes a line without one.

use std::borrow::Cow;

/// Returns a line without escape sequences.
pub(super) fn without_escapes(line: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1b}';
    if !line.contains(ESCAPE) {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, sequence)) = rest.split_once(ESCAPE) {
        plain.push_str(before);
        rest = match sequence.strip_prefix('[') {
            // Parameters, and a letter that ends them.
            Some(sequence) => {
                let end = sequence.find(|c: char| ('@'..='~').contains(&c)).map_or(sequence.len(), |end| end + 1);
                sequence.get(end..).unwrap_or_default()
            }
            None => sequence,
        };
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}
