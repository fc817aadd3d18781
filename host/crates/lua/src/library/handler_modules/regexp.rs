//! `text`: regular expressions, whose time is linear in the text for every pattern; and the splitter.

use mlua::{AnyUserData, Value};
use regex_automata::meta::{Config, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;
use regex_automata::{PatternID, Span};

use super::{ModuleError, module_function, splitter};
use crate::json_conversion::into_array;
use crate::library::function::{
    FunctionCall, FunctionParam, LibraryFunction, ParamKind, optional_param, param, returns,
};
use crate::limits::MAX_TEXT_PARTS;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::limits::MAX_COMPILED_PATTERN_BYTES;
use wardroom_process::limits::MAX_FRAME_BYTES;

const TEXT: &[FunctionParam] = &[param("text", ParamKind::String, "string", "")];

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function(
        "text.regexp.compile",
        "A regular expression, in the syntax of RE2.",
        &[param("pattern", ParamKind::String, "string", "")],
        &[returns("Regexp", "")],
        compile,
    ),
    module_function("Regexp:match_string", "Whether a text has a match.", TEXT, &[returns("boolean", "")], |call| {
        let (regex, text) = (compiled_regex(call)?, call.next_bytes());
        Ok(Value::Boolean(regex.is_match(&text)))
    }),
    module_function("Regexp:find_string", "The first match in a text.", TEXT, &[returns("string|nil", "")], |call| {
        let (regex, text) = (compiled_regex(call)?, call.next_bytes());
        regex.find(&text).map_or(Ok(Value::Nil), |found| slice_value(call, &text, found.span()))
    }),
    module_function("Regexp:find_all_string", "All matches in a text.", TEXT, &[returns("string[]", "")], |call| {
        let (regex, text) = (compiled_regex(call)?, call.next_bytes());
        create_list(call, regex.find_iter(&text), |found| slice_value(call, &text, found.span()))
    }),
    module_function(
        "Regexp:find_string_submatch",
        "The first match and its groups.",
        TEXT,
        &[returns("string[]|nil", "")],
        |call| {
            let (regex, text) = (compiled_regex(call)?, call.next_bytes());
            regex.captures_iter(&text).next().map_or(Ok(Value::Nil), |groups| submatch_list(call, &text, &groups))
        },
    ),
    module_function(
        "Regexp:find_all_string_submatch",
        "All matches and their groups.",
        TEXT,
        &[returns("string[][]", "")],
        |call| {
            let (regex, text) = (compiled_regex(call)?, call.next_bytes());
            create_list(call, regex.captures_iter(&text), |groups| submatch_list(call, &text, &groups))
        },
    ),
    module_function(
        "Regexp:find_string_index",
        "Where the first match begins and ends.",
        TEXT,
        &[returns("integer[]|nil", "")],
        |call| {
            let (regex, text) = (compiled_regex(call)?, call.next_bytes());
            regex.find(&text).map_or(Ok(Value::Nil), |found| span_indices(call, found.span()))
        },
    ),
    module_function(
        "Regexp:find_all_string_index",
        "Where all matches begin and end.",
        TEXT,
        &[returns("integer[][]|nil", "")],
        |call| {
            let (regex, text) = (compiled_regex(call)?, call.next_bytes());
            if !regex.is_match(&text) {
                return Ok(Value::Nil);
            }
            create_list(call, regex.find_iter(&text), |found| span_indices(call, found.span()))
        },
    ),
    module_function(
        "Regexp:replace_all_string",
        "A text with another one instead of each match; `$1` and `${name}` are its groups.",
        &[param("text", ParamKind::String, "string", ""), param("replacement", ParamKind::String, "string", "")],
        &[returns("string", "")],
        replace,
    ),
    module_function(
        "Regexp:split",
        "The parts of a text between the matches.",
        &[
            param("text", ParamKind::String, "string", ""),
            optional_param("n", ParamKind::Integer, "integer", "parts at most; -1 is all of them (default -1)"),
        ],
        &[returns("string[]", "")],
        split,
    ),
    module_function("Regexp:num_subexp", "The number of its groups.", &[], &[returns("integer", "")], |call| {
        Ok(Value::Integer(i64::try_from(compiled_regex(call)?.captures_len().saturating_sub(1)).unwrap_or(0)))
    }),
    module_function(
        "Regexp:subexp_names",
        "Their names; one without is \"\", and so is the whole.",
        &[],
        &[returns("string[]", "")],
        |call| {
            let regex = compiled_regex(call)?;
            create_list(call, regex.group_info().pattern_names(PatternID::ZERO), |name| {
                Ok(call.create_string(name.unwrap_or_default())?)
            })
        },
    ),
    module_function("Regexp:string", "The pattern.", &[], &[returns("string", "")], |call| {
        Ok(call.create_string(&call.object_field::<String>("_pattern")?)?)
    }),
    module_function(
        "text.splitter.recursive",
        "Cuts texts into pieces: at empty lines where that is enough, then at lines, at spaces, and anywhere.",
        &[optional_param(
            "options",
            ParamKind::Table,
            "{ chunk_size?: integer, chunk_overlap?: integer, keep_separator?: boolean, separators?: string[] }",
            "characters of a piece (512), and how many of the one before it repeats at most (100)",
        )],
        &[returns("Splitter", "")],
        splitter::create_splitter,
    ),
    module_function(
        "Splitter:split_text",
        "The pieces of a text.",
        TEXT,
        &[returns("string[]", "")],
        splitter::split_text,
    ),
    module_function(
        "Splitter:split_batch",
        "The pieces of several texts, each with what is known of its text.",
        &[param("pages", ParamKind::Table, "{ content: string, metadata?: table }[]", "")],
        &[returns("{ content: string, metadata?: table }[]", "")],
        splitter::split_batch,
    ),
];

