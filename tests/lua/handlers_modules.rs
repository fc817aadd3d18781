//! Tests of the handler modules: results, requests to the server, and errors for bad input.

use std::collections::BTreeMap;

use wardroom_lua::{HandlerPool, MODULES, module_stubs};

use super::handlers::{body, handlers, returned_by, serve, with};
use super::*;

/// Checks the result of a handler with all modules, whose requests all fail.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers pass `json!` values directly")]
pub(super) fn check(handlers: &HandlerPool, source: &str, expected: Value) {
    let returned = returned_by(handlers, &with(MODULES, body(source)));
    assert_eq!(returned["value"], expected, "{source}: {returned}");
}

/// Runs a handler with these answers. Returns its result, and the arguments of all requests and then of notifications.
#[track_caller]
pub(super) fn exchange(
    handlers: &HandlerPool,
    source: &str,
    answers: &[(&str, Result<Value, &str>)],
) -> (Value, Vec<Value>) {
    let mut calls = Vec::new();
    let mut left = answers.iter();
    let mut run = handlers.start_call("app", &with(MODULES, body(source)), &memory()).unwrap();
    let (end, notifications) = serve(&mut run, &mut |operation, arguments| {
        calls.push(arguments.clone());
        let (expected, answer) = left.next().unwrap_or_else(|| panic!("{source}: {operation} {arguments}"));
        assert_eq!(operation, *expected, "{source}");
        answer.clone().map_err(str::to_owned)
    });
    calls.extend(notifications.into_iter().map(|(operation, arguments)| json!({operation: arguments})));
    match end {
        Ok(ScriptStep::Returned(value)) => (value.into_value(), calls),
        other => panic!("{source}: {other:?}"),
    }
}

/// The message and the kind of the error that an expression returns.
#[track_caller]
pub(super) fn error_of(handlers: &HandlerPool, source: &str) -> (String, String) {
    let returned = returned_by(handlers, &with(MODULES, body(&format!("return {source}"))));
    let text =
        |name: &str| returned["error"][name].as_str().unwrap_or_else(|| panic!("{source}: {returned}")).to_owned();
    (text("message"), text("kind"))
}

