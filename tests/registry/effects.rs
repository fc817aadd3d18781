//! The operations that handlers may request: those that their entries list, within what the operator granted.

use std::fs;

use serde_json::{Value, json};

use super::{call, call_failure, call_text, declare, serve, tool};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, run_wardroom, wardroom_command};

/// Returns an entry that lists these modules.
pub(super) fn listing(entry: &str, modules: &str) -> String {
    entry.replace("    meta:", &format!("    modules: [{modules}]\n    meta:"))
}

/// Returns the text of one handler's answer.
#[track_caller]
fn runs(dir: &TestDir, modules: &str, body: &str) -> String {
    declare(dir, &listing(&tool(dir, "t", "", body), modules));
    call_text(&mut serve(dir, ClientRevision::Modern), "t", json!({}))
}

#[test]
fn stored_value_outlives_server_and_is_private_to_namespace() {
    let dir = TestDir::new();
    let body = "local s = store.get('app:s')\nlocal before = s:get('k')\ns:set('k', { n = ((before or {}).n or 0) + 1 })\n\
                return tostring(s:get('k').n) .. ' ' .. tostring(s:has('k')) .. ' ' .. table.concat(s:keys(), ',')";
    assert_eq!(runs(&dir, "store", body), "1 true k");
    assert_eq!(runs(&dir, "store", body), "2 true k");
    let other = tool(&dir, "u", "", "return tostring(store.get('app:s'):get('k'))");
    fs::create_dir_all(dir.app_path().join("registry/other")).unwrap();
    fs::copy(dir.app_path().join("registry/app/u.lua"), dir.app_path().join("registry/other/u.lua")).unwrap();
    dir.write_file(
        "registry/other/_index.yaml",
        super::HEAD.replace("namespace: app", "namespace: other") + &listing(&other, "store"),
    );
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(call_text(client, "u", json!({})), "nil");
    let gone = "local s = store.get('app:s')\ns:set('k', 1, 600)\nlocal start = s:has('k')\ns:set('k', 1, 0.05)\n\
                repeat until not s:has('k')\nreturn tostring(start) .. ' ' .. tostring(s:delete('k'))";
    assert_eq!(runs(&dir, "store", gone), "true false");
    let large = "local ok, why = store.get('x'):set('k', string.rep('x', 2000000))\nreturn tostring(why)";
    assert!(runs(&dir, "store", large).contains("over the limit of 1 MiB"));
}

#[test]
fn concurrent_servers_lose_no_key() {
    let dir = TestDir::new();
    let body = "local s = store.get('s')\nfor n = 1, 20 do s:set(arguments.who .. n, n) end\nreturn 'done'";
    let count = "return tostring(#store.get('s'):keys())";
    declare(
        &dir,
        &[listing(&tool(&dir, "t", "", body), "store"), listing(&tool(&dir, "count", "", count), "store")].concat(),
    );
    let mut clients: Vec<StdioClient> = (0..3).map(|_| serve(&dir, ClientRevision::Modern)).collect();
    for (n, client) in clients.iter_mut().enumerate() {
        client.send_request("tools/call", json!({"name": "t", "arguments": {"who": format!("w{n}-")}}));
    }
    for client in &mut clients {
        assert_eq!(client.receive()["result"]["content"][0]["text"], "done");
    }
    assert_eq!(call_text(&mut clients[0], "count", json!({})), "60");
}

#[test]
fn unlisted_module_is_missing() {
    let dir = TestDir::new();
    let rows = [
        ("json", "return json.encode({})"),
        ("store", "return store.get('x')"),
        ("fs", "return fs.get('x')"),
        ("env", "return env.get('HOME')"),
        ("resources", "return resources.list()"),
        ("tools", "return tools.call('t')"),
        ("funcs", "return funcs.call('app:x')"),
        ("registry", "return registry.find({})"),
        ("elicit", "return elicit.form('x', {})"),
        ("alc", "return alc.state.get('x')"),
        ("http_client", "return http_client.get('https://x')"),
    ];
    let entries: String = rows.iter().map(|(name, body)| tool(&dir, name, "", body)).collect();
    declare(&dir, &entries);
    let client = &mut serve(&dir, ClientRevision::Legacy);
    for (name, _) in rows {
        let answer = call(client, name, json!({})).unwrap();
        assert_eq!(answer["isError"], true, "{name}: {answer}");
    }
}

