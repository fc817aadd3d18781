//! Malicious sources: each is read a few times at most, and ends with an answer or the right error.

use std::time::{Duration, Instant};

use wardroom_lua_syntax::lexer::READ;

use super::{check, check_error, extract, read};
use crate::limits;

/// The most times that a part of a source is read: by the scan, by the replay of its statement, by the lookahead of
/// either, and by the search for what is given away.
const READS: usize = 4;

#[track_caller]
fn extract_bounded(source: &[u8]) -> Result<String, String> {
    let before = READ.get();
    let answer = extract("demo", source).map(|m| m.json).map_err(|error| error.to_string());
    let read = READ.get() - before;
    assert!(read <= READS * source.len(), "{read} bytes of {}", source.len());
    answer
}

fn filled(unit: &str) -> String {
    unit.repeat((limits::MAX_SOURCE_BYTES - 100) / unit.len())
}

#[test]
fn invalid_chunk_is_refused() {
    for (source, error) in [
        ("local x = 'a", "line 1, column 11: unterminated string"),
        ("\n  x = \"a\n\"", "line 2, column 7: unterminated string"),
        ("x = [[a", "line 1, column 5: unterminated string"),
        ("x = [=a", "line 1, column 5: invalid long string delimiter"),
        ("--[[ a", "line 1, column 1: unterminated comment"),
        ("--[==[ a ]=]", "line 1, column 1: unterminated comment"),
        (r"x = '\q'", "line 1, column 6: invalid escape sequence"),
        (r"x = '\300'", "line 1, column 6: decimal escape too large"),
        (r"x = '\xg0'", "line 1, column 6: hexadecimal digit expected in an escape"),
        (r"x = '\u{80000000}'", "line 1, column 6: \\u escape too large"),
        ("x = 3x", "line 1, column 5: malformed number"),
        ("x = 1..2", "line 1, column 5: malformed number"),
        ("x = $", "line 1, column 5: unexpected character"),
        ("x = é", "line 1, column 5: unexpected character"),
        ("x = \0", "line 1, column 5: NUL byte outside a string"),
        ("x = {", "line 1, column 5: '{' is never closed"),
        ("x = (}", "line 1, column 6: closes something that is not open"),
        ("end", "line 1, column 1: closes something that is not open"),
        ("if x then", "line 1, column 1: block without 'end'"),
        ("repeat x() end", "line 1, column 12: closes something that is not open"),
        ("while x", "line 1, column 1: loop without 'do'"),
        ("else", "line 1, column 1: branch outside an 'if'"),
    ] {
        check_error(source, error);
    }
    check_error(b"x = 'a'\n-- \xff", "line 2, column 4: source is not UTF-8");
    check("return { meta = { x = 'a\0b' } }", r#"{"x":"a\u0000b"}"#, &[]);
}

#[test]
fn source_and_output_sizes_are_limited() {
    check_error("{".repeat(10 << 20), "source is longer than 1048576 bytes");
    check_error(format!("--{}\n", "x".repeat(limits::MAX_SOURCE_BYTES)), "source is longer than 1048576 bytes");
    let long = "x".repeat(limits::MAX_OUTPUT_BYTES + 1);
    check_error(format!("return {{ meta = {{ x = '{long}' }} }}"), "metadata is longer than 262144 bytes");
    check_error(format!("--- {long}"), "metadata is longer than 262144 bytes");
    let calls = "f(),".repeat(limits::MAX_UNRESOLVED + 1);
    check_error(format!("return {{ meta = {{ {calls} }} }}"), "metadata is longer than 262144 bytes");
    let calls = "f(),".repeat(limits::MAX_UNRESOLVED);
    assert_eq!(read(&format!("return {{ meta = {{ {calls} }} }}")).1.len(), limits::MAX_UNRESOLVED);
}

#[test]
fn tables_with_a_field_count_as_what_they_take() {
    let rows =
        |row: &str, count: usize| format!("local L = {{ {} }} return {{ meta = {{ l = L }} }}", row.repeat(count));
    let fitting = limits::MAX_NODES / (limits::FIRST_FIELD_NODES + 2) - 10;
    assert!(extract_bounded(rows("{1},", fitting).as_bytes()).is_ok());
    check_error(rows("{1},", fitting + 1_000), "metadata is longer than 262144 bytes");
    // A table that is too large on its own leaves the metadata as it is.
    check(&format!("local L = {{ {} }} return {{ meta = {{ a = 1 }} }}", "{1},".repeat(60_000)), r#"{"a":1}"#, &[]);
    check_error(format!("return {{ meta = {{ {} }} }}", "1,".repeat(200_000)), "metadata is longer than 262144 bytes");
}

#[test]
fn key_that_exhausts_the_heap_loses_everything() {
    let nodes = "1,".repeat(limits::MAX_NODES);
    let key = format!("[{{ M, {nodes} }}] = 1 for k in pairs(N) do k[1].meta = nil end return M");
    for target in ["N", "N.x, N"] {
        let source = format!("local M, N = {{}}, {{}} M.meta = {{ name = 'a' }} {target}{key}");
        check_error(source, "metadata is longer than 262144 bytes");
    }
}

#[test]
fn variables_of_a_statement_are_limited() {
    let names = |count: usize| vec!["a"; count].join(", ");
    let many = limits::MAX_VARIABLES;
    for (before, after) in [("local ", ""), ("local ", " = 1"), ("", " = 1"), ("do ", " = 1 end")] {
        check(&format!("{before}{}{after}", names(many)), "{}", &[]);
        let refusal = extract("demo", format!("{before}{}{after}", names(many + 9)).as_bytes()).unwrap_err();
        assert!(refusal.to_string().ends_with("too many variables in one statement"), "{refusal}");
    }
    let bracketed = format!("(f({})).x, y = 1, 2", names(many + 9));
    check(&bracketed, "{}", &[": may be assigned to in brackets"]);
    check(&format!("local x = {} 2 return {{ meta = {{ x = x }} }}", "1,".repeat(300_000)), r#"{"x":1}"#, &[]);
}

#[test]
fn nesting_depth_is_limited_only_in_constants() {
    let nested = |open: &str, close: &str, n| format!("{}1{}", open.repeat(n), close.repeat(n));
    for (open, close) in [("{", "}"), ("(", ")"), ("setmetatable(", ")")] {
        let deep = nested(open, close, 100_000 / open.len());
        let answer = extract_bounded(format!("return {{ meta = {{ x = {deep} }} }}").as_bytes());
        assert!(answer.is_err_and(|error| error.ends_with("nested too deep")));
        assert_eq!(extract_bounded(format!("local x = {deep} return {{ meta = {{}} }}").as_bytes()), Ok("{}".into()));
        assert!(
            extract_bounded(open.repeat(100_000 / open.len()).as_bytes()).is_err_and(|e| e.contains("never closed"))
        );
    }
    assert!(read(&format!("return {{ meta = {{ x = {} }} }}", nested("{", "}", 62))).1.is_empty());
    let blocks = format!("{}{}", "do ".repeat(100_000), "end ".repeat(100_000));
    check(&blocks, "{}", &[]);
    check_error("local meta = {} meta.x = meta return { meta = meta }", "line 1, column 14: nested too deep");
}

#[test]
fn doubled_values_exceed_output_limit() {
    let strings: String = (1..60).map(|n| format!("local s{n} = s{} .. s{}\n", n - 1, n - 1)).collect();
    let answer = extract_bounded(format!("local s0 = 'xx'\n{strings} return {{ meta = {{ x = s59 }} }}").as_bytes());
    assert_eq!(answer, Err("metadata is longer than 262144 bytes".into()));
    let tables: String = (1..60).map(|n| format!("local t{n} = {{ t{}, t{} }}\n", n - 1, n - 1)).collect();
    let answer = extract_bounded(format!("local t0 = {{ 1 }}\n{tables} return {{ meta = t59 }}").as_bytes());
    assert_eq!(answer, Err("metadata is longer than 262144 bytes".into()));
}

#[test]
fn work_is_linear_in_source_size() {
    let units = [
        "{},",
        "- ",
        "not ",
        "x.",
        "x[1].",
        "a=1;",
        "local a=1 ",
        "local a=a ",
        "a.b.c.d=1;",
        "f() ",
        "'' .. ",
        "[=[",
        "--[=[\n",
        "]==",
        "\\",
        "x,",
        "do local x=1 ",
        "function f() M.m=1 ",
        "a[function() a[1]=1 end]=1 ",
        "a[function() ",
        "(",
        "if x then ",
        "1^",
        "1 and ",
        "\r",
        "\"\\z ",
        "0x",
        "::",
        "f{",
        "--- x\n",
        "\"x\"..1..",
        "do local a = f '' (a) end ",
        "repeat local a repeat until a until f {} ",
        "-return ",
        "return a - ",
        "local a = - ",
        "require(\"alc_shapes\").instrument(a,\"\") ",
    ];
    for unit in units {
        let body = filled(unit);
        for source in [
            body.clone(),
            format!("local M = {{ meta = {{ {body} }} }} return M"),
            format!("local a = {{}} M.meta = {body}"),
        ] {
            let _ended = extract_bounded(source.as_bytes());
        }
    }
}

#[test]
fn library_is_looked_up_without_a_search() {
    let body = filled("f().instrument(M,\"\")\n");
    let begun = Instant::now();
    assert_eq!(extract_bounded(format!("local M = {{}}\n{body}").as_bytes()), Ok("{}".into()));
    // A search through the source for each use takes 3 s.
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[test]
fn nested_targets_are_read_once() {
    let n = 20_000;
    let source = format!("local a = {{}} {}{}", "do a[function() ".repeat(n), "end] = 1 end ".repeat(n));
    assert_eq!(extract_bounded(source.as_bytes()), Ok("{}".into()));
}

#[test]
fn long_variable_chain_is_resolved() {
    let chain: String = (1..20_000).map(|n| format!("local v{n} = v{}\n", n - 1)).collect();
    check(&format!("local v0 = 1 {chain} return {{ meta = {{ x = v19999 }} }}"), r#"{"x":1}"#, &[]);
    let pieces = "'a' .. ".repeat(50_000);
    assert!(extract_bounded(format!("return {{ meta = {{ x = {pieces}'a' }} }}").as_bytes()).is_ok());
}

#[test]
fn mutated_source_never_panics() {
    let seeds = [
        "#!x\n--- doc\nlocal M <const> = {} M.meta = { a = 'x' .. 1.5, [\"k\"] = {1,2;3}, [[z]], -0x1p4 } return M",
        "local a, b = f{...}, \"\\u{20}\\x41\\z  \\065\" M.a['b'].c = a for i=1,2 do M.x = i end return setmetatable(M, {})",
        "if x then y() elseif z then repeat M[k] = 1 until 1 else while 1 do goto l ::l:: end end function M.f:g(a) end",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below.max(1)).unwrap()).unwrap()
    };
    for turn in 0..30_000 {
        let mut source = seeds[turn % seeds.len()].as_bytes().to_vec();
        for _ in 0..=random(6) {
            let at = random(source.len());
            match random(4) {
                0 => source[at] = u8::try_from(random(128)).unwrap(),
                1 => drop(source.drain(at..(at + random(9)).min(source.len()))),
                2 => source.insert(at, b"{}()[]'\"\\-=.,;\n\0"[random(16)]),
                _ => {
                    let piece = source[at..(at + random(20)).min(source.len())].to_vec();
                    let to = random(source.len());
                    source.splice(to..to, piece);
                }
            }
            if source.is_empty() {
                source.push(b'x');
            }
        }
        let _answer = extract("demo", &source);
    }
}
