//! The results of sources. Each case is a source, the JSON, and the unresolved entries as `path: reason`.

mod escapes;
mod hostile;
mod inputs;
mod matrix;
mod scopes;

use super::*;
use crate::report;

/// Returns the JSON and the unresolved entries of a valid source.
fn read(source: &str) -> (String, Vec<String>) {
    let metadata = extract("demo", source.as_bytes()).unwrap_or_else(|error| panic!("{error}: {source:.200}"));
    let entry = |u: &Unresolved| format!("{}: {}", u.path, u.reason);
    (metadata.json, metadata.unresolved.iter().map(entry).collect())
}

#[track_caller]
fn check(source: &str, json: &str, unresolved: &[&str]) {
    let (found, missing) = read(source);
    assert_eq!(found, json, "{source}");
    assert_eq!(missing, unresolved, "{source}");
}

/// Checks the constant value of `expression`; `null` means that it is not a constant.
#[track_caller]
fn check_constant(expression: &str, json: &str) {
    let (found, missing) = read(&format!("return {{ meta = {{ x = {expression} }} }}"));
    let expected = if json.is_empty() { "{}".into() } else { format!("{{\"x\":{json}}}") };
    assert_eq!(found, expected, "{expression}");
    assert_eq!(missing.is_empty(), json != "null", "{expression}: {missing:?}");
}

#[track_caller]
fn check_error(source: impl AsRef<[u8]>, expected: &str) {
    let source = source.as_ref();
    match extract("demo", source) {
        Err(error) => assert_eq!(error.to_string(), expected),
        Ok(metadata) => panic!("accepted: {metadata:?}"),
    }
}

#[test]
fn entry_forms_are_all_found() {
    let full = r#"{"name":"a"}"#;
    for source in [
        "local M = {} M.meta = { name = 'a' } return M",
        "local M = {} M['meta'] = { name = 'a' } return M",
        "local M = {} M . meta = { name = 'a' } return M;",
        "local P = {} P.meta = { name = 'a' } return P",
        "local M = { meta = { name = 'a' } } return M",
        "M = { meta = { name = 'a' } } return M",
        "M = {} M.meta = { name = 'a' } return M",
        "local M; M = { meta = { name = 'a' } } return M",
        "return { meta = { name = 'a' } }",
        "return ({ ['meta'] = { name = 'a' } })",
        "local M = { meta = { name = 'a' } } return setmetatable(M, { __index = function() end })",
        "return setmetatable({ meta = { name = 'a' } }, {})",
        "local M = setmetatable({}, {__call = f}) M.meta = setmetatable({ name = 'a' }, { __index = {} }) return M",
        "local meta = { name = 'a' } local M = {} M.meta = meta return M",
        "local meta = { name = 'a' } local M = { meta = meta } return M",
        "local meta = {} meta.name = 'a' return { meta = meta }",
        "local M = {} M.meta = {} M.meta.name = 'a' return M",
        "local M = {} M.meta = { name = 'b' } M.meta['name'] = 'a' return M",
        "local M = {} M.meta = { name = 'b' } M['meta'].name = 'a' return M",
        "local M, N = {}, 1 M.meta, N = { name = 'a' }, 2 return M",
        "local M <const> = { meta = { name = 'a' } } return M",
    ] {
        check(source, full, &[]);
    }
}

#[test]
fn absent_metadata_is_empty() {
    for source in ["", "return", "local M = {} return M", "return {}", "local x = 1", "return function() end", "#!x"] {
        check(source, "{}", &[]);
    }
    check("local M = {} M.meta = nil return M", "{}", &[]);
    check("local M = {} M.meta = {} return M", "{}", &[]);
    check("local M = {} M.metadata = { name = 'a' } return M", "{}", &[]);
}