/// Starts a server with this configuration.
pub(super) fn configured(dir: &TestDir, config: &str) -> StdioClient {
    let path = dir.root().join("config.toml");
    fs::write(&path, config).unwrap();
    let mut command = wardroom_command(dir.root());
    command
        .env("SHOWN", "visible")
        .env("HIDDEN", "secret")
        .arg("--config")
        .arg(path)
        .arg("--appdir")
        .arg(dir.app_path());
    let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
    client.initialize();
    client
}

#[test]
fn only_granted_files_and_variables_are_accessible() {
    let dir = TestDir::new();
    let granted = dir.root().join("granted");
    fs::create_dir_all(granted.join("deep")).unwrap();
    fs::write(granted.join("a.txt"), "hello").unwrap();
    fs::write(dir.root().join("secret.txt"), "secret").unwrap();
    std::os::unix::fs::symlink(dir.root().join("secret.txt"), granted.join("link")).unwrap();
    let body = "local v = fs.get('data')\nlocal parts = { v:readfile('a.txt') }\n\
                v:writefile('b.txt', 'one')\nv:writefile('b.txt', 'two', 'a')\nparts[#parts + 1] = v:readfile('b.txt')\n\
                for entry in v:readdir('') do parts[#parts + 1] = entry.name .. ':' .. entry.type end\n\
                for _, path in ipairs({ '../secret.txt', '/etc/passwd', 'link', 'deep', 'none' }) do\n\
                local text, why = v:readfile(path)\nparts[#parts + 1] = tostring(text) .. '!' .. tostring(why)\nend\n\
                return table.concat(parts, '|')";
    let named = "local v, why = fs.get('other')\nif v then v, why = v:readfile('a.txt') end\nreturn nil, tostring(why)";
    let variables =
        "return tostring(env.get('SHOWN')) .. ' ' .. tostring(env.get('HIDDEN')) .. ' ' .. tostring(env.get('HOME'))";
    let entries = [
        listing(&tool(&dir, "t", "", body), "fs"),
        listing(&tool(&dir, "other", "", named), "fs"),
        listing(&tool(&dir, "variables", "", variables), "env"),
    ];
    declare(&dir, &entries.concat());
    let config = format!(
        "[registry]\nenv = [\"SHOWN\"]\n[mounts.data]\npath = {:?}\nas = \"files\"\n",
        granted.display().to_string()
    );
    let client = &mut configured(&dir, &config);
    let text = call_text(client, "t", json!({}));
    assert!(text.starts_with("hello|onetwo|a.txt:file|b.txt:file|deep:directory|link:link|nil!"), "{text}");
    assert!(!text.contains("secret\"") && !text.contains("|secret") && !text.contains("root:"), "{text}");
    assert_eq!(fs::read_to_string(granted.join("b.txt")).unwrap(), "onetwo");
    assert!(call_failure(client, "other", json!({})).contains("no folder other is granted"));
    assert_eq!(call_text(client, "variables", json!({})), "visible nil nil");
    let body = "local v, said = fs.get('data'), {}\nfor _, done in ipairs({ { v:writefile('b.txt', 'three') },\n\
                { v:writefile('c.txt', 'new') }, { v:remove('a.txt') }, { v:mkdir('e') } }) do\n\
                said[#said + 1] = tostring(done[1]) .. ':' .. tostring(done[2])\nend\nreturn table.concat(said, '|')";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "fs"));
    let client = &mut configured(&dir, &config.replace("as = ", "read_only = true\nas = "));
    let text = call_text(client, "t", json!({}));
    let refused = ["b.txt", "c.txt", "a.txt", "e"];
    let refused = refused.map(|name| format!("nil:{name} cannot be written: its folder was granted read-only"));
    assert_eq!(text, refused.join("|"));
    assert_eq!(fs::read_to_string(granted.join("b.txt")).unwrap(), "onetwo");
    assert!(granted.join("a.txt").exists() && !granted.join("c.txt").exists() && !granted.join("e").exists());
}