#[test]
fn json_encodes_decodes_and_validates() {
    let handlers = handlers();
    check(&handlers, "return json.encode({b = {1, 2.5, json.null}, a = {}})", json!(r#"{"a":{},"b":[1,2.5,null]}"#));
    check(&handlers, "return json.encode(json.array())", json!("[]"));
    check(&handlers, "return json.encode(nil)", json!("null"));
    check(
        &handlers,
        "return json.encode(json.decode('{\"a\":[],\"b\":{},\"c\":1.0}'))",
        json!(r#"{"a":[],"b":{},"c":1.0}"#),
    );
    check(&handlers, "return json.decode('12')", json!(12));
    for (source, message) in [
        ("json.decode('{')", "json.decode: EOF while parsing"),
        ("json.decode()", "bad argument #1 to 'json.decode' (string expected, got no value)"),
        ("json.encode(print)", "json.encode: value: a function cannot be JSON"),
    ] {
        let (actual, kind) = error_of(&handlers, source);
        assert!(actual.starts_with(message) && kind == "INVALID", "{source}: {actual} {kind}");
    }
    let (value, calls) = exchange(
        &handlers,
        "local yes = json.validate({type = 'number'}, 1) local no, err = json.validate_string('{\"type\":\"number\"}', '\"x\"')
        return {yes, no == nil, err:message()}",
        &[],
    );
    // The worker validates without a request.
    assert_eq!(value["value"], json!([true, true, "/: the value is not of type \"number\""]));
    assert_eq!(calls, [json!(null); 0]);
}

#[test]
fn base64_and_hash_match_standard_vectors() {
    let handlers = handlers();
    check(
        &handlers,
        "return {base64.encode('Hello, World!'), base64.encode(''), base64.decode('AP8=') == '\\0\\255'}",
        json!(["SGVsbG8sIFdvcmxkIQ==", "", true]),
    );
    assert!(error_of(&handlers, "base64.decode('a!')").0.starts_with("base64.decode: not base64"));
    check(
        &handlers,
        "return {hash.md5('data'), hash.sha1('data'), hash.sha256(''), #hash.sha512('data'), #hash.sha256('data', true)}",
        json!([
            "8d777f385d3dfec8815d20f7496026dc",
            "a17c9aaa61e80a1bf71d0d850af4e5baa9800bbd",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            128,
            32
        ]),
    );
    // RFC 2202 and RFC 4231, test case 2.
    check(
        &handlers,
        "local d, k = 'what do ya want for nothing?', 'Jefe' return {hash.hmac_md5(d, k), hash.hmac_sha1(d, k), hash.hmac_sha256(d, k), hash.hmac_sha512(d, k):sub(1, 16)}",
        json!([
            "750c783e6ab0b503eaa86e310a5db738",
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            "164b7a7bfcf819e2"
        ]),
    );
    // Test vectors of FNV-1: the empty text is the offset basis.
    check(
        &handlers,
        "return {hash.fnv32(''), hash.fnv32('a'), string.format('%x', hash.fnv64('a'))}",
        json!([2_166_136_261_u32, 0x050c_5d7e, "af63bd4c8601b7be"]),
    );
    // RFC 7914, section 11.
    check(
        &handlers,
        "local key = hash.pbkdf2('passwd', 'salt', 1, 64) return (key:gsub('.', function(c) return ('%02x'):format(c:byte()) end)):sub(1, 32)",
        json!("55ac046e56e3089fec1691c22544b605"),
    );
    assert_eq!(error_of(&handlers, "hash.pbkdf2('', 's', 1, 1)").1, "INVALID");
}

#[test]
fn uuids_match_their_versions() {
    let handlers = handlers();
    let url = "6ba7b811-9dad-11d1-80b4-00c04fd430c8";
    check(
        &handlers,
        &format!(
            "return {{uuid.v5('{url}', 'http://example.com/'), uuid.v3('{url}', 'http://example.com/'), uuid.validate('{url}'), uuid.validate(7), uuid.version('{url}'), uuid.variant('{url}'), uuid.format('{url}', 'urn'), uuid.parse('{url}').version}}"
        ),
        json!([
            "0a300ee9-f9e4-5697-a51a-efc7fafaba67",
            "773536a8-4b7b-383d-9106-697d4d366254",
            true,
            false,
            1,
            "RFC4122",
            format!("urn:uuid:{url}"),
            1
        ]),
    );
    let zeros = |bytes: usize| Ok(json!(["", "AAAAAAAAAAAAAAAAAAAAAA==", "AAAAAAAAAAAAAA==", "AAAAAAAAAAA="][bytes]));
    let (value, calls) = exchange(
        &handlers,
        "return {uuid.v4(), uuid.v7(), uuid.version((uuid.v1()))}",
        &[
            ("random", zeros(1)),
            ("time", Ok(json!(1_703_862_245.5))),
            ("random", zeros(2)),
            ("time", Ok(json!(1_703_862_245.5))),
            ("random", zeros(3)),
        ],
    );
    assert_eq!(
        value["value"],
        json!(["00000000-0000-4000-8000-000000000000", "018cb61a-987c-7000-8000-000000000000", 1])
    );
    assert_eq!(calls[0], json!({"bytes": 16}));
    assert_eq!(error_of(&handlers, "uuid.version('x')").1, "INVALID");
}

#[test]
fn store_requests_carry_name_and_key() {
    let handlers = handlers();
    let (value, calls) = exchange(
        &handlers,
        "local s = store.get('app:cache')
        local gone, err = s:get('b')
        return {s:set('a', {n = 1}, 300), s:set('c', 1), s:get('a').n, gone == nil, err:kind(), s:has('a'), s:delete('a'), s:keys('x'), s:release()}",
        &[
            ("store.get", Ok(json!({"found": false}))),
            ("store.set", Ok(json!(true))),
            ("store.set", Ok(json!(true))),
            ("store.get", Ok(json!({"found": true, "value": {"n": 1}}))),
            ("store.has", Ok(json!(true))),
            ("store.delete", Ok(json!(false))),
            ("store.keys", Ok(json!(["app:cache/xb", "app:cache/xa", "other/x"]))),
        ],
    );
    assert_eq!(value["value"], json!([true, true, 1, true, "NOT_FOUND", true, false, ["xa", "xb"], true]));
    assert_eq!(calls[1], json!({"key": "app:cache/a", "value": {"n": 1}, "ttl": 300.0}));
    assert_eq!(calls[2], json!({"key": "app:cache/c", "value": 1, "ttl": null}));
    assert_eq!(calls[6], json!({"prefix": "app:cache/x"}));
    assert_eq!(error_of(&handlers, "store.get('x'):set('a', 1, -1)").1, "INVALID");
    assert_eq!(error_of(&handlers, "store.get('')").1, "INVALID");
}

#[test]
fn fs_operations_become_requests() {
    let handlers = handlers();
    let (value, calls) = exchange(
        &handlers,
        "local v = fs.get('data') local names = {}
        local list = v:readdir('/')
        for entry in list do names[#names + 1] = entry.name .. ':' .. entry.type end
        return {names, v:readfile('a.txt'), v:read_file('b') == '\\255', v:writefile('c', 'x', 'a'), v:writefile('d', '\\254', 'wx'), v:exists('e'), v:stat('f').is_dir, v:isdir('g'), v:mkdir('h'), v:remove('i')}",
        &[
            ("fs.list", Ok(json!([{"name": "a", "type": "file", "size": 1}, {"name": "b", "type": "directory"}]))),
            ("fs.read", Ok(json!({"text": "hello"}))),
            ("fs.read", Ok(json!({"base64": "/w=="}))),
            ("fs.write", Ok(json!(true))),
            ("fs.write", Ok(json!(true))),
            ("fs.exists", Ok(json!(false))),
            ("fs.stat", Ok(json!({"name": "f", "type": "file", "size": 2}))),
            ("fs.stat", Ok(json!({"name": "g", "type": "directory", "size": 0}))),
            ("fs.mkdir", Ok(json!(true))),
            ("fs.remove", Ok(json!(true))),
        ],
    );
    assert_eq!(
        value["value"],
        json!([["a:file", "b:directory"], "hello", true, true, true, false, false, true, true, true])
    );
    assert_eq!(calls[1], json!({"fs": "data", "path": "a.txt"}));
    assert_eq!(calls[3], json!({"fs": "data", "path": "c", "text": "x", "append": true}));
    assert_eq!(calls[4], json!({"fs": "data", "path": "d", "base64": "/g==", "append": false, "create": true}));
    let (value, _) = exchange(
        &handlers,
        "local text, err = fs.get('data'):readfile('x') return {text == nil, err:message(), err:kind(), err:retryable() == nil}",
        &[("fs.read", Err("no mount 'data'"))],
    );
    assert_eq!(value["value"], json!([true, "no mount 'data'", "INTERNAL", true]));
    let (value, _) = exchange(
        &handlers,
        "return fs.get('data'):readfile('x')",
        &[("fs.read", Ok(json!({"error": {"message": "no file", "kind": "NOT_FOUND", "details": {"path": "x"}}})))],
    );
    assert_eq!(value["error"]["kind"], json!("NOT_FOUND"));
    assert_eq!(value["error"]["details"], json!({"path": "x"}));
}

#[test]
fn http_options_become_one_request() {
    let handlers = handlers();
    let answer = Ok(
        json!({"status": 200, "headers": {"content-type": "text/plain"}, "body": "hi", "url": "https://a.example/x"}),
    );
    let (value, calls) = exchange(
        &handlers,
        "local r = http_client.get('https://a.example/x?z=1', {query = {q = 'a b&c', n = 2}, headers = {Accept = '*/*'}, auth = {user = 'u', pass = 'p'}, cookies = {k = 'v'}, timeout = '1m30s'})
        http_client.post('https://a.example', {form = {a = 'ü'}, timeout = 2}) http_client.request('PROPFIND', 'https://a.example', {body = 'x'})
        http_client.post('https://a.example/x#top', {form = {a = '1'}, query = {q = 1}, headers = {['content-type'] = 'own'}})
        return {r.status_code, r.body, r.body_size, r.headers['content-type'], r.url, http_client.encode_uri('a b/ü'), http_client.decode_uri('a+b%2F')}",
        &[(); 4].map(|()| ("http.request", answer.clone())),
    );
    // What the handler sets itself stands, whatever its case.
    assert_eq!(calls[3]["headers"], json!({"content-type": "own"}));
    assert_eq!(calls[3]["url"], "https://a.example/x?q=1");
    assert_eq!(value["value"], json!([200, "hi", 2, "text/plain", "https://a.example/x", "a+b%2F%C3%BC", "a b/"]));
    assert_eq!(
        calls[0],
        json!({"method": "GET", "url": "https://a.example/x?z=1&n=2&q=a+b%26c", "body": null, "timeout": 90.0,
            "headers": {"Accept": "*/*", "Cookie": "k=v", "Authorization": "Basic dTpw"}})
    );
    assert_eq!(calls[1]["body"], json!("a=%C3%BC"));
    assert_eq!(calls[1]["headers"], json!({"Content-Type": "application/x-www-form-urlencoded"}));
    assert_eq!((&calls[2]["method"], &calls[2]["body"]), (&json!("PROPFIND"), &json!("x")));
    for (source, words) in [
        ("http_client.get('x', {stream = true})", "no option 'stream'"),
        ("http_client.get('x', {tls = {}})", "no option 'tls'"),
        ("http_client.get('x', {timeout = -1})", "timeout"),
        ("http_client.get('x', {headers = {Accept = 'a', accept = 'b'}})", "two headers 'accept'"),
        ("http_client.post('x', {body = '\\255'})", "UTF-8"),
        ("http_client.decode_uri('%4')", "hexadecimal"),
    ] {
        assert!(error_of(&handlers, source).0.contains(words), "{source}");
    }
}

#[test]
fn client_and_server_modules_become_requests() {
    let handlers = handlers();
    let accepted = json!({"action": "accept", "content": {"name": "x"}});
    let (value, calls) = exchange(
        &handlers,
        "local bad, err = funcs.call('app:f', 1, nil, {a = 1})
        return {resources.read('alc://info').text, resources.list().resources, tools.call('echo', {text = 'x'}).isError, funcs.call('app:f'), bad == nil, err:message(), err:kind(),
            registry.get('app:f').kind, registry.get('app:g') == nil, registry.find({['.kind'] = 'function.lua'}), registry.parse_id('a.b:c'),
            elicit.form('Name?', {type = 'object'}).content.name, elicit.url('Go', 'https://a.example').action, sample.create('hi').model,
            sample.create{messages = {{role = 'user', content = 'q'}}, system = 's', max_tokens = 5}.role, roots.list(), env.get('A'), select(2, env.get('B')):kind()}",
        &[
            ("funcs.call", Ok(json!({"error": {"message": "no", "kind": "CONFLICT"}}))),
            ("resources.read", Ok(json!({"uri": "alc://info", "text": "t"}))),
            ("resources.list", Ok(json!({"resources": []}))),
            ("tools.call", Ok(json!({"content": [], "isError": true}))),
            ("funcs.call", Ok(json!({"value": [1, 2]}))),
            ("registry.get", Ok(json!({"id": "app:f", "kind": "function.lua", "meta": {}}))),
            ("registry.get", Ok(Value::Null)),
            ("registry.find", Ok(json!([]))),
            ("elicit", Ok(accepted.clone())),
            ("elicit", Ok(accepted)),
            ("sample", Ok(json!({"role": "assistant", "content": {"type": "text", "text": "a"}, "model": "m"}))),
            ("sample", Ok(json!({"role": "assistant", "content": {"type": "text", "text": "a"}, "model": "m"}))),
            ("roots", Ok(json!([{"uri": "file:///x"}]))),
            ("env.get", Ok(json!("value"))),
            ("env.get", Ok(Value::Null)),
        ],
    );
    assert_eq!(
        value["value"],
        json!(["t", [], true, [1, 2], true, "no", "CONFLICT", "function.lua", true, [], {"ns": "a.b", "name": "c"}, "x", "accept", "m", "assistant",
            [{"uri": "file:///x"}], "value", "NOT_FOUND"])
    );
    assert_eq!(calls[0], json!({"id": "app:f", "arguments": [1, null, {"a": 1}]}));
    assert_eq!(calls[3], json!({"name": "echo", "arguments": {"text": "x"}}));
    assert_eq!(calls[4], json!({"id": "app:f", "arguments": []}));
    assert_eq!(calls[8], json!({"message": "Name?", "schema": {"type": "object"}}));
    assert_eq!(
        calls[10],
        json!({"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "max_tokens": 1024})
    );
    assert_eq!(
        calls[11],
        json!({"messages": [{"role": "user", "content": {"type": "text", "text": "q"}}], "system": "s", "max_tokens": 5})
    );
    assert_eq!(error_of(&handlers, "funcs.call('f')").1, "INVALID");
}

#[test]
fn log_and_progress_are_notifications() {
    let handlers = handlers();
    let (value, calls) = exchange(
        &handlers,
        "logger:info('a', {x = 1}) local l = logger:with({id = 7}):named('auth') l:warn('b', {y = 2}) l:error('c')
        log.notice('d', 'text') log.write('critical', 'e', nil, 'mine') progress.report(1, 2, 'half') progress.report(1.5)
        return select(2, log.write('loud', 'x')):kind()",
        &[],
    );
    assert_eq!(value["value"], json!("INVALID"));
    assert_eq!(
        calls,
        [
            json!({"log": {"level": "info", "message": "a", "data": {"x": 1}}}),
            json!({"log": {"level": "warning", "message": "b", "data": {"id": 7, "y": 2}, "logger": "auth"}}),
            json!({"log": {"level": "error", "message": "c", "data": {"id": 7}, "logger": "auth"}}),
            json!({"log": {"level": "notice", "message": "d", "data": "text"}}),
            json!({"log": {"level": "critical", "message": "e", "logger": "mine"}}),
            json!({"progress": {"progress": 1, "total": 2, "message": "half"}}),
            json!({"progress": {"progress": 1.5, "total": null, "message": null}}),
        ]
    );
}

#[test]
fn alc_matches_strategy_library() {
    let handlers = handlers();
    let (value, calls) = exchange(
        &handlers,
        "alc.state.set('k', 1) return {alc.llm('hi'), alc.state.get('k'), alc.math.mean({1, 2, 3}), alc.hash('x') == hash.sha256('x'), require('pkg').name, json.decode('1')}",
        &[
            ("llm", Ok(json!(["hello"]))),
            ("state.get", Ok(json!({"found": true, "value": 1}))),
            ("require", Ok(json!({"name": "packages/pkg.lua", "source": "return {name = 'p'}"}))),
        ],
    );
    assert_eq!(value["value"], json!(["hello", 1, 2.0, true, "p", 1]));
    assert_eq!(calls.last().unwrap()["state.set"]["key"], json!("k"));
}

#[test]
fn stubs_match_module_functions() {
    let handlers = handlers();
    let (name, stub) = module_stubs();
    assert_eq!(name, "handlers.d.lua");
    // Functions by their module, and methods by their class.
    let mut described: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in stub.lines().filter_map(|line| line.strip_prefix("function ")) {
        let path = line.split('(').next().unwrap();
        described.entry(path.split(['.', ':']).next().unwrap()).or_default().push(path);
    }
    for (module, functions) in &described {
        let is_module = MODULES.contains(module);
        for function in functions.iter().filter(|_| is_module) {
            check(&handlers, &format!("return type({function})"), json!("function"));
        }
    }
    // Conversely, every existing function is in the stubs.
    let listing = "local found = {}
        local function walk(value, name)
            for key, inner in pairs(value) do
                if type(inner) == 'function' then found[#found + 1] = name .. '.' .. key
                elseif type(inner) == 'table' and getmetatable(inner) == nil then walk(inner, name .. '.' .. key) end
            end
        end
        for _, name in ipairs(arguments.modules) do if name ~= 'alc' then walk(_G[name], name) end end
        return found";
    let call =
        wardroom_lua::HandlerRequest { arguments: json!({"modules": MODULES}).into(), ..with(MODULES, body(listing)) };
    let there = returned_by(&handlers, &call);
    let there: Vec<&str> = there["value"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(there.len() > 50, "{there:?}");
    for function in there {
        let module = function.split('.').next().unwrap();
        assert!(described[module].contains(&function), "{function} is not in the stubs");
    }
}
