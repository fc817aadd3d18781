//! `text`: regular expressions, which take time in proportion to the text whatever they are; and the splitter.

use mlua::{AnyUserData, IntoLua as _, Lua, Table, Value};
use regex_automata::meta::{Config, Regex};
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;
use regex_automata::{PatternID, Span};

use super::{Fault, of, splitter};
use crate::library::function::{Call, Function, Kind, Param, optional, param, returns};
use wardroom_base::limits::{MAX_FRAME_BYTES, MAX_PATTERN_BYTES, MAX_TEXT_PARTS};

const TEXT: &[Param] = &[param("text", Kind::String, "string", "")];

pub(super) const FUNCTIONS: &[Function] = &[
    of(
        "text.regexp.compile",
        "A regular expression, in the syntax of RE2.",
        &[param("pattern", Kind::String, "string", "")],
        &[returns("Regexp", "")],
        compile,
    ),
    of("Regexp:match_string", "Whether it is somewhere in a text.", TEXT, &[returns("boolean", "")], |call| {
        let (regex, text) = (regex(call)?, call.bytes());
        Ok(Value::Boolean(regex.is_match(&text)))
    }),
    of("Regexp:find_string", "The first part that it matches.", TEXT, &[returns("string|nil", "")], |call| {
        let (regex, text) = (regex(call)?, call.bytes());
        regex.find(&text).map_or(Ok(Value::Nil), |found| part(call, &text, found.span()))
    }),
    of("Regexp:find_all_string", "All parts that it matches.", TEXT, &[returns("string[]", "")], |call| {
        let (regex, text) = (regex(call)?, call.bytes());
        list(call, regex.find_iter(&text), |found| part(call, &text, found.span()))
    }),
    of(
        "Regexp:find_string_submatch",
        "The first match and its groups.",
        TEXT,
        &[returns("string[]|nil", "")],
        |call| {
            let (regex, text) = (regex(call)?, call.bytes());
            regex.captures_iter(&text).next().map_or(Ok(Value::Nil), |groups| submatches(call, &text, &groups))
        },
    ),
    of(
        "Regexp:find_all_string_submatch",
        "All matches and their groups.",
        TEXT,
        &[returns("string[][]", "")],
        |call| {
            let (regex, text) = (regex(call)?, call.bytes());
            list(call, regex.captures_iter(&text), |groups| submatches(call, &text, &groups))
        },
    ),
    of(
        "Regexp:find_string_index",
        "Where the first match begins and ends.",
        TEXT,
        &[returns("integer[]|nil", "")],
        |call| {
            let (regex, text) = (regex(call)?, call.bytes());
            regex.find(&text).map_or(Ok(Value::Nil), |found| place(call, found.span()))
        },
    ),
    of(
        "Regexp:find_all_string_index",
        "Where all matches begin and end.",
        TEXT,
        &[returns("integer[][]|nil", "")],
        |call| {
            let (regex, text) = (regex(call)?, call.bytes());
            if !regex.is_match(&text) {
                return Ok(Value::Nil);
            }
            list(call, regex.find_iter(&text), |found| place(call, found.span()))
        },
    ),
    of(
        "Regexp:replace_all_string",
        "A text with another one instead of each match; `$1` and `${name}` are its groups.",
        &[param("text", Kind::String, "string", ""), param("replacement", Kind::String, "string", "")],
        &[returns("string", "")],
        replace,
    ),
    of(
        "Regexp:split",
        "The parts of a text between the matches.",
        &[
            param("text", Kind::String, "string", ""),
            optional("n", Kind::Integer, "integer", "parts at most; -1 is all of them (default -1)"),
        ],
        &[returns("string[]", "")],
        split,
    ),
    of("Regexp:num_subexp", "How many groups it has.", &[], &[returns("integer", "")], |call| {
        Ok(Value::Integer(i64::try_from(regex(call)?.captures_len().saturating_sub(1)).unwrap_or(0)))
    }),
    of(
        "Regexp:subexp_names",
        "Their names; one without is \"\", and so is the whole.",
        &[],
        &[returns("string[]", "")],
        |call| {
            let regex = regex(call)?;
            list(call, regex.group_info().pattern_names(PatternID::ZERO), |name| {
                Ok(call.string(name.unwrap_or_default())?)
            })
        },
    ),
    of("Regexp:string", "The pattern.", &[], &[returns("string", "")], |call| {
        Ok(call.string(&call.own::<String>("_pattern")?)?)
    }),
    of(
        "text.splitter.recursive",
        "Cuts texts into pieces: at empty lines where that is enough, then at lines, at spaces, and anywhere.",
        &[optional(
            "options",
            Kind::Table,
            "{ chunk_size?: integer, chunk_overlap?: integer, keep_separator?: boolean, separators?: string[] }",
            "characters of a piece (512), and how many of the one before it repeats at most (100)",
        )],
        &[returns("Splitter", "")],
        splitter::recursive,
    ),
    of("Splitter:split_text", "The pieces of a text.", TEXT, &[returns("string[]", "")], splitter::split_text),
    of(
        "Splitter:split_batch",
        "The pieces of several texts, each with what is known of its text.",
        &[param("pages", Kind::Table, "{ content: string, metadata?: table }[]", "")],
        &[returns("{ content: string, metadata?: table }[]", "")],
        splitter::split_batch,
    ),
];

