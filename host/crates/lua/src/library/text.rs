//! Text functions: choices in an answer, chunks, hashes, and extraction of JSON.

use mlua::{Table, Value};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::function::{
    FunctionBody, FunctionCall, LibraryFunction, ParamKind, as_integer, optional_param, param, returns,
};
use crate::library::module_error::error_text;
use crate::limits::MAX_CHUNKS_TOTAL_BYTES;
use wardroom_base::hex::encode_hex;
use wardroom_base::limits::MAX_JSON_DEPTH;
use wardroom_base::payload::Payload;

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    LibraryFunction {
        name: "alc.match_enum",
        doc: "Finds which of the candidates a text settles on: the one mentioned last, else the most similar word.",
        generics: "",
        params: &[
            param("text", ParamKind::String, "string", ""),
            param("candidates", ParamKind::Table, "string[]", ""),
            optional_param(
                "opts",
                ParamKind::Table,
                "{ threshold?: number }",
                "the least similarity from 0 to 1 (default 0.7)",
            ),
        ],
        returns: &[returns("string|nil", "candidate as it was given")],
        body: FunctionBody::Rust(match_enum),
    },
    LibraryFunction {
        name: "alc.match_bool",
        doc: "Finds whether a text means yes or no, by the last word that says so (\"approved\", \"ok\", \"reject\", \"deny\"…).",
        generics: "",
        params: &[param("text", ParamKind::String, "string", "")],
        returns: &[returns("boolean|nil", "")],
        body: FunctionBody::Rust(match_bool),
    },
    LibraryFunction {
        name: "alc.chunk",
        doc: "Cuts a text into pieces; each repeats the end of the one before.",
        generics: "",
        params: &[
            param("text", ParamKind::String, "string", ""),
            optional_param("opts", ParamKind::Table, "alc.ChunkOpts", ""),
        ],
        returns: &[returns("string[]", "")],
        body: FunctionBody::Rust(chunk),
    },
    LibraryFunction {
        name: "alc.fingerprint",
        doc: "A short hash that does not depend on case and white space. Different texts can share one.",
        generics: "",
        params: &[param("text", ParamKind::String, "string", "")],
        returns: &[returns("string", "hash 8 hexadecimal digits")],
        body: FunctionBody::Rust(fingerprint),
    },
    LibraryFunction {
        name: "alc.hash",
        doc: "SHA-256 of a text. Different texts do not share one.",
        generics: "",
        params: &[param("text", ParamKind::String, "string", "any bytes")],
        returns: &[returns("string", "hash 64 hexadecimal digits")],
        body: FunctionBody::Rust(hash),
    },
    LibraryFunction {
        name: "alc.json_extract",
        doc: "Finds a JSON object or array in an answer: the whole text, a fenced block, or the first part that is one.\n\
              A list of plain values counts only where nothing else is found, since `[1]` is as often a citation.",
        generics: "",
        params: &[param("raw", ParamKind::Any, "string", "")],
        returns: &[returns("table|nil", "")],
        body: FunctionBody::Rust(json_extract),
    },
];

const AFFIRMATIVE_WORDS: [&str; 9] = ["approved", "yes", "ok", "accept", "pass", "confirm", "agree", "true", "lgtm"];
const NEGATIVE_WORDS: [&str; 8] = ["rejected", "no", "deny", "block", "fail", "refuse", "disagree", "false"];

/// The least Jaro-Winkler similarity of a word that counts as a candidate.
const DEFAULT_SIMILARITY: f64 = 0.7;