#[test]
fn non_constant_metadata_is_unresolved_as_a_whole() {
    check("local M = {} M.meta = f() return M", "{}", &[": calls a function"]);
    check("local M = {} M.meta = 'x' return M", "{}", &[": is not a table"]);
    check("return require('x')", "{}", &[": calls a function"]);
    check("local M = {} function M.meta() end return M", "{}", &[": is a function"]);
    check("local M = {} M.meta = f() M.meta.a = 1 return M", r#"{"a":1}"#, &[": calls a function"]);
    check("local M = {} M.meta = {} M.meta[k] = 1 return M", "{}", &[": has a key that is not a constant"]);
}

#[test]
fn value_that_begins_with_a_function_may_have_metadata() {
    let evil = "{ meta = { name = 'a' } }";
    for source in [
        format!("return function() end and {evil}"),
        format!("local M = function() end and {evil} return M"),
        format!("M = function() end and {evil} return M"),
        format!("local M = (function() end and {evil}) return M"),
    ] {
        let (json, unresolved) = read(&source);
        assert_eq!((json.as_str(), unresolved.len()), ("{}", 1), "{source}");
    }
    for source in [
        "local M = function() end return M",
        "local function M() end return M",
        "function M() end return M",
        "local M = function() end f() return M",
        "return (function() end)",
        "return function() end;",
    ] {
        check(source, "{}", &[]);
    }
}

#[test]
fn tables_become_arrays_and_objects() {
    check_constant("{}", "{}");
    check_constant("{ 1, 'b'; true, }", r#"[1,"b",true]"#);
    check_constant("{ [1] = 'a', [2.0] = 'b' }", r#"["a","b"]"#);
    check_constant("{ 'a', nil, 'c' }", r#"{"1":"a","3":"c"}"#);
    check_constant("{ 'a', k = 1, [1.5] = 2, ['é x'] = 3 }", r#"{"1":"a","1.5":2,"k":1,"é x":3}"#);
    check_constant("{ a = 1, a = 2 }", r#"{"a":2}"#);
    check_constant("{ b = {}, a = { { c = nil } } }", r#"{"a":[{}],"b":{}}"#);
    check("return { meta = { 'a' } }", r#"{"1":"a"}"#, &[]);
}

#[test]
fn constant_expressions_match_lua() {
    for (expression, json) in [
        ("1 + 2 * 3 - 4 // 3", "6"),
        ("7 / 2", "3.5"),
        ("-(-3)", "3"),
        ("- - 3", "3"),
        ("not nil", "true"),
        ("1e100", "1e100"),
        ("0x10", "16"),
        ("'a' .. 1 .. 2.0 .. [[b]]", r#""a12.0b""#),
        ("('a')", r#""a""#),
        ("nil", ""),
        ("1/0", "null"),
        ("1/0 .. ''", r#""inf""#),
        ("0/0 .. ''", "null"),
        ("-(0/0) .. ''", "null"),
        ("0.0 // 0 .. ''", "null"),
        ("5 % 0.0 .. ''", "null"),
        ("0x2.80000000000001p-1074", "1.5e-323"),
        ("1 // 0", "null"),
        ("2 ^ 2", "null"),
        ("1 == 1", "null"),
        ("f or 'x'", "null"),
        ("#'abc'", "null"),
        ("'10' + 1", "null"),
        ("...", "null"),
        ("('x'):rep(3)", "null"),
        ("f 'x'", "null"),
        ("f { 1, { 2 } } [[x]]", "null"),
        ("function(a, b) if a then return end end", "null"),
        (
            r#"'\x41\65\u{2014}\z
            \n\'\"\\'"#,
            r#""AA—\n'\"\\""#,
        ),
        (r"'\xff'", "null"),
        (r"'\u{7fffffff}'", "null"),
        (r"'\xe2' .. '\x80\x94'", r#""—""#),
        ("[==[\n]] ]=] x]==]", r#""]] ]=] x""#),
        ("[[a\r\nb\rc]]", r#""a\nb\nc""#),
        ("'a\\\r\nb'", r#""a\nb""#),
    ] {
        check_constant(expression, json);
    }
}

#[test]
fn variable_is_constant_unless_reassigned() {
    check("local V = '1' return { meta = { v = V } }", r#"{"v":"1"}"#, &[]);
    check("local V <const> = '1' .. '2' return { meta = { v = V .. '3' } }", r#"{"v":"123"}"#, &[]);
    check("local a, b = 1, 2 return { meta = { b, a } }", r#"{"1":2,"2":1}"#, &[]);
    check("local V = '1' function f(V) V = V or 2 end return { meta = { v = V } }", r#"{"v":"1"}"#, &[]);
    check("local V = '1' do local V = 2 V = 3 end return { meta = { v = V } }", r#"{"v":"1"}"#, &[]);
    check("local V = '1' for V = 1, 2 do V = 3 end return { meta = { v = V } }", r#"{"v":"1"}"#, &[]);
    let again = &["v: names a variable that is assigned more than once"];
    check("local V = '1' local M = { meta = { v = V } } V = '2' return M", r#"{"v":null}"#, again);
    check("local V = '1' function f() V = '2' end return { meta = { v = V } }", r#"{"v":null}"#, again);
    check("local V = '1' function f() x, V = 1, 2 end return { meta = { v = V } }", r#"{"v":null}"#, again);
    let other = &["v: names a variable that is not a constant"];
    check("V = '1' return { meta = { v = V } }", r#"{"v":null}"#, other);
    check("return { meta = { v = V } }", r#"{"v":null}"#, other);
    check("do local V = 1 end return { meta = { v = V } }", r#"{"v":null}"#, other);
    check("local function V() end return { meta = { v = V } }", r#"{"v":null}"#, other);
}

#[test]
fn block_assignment_is_unresolved() {
    let json = r#"{"a":null,"b":2}"#;
    for block in [
        "function M.f() M.meta.a = 3 end",
        "if x then M.meta.a = 3 end",
        "if x then else M.meta['a'] = 3 end",
        "while x do M.meta.a = 3 end",
        "repeat M.meta.a = 3 until x",
        "f(function() M.meta.a = 3 end)",
        "do M.meta.a = 3 end",
        "t = { f = function() y, M.meta.a = 3 end }",
    ] {
        let source = format!("local M = {{}} M.meta = {{ a = 1, b = 2 }} {block} return M");
        check(&source, json, &["a: assigned inside a block"]);
    }
    check("local M = {} if x then M.meta = {} end return M", "{}", &[": assigned inside a block"]);
    check("local M = {} function f() M = 1 end return M", "{}", &[": assigned inside a block"]);
}

#[test]
fn unresolved_entries_have_positions_in_source_order() {
    let source = "return { meta = {\n  z = f(),\n  a = { 'x', { k = g } },\n  ['o d'] = h.i,\n} }";
    let metadata = extract("demo", source.as_bytes()).unwrap();
    assert_eq!(metadata.json, r#"{"a":["x",{"k":null}],"o d":null,"z":null}"#);
    let entries: Vec<_> =
        metadata.unresolved.iter().map(|u| (u.path.as_str(), u.position.line, u.position.column)).collect();
    assert_eq!(entries, [("z", 2, 7), ("a[2].k", 3, 20), ("[\"o d\"]", 4, 13)]);
    assert!(report::line(&metadata).starts_with(r#"{"meta":{"a":["x",{"k":null}],"o d":null,"z":null},"doc":null,"#));
}

#[test]
fn invalid_package_name_is_refused() {
    let error = extract("a b", b"").unwrap_err();
    assert_eq!(error, ExtractError::InvalidId("contains reserved character ' '".into()));
}

#[test]
fn whole_lua_syntax_is_accepted() {
    let source = r#"
        local a <const>, b <close> = 1, nil
        ::top:: goto top
        for i = 1, 10, 2 do if i ~= 3 then break elseif i // 2 == 1 then i = i << 1 else i = ~i end end
        for k, v in pairs { 1, [2] = 3; x = function(...) return ... end } do print(k, v) end
        while not a do repeat local x = a & b | c ~ d until x >= 1 or x <= 2 end
        local s = f"x" .. g[[y]] .. h{ 1 } .. o:m"z" .. #t
        function M.a.b:c(x, ...) return (x) end;
        local function r() return end
        do return end
    "#;
    check(source, "{}", &[": is a label, from which statements may be repeated or left out"]);
}