#[test]
fn write_to_a_link_changes_what_it_leads_to() {
    let dir = TestDir::new();
    let granted = dir.root().join("granted");
    fs::create_dir_all(granted.join("2026")).unwrap();
    fs::write(granted.join("2026/30.md"), "one ").unwrap();
    fs::write(dir.root().join("secret.txt"), "secret").unwrap();
    std::os::unix::fs::symlink("2026/30.md", granted.join("today.md")).unwrap();
    std::os::unix::fs::symlink("2026/31.md", granted.join("tomorrow.md")).unwrap();
    std::os::unix::fs::symlink(dir.root().join("secret.txt"), granted.join("out.md")).unwrap();
    let body = "local v = fs.get('data')\nreturn tostring(v:writefile('today.md', 'two', 'a')) .. ' ' .. \
                tostring(v:writefile('out.md', 'three')) .. ' ' .. tostring(v:writefile('tomorrow.md', 'four'))";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "fs"));
    let config = format!("[mounts.data]\npath = {:?}\nas = \"files\"\n", granted.display().to_string());
    assert_eq!(call_text(&mut configured(&dir, &config), "t", json!({})), "true nil true");
    assert_eq!(fs::read_to_string(granted.join("2026/31.md")).unwrap(), "four");
    assert!(["today.md", "out.md", "tomorrow.md"].iter().all(|link| granted.join(link).is_symlink()));
    assert_eq!(fs::read_to_string(granted.join("2026/30.md")).unwrap(), "one two");
    assert_eq!(fs::read_to_string(dir.root().join("secret.txt")).unwrap(), "secret");
}

#[test]
fn handlers_call_each_other_and_server() {
    let dir = TestDir::new_demo();
    dir.write_file("registry/app/util.lua", "return { twice = function(n) return 2 * n end }");
    dir.write_file("registry/app/f.lua", super::handler("run", "return { got = arguments.n }"));
    dir.write_file("registry/app/e.lua", super::handler("run", "return nil, 'it failed'"));
    let library = "  - name: util\n    kind: library.lua\n    source: file://util.lua\n";
    let function = |name: &str| {
        format!("  - name: {name}\n    kind: function.lua\n    source: file://{name}.lua\n    method: run\n")
    };
    let body = "local f, why = funcs.call('app:f', { n = 7 })\nlocal none, problem = funcs.call('app:e', {})\n\
                local echoed = tools.call('echo', { text = 'x' })\nlocal about = resources.read('demo://about')\n\
                local entry = registry.get('demo:echo')\nlocal found = registry.find({ ['.kind'] = 'function.lua', ['^meta.mcp.name'] = 'gr' })\n\
                return table.concat({ util.twice(21), f.got, tostring(problem), echoed.content[1].text, about.mimeType, \
                entry.meta['mcp.name'], #found, found[1].id }, '|')";
    let entry = listing(&tool(&dir, "t", "", body), "funcs, tools, resources, registry")
        .replace("    meta:", "    imports: { util: app:util }\n    meta:");
    declare(&dir, &[library.to_owned(), function("f"), function("e"), entry].concat());
    let client = &mut StdioClient::start(&dir, ClientRevision::Modern);
    let text = call_text(client, "t", json!({}));
    assert_eq!(text.split('|').collect::<Vec<_>>()[..2], ["42", "7"], "{text}");
    assert!(text.contains("it failed") && text.ends_with("Echo: x|text/markdown|echo|1|demo:greet"), "{text}");
}

#[test]
fn endless_nesting_is_refused() {
    let dir = TestDir::new();
    let entry = listing(&tool(&dir, "t", "", "return tools.call('t', {})"), "tools");
    declare(&dir, &entry);
    let client = &mut serve(&dir, ClientRevision::Modern);
    let answer = call(client, "t", json!({})).unwrap();
    assert!(answer.to_string().contains("nested deeper"), "{answer}");
    assert!(!call(client, "t", json!({})).unwrap().is_null());
}

