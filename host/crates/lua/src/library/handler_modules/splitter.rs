//! `text.splitter`: cuts texts into pieces of limited size, at the coarsest separators possible.

use std::collections::VecDeque;

use mlua::{Table, Value};

use super::ModuleError;
use crate::json_conversion::into_array;
use crate::library::function::{FunctionCall, as_integer};
use crate::limits::{MAX_CHUNKS_TOTAL_BYTES, MAX_TEXT_PARTS};

const DEFAULT_SEPARATORS: [&str; 4] = ["\n\n", "\n", " ", ""];

struct Splitter {
    chunk_size: usize,
    chunk_overlap: usize,
    keeps_separator: bool,
    separators: Vec<String>,
}

pub(super) fn create_splitter(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let options = call.next_table();
    let splitter = call.new_object("Splitter")?;
    for (name, default) in [("chunk_size", 512), ("chunk_overlap", 100)] {
        let given = FunctionCall::option_field(options.as_ref(), name);
        let count = given.map_or(Some(default), |value| as_integer(&value).filter(|count| *count >= 0));
        let count = count.ok_or_else(|| call.format_error(&format!("{name} must be a whole number of 0 or more")))?;
        splitter.raw_set(name, count)?;
    }
    let (size, overlap): (usize, usize) = (splitter.raw_get("chunk_size")?, splitter.raw_get("chunk_overlap")?);
    if size == 0 || overlap >= size {
        return Err(call.format_error("chunk_size must be above 0, and chunk_overlap (default 100) below it").into());
    }
    let keep = matches!(FunctionCall::option_field(options.as_ref(), "keep_separator"), Some(Value::Boolean(true)));
    splitter.raw_set("keep_separator", keep)?;
    if let Some(Value::Table(separators)) = FunctionCall::option_field(options.as_ref(), "separators") {
        splitter.raw_set("separators", separators)?;
    }
    Ok(Value::Table(splitter))
}

impl Splitter {
    fn from_call(call: &FunctionCall) -> Result<Self, ModuleError> {
        let given: Option<Table> = call.object_field("separators")?;
        let separators = match given {
            Some(given) => given.sequence_values().collect::<mlua::Result<Vec<String>>>()?,
            None => DEFAULT_SEPARATORS.map(str::to_owned).to_vec(),
        };
        Ok(Self {
            chunk_size: call.object_field("chunk_size")?,
            chunk_overlap: call.object_field("chunk_overlap")?,
            keeps_separator: call.object_field("keep_separator")?,
            separators,
        })
    }

    /// Cuts a text at the first of these separators that it contains, and parts that are still too large at the later
    /// separators.
    fn split_into(&self, text: &str, separators: &[String], found: &mut SplitChunks) -> Result<(), String> {
        let at = separators.iter().position(|separator| separator.is_empty() || text.contains(separator.as_str()));
        let separator = at.and_then(|at| separators.get(at)).map_or("", String::as_str);
        let finer = at.and_then(|at| separators.get(at + 1..)).unwrap_or_default();
        let between = if self.keeps_separator { "" } else { separator };
        let mut waiting: Vec<&str> = Vec::new();
        for part in self.split_parts(text, separator) {
            if char_count(part) <= self.chunk_size {
                waiting.push(part);
                continue;
            }
            self.merge(&waiting, between, found)?;
            waiting.clear();
            if separator.is_empty() {
                found.push(part)?;
            } else {
                self.split_into(part, finer, found)?;
            }
        }
        self.merge(&waiting, between, found)
    }

    fn split_parts<'t>(&self, text: &'t str, separator: &str) -> Vec<&'t str> {
        let parts: Vec<&str> = match separator {
            "" => text.char_indices().filter_map(|(at, c)| text.get(at..at + c.len_utf8())).collect(),
            _ if self.keeps_separator => text.split_inclusive(separator).collect(),
            _ => text.split(separator).collect(),
        };
        parts.into_iter().filter(|part| !part.is_empty()).collect()
    }

    /// Joins parts to pieces as long as they fit. Each piece begins with the last parts of the previous one.
    fn merge(&self, parts: &[&str], between: &str, found: &mut SplitChunks) -> Result<(), String> {
        let gap = char_count(between);
        let (mut piece, mut size) = (VecDeque::new(), 0);
        let with =
            |piece: &VecDeque<&str>, size: usize, length: usize| size + length + if piece.is_empty() { 0 } else { gap };
        for part in parts {
            let length = char_count(part);
            if with(&piece, size, length) > self.chunk_size && !piece.is_empty() {
                found.push(&join_parts(&piece, between))?;
                while size > self.chunk_overlap || with(&piece, size, length) > self.chunk_size && size > 0 {
                    let Some(first) = piece.pop_front() else { break };
                    size = if piece.is_empty() { 0 } else { size - char_count(first) - gap };
                }
            }
            size = with(&piece, size, length);
            piece.push_back(*part);
        }
        if piece.is_empty() { Ok(()) } else { found.push(&join_parts(&piece, between)) }
    }
}

fn join_parts(piece: &VecDeque<&str>, between: &str) -> String {
    piece.iter().copied().collect::<Vec<_>>().join(between)
}

fn char_count(text: &str) -> usize {
    text.chars().count()
}

/// Pieces with a limit on their total size, because overlapping pieces repeat the text.
#[derive(Default)]
struct SplitChunks {
    pieces: Vec<String>,
    bytes: usize,
}

impl SplitChunks {
    fn push(&mut self, piece: &str) -> Result<(), String> {
        let piece = piece.trim();
        self.bytes += piece.len();
        if self.pieces.len() >= MAX_TEXT_PARTS || self.bytes > MAX_CHUNKS_TOTAL_BYTES {
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

pub(super) fn split_text(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let (splitter, text) = (Splitter::from_call(call)?, call.next_text()?);
    let mut found = SplitChunks::default();
    splitter.split_into(&text, &splitter.separators, &mut found)?;
    let table = call.lua.create_sequence_from(found.pieces)?;
    Ok(into_array(call.lua, table)?)
}

pub(super) fn split_batch(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let splitter = Splitter::from_call(call)?;
    let Some(pages) = call.next_table() else { return Err(call.format_error("the list of pages is missing").into()) };
    let table = call.lua.create_table()?;
    for page in pages.sequence_values::<Table>() {
        let page = page?;
        let content: mlua::String = page.raw_get("content")?;
        let metadata: Value = page.raw_get("metadata")?;
        let mut found = SplitChunks::default();
        splitter.split_into(&content.to_string_lossy(), &splitter.separators, &mut found)?;
        for piece in found.pieces {
            let chunk = call.lua.create_table()?;
            chunk.raw_set("content", piece)?;
            chunk.raw_set("metadata", metadata.clone())?;
            table.raw_push(chunk)?;
        }
        if table.raw_len() > MAX_TEXT_PARTS {
            return Err(call.format_error("too many pieces: take a larger chunk_size").into());
        }
    }
    Ok(into_array(call.lua, table)?)
}
