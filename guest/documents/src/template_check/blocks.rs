//! The blocks that are open: `if` and `for`.
//!
//! Owns: which tag closes which, and which tags may stand in a block.
//! Never: reads a tag's arguments.

use std::collections::BTreeSet;

use super::limits::MAX_BLOCK_DEPTH;
use crate::problem::{Halt, Problems, quoted};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    If,
    For,
}

impl BlockKind {
    const fn name(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::For => "for",
        }
    }
}

#[derive(Debug)]
struct Block {
    kind: BlockKind,
    /// The offset of its tag.
    at: usize,
    has_else: bool,
}

/// The blocks that are open, from the outside.
#[derive(Debug, Default)]
pub(super) struct Blocks<'s> {
    open: Vec<Block>,
    /// The unsupported tags that were reported. Their ends are not reported again.
    unsupported: BTreeSet<&'s [u8]>,
}

impl<'s> Blocks<'s> {
    pub(super) fn open(&mut self, kind: BlockKind, at: usize, problems: &mut Problems) -> Result<(), Halt> {
        if self.open.len() >= MAX_BLOCK_DEPTH {
            return Err(problems.fatal(at, format!("blocks are nested deeper than {MAX_BLOCK_DEPTH} levels")));
        }
        self.open.push(Block { kind, at, has_else: false });
        Ok(())
    }

    /// Closes a block. Blocks within it that are still open are problems, at their own tags.
    pub(super) fn close(&mut self, kind: BlockKind, at: usize, problems: &mut Problems) -> Result<(), Halt> {
        let Some(index) = self.open.iter().rposition(|block| block.kind == kind) else {
            return problems.add(at, format!("end{0} without {0}", kind.name()));
        };
        for unclosed in self.open.drain(index..).skip(1) {
            report_unclosed(&unclosed, problems)?;
        }
        Ok(())
    }

    /// Reports the blocks that are open at the end of the template.
    pub(super) fn finish(self, problems: &mut Problems) -> Result<(), Halt> {
        self.open.iter().try_for_each(|block| report_unclosed(block, problems))
    }

    /// Checks the place of an `elsif`, or of an `else`.
    pub(super) fn branch(&mut self, is_else: bool, at: usize, problems: &mut Problems) -> Result<(), Halt> {
        let name = if is_else { "else" } else { "elsif" };
        // An `else` may belong to an unsupported tag.
        let may_be_foreign = [&b"unless"[..], b"case"].iter().any(|tag| self.unsupported.contains(tag));
        match self.open.last_mut() {
            Some(block) if block.kind == BlockKind::If => {
                if block.has_else {
                    problems.add(at, format!("{name} after else"))?;
                }
                block.has_else |= is_else;
                Ok(())
            }
            _ if may_be_foreign => Ok(()),
            Some(_) => problems.add(at, format!("{name} without if: the innermost block is a for")),
            None => problems.add(at, format!("{name} without if")),
        }
    }

    /// Reports an unsupported tag, unless it is the end of one that was reported.
    pub(super) fn unsupported(&mut self, name: &'s [u8], at: usize, problems: &mut Problems) -> Result<(), Halt> {
        if name.strip_prefix(b"end").is_some_and(|opener| self.unsupported.contains(opener)) {
            return Ok(());
        }
        self.unsupported.insert(name);
        problems.add(at, format!("unsupported tag: {}", quoted(name)))
    }
}

fn report_unclosed(block: &Block, problems: &mut Problems) -> Result<(), Halt> {
    problems.add(block.at, format!("{0} is not closed: end{0} is missing", block.kind.name()))
}
