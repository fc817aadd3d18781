//! What a declaration or a schema could exhaust: stacks, time and memory.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wardroom_base::json_schema::CompiledSchema;
use wardroom_base::limits::{MAX_LISTED_VIOLATIONS, MAX_SCHEMA_PATTERNS};
use wardroom_registry::limits::MAX_PROMPT_ANCESTORS;

use super::effects::listing;
use super::{call, call_failure, call_text, declare, serve, tool};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

/// Returns prompts, each of which extends the next one.
fn chain(length: usize) -> String {
    let prompt = |n: usize| {
        let parent = if n + 1 < length { format!("      mcp.prompt.extend: [p{}]\n", n + 1) } else { String::new() };
        format!(
            "  - name: p{n}\n    kind: function.lua\n    meta:\n      mcp.prompt: true\n      mcp.prompt.name: p{n}\n      \
             mcp.prompt.messages: [{{ content: \"m{n}\" }}]\n{parent}"
        )
    };
    (0..length).map(prompt).collect()
}

#[test]
fn long_ancestor_chain_is_refused() {
    let dir = TestDir::new();
    let (length, most) = (3_000, MAX_PROMPT_ANCESTORS);
    declare(&dir, &chain(length));
    let client = &mut serve(&dir, ClientRevision::Modern);
    let get = |client: &mut StdioClient, n: usize| client.call("prompts/get", json!({"name": format!("p{n}")}));
    assert_eq!(get(client, 0)["error"]["message"], "Unknown prompt: p0");
    let refused = get(client, length - most - 2)["error"]["message"].take();
    assert!(refused.as_str().unwrap().starts_with(&format!("Unknown prompt: p{}", length - most - 2)), "{refused}");
    let longest = get(client, length - most - 1);
    let messages = longest["result"]["messages"].as_array().unwrap_or_else(|| panic!("{longest}"));
    assert_eq!(messages.len(), most + 1);
    assert_eq!(messages[0]["content"]["text"], format!("m{}", length - 1));
}

/// Checks the error of a schema that is refused.
#[track_caller]
fn refused(schema: &Value, expected: &str) {
    let why = CompiledSchema::new(schema).map(drop).unwrap_err();
    assert!(why.contains(expected), "{why}\nhas not\n{expected}");
}

/// Returns definitions `a0`, `a1` …, each made with a reference to the next one.
fn definitions(count: usize, one: impl Fn(&str) -> Value) -> Value {
    let mut all = serde_json::Map::new();
    for n in 0..count {
        all.insert(format!("a{n}"), one(&format!("#/$defs/a{}", n + 1)));
    }
    all.insert(format!("a{count}"), json!({"type": "number"}));
    json!({"$defs": all, "$ref": "#/$defs/a0"})
}

#[test]
fn exponential_schema_is_refused() {
    for keyword in ["anyOf", "allOf", "oneOf"] {
        refused(&definitions(40, |next| json!({keyword: [{"$ref": next}, {"$ref": next}]})), "applies more than");
    }
    let alternatives = definitions(40, |next| json!({"if": {"$ref": next}, "then": {"$ref": next}}));
    refused(&alternatives, "applies more than");
    // The evaluation that `unevaluatedProperties` needs repeats at each level.
    refused(
        &definitions(40, |next| json!({"allOf": [{"$ref": next}], "unevaluatedProperties": false})),
        "applies more than",
    );
    for itself in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"not": {"$ref": "#"}}),
        json!({"$dynamicAnchor": "x", "anyOf": [{"$dynamicRef": "#x"}]}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
        json!({"$anchor": "top", "dependentSchemas": {"k": {"$ref": "#top"}}}),
    ] {
        refused(&itself, "refers to itself for the same value");
    }
    refused(&definitions(2_000, |next| json!({"$ref": next})), "levels deep");
    // The most levels allowed, on a thread with a usual stack.
    let deep = CompiledSchema::new(&definitions(900, |next| json!({"properties": {"x": {"$ref": next}}}))).map(drop);
    assert!(deep.unwrap_err().contains("levels deep"));
    let deep = CompiledSchema::new(&definitions(900, |next| json!({"$ref": next}))).unwrap();
    assert_eq!(
        deep.check(&json!(1)),
        Err("/: the value is nested too deep for its schema: the limit is 400 nested subschemas".to_owned())
    );
    let deep = CompiledSchema::new(&definitions(350, |next| json!({"$ref": next}))).unwrap();
    assert_eq!(deep.check(&json!(1)), Ok(()));
    assert_eq!(deep.check(&json!("x")), Err("/: the value is not of type \"number\"".to_owned()));
}

