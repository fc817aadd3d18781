//! The markup of a template: outputs and tags between text.
//!
//! Owns: where a tag begins and ends, and which grammar is within.
//! Never: looks at text, in which a single brace, `}}` and `%}` mean nothing.

use super::blocks::{BlockKind, Blocks};
use super::expression::{Interrupt, Tag};
use super::token::{Kind, Tokens};
use crate::problem::{Halt, Problems};

/// The unsupported tags whose content is no markup.
const VERBATIM: [(&[u8], &[u8]); 2] = [(b"raw", b"endraw"), (b"comment", b"endcomment")];

pub(super) struct Checker<'s, 'p> {
    source: &'s [u8],
    /// Up to where the template is checked.
    at: usize,
    /// Where `}}` and `%}` were found last, or that there is none: text is not searched again for each tag without an
    /// end.
    output_end: Search,
    tag_end: Search,
    blocks: Blocks<'s>,
    problems: &'p mut Problems,
}

impl<'s, 'p> Checker<'s, 'p> {
    pub(super) fn new(source: &'s [u8], problems: &'p mut Problems) -> Self {
        let (output_end, tag_end) = (Search::default(), Search::default());
        Self { source, at: 0, output_end, tag_end, blocks: Blocks::default(), problems }
    }

    pub(super) fn check(mut self) -> Result<(), Halt> {
        while let Some((start, is_output)) = self.next_markup() {
            let delimiter = if is_output { b"}}" } else { b"%}" };
            let search = if is_output { &mut self.output_end } else { &mut self.tag_end };
            let Some(end) = search.find(self.source, start + 2, *delimiter) else {
                self.report_unclosed(start, is_output)?;
                self.at = start + 2;
                continue;
            };
            self.at = end + 2;
            let tokens = Tokens::new(self.source, self.inner_start(start), self.inner_end(start, end));
            let checked = if is_output { self.output(start, tokens) } else { self.tag(start, tokens) };
            match checked {
                Ok(()) => {}
                Err(Interrupt::Halt) => return Err(Halt),
                Err(Interrupt::Mistake { at, message }) => self.problems.add(at, message)?,
                Err(Interrupt::AnotherTag { at }) => {
                    self.report_unclosed(start, is_output)?;
                    self.at = at;
                }
            }
        }
        self.blocks.finish(self.problems)
    }

    /// Returns the offset of the next `{{` or `{%`, and which one it is.
    fn next_markup(&self) -> Option<(usize, bool)> {
        let rest = self.source.get(self.at..)?;
        let found = rest.windows(2).position(|pair| matches!(pair, [b'{', b'{' | b'%']))?;
        Some((self.at + found, rest.get(found + 1) == Some(&b'{')))
    }

    fn report_unclosed(&mut self, start: usize, is_output: bool) -> Result<(), Halt> {
        let (open, close) = if is_output { ("{{", "}}") } else { ("{%", "%}") };
        self.problems.add(start, format!("'{open}' is not closed: '{close}' is missing"))
    }

    /// Skips the `-` that removes white space before a tag.
    fn inner_start(&self, start: usize) -> usize {
        start + 2 + usize::from(self.source.get(start + 2) == Some(&b'-'))
    }

    /// Skips the `-` that removes white space after a tag.
    fn inner_end(&self, start: usize, end: usize) -> usize {
        let before = end.saturating_sub(1);
        if before >= self.inner_start(start) && self.source.get(before) == Some(&b'-') { before } else { end }
    }

    fn output(&mut self, start: usize, tokens: Tokens<'s>) -> Result<(), Interrupt> {
        if tokens.peek().kind == Kind::End {
            return Ok(self.problems.add(start, "the output is empty")?);
        }
        Tag::new(tokens, self.problems).output()
    }

    fn tag(&mut self, start: usize, mut tokens: Tokens<'s>) -> Result<(), Interrupt> {
        let first = tokens.peek();
        let (name, at) = (tokens.text(first), first.start);
        if first.kind == Kind::TagOpen {
            return Err(Interrupt::AnotherTag { at });
        }
        if first.kind == Kind::End {
            return Ok(self.problems.add(start, "the tag is empty")?);
        }
        tokens.bump();
        // The block's structure is kept even if the rest of the tag is wrong.
        match name {
            b"if" => self.blocks.open(BlockKind::If, start, self.problems)?,
            b"for" => self.blocks.open(BlockKind::For, start, self.problems)?,
            b"elsif" | b"else" => self.blocks.branch(name == b"else", at, self.problems)?,
            b"endif" => self.blocks.close(BlockKind::If, at, self.problems)?,
            b"endfor" => self.blocks.close(BlockKind::For, at, self.problems)?,
            b"assign" | b"render" => {}
            _ => {
                self.blocks.unsupported(name, at, self.problems)?;
                self.skip_verbatim(name);
                return Ok(());
            }
        }
        let mut tag = Tag::new(tokens, self.problems);
        match name {
            b"if" | b"elsif" => tag.condition(),
            b"for" => tag.for_loop(),
            b"assign" => tag.assignment(),
            b"render" => tag.render(),
            _ => tag.end(),
        }
    }

    /// Goes to the end of a verbatim block, if it has one.
    fn skip_verbatim(&mut self, name: &[u8]) {
        let Some((_, end_name)) = VERBATIM.iter().find(|(verbatim, _)| *verbatim == name) else { return };
        let is_end = |start: usize| {
            let inner = self.source.get(self.inner_start(start)..).unwrap_or_default().trim_ascii_start();
            let after = inner.strip_prefix(*end_name)?.first().copied().unwrap_or(b' ');
            (!after.is_ascii_alphanumeric() && after != b'_').then_some(start)
        };
        let rest = self.source.get(self.at..).unwrap_or_default();
        let tags = rest.windows(2).enumerate().filter(|(_, pair)| pair == b"{%").map(|(found, _)| self.at + found);
        self.at = tags.into_iter().find_map(is_end).unwrap_or(self.at);
    }
}

/// A search for a delimiter, from ascending offsets.
#[derive(Debug, Clone, Copy, Default)]
enum Search {
    #[default]
    Unknown,
    At(usize),
    Nowhere,
}

impl Search {
    /// Returns the offset of the first `delimiter` at or after `from`.
    fn find(&mut self, source: &[u8], from: usize, delimiter: [u8; 2]) -> Option<usize> {
        match *self {
            Self::At(at) if at >= from => return Some(at),
            Self::Nowhere => return None,
            Self::At(_) | Self::Unknown => {}
        }
        let rest = source.get(from..).unwrap_or_default();
        let found = rest.windows(2).position(|pair| pair == delimiter).map(|found| from + found);
        #[cfg(test)]
        super::token::READ.set(super::token::READ.get() + found.map_or(rest.len(), |found| found - from));
        *self = found.map_or(Self::Nowhere, Self::At);
        found
    }
}