#[test]
fn endless_nesting_through_resources_is_refused() {
    let dir = TestDir::new();
    dir.write_file("registry/app/r.lua", super::handler("read", "return resources.read('loop://r')"));
    dir.write_file("registry/app/s.lua", super::handler("read", "return tools.call('both', {}).content[1].text"));
    let resource = |name: &str, module: &str| {
        format!(
            "  - name: {name}\n    kind: function.lua\n    source: file://{name}.lua\n    method: read\n    \
             modules: [{module}]\n    meta:\n      mcp.resource: true\n      mcp.resource.uri: loop://{name}\n"
        )
    };
    let both = "local read, why = resources.read('loop://s')\nreturn read and read.text or tostring(why)";
    let both = listing(&tool(&dir, "both", "", both), "resources");
    declare(&dir, &[resource("r", "resources"), resource("s", "tools"), both].concat());
    let client = &mut serve(&dir, ClientRevision::Modern);
    let deep = "handler calls are nested deeper than the limit of 24";
    let why = client.read_resource("loop://r").unwrap_err();
    assert!(why.to_string().contains(deep), "{why}");
    let text = call_text(client, "both", json!({}));
    assert!(text.contains(deep), "{text}");
}

#[test]
fn failed_state_write_fails_call() {
    let dir = TestDir::new();
    // The service that stores the state is not offered.
    let body = "alc.state.set('k', 1)\nreturn 'done'";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "alc"));
    let why = call_failure(&mut serve(&dir, ClientRevision::Modern), "t", json!({}));
    assert!(why.starts_with("app:t: the state that it set is not stored: "), "{why}");
    assert!(why.contains("it may need the service alc"), "{why}");
}

#[test]
fn progress_and_logs_reach_client_that_requests_them() {
    let dir = TestDir::new();
    let body = "progress.report(1, 2, 'half')\nlog.info('a line', { n = 1 })\nlog.debug('too much')\nreturn 'done'";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "progress, log"));
    let client = &mut serve(&dir, ClientRevision::Legacy);
    assert_eq!(call_text(client, "t", json!({})), "done");
    assert_eq!(client.call("logging/setLevel", json!({"level": "info"}))["result"], json!({}));
    let id = client.send_request("tools/call", json!({"name": "t", "arguments": {}, "_meta": {"progressToken": "p"}}));
    let (mut notifications, mut answer) = (Vec::new(), Value::Null);
    while answer.is_null() {
        let message = client.receive();
        if message["id"] == json!(id) { answer = message } else { notifications.push(message) }
    }
    let methods: Vec<_> = notifications.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["notifications/progress", "notifications/message"], "{notifications:?}");
    assert_eq!(
        notifications[0]["params"],
        json!({"progressToken": "p", "progress": 1.0, "total": 2.0, "message": "half"})
    );
    assert_eq!(notifications[1]["params"]["level"], "info");
    assert_eq!(notifications[1]["params"]["logger"], "app:t");
}

#[test]
fn read_only_server_stores_nothing() {
    let dir = TestDir::new();
    declare(&dir, &listing(&tool(&dir, "t", "", "return store.get('s'):set('k', 1)"), "store"));
    let app = dir.app_path().display().to_string();
    let finished = run_wardroom(dir.root(), &["call", "t", "--read-only", "--appdir", &app]);
    assert_eq!(finished.status, 1, "{finished:?}");
    assert!(!dir.app_path().join("store/app").exists());
}

#[test]
fn file_modes_create_append_and_replace() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let dir = TestDir::new();
    let granted = dir.root().join("granted");
    fs::create_dir_all(granted.join("folder")).unwrap();
    fs::write(granted.join("old.txt"), "old").unwrap();
    fs::write(granted.join("secret.txt"), "old").unwrap();
    fs::set_permissions(granted.join("secret.txt"), fs::Permissions::from_mode(0o600)).unwrap();
    let body = "local v = fs.get('data')\nlocal said = {}\nlocal function note(ok, why)\nsaid[#said + 1] = tostring(ok) .. ':' .. \
                tostring(why)\nend\nnote(v:writefile('old.txt', 'new', 'wx'))\nnote(v:writefile('fresh.txt', 'new', 'wx'))\n\
                note(v:writefile('secret.txt', 'new'))\nnote(v:writefile('secret.txt', '!', 'a'))\n\
                note(v:remove('none.txt'))\nnote(v:remove('folder'))\nnote(v:mkdir('a/b/c'))\nreturn table.concat(said, '|')";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "fs"));
    let config = format!("[mounts.data]\npath = {:?}\nas = \"files\"\n", granted.display().to_string());
    let client = &mut configured(&dir, &config);
    let text = call_text(client, "t", json!({}));
    let parts: Vec<_> = text.split('|').collect();
    assert_eq!(parts[0], "nil:old.txt exists already", "{text}");
    assert_eq!(parts[1..5], ["true:nil"; 4], "{text}");
    assert!(parts[5].starts_with("nil:"), "{text}");
    assert_eq!(parts[6], "true:nil", "{text}");
    let read = |name: &str| fs::read_to_string(granted.join(name)).unwrap();
    assert_eq!((read("old.txt"), read("fresh.txt"), read("secret.txt")), ("old".into(), "new".into(), "new!".into()));
    assert_eq!(fs::metadata(granted.join("secret.txt")).unwrap().mode() & 0o777, 0o600);
    assert!(granted.join("folder").is_dir() && granted.join("a/b/c").is_dir());
}