fn compile(call: &mut Call) -> Result<Value, Fault> {
    let pattern = call.text()?;
    let bounds = Config::new()
        .utf8_empty(false)
        .nfa_size_limit(Some(MAX_PATTERN_BYTES))
        .onepass_size_limit(Some(MAX_PATTERN_BYTES))
        .hybrid_cache_capacity(MAX_PATTERN_BYTES)
        // What is unset is as many as there are processors, which nobody here may count.
        .pool_capacity(1);
    let compiled = Regex::builder().configure(bounds).syntax(syntax::Config::new().utf8(false)).build(&pattern);
    let compiled = compiled.map_err(|error| {
        // What is wrong with the pattern comes after a picture of it.
        let why = match (error.syntax_error(), error.size_limit()) {
            (Some(error), _) => error.to_string(),
            (None, Some(limit)) => format!("compiled, the pattern exceeds {limit} bytes"),
            (None, None) => error.to_string(),
        };
        call.blame(why.lines().last().unwrap_or_default().trim_start_matches("error: "))
    })?;
    let object = call.object("Regexp")?;
    object.raw_set("_compiled", call.lua.create_any_userdata(compiled)?)?;
    object.raw_set("_pattern", pattern)?;
    Ok(Value::Table(object))
}

fn regex(call: &Call) -> Result<Regex, Fault> {
    let compiled: AnyUserData = call.own("_compiled")?;
    Ok(compiled.borrow::<Regex>()?.clone())
}

fn string(call: &Call, bytes: &[u8]) -> Result<Value, Fault> {
    Ok(Value::String(call.lua.create_string(bytes)?))
}

fn list<T>(
    call: &Call,
    items: impl Iterator<Item = T>,
    make: impl Fn(T) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    let table = call.lua.create_table()?;
    for (at, item) in items.enumerate() {
        if at >= MAX_TEXT_PARTS {
            return Err(call.blame(&format!("more than {MAX_TEXT_PARTS} parts")).into());
        }
        table.raw_set(at + 1, make(item)?)?;
    }
    Ok(marked(call.lua, table)?)
}

/// A list is one in JSON, however empty.
pub(super) fn marked(lua: &Lua, table: Table) -> mlua::Result<Value> {
    table.set_metatable(Some(crate::values::array_mark(lua)?))?;
    table.into_lua(lua)
}

fn part(call: &Call, text: &[u8], span: Span) -> Result<Value, Fault> {
    string(call, text.get(span.range()).unwrap_or_default())
}

fn submatches(call: &Call, text: &[u8], groups: &Captures) -> Result<Value, Fault> {
    list(call, groups.iter(), |group| part(call, text, group.unwrap_or(Span { start: 0, end: 0 })))
}

/// From the first byte to the last one, as Lua counts.
fn place(call: &Call, span: Span) -> Result<Value, Fault> {
    list(call, [span.start + 1, span.end].into_iter(), |at| Ok(Value::Integer(i64::try_from(at).unwrap_or(i64::MAX))))
}

fn replace(call: &mut Call) -> Result<Value, Fault> {
    let (regex, text, replacement) = (regex(call)?, call.bytes(), call.bytes());
    let (mut replaced, mut end) = (Vec::new(), 0);
    for groups in regex.captures_iter(&text) {
        let Some(whole) = groups.get_group(0) else { continue };
        replaced.extend_from_slice(text.get(end..whole.start).unwrap_or_default());
        groups.interpolate_bytes_into(&text, &replacement, &mut replaced);
        end = whole.end;
        if replaced.len() > MAX_FRAME_BYTES {
            return Err(call.blame("the text grows too large").into());
        }
    }
    replaced.extend_from_slice(text.get(end..).unwrap_or_default());
    string(call, &replaced)
}

fn split(call: &mut Call) -> Result<Value, Fault> {
    let (regex, text) = (regex(call)?, call.bytes());
    let most = match call.value() {
        Value::Integer(most) => usize::try_from(most).unwrap_or(usize::MAX),
        _ => usize::MAX,
    };
    list(call, regex.splitn(&text, most), |span| part(call, &text, span))
}
