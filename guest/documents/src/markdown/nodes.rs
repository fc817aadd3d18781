//! How many nodes the tree of a body has, estimated before it is parsed.
//!
//! Owns: the estimate. The Markdown parser keeps a tree of the whole body, with forty bytes or more for each mark, line
//! and cell. A body of 1 MiB could fill the memory of an instance several times over, and a table of a few kilobytes
//! could, too: the parser fills each row up to the columns of the header.
//! Never: estimates less than there are.

use crate::error::ParseError;
use crate::limits::MAX_MARKDOWN_NODES;
use crate::markdown::containers::find_too_deep;
use crate::source::lines_from;

/// Nodes for a character that may be markup: its own, and that of the text after it.
const NODES_PER_MARK: usize = 2;

/// Nodes for a line: a paragraph or row, its text, and the break.
const NODES_PER_LINE: usize = 3;

/// Checks that the parser can take a body.
pub(crate) fn check(body: &str) -> Result<(), ParseError> {
    if let Some(at) = find_too_deep(body) {
        return Err(ParseError::TooDeep { at });
    }
    if estimate(body) > MAX_MARKDOWN_NODES { Err(ParseError::TooMuch("markup")) } else { Ok(()) }
}

fn estimate(body: &str) -> usize {
    let (mut nodes, mut columns) = (0_usize, 0_usize);
    for line in lines_from(body, 0) {
        if line.is_blank() {
            columns = 0;
        }
        nodes += NODES_PER_LINE + columns + NODES_PER_MARK * marks(line.text.as_bytes());
        columns = columns.max(delimited_columns(line.text));
    }
    nodes
}

fn marks(line: &[u8]) -> usize {
    let is_mark = |(at, byte): (usize, &u8)| match byte {
        b'*' | b'_' | b'~' | b'`' | b'[' | b']' | b'!' | b'<' | b'>' | b'\\' | b'&' | b'|' | b'-' | b'+' => true,
        // Markers of ordered lists.
        b'.' | b')' => at.checked_sub(1).and_then(|before| line.get(before)).is_some_and(u8::is_ascii_digit),
        _ => false,
    };
    line.iter().enumerate().filter(|entry| is_mark(*entry)).count()
}

/// Returns how many columns a table has if the line is the one below its header, which may be in quotes and lists.
fn delimited_columns(line: &str) -> usize {
    let is_delimiter = |byte: u8| {
        matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t' | b'>' | b'*' | b'+' | b'.' | b')') || byte.is_ascii_digit()
    };
    let is_row = line.contains('|') && line.contains('-') && line.bytes().all(is_delimiter);
    if is_row { line.bytes().filter(|byte| *byte == b'|').count() + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::Parser;

    use super::*;
    use crate::markdown::OPTIONS;

    /// Every node but the root's becomes an event at least; two if it has children.
    fn events(body: &str) -> usize {
        Parser::new_ext(body, OPTIONS).count()
    }

    #[test]
    fn no_body_has_more_nodes_than_are_estimated() {
        let pieces = [
            "a\n",
            "a\n\n",
            "*a ",
            "**a** ",
            "_a_",
            "~a~",
            "`a` ",
            "[",
            "[a](/a) ",
            "![a](b)",
            "<b>",
            "<br>",
            "&amp;",
            "\\*",
            "- a\n",
            "- a\n\n",
            "1. a\n",
            "2) a\n\n",
            "+ + + a\n\n",
            "- - 1. 1. a\n\n",
            "> > > a\n\n",
            "- [ ] a\n",
            "# a\n",
            "a\n=\n",
            "---\n\n",
            "```\n\n```\n",
            "    a\n\n",
            "[^a]",
            "[^a]: a\n\n",
            "|a|b|\n|-|-|\n|c|\n\n",
            "a|b\n-|-\nc\nd\n\n",
            "> |a|\n> |-|\n> b\n\n",
            "<div>\n\n",
            "<a@b.c> ",
            "[a]\n\n[a]: /a\n\n",
            "\r",
            "😀\n",
        ];
        for piece in pieces {
            let body = piece.repeat(300);
            // Half of the events of nodes with children are their ends.
            let nodes = events(&body) / 2;
            assert!(nodes <= estimate(&body), "{piece:?}: {nodes} > {}", estimate(&body));
        }
    }

    #[test]
    fn rows_count_the_columns_of_their_header() {
        let table = format!("{}\n{}\n{}", "|a".repeat(520), "|-".repeat(520), "|b\n".repeat(520));
        assert!(table.len() < 4_000);
        assert_eq!(check(&table), Err(ParseError::TooMuch("markup")));
        assert!(estimate(&table) >= events(&table) / 2);
        assert!(check(&"|a|b|c|\n|-|-|-|\n|d|e|f|\n\n".repeat(2_000)).is_ok());
    }

    #[test]
    fn long_prose_is_read_and_a_mebibyte_of_marks_is_not() {
        let prose = format!("{}and a [link](/b), *too*.\n\n", "A sentence of some words, as in any post. ".repeat(12));
        assert_eq!(check(&prose.repeat(1_000_000 / prose.len())), Ok(()));
        for piece in ["[", "**a", "` ", "<", "a\n", "- a\n", ">", "\\"] {
            let body = format!("a{}", piece.repeat(1_000_000 / piece.len()));
            assert_eq!(check(&body), Err(ParseError::TooMuch("markup")), "{piece:?}");
        }
    }
}
