//! Tests of the conversion between Lua values and JSON.

use std::rc::Rc;

use mlua::Lua;
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use wardroom_lua::limits::{MAX_LUA_DEPTH, MAX_LUA_VALUES};
use wardroom_lua::testing::{decode, from_json, to_json};

use super::library_host::{TestHost, error, value, vm};

#[test]
fn values_encode_as_specified() {
    for (lua, text) in [
        ("nil", "null"),
        ("json.null", "null"),
        ("true", "true"),
        ("7", "7"),
        ("7.0", "7.0"),
        ("-0.5", "-0.5"),
        ("math.mininteger", "-9223372036854775808"),
        ("0/0", "null"),
        ("1/0", "null"),
        ("-1/0", "null"),
        ("'ä\\n\\0'", "\"ä\\n\\u0000\""),
        ("{}", "{}"),
        ("json.array()", "[]"),
        ("json.array({ 1 })", "[1]"),
        ("{ 1, 2 }", "[1,2]"),
        ("{ 1, nil, 3 }", "[1,null,3]"),
        ("{ 1, json.null, 3, x = 1 }", "[1,null,3]"),
        ("{ b = 1, a = json.null }", "{\"a\":null,\"b\":1}"),
        ("{ [5] = 'five', [2.5] = 'half', [true] = 'yes' }", "{\"2.5\":\"half\",\"5\":\"five\",\"true\":\"yes\"}"),
        ("{ [5] = 'number', ['5'] = 'string' }", "{\"5\":\"string\"}"),
        ("setmetatable({}, { __index = { 1 }, __pairs = error, __len = error })", "{}"),
        ("json.decode('[]')", "[]"),
        ("json.decode('{}')", "{}"),
        ("json.decode('[[],{},null]')", "[[],{},null]"),
        ("json.decode('{\"a\":null}')", "{\"a\":null}"),
    ] {
        assert_eq!(value(&format!("return alc.json_encode({lua})")), json!(text), "{lua}");
        assert_eq!(value(&format!("return json.encode({lua})")), json!(text), "{lua}");
    }
}

#[test]
fn decoded_list_stays_a_list() {
    assert_eq!(value("local l = json.decode('[1]') l[1] = nil return json.encode(l)"), json!("[]"));
    // An empty list that gets a string key becomes an object.
    assert_eq!(value("local l = json.decode('[]') l.k = 1 return json.encode(l)"), json!("{\"k\":1}"));
    assert_eq!(
        value("local l = json.array() l[1] = 'a' return { #l, json.encode(l), getmetatable(l) }"),
        json!([1, "[\"a\"]", false])
    );
    assert_eq!(error("setmetatable(json.array(), {})"), "script:1: cannot change a protected metatable");
    assert_eq!(
        error("json.array(setmetatable({}, { __metatable = 1 }))"),
        "script:1: json.array: the table has a protected metatable"
    );
    assert_eq!(value("local t = {} return json.array(t) == t"), json!(true));
}

#[test]
fn decoding_distinguishes_nil_null_integer_and_float() {
    for (text, expected) in [
        ("null", "nil nil"),
        ("[null]", "table userdata"),
        ("[1]", "table integer"),
        ("[1.0]", "table float"),
        ("[9223372036854775807]", "table integer"),
        ("[9223372036854775808]", "table float"),
        ("[1e2]", "table float"),
        ("[\"1\"]", "table string"),
        ("[false]", "table boolean"),
    ] {
        let script = format!(
            "local d = json.decode('{text}') local first = type(d) == 'table' and d[1] or nil
             if type(d) == 'table' and d[1] == false then first = false end
             return type(d) .. ' ' .. (math.type(first) or type(first))"
        );
        assert_eq!(value(&script), json!(expected), "{text}");
    }
}