#[test]
fn function_gets_arguments_unchanged() {
    let dir = TestDir::new();
    dir.write_file(
        "registry/app/f.lua",
        "local M = {}\nfunction M.run(...)\nlocal said = {}\nfor n = 1, select('#', ...) do\nlocal value = select(n, ...)\n\
         said[n] = type(value) == 'table' and #value .. '/' .. tostring(value.a) or tostring(value)\nend\nreturn table.concat(said, ',')\n\
         end\nreturn M\n",
    );
    let function = "  - name: f\n    kind: function.lua\n    source: file://f.lua\n    method: run\n";
    let body = "return table.concat({ funcs.call('app:f', { 1, 2, 3 }), funcs.call('app:f', { a = 1 }, 'second'), \
                funcs.call('app:f', nil, 2), funcs.call('app:f'), funcs.call('app:f', 7, nil, {}) }, '|')";
    declare(&dir, &[function.to_owned(), listing(&tool(&dir, "t", "", body), "funcs")].concat());
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(call_text(client, "t", json!({})), "3/nil|0/1,second|0/nil,2|0/nil|7,nil,0/nil");
}

#[test]
fn tool_checks_handlers_as_strictly_as_clients() {
    let dir = TestDir::new();
    let object = "      mcp.outputSchema: { type: object, properties: { n: { type: integer } }, required: [n] }\n";
    let body = "local answer, why = tools.call(arguments.name, { n = 1 })\nif not answer then return 'refused: ' .. tostring(why) end\n\
                return tostring(answer.isError) .. ': ' .. answer.content[1].text";
    let entries = [
        tool(&dir, "bad", object, "return { n = 'x' }"),
        tool(&dir, "good", object, "return { n = 1 }"),
        tool(&dir, "needs", "      mcp.needs: [sampling]\n", "return 'ran'"),
        tool(&dir, "typed", "      mcp.inputSchema: { properties: { n: { type: string } } }\n", "return 'ran'"),
        listing(&tool(&dir, "t", "", body), "tools"),
        listing(&tool(&dir, "passes", "", "return tools.call('needs', {})"), "tools"),
    ];
    declare(&dir, &entries.concat());
    let client = &mut serve(&dir, ClientRevision::Modern);
    let mut ask = |name: &str| call_text(client, "t", json!({"name": name}));
    assert!(
        ask("bad").contains("true: the answer of app:bad is not valid: its value does not fit mcp.outputSchema: /n")
    );
    assert_eq!(ask("good"), "false: {\"n\":1}");
    assert_eq!(ask("typed"), "true: invalid arguments: /n: the value is not of type \"string\"");
    let lacks = ask("needs");
    assert!(lacks.starts_with("refused: this call requires a client that can ask its model (sampling)"), "{lacks}");
    // A handler that ignores the refusal ends like the tool itself.
    let own = call(client, "needs", json!({})).unwrap_err();
    assert_eq!(call(client, "passes", json!({})).unwrap_err(), own);
}

#[test]
fn errors_of_modules_have_the_kind_that_a_handler_decides_by() {
    let dir = TestDir::new();
    let body = "local function kind(_, err) return err:kind() end\n\
        return table.concat({ kind(tools.call('none', {})), kind(resources.read('alc://packages/none/init.lua')),\n\
        kind(resources.read('none')), kind(registry.find({ bogus = 1 })), kind(registry.find({ ['~meta.x'] = '(' })),\n\
        kind(http_client.get('https://example.org/', { query = { a = {} } })), kind(http_client.get('https://example.org/')) }, ' ')";
    let expected = "NOT_FOUND NOT_FOUND INVALID INVALID INVALID INVALID PERMISSION_DENIED";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "tools, resources, registry, http_client"));
    let client = &mut StdioClient::start(&dir, ClientRevision::Modern);
    assert_eq!(call_text(client, "t", json!({})), expected);
    let repeated = runs(&dir, "yaml", "local _, err = yaml.decode('a: 1\\na: 2')\nreturn err:message()");
    assert_eq!(repeated, "yaml.decode: not YAML at line 2 column 1: duplicate mapping key: a");
}