fn match_enum(call: &mut FunctionCall) -> Result<Value, String> {
    let text = call.next_text()?.to_lowercase();
    let Some(table) = call.next_table() else { return Ok(Value::Nil) };
    let threshold = call.next_table().and_then(|opts| opts.get::<Option<f64>>("threshold").ok().flatten());
    let candidates = read_candidates(call, &table)?;
    let lowered: Vec<String> = candidates.iter().map(|candidate| candidate.to_lowercase()).collect();
    // An empty candidate is part of every text.
    let real = || lowered.iter().enumerate().filter(|(_, candidate)| !candidate.is_empty());

    // Of candidates at the same position, the first one in the list wins.
    let mentioned = real().filter_map(|(at, candidate)| Some((text.rfind(candidate.as_str())?, at))).rev();
    let found = mentioned.max_by_key(|(place, _)| *place).map(|(_, at)| at).or_else(|| {
        let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        let mut best: Option<(f64, usize)> = None;
        for word in words.filter(|word| !word.is_empty()) {
            for (at, candidate) in real() {
                let likeness = strsim::jaro_winkler(word, candidate);
                if likeness >= threshold.unwrap_or(DEFAULT_SIMILARITY) && best.is_none_or(|(most, _)| likeness > most) {
                    best = Some((likeness, at));
                }
            }
        }
        best.map(|(_, at)| at)
    });
    found.and_then(|at| candidates.get(at)).map_or(Ok(Value::Nil), |candidate| call.create_string(candidate))
}

fn read_candidates(call: &FunctionCall, table: &Table) -> Result<Vec<String>, String> {
    let read = |index| match table.raw_get(index) {
        Ok(Value::String(text)) => Ok(text.to_string_lossy()),
        Ok(number @ (Value::Integer(_) | Value::Number(_))) => number.to_string().map_err(|error| error_text(&error)),
        _ => Err(call.format_error(&format!("candidate {index} is not a string"))),
    };
    (1..=table.raw_len()).map(read).collect()
}

fn match_bool(call: &mut FunctionCall) -> Result<Value, String> {
    let text = String::from_utf8_lossy(&call.next_bytes()).to_lowercase();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let says = |word: &str| match word {
        word if AFFIRMATIVE_WORDS.contains(&word) => Some(true),
        word if NEGATIVE_WORDS.contains(&word) => Some(false),
        _ => None,
    };
    Ok(words.rev().find_map(says).map_or(Value::Nil, Value::Boolean))
}

fn chunk(call: &mut FunctionCall) -> Result<Value, String> {
    let text = call.next_text()?;
    let opts = call.next_table();
    let field = |name: &str| {
        opts.as_ref().and_then(|opts| opts.get::<Value>(name).ok()).filter(|value| !value.is_null() && !value.is_nil())
    };
    let count = |name: &str, default| match field(name)
        .map(|value| as_integer(&value).and_then(|count| usize::try_from(count).ok()))
    {
        None => Ok(default),
        Some(Some(count)) => Ok(count),
        Some(None) => Err(call.format_error(&format!("`{name}` must be a whole number of 0 or more"))),
    };
    let (size, overlap) = (count("size", 50)?, count("overlap", 0)?);
    let mode =
        field("mode").map_or(Ok("lines".to_owned()), |mode| mode.to_string().map_err(|error| error_text(&error)))?;
    let parts: Vec<&str> = match mode.as_str() {
        "lines" => text.lines().collect(),
        "chars" => text.char_indices().map(|(at, c)| text.get(at..at + c.len_utf8()).unwrap_or_default()).collect(),
        other => return Err(call.format_error(&format!("`mode` must be \"lines\" or \"chars\", got \"{other}\""))),
    };
    let between = if mode == "lines" { "\n" } else { "" };
    let pieces = call.lua.create_table().map_err(|error| error_text(&error))?;
    if size == 0 || parts.is_empty() {
        return Ok(Value::Table(pieces));
    }
    let step = size.saturating_sub(overlap).max(1);
    let (mut start, mut bytes) = (0_usize, 0_usize);
    loop {
        let end = start.saturating_add(size).min(parts.len());
        let piece = parts.get(start..end).unwrap_or_default().join(between);
        bytes = bytes.saturating_add(piece.len());
        if bytes > MAX_CHUNKS_TOTAL_BYTES {
            return Err(call.format_error("the pieces repeat too much of the text: take a smaller `overlap`"));
        }
        pieces.raw_push(piece).map_err(|error| error_text(&error))?;
        if end == parts.len() {
            return Ok(Value::Table(pieces));
        }
        start += step;
    }
}