#[test]
fn invalid_json_error_names_its_position() {
    for (call, expected) in [
        ("alc.json_decode('{')", "alc.json_decode: EOF while parsing an object at line 1 column 1"),
        ("alc.json_decode('1 2')", "alc.json_decode: trailing characters at line 1 column 3"),
        ("alc.json_decode('')", "alc.json_decode: EOF while parsing a value at line 1 column 0"),
        ("alc.json_decode()", "bad argument #1 to 'json_decode' (string expected, got no value)"),
        ("alc.json_decode({})", "bad argument #1 to 'json_decode' (string expected, got table)"),
        ("alc.json_encode(print)", "alc.json_encode: value: a function cannot be JSON"),
        (
            "alc.json_encode({ a = { 1, 2, { b = coroutine.create(print) } } })",
            "alc.json_encode: value.a[3].b: a thread cannot be JSON",
        ),
        ("alc.json_encode({ ['\\xff'] = 1 })", "alc.json_encode: value: a key that is not UTF-8"),
        ("alc.json_encode({ alc.math.rng_create(1) })", "alc.json_encode: value[1]: a userdata cannot be JSON"),
    ] {
        assert_eq!(error(&format!("return {call}, 1")), format!("script:1: {expected}"), "{call}");
    }
}

#[test]
fn depth_and_number_of_values_are_bounded() {
    let nested = |levels: usize| format!("local t = 1 for i = 1, {levels} do t = {{ t }} end return #json.encode(t)");
    assert_eq!(value(&nested(MAX_LUA_DEPTH)), json!(2 * MAX_LUA_DEPTH + 1));
    assert!(error(&nested(MAX_LUA_DEPTH + 1)).contains("nested deeper than 96 levels"));
    let cycle = error("local t = {} t.itself = t return json.encode(t), 1");
    assert!(
        cycle.contains("value.itself.itself.itself")
            && cycle.ends_with("…: nested deeper than 96 levels")
            && cycle.len() < 400,
        "{cycle}"
    );
    let text = |levels: usize| format!("return type(json.decode(('['):rep({levels}) .. (']'):rep({levels})))");
    assert_eq!(value(&text(MAX_LUA_DEPTH)), json!("table"));
    assert!(error(&text(MAX_LUA_DEPTH + 1)).contains("nested deeper than 96 levels"));
    assert!(error(&text(100_000)).contains("nested deeper than 96 levels"));
    // A table whose length is far above the number of its elements.
    let long = error(
        "local keys = {} for i = 0, 40 do keys[i + 1] = ('[%d] = true'):format(1 << i) end
         local t = load('return { ' .. table.concat(keys, ', ') .. ' }')() assert(#t > 1 << 30) return json.encode(t), 1",
    );
    assert!(long.contains(&format!("more than {MAX_LUA_VALUES} values")), "{long}");
}

#[test]
fn error_path_begins_with_given_root() {
    let lua = Lua::new();
    let items = lua.load("return { items = { 1, 2, print } }").eval().unwrap();
    assert_eq!(to_json(&lua, &items, "result"), Err("result.items[3]: a function cannot be JSON".into()));
}

fn documents() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        // At most 15 digits, because serde_json is off by one bit for some longer numbers.
        (any::<i32>(), 0_i32..5).prop_map(|(number, parts)| Json::from(f64::from(number) / 2_f64.powi(parts))),
        any::<String>().prop_map(Json::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        let key = prop_oneof!["[a-z]{0,3}", any::<String>()];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Json::from),
            proptest::collection::btree_map(key, inner, 0..8).prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_document_round_trips(document in documents()) {
        let lua = Lua::new();
        let text = document.to_string();
        let parsed = decode(&lua, text.as_bytes()).unwrap();
        prop_assert_eq!(&to_json(&lua, &parsed, "it").unwrap(), &document);
        let built = from_json(&lua, &document).unwrap();
        prop_assert_eq!(&to_json(&lua, &built, "it").unwrap(), &document);
    }

    #[test]
    fn script_encoding_inverts_decoding(document in documents()) {
        let lua = vm(Rc::new(TestHost::default()), &json!({}));
        let text = document.to_string();
        let again: String = lua.load("return json.encode(json.decode(...))").call(text.as_str()).unwrap();
        prop_assert_eq!(again, text);
    }
}