#[test]
fn raised_error_keeps_kind() {
    let dir = TestDir::new();
    let raises =
        "error(errors.new({ message = 'gone', kind = errors.NOT_FOUND, retryable = true, details = { n = 1 } }))";
    let caught = "local ok, why = funcs.call('app:raises', {})\nreturn tostring(ok) .. ' ' .. why:kind() .. ' ' .. why:message()";
    let entries = [
        tool(&dir, "raises", "", raises),
        tool(&dir, "returns", "", &raises.replace("error(errors", "return nil, (errors")),
        tool(&dir, "plain", "", "error('boom')"),
        listing(&tool(&dir, "caught", "", caught), "funcs"),
    ];
    declare(&dir, &entries.concat());
    let client = &mut serve(&dir, ClientRevision::Modern);
    let mut error = |name: &str| call(client, name, json!({})).unwrap()["structuredContent"]["error"].clone();
    let expected = json!({"code": "NOT_FOUND", "message": "gone", "retryable": true, "details": {"n": 1}});
    assert_eq!((error("raises"), error("returns")), (expected.clone(), expected));
    assert_eq!(error("plain")["code"], "INTERNAL");
    assert_eq!(call_text(client, "caught", json!({})), "nil NOT_FOUND gone");
}

#[test]
fn namespace_does_not_collide_with_lock_file() {
    let dir = TestDir::new();
    let body = "return tostring(store.get('s'):set('k', 1))";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "store"));
    for (n, namespace) in ["app.lock", ".app.lock"].into_iter().enumerate() {
        let other = listing(&tool(&dir, &format!("u{n}"), "", body), "store");
        let folder = format!("registry/other{n}");
        fs::create_dir_all(dir.app_path().join(&folder)).unwrap();
        fs::copy(
            dir.app_path().join(format!("registry/app/u{n}.lua")),
            dir.app_path().join(format!("{folder}/u{n}.lua")),
        )
        .unwrap();
        let head = super::HEAD.replace("namespace: app", &format!("namespace: {namespace}"));
        dir.write_file(&format!("{folder}/_index.yaml"), head + &other);
    }
    let client = &mut serve(&dir, ClientRevision::Modern);
    for name in ["u0", "u1", "t"] {
        assert_eq!(call_text(client, name, json!({})), "true", "{name}");
    }
}

#[test]
fn handlers_have_library_of_strategies() {
    let dir = TestDir::new_demo();
    let body = "alc.state.set('k', { n = 1 })\nreturn tostring(alc.state.get('k').n) .. tostring(json)";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "alc"));
    let client = &mut StdioClient::start(&dir, ClientRevision::Modern);
    assert_eq!(call_text(client, "t", json!({})), "1nil");
}

#[test]
fn cancelled_handler_stops_worker() {
    let dir = TestDir::new();
    let body = "progress.report(1)\nwhile true do end";
    declare(
        &dir,
        &[
            listing(&tool(&dir, "t", "      mcp.timeout: 600\n", body), "progress"),
            tool(&dir, "fine", "", "return 'fine'"),
        ]
        .concat(),
    );
    let client = &mut serve(&dir, ClientRevision::Legacy);
    let id = client.send_request("tools/call", json!({"name": "t", "arguments": {}, "_meta": {"progressToken": "p"}}));
    assert_eq!(client.receive()["method"], "notifications/progress");
    let computing = |client: &StdioClient| -> Vec<i32> {
        let runs = |id: &i32| {
            let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            state.rsplit(')').next().unwrap_or_default().trim_start().starts_with('R')
        };
        client.grandchild_processes("lua-worker").into_iter().filter(runs).collect()
    };
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    assert_eq!(call_text(client, "fine", json!({})), "fine");
    let deadline = std::time::Instant::now() + wardroom_test_support::TEST_TIMEOUT;
    while !computing(client).is_empty() {
        assert!(std::time::Instant::now() < deadline, "its worker still runs");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