fn compile(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let pattern = call.next_text()?;
    let bounds = Config::new()
        .utf8_empty(false)
        .nfa_size_limit(Some(MAX_COMPILED_PATTERN_BYTES))
        .onepass_size_limit(Some(MAX_COMPILED_PATTERN_BYTES))
        .hybrid_cache_capacity(MAX_COMPILED_PATTERN_BYTES)
        // The default counts the processors, which the sandbox forbids.
        .pool_capacity(1);
    let compiled = Regex::builder().configure(bounds).syntax(syntax::Config::new().utf8(false)).build(&pattern);
    let compiled = compiled.map_err(|error| {
        // The error's last line has the reason; the lines before it show the pattern.
        let why = match (error.syntax_error(), error.size_limit()) {
            (Some(error), _) => error.to_string(),
            (None, Some(limit)) => format!("the compiled pattern is larger than {}", ByteSize(limit as u64)),
            (None, None) => error.to_string(),
        };
        call.format_error(why.lines().last().unwrap_or_default().trim_start_matches("error: "))
    })?;
    let object = call.new_object("Regexp")?;
    object.raw_set("_compiled", call.lua.create_any_userdata(compiled)?)?;
    object.raw_set("_pattern", pattern)?;
    Ok(Value::Table(object))
}

fn compiled_regex(call: &FunctionCall) -> Result<Regex, ModuleError> {
    let compiled: AnyUserData = call.object_field("_compiled")?;
    Ok(compiled.borrow::<Regex>()?.clone())
}

fn bytes_value(call: &FunctionCall, bytes: &[u8]) -> Result<Value, ModuleError> {
    Ok(Value::String(call.lua.create_string(bytes)?))
}

fn create_list<T>(
    call: &FunctionCall,
    items: impl Iterator<Item = T>,
    make: impl Fn(T) -> Result<Value, ModuleError>,
) -> Result<Value, ModuleError> {
    let table = call.lua.create_table()?;
    for (at, item) in items.enumerate() {
        if at >= MAX_TEXT_PARTS {
            return Err(call.format_error(&format!("more than {MAX_TEXT_PARTS} parts")).into());
        }
        table.raw_set(at + 1, make(item)?)?;
    }
    Ok(into_array(call.lua, table)?)
}

fn slice_value(call: &FunctionCall, text: &[u8], span: Span) -> Result<Value, ModuleError> {
    bytes_value(call, text.get(span.range()).unwrap_or_default())
}

fn submatch_list(call: &FunctionCall, text: &[u8], groups: &Captures) -> Result<Value, ModuleError> {
    create_list(call, groups.iter(), |group| slice_value(call, text, group.unwrap_or(Span { start: 0, end: 0 })))
}

/// The positions of the first and the last byte, counted from 1 as in Lua.
fn span_indices(call: &FunctionCall, span: Span) -> Result<Value, ModuleError> {
    create_list(call, [span.start + 1, span.end].into_iter(), |at| {
        Ok(Value::Integer(i64::try_from(at).unwrap_or(i64::MAX)))
    })
}

fn replace(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let (regex, text, replacement) = (compiled_regex(call)?, call.next_bytes(), call.next_bytes());
    let (mut replaced, mut end) = (Vec::new(), 0);
    for groups in regex.captures_iter(&text) {
        let Some(whole) = groups.get_group(0) else { continue };
        replaced.extend_from_slice(text.get(end..whole.start).unwrap_or_default());
        groups.interpolate_bytes_into(&text, &replacement, &mut replaced);
        end = whole.end;
        if replaced.len() > MAX_FRAME_BYTES {
            return Err(call
                .format_error(&format!("the text is larger than {}", ByteSize(MAX_FRAME_BYTES as u64)))
                .into());
        }
    }
    replaced.extend_from_slice(text.get(end..).unwrap_or_default());
    bytes_value(call, &replaced)
}

fn split(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let (regex, text) = (compiled_regex(call)?, call.next_bytes());
    let most = match call.next_value() {
        Value::Integer(most) => usize::try_from(most).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    create_list(call, regex.splitn(&text, most), |span| slice_value(call, &text, span))
}
