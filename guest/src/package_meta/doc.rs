//! The documentation of a package: the `---` lines at the beginning of its source.
//!
//! Owns: which lines belong to it, and which parts of them.
//! Never: reads past the first line that is something else.

use crate::limits::MAX_OUTPUT_BYTES;

/// Returns the leading block, without its dashes and without annotations for language servers (`---@…`).
pub(crate) fn leading(source: &str) -> Option<String> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let mut lines = source.split('\n').map(str::trim_ascii_end).peekable();
    lines.next_if(|line| line.starts_with('#'));
    while lines.next_if(|line| line.is_empty()).is_some() {}
    let mut doc = String::new();
    let mut is_first = true;
    while let Some(line) = lines.next().and_then(|line| line.strip_prefix("---")) {
        if line.starts_with('@') {
            continue;
        }
        if !is_first {
            doc.push('\n');
        }
        is_first = false;
        doc.push_str(line.strip_prefix(' ').unwrap_or(line));
        if doc.len() > MAX_OUTPUT_BYTES {
            break;
        }
    }
    (!doc.trim_ascii().is_empty()).then_some(doc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_takes_only_first_block() {
        let cases = [
            ("--- a\n--- b\nlocal M", Some("a\nb")),
            ("\u{feff}#!/usr/bin/lua\n\n---a  \r\n---\r\n---   b\r\n", Some("a\n\n  b")),
            ("--- a\n---@module x\n--- b\n\n--- c", Some("a\nb")),
            ("---@type X\nlocal M", None),
            ("-- a\n--- b", None),
            ("local M\n--- b", None),
            ("---", None),
            ("", None),
        ];
        for (source, doc) in cases {
            assert_eq!(leading(source).as_deref(), doc, "{source:?}");
        }
    }
}