#[test]
fn value_that_needs_too_many_steps_is_refused() {
    // One level costs nothing, and each further level twice as much.
    let twice = json!({"allOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]});
    let schema = CompiledSchema::new(&twice).unwrap();
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({"a": inner}));
    assert_eq!(schema.check(&nested(10)), Ok(()));
    let too_large = "/: the value is too large for its schema: the check would take more than 50 million steps";
    let large = Err(too_large.to_owned());
    assert_eq!(schema.check(&nested(80)), large);
    let searches: Vec<Value> = (0..2_000).map(|n| json!({"contains": {"const": -1 - n}})).collect();
    let schema = CompiledSchema::new(&json!({"anyOf": searches})).unwrap();
    assert_eq!(schema.check(&(0..100_000).collect::<Value>()), large);
    assert!(schema.check(&json!([1, 2])).unwrap_err().contains("not valid under any"));
    // Lists that differ only in their brackets have the same hash.
    let brackets = |n: usize| {
        (0..14).fold(json!([[]]), |inner, bit| if n >> bit & 1 == 1 { json!([inner, []]) } else { json!([[], inner]) })
    };
    let unique = CompiledSchema::new(&json!({"uniqueItems": true})).unwrap();
    assert_eq!(unique.check(&(0..16_384).map(brackets).collect::<Value>()), large);
    assert_eq!(unique.check(&(0..100).map(brackets).collect::<Value>()), Ok(()));
    // A schema may refer to itself through its properties.
    let list = CompiledSchema::new(&json!({
        "properties": {"value": {"type": "integer"}, "next": {"$ref": "#"}}, "unevaluatedProperties": false,
    }));
    let list = list.unwrap();
    let values = |depth: usize| (0..depth).fold(json!({}), |inner, n| json!({"value": n, "next": inner}));
    assert_eq!(list.check(&values(60)), Ok(()));
    assert!(list.check(&json!({"next": {"value": "x"}})).unwrap_err().starts_with("/next/value: "));
}

#[test]
fn every_violation_is_listed_and_beyond_twenty_they_are_counted() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 3}, "b": {}, "list": {"items": {"type": "string"}}},
        "required": ["b"],
        "additionalProperties": false,
    });
    let schema = CompiledSchema::new(&schema).unwrap();
    let refused = |value: &Value| schema.check(value).unwrap_err();
    assert_eq!(refused(&json!({"a": 1, "b": 1, "c": 1})).matches("; ").count(), 1);
    let found = refused(&json!({"a": "x", "other": 1, "list": ["s", 2]}));
    let mut found: Vec<&str> = found.split("; ").collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "/: \"b\" is a required property",
            "/: Additional properties are not allowed ('other' was unexpected)",
            "/a: the value is not of type \"integer\"",
            "/list/1: the value is not of type \"string\"",
        ]
    );
    let list = CompiledSchema::new(&json!({"items": {"type": "string"}})).unwrap();
    let numbers = |n: usize| (0..n).collect::<Value>();
    let exact = list.check(&numbers(MAX_LISTED_VIOLATIONS)).unwrap_err();
    assert_eq!(exact.matches("; ").count(), MAX_LISTED_VIOLATIONS - 1);
    let more = list.check(&numbers(MAX_LISTED_VIOLATIONS + 5)).unwrap_err();
    assert!(more.ends_with("; and 5 more") && more.starts_with("/0: ") && !more.contains("/20: "), "{more}");
    // Their paths together would take 100 MB.
    let long = json!({ "n".repeat(100_000): numbers(1_000) });
    let nested = CompiledSchema::new(&json!({"additionalProperties": {"items": {"type": "string"}}})).unwrap();
    let first = nested.check(&long).unwrap_err();
    assert!(first.ends_with(": the value is not of type \"string\"") && !first.contains("; "), "{first}");
}

