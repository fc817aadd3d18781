//! `text.splitter`: texts cut into pieces of a size, at the best places that there are.

use std::collections::VecDeque;

use mlua::{Table, Value};

use super::Fault;
use super::pattern::marked;
use crate::library::function::{Call, whole};
use wardroom_base::limits::{MAX_CHUNKED_BYTES, MAX_TEXT_PARTS};

const SEPARATORS: [&str; 4] = ["\n\n", "\n", " ", ""];

struct Splitter {
    size: usize,
    overlap: usize,
    keep: bool,
    separators: Vec<String>,
}

pub(super) fn recursive(call: &mut Call) -> Result<Value, Fault> {
    let options = call.table();
    let splitter = call.object("Splitter")?;
    for (name, default) in [("chunk_size", 512), ("chunk_overlap", 100)] {
        let given = Call::option(options.as_ref(), name);
        let count = given.map_or(Some(default), |value| whole(&value).filter(|count| *count >= 0));
        let count = count.ok_or_else(|| call.blame(&format!("{name} must be a whole number from 0 on")))?;
        splitter.raw_set(name, count)?;
    }
    let (size, overlap): (usize, usize) = (splitter.raw_get("chunk_size")?, splitter.raw_get("chunk_overlap")?);
    if size == 0 || overlap >= size {
        return Err(call.blame("chunk_size must be above 0, and chunk_overlap (default 100) below it").into());
    }
    let keep = matches!(Call::option(options.as_ref(), "keep_separator"), Some(Value::Boolean(true)));
    splitter.raw_set("keep_separator", keep)?;
    if let Some(Value::Table(separators)) = Call::option(options.as_ref(), "separators") {
        splitter.raw_set("separators", separators)?;
    }
    Ok(Value::Table(splitter))
}

impl Splitter {
    fn of(call: &Call) -> Result<Self, Fault> {
        let given: Option<Table> = call.own("separators")?;
        let separators = match given {
            Some(given) => given.sequence_values().collect::<mlua::Result<Vec<String>>>()?,
            None => SEPARATORS.map(str::to_owned).to_vec(),
        };
        Ok(Self {
            size: call.own("chunk_size")?,
            overlap: call.own("chunk_overlap")?,
            keep: call.own("keep_separator")?,
            separators,
        })
    }

    /// The pieces of a text, cut with the first of these separators that is in it, and where that is not enough with those
    /// after it.
    fn pieces(&self, text: &str, separators: &[String], found: &mut Pieces) -> Result<(), String> {
        let at = separators.iter().position(|separator| separator.is_empty() || text.contains(separator.as_str()));
        let separator = at.and_then(|at| separators.get(at)).map_or("", String::as_str);
        let finer = at.and_then(|at| separators.get(at + 1..)).unwrap_or_default();
        let between = if self.keep { "" } else { separator };
        let mut waiting: Vec<&str> = Vec::new();
        for part in self.parts(text, separator) {
            if characters(part) <= self.size {
                waiting.push(part);
                continue;
            }
            self.merge(&waiting, between, found)?;
            waiting.clear();
            if separator.is_empty() {
                found.push(part)?;
            } else {
                self.pieces(part, finer, found)?;
            }
        }
        self.merge(&waiting, between, found)
    }

    fn parts<'t>(&self, text: &'t str, separator: &str) -> Vec<&'t str> {
        let parts: Vec<&str> = match separator {
            "" => text.char_indices().filter_map(|(at, c)| text.get(at..at + c.len_utf8())).collect(),
            _ if self.keep => text.split_inclusive(separator).collect(),
            _ => text.split(separator).collect(),
        };
        parts.into_iter().filter(|part| !part.is_empty()).collect()
    }

    /// Puts parts together as long as they fit; each piece begins with the last parts of the one before.
    fn merge(&self, parts: &[&str], between: &str, found: &mut Pieces) -> Result<(), String> {
        let gap = characters(between);
        let (mut piece, mut size) = (VecDeque::new(), 0);
        let with =
            |piece: &VecDeque<&str>, size: usize, length: usize| size + length + if piece.is_empty() { 0 } else { gap };
        for part in parts {
            let length = characters(part);
            if with(&piece, size, length) > self.size && !piece.is_empty() {
                found.push(&joined(&piece, between))?;
                while size > self.overlap || with(&piece, size, length) > self.size && size > 0 {
                    let Some(first) = piece.pop_front() else { break };
                    size = if piece.is_empty() { 0 } else { size - characters(first) - gap };
                }
            }
            size = with(&piece, size, length);
            piece.push_back(*part);
        }
        if piece.is_empty() { Ok(()) } else { found.push(&joined(&piece, between)) }
    }
}

fn joined(piece: &VecDeque<&str>, between: &str) -> String {
    piece.iter().copied().collect::<Vec<_>>().join(between)
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

/// Pieces repeat some of the text, so that they have a bound of their own.
#[derive(Default)]
struct Pieces {
    pieces: Vec<String>,
    bytes: usize,
}

impl Pieces {
    fn push(&mut self, piece: &str) -> Result<(), String> {
        let piece = piece.trim();
        self.bytes += piece.len();
        if self.pieces.len() >= MAX_TEXT_PARTS || self.bytes > MAX_CHUNKED_BYTES {
            return Err(
                "text.splitter: too many pieces: take a larger chunk_size, or a smaller chunk_overlap".to_owned()
            );
        }
        if !piece.is_empty() {
            self.pieces.push(piece.to_owned());
        }
        Ok(())
    }
}

pub(super) fn split_text(call: &mut Call) -> Result<Value, Fault> {
    let (splitter, text) = (Splitter::of(call)?, call.text()?);
    let mut found = Pieces::default();
    splitter.pieces(&text, &splitter.separators, &mut found)?;
    let table = call.lua.create_sequence_from(found.pieces)?;
    Ok(marked(call.lua, table)?)
}

pub(super) fn split_batch(call: &mut Call) -> Result<Value, Fault> {
    let splitter = Splitter::of(call)?;
    let Some(pages) = call.table() else { return Err(call.blame("there are no pages").into()) };
    let table = call.lua.create_table()?;
    for page in pages.sequence_values::<Table>() {
        let page = page?;
        let content: mlua::String = page.raw_get("content")?;
        let metadata: Value = page.raw_get("metadata")?;
        let mut found = Pieces::default();
        splitter.pieces(&content.to_string_lossy(), &splitter.separators, &mut found)?;
        for piece in found.pieces {
            let chunk = call.lua.create_table()?;
            chunk.raw_set("content", piece)?;
            chunk.raw_set("metadata", metadata.clone())?;
            table.raw_push(chunk)?;
        }
        if table.raw_len() > MAX_TEXT_PARTS {
            return Err(call.blame("too many pieces: take a larger chunk_size").into());
        }
    }
    Ok(marked(call.lua, table)?)
}