fn fingerprint(call: &mut FunctionCall) -> Result<Value, String> {
    let bytes = call.next_bytes();
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let words: Vec<&[u8]> = bytes.split(is_space).filter(|word| !word.is_empty()).collect();
    let text = words.join(&b' ').to_ascii_lowercase();
    let hash = text.iter().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)));
    call.create_string(&format!("{hash:08x}"))
}

fn hash(call: &mut FunctionCall) -> Result<Value, String> {
    let digest = Sha256::digest(call.next_bytes());
    call.create_string(&encode_hex(&digest))
}

fn json_extract(call: &mut FunctionCall) -> Result<Value, String> {
    let Value::String(raw) = call.next_value() else { return Ok(Value::Nil) };
    let raw = raw.to_string_lossy();
    let whole = parse_json(&raw);
    let found =
        whole.filter(is_object_or_array).or_else(|| find_fenced_json(&raw)).or_else(|| find_embedded_json(&raw));
    // A document that is nested too deep counts as not found.
    Ok(found.and_then(|document| call.decode(&document).ok()).unwrap_or(Value::Nil))
}

/// Parses what a model wrote.
fn parse_json(text: &str) -> Option<Json> {
    Payload::parse(text, usize::MAX).ok().map(Payload::into_value)
}

fn is_object_or_array(document: &Json) -> bool {
    document.is_object() || document.is_array()
}

/// Finds the first fenced block that is JSON. Blocks labelled `json` are tried before the others.
fn find_fenced_json(text: &str) -> Option<Json> {
    let blocks: Vec<(&str, &str)> = {
        let mut pieces = text.split("```").skip(1);
        let mut blocks = Vec::new();
        while let Some(block) = pieces.next() {
            let (label, body) = block.split_once('\n').unwrap_or(("", block));
            blocks.push((label.trim(), body));
            pieces.next();
        }
        blocks
    };
    let labelled = blocks.iter().filter(|(label, _)| label.eq_ignore_ascii_case("json"));
    let others = blocks.iter().filter(|(label, _)| !label.eq_ignore_ascii_case("json"));
    labelled.chain(others).find_map(|(_, body)| parse_json(body.trim()).filter(is_object_or_array))
}

/// How many bytes are parsed in vain, for each byte of a text.
const MAX_WASTED_PER_BYTE: usize = 16;

/// Returns where the bracket at the beginning of a text is closed. `None` where it is not, or brackets are nested deeper than
/// JSON may be: so each place is looked at for as many brackets at most.
fn bracket_end(text: &[u8]) -> Option<usize> {
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => {
                depth += 1;
                if depth > MAX_JSON_DEPTH {
                    return None;
                }
            }
            b'}' | b']' if !is_text => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Finds the first part of a text that is an object, or a list that contains an object or list; else the first list.
fn find_embedded_json(text: &str) -> Option<Json> {
    let mut plain = None;
    let (mut at, mut n_wasted) = (0, 0_usize);
    while let Some(next) = text.get(at..).and_then(|rest| rest.find(['{', '['])) {
        at += next;
        let rest = text.get(at..)?;
        let Some(end) = bracket_end(rest.as_bytes()) else {
            at += 1;
            continue;
        };
        let found = rest.get(..end).and_then(parse_json);
        if found.is_none() {
            // Each bracket within could be as long, and fail at its end.
            n_wasted += end;
            if n_wasted > text.len().saturating_mul(MAX_WASTED_PER_BYTE) {
                return plain;
            }
        }
        match found {
            Some(Json::Array(list)) if !list.iter().any(is_object_or_array) => {
                at += end;
                plain.get_or_insert(Json::Array(list));
            }
            Some(document) => return Some(document),
            None => at += 1,
        }
    }
    plain
}