#[test]
fn patterns_share_one_budget() {
    let schema = |patterns: &[String]| json!({"anyOf": patterns.iter().map(|pattern| json!({"pattern": pattern})).collect::<Vec<_>>()});
    let many: Vec<String> = (0..=MAX_SCHEMA_PATTERNS).map(|n| format!("^x{n}y*$")).collect();
    refused(&schema(&many), "patterns, the limit is 256");
    let large: Vec<String> = (0..100).map(|n| format!("\\p{{L}}{{30}}{n}")).collect();
    refused(&schema(&large), "patterns that take more than 16 MiB");
    let names: serde_json::Map<String, Value> = large.iter().map(|name| (name.clone(), json!({}))).collect();
    refused(&json!({"patternProperties": names}), "patterns that take more than");
    let few = CompiledSchema::new(&schema(&["^\\d{4}-\\d{2}$".to_owned(), "^[a-zé]+$".to_owned()])).unwrap();
    assert_eq!(few.check(&json!("2026-07")), Ok(()));
    assert!(few.check(&json!("X")).is_err());
}

#[test]
fn references_resolve_only_within_schema() {
    let whole = json!({
        "$id": "https://example.com/whole", "$defs": {
            "n/m~1": {"type": "integer"}, "named": {"$anchor": "num", "type": "number"},
            "inner": {"$id": "inner", "$defs": {"s": {"type": "string"}}, "properties": {"s": {"$ref": "#/$defs/s"}}},
        },
        "properties": {
            "a": {"$ref": "#/$defs/n~1m~01"}, "b": {"$ref": "#num"}, "c": {"$ref": "inner"},
            "d": {"$ref": "https://example.com/whole#/$defs/named"}, "e": {"$ref": "inner#/$defs/s"}, "f": true,
        },
    });
    let schema = CompiledSchema::new(&whole).unwrap();
    assert_eq!(schema.check(&json!({"a": 1, "b": 1.5, "c": {"s": "x"}, "d": 2, "e": "y", "f": [1]})), Ok(()));
    for (name, wrong) in
        [("a", json!(1.5)), ("b", json!("x")), ("c", json!({"s": 1})), ("d", json!("x")), ("e", json!(1))]
    {
        assert!(schema.check(&json!({name: wrong})).unwrap_err().starts_with(&format!("/{name}")), "{name}");
    }
    for outside in ["https://example.com/other", "other", "#none", "#/$defs/none", "file:///etc/passwd"] {
        refused(&json!({"$id": "https://example.com/whole", "$ref": outside}), "is not a JSON Schema of 2020-12");
    }
}

#[test]
fn declared_schema_is_bounded_at_load_and_at_validation() {
    let dir = TestDir::new();
    let mut exponential =
        "      mcp.inputSchema:\n        type: object\n        $ref: \"#/$defs/a0\"\n        $defs:\n".to_owned();
    for n in 0..40 {
        let next = format!("{{ $ref: \"#/$defs/a{}\" }}", n + 1);
        writeln!(exponential, "          a{n}: {{ anyOf: [{next}, {next}] }}").unwrap();
    }
    exponential.push_str("          a40: { required: [zz] }\n");
    let nested = "      mcp.inputSchema: { type: object, allOf: [{ properties: { a: { $ref: \"#\" } } }, { properties: { a: { $ref: \"#\" } } }] }\n";
    declare(
        &dir,
        &[tool(&dir, "never", &exponential, "return 1"), tool(&dir, "nested", nested, "return 'fine'")].concat(),
    );
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(call(client, "never", json!({})).unwrap_err()["message"], "Unknown tool: never");
    assert_eq!(call_text(client, "nested", json!({"a": {"a": {}}})), "fine");
    let deep = (0..60).fold(json!({}), |inner, _| json!({"a": inner}));
    let message = call_failure(client, "nested", deep);
    assert!(message.starts_with("invalid arguments: /: the value is too large for its schema: "), "{message}");
}

#[test]
fn handler_validates_in_worker_process() {
    let dir = TestDir::new();
    let says =
        "local ok, why = json.validate(arguments.schema, arguments.value)\nreturn tostring(ok) .. ' ' .. tostring(why)";
    // Some seconds of work, repeated until the time is over.
    let slow = "local some, all = {}, {}\nfor n = 1, 100000 do all[n] = n end\nfor n = 1, 400 do some[n] = { contains = { const = -n } } end\n\
                while true do json.validate({ anyOf = some }, all) end";
    declare(
        &dir,
        &[
            listing(&tool(&dir, "says", "", says), "json"),
            listing(&tool(&dir, "slow", "      mcp.timeout: 0.5\n", slow), "json"),
        ]
        .concat(),
    );
    let client = &mut serve(&dir, ClientRevision::Modern);
    let mut validated =
        |schema: Value, value: Value| call_text(client, "says", json!({"schema": schema, "value": value}));
    assert_eq!(validated(json!({"type": "number"}), json!(1)), "true nil");
    assert_eq!(validated(json!({"type": "number"}), json!("x")), "nil /: the value is not of type \"number\"");
    // The pattern engine allows only what this process allows too.
    assert_eq!(validated(json!({"pattern": "^(a+)+$"}), json!("aaaa")), "true nil");
    let answer = validated(json!({"pattern": "^(a+)+$"}), json!("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"));
    assert_eq!(answer, "nil /: the value does not match \"^(a+)+$\"");
    assert!(validated(json!({"type": 7}), json!(1)).contains("the schema is not a JSON Schema of 2020-12"));
    let wild =
        json!({"patternProperties": {"^x-": {"type": "string"}}, "unevaluatedProperties": false, "uniqueItems": true});
    assert_eq!(validated(wild.clone(), json!({"x-a": "b"})), "true nil");
    assert!(validated(wild, json!({"y": 1})).starts_with("nil /"));
    let exponential = definitions(40, |next| json!({"anyOf": [{"$ref": next}, {"$ref": next}]}));
    assert!(validated(exponential, json!("x")).contains("applies more than"));
    let ids: Vec<u64> =
        (0..3).map(|_| client.send_request("tools/call", json!({"name": "slow", "arguments": {}}))).collect();
    for _ in &ids {
        let answer = client.receive();
        assert_eq!(answer["result"]["content"][0]["text"], "app:slow: timed out after 0.5 s", "{answer}");
    }
}

#[test]
fn nested_call_counts_against_caller_timeout() {
    let dir = TestDir::new();
    let nap = "time.sleep('200ms')\nreturn 'slept'";
    let often = "for n = 1, 100 do funcs.call('app:nap', {}) end\nreturn 'all of them'";
    let tools = "for n = 1, 100 do tools.call('nap', {}) end\nreturn 'all of them'";
    let long = "return tostring(funcs.call('app:endless', {}))";
    let entries = [
        listing(&tool(&dir, "nap", "", nap), "time"),
        listing(&tool(&dir, "often", "      mcp.timeout: 0.5\n", often), "funcs"),
        listing(&tool(&dir, "by_tools", "      mcp.timeout: 0.5\n", tools), "tools"),
        listing(&tool(&dir, "long", "      mcp.timeout: 0.3\n", long), "funcs"),
        tool(&dir, "endless", "      mcp.timeout: 600\n", "while true do end"),
    ];
    declare(&dir, &entries.concat());
    let client = &mut serve(&dir, ClientRevision::Modern);
    for name in ["often", "by_tools"] {
        assert_eq!(call_failure(client, name, json!({})), format!("app:{name}: timed out after 0.5 s"));
    }
    assert_eq!(call_failure(client, "long", json!({})), "app:long: timed out after 0.3 s");
}

#[test]
fn slow_completion_does_not_delay_large_document() {
    let dir = TestDir::new();
    let slow = listing(&tool(&dir, "slow", "", "time.sleep('25s')\nreturn {}"), "time");
    dir.write_file("registry/app/large.txt", "x".repeat(2 * 1024 * 1024));
    let prompt = "  - name: p\n    kind: function.lua\n    meta:\n      mcp.prompt: true\n      mcp.prompt.name: p\n      \
                  mcp.prompt.arguments: [{ name: who }]\n      mcp.completions: { who: \"app:slow\" }\n      \
                  mcp.prompt.messages: [{ content: Hello }]\n";
    let large = "  - name: large\n    kind: function.lua\n    meta:\n      mcp.resource: true\n      \
                 mcp.resource.uri: test://large\n      mcp.resource.file: large.txt\n";
    declare(&dir, &[&slow, prompt, large].concat());
    let client = &mut serve(&dir, ClientRevision::Modern);
    let argument = json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "who", "value": "A"}});
    let typed: Vec<u64> = (0..4).map(|_| client.send_request("completion/complete", argument.clone())).collect();
    let read = client.send_request("resources/read", json!({"uri": "test://large"}));
    let answer = client.receive();
    assert_eq!(answer["id"], json!(read), "{typed:?}: {:.200}", answer.to_string());
    assert_eq!(answer["result"]["contents"][0]["text"].as_str().map(str::len), Some(2 * 1024 * 1024));
}
