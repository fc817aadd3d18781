//! What a handler could exhaust: results, stored values, files, and concurrent tasks.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_mcp::limits::{MAX_RUNNING_TASKS, MAX_RUNNING_TASKS_PER_CALLER};
use wardroom_registry::limits::{
    MAX_HANDLER_DIR_NAMES, MAX_HANDLER_FILE_BYTES, MAX_HANDLER_NOTIFICATION_BYTES, MAX_HANDLER_RESULT_ITEMS,
    MAX_HANDLER_STORE_KEYS,
};

use super::effects::{configured, listing};
use super::{call_failure, call_text, declare, serve, tool};
use wardroom_test_support::{ClientRevision, HttpServer, TEST_TIMEOUT, TestDir};

#[test]
fn items_of_answer_are_bounded() {
    let dir = TestDir::new();
    let body = "local content = {}\nfor n = 1, arguments.n do content[n] = { type = 'text', text = 'x' } end\n\
                return { content = content }";
    declare(&dir, &tool(&dir, "t", "", body));
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(call_text(client, "t", json!({"n": MAX_HANDLER_RESULT_ITEMS})), "x");
    let why = call_failure(client, "t", json!({"n": MAX_HANDLER_RESULT_ITEMS + 1}));
    assert!(why.ends_with("content has 1001 items, the limit is 1000"), "{why}");
}

#[test]
fn stored_keys_are_bounded_and_listed_without_values() {
    let dir = TestDir::new();
    let body = "local s = store.get('s')\nlocal ok, why = s:set(arguments.key, 1)\n\
                return tostring(ok) .. ' ' .. tostring(why) .. ' ' .. #s:keys()";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "store"));
    let store = dir.app_path().join("store/app");
    fs::create_dir_all(&store).unwrap();
    let file = |number: usize| store.join(format!("{number:040x}.json"));
    let stored = |number: usize, until: &str| format!("{{\"key\":\"s/k{number}\",\"until\":{until},\"value\":1}}");
    for number in 0..MAX_HANDLER_STORE_KEYS - 1 {
        fs::write(file(number), stored(number, "null")).unwrap();
    }
    // Larger than any value: reading it fails.
    let large = format!("{{\"key\":\"s/large\",\"until\":null,\"value\":\"{}\"}}", "x".repeat(3 * 1024 * 1024));
    fs::write(file(MAX_HANDLER_STORE_KEYS), large).unwrap();
    let left = store.join(".x.json.0123456789abcdef.tmp");
    fs::write(&left, "").unwrap();
    let long_ago = SystemTime::now() - STALE_TEMP_FILE_AGE - Duration::from_secs(60);
    File::options().write(true).open(&left).unwrap().set_modified(long_ago).unwrap();
    let client = &mut serve(&dir, ClientRevision::Modern);
    let refused = call_text(client, "t", json!({"key": "new"}));
    assert_eq!(refused, "nil the limit of 10000 keys for a namespace is reached: delete some 10000");
    assert!(!left.exists(), "the temporary file of a killed writer stays");
    // An expired key makes space.
    fs::write(file(7), stored(7, "1.5")).unwrap();
    assert_eq!(call_text(client, "t", json!({"key": "new"})), "true nil 10000");
    assert!(call_text(client, "t", json!({"key": "newer"})).starts_with("nil the limit of 10000 keys"));
}

#[test]
fn handler_files_and_folders_are_bounded() {
    let dir = TestDir::new();
    let granted = dir.root().join("granted");
    fs::create_dir_all(granted.join("names")).unwrap();
    let sized = |name: &str, len: u64| {
        fs::write(granted.join(name), "x".repeat(usize::try_from(len).unwrap())).unwrap();
    };
    sized("most", MAX_HANDLER_FILE_BYTES);
    sized("more", MAX_HANDLER_FILE_BYTES + 1);
    for number in 0..MAX_HANDLER_DIR_NAMES + 5 {
        fs::write(granted.join(format!("names/{number}")), "").unwrap();
    }
    let body = "local v = fs.get('data')\nlocal said = {}\nlocal function note(value, why)\n\
                said[#said + 1] = why and tostring(why) or type(value) == 'string' and #value or tostring(value)\nend\n\
                note(v:readfile('most'))\nnote(v:readfile('more'))\nnote(v:writefile('new', string.rep('x', 4194304)))\n\
                note(v:writefile('newer', string.rep('x', 4194305)))\nnote(v:writefile('new', 'x', 'a'))\n\
                local names = 0\nfor _ in v:readdir('names') do names = names + 1 end\nnote(names)\n\
                return table.concat(said, '|')";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "fs"));
    let config = format!("[mounts.data]\npath = {:?}\nas = \"files\"\n", granted.display().to_string());
    let text = call_text(&mut configured(&dir, &config), "t", json!({}));
    let expected = [
        "4194304",
        "more has 4.1 MiB, the limit is 4 MiB",
        "true",
        "newer would have 4.1 MiB, the limit is 4 MiB",
        "new would have 4.1 MiB, the limit is 4 MiB",
        "10000",
    ];
    assert_eq!(text.split('|').collect::<Vec<_>>(), expected);
    assert!(!granted.join("newer").exists());
}

#[test]
fn notifications_are_cut() {
    let dir = TestDir::new();
    let body = "local long = ('x'):rep(1000000)\nlocal many = {}\nfor n = 1, 100000 do many[n] = { a = 1 } end\n\
                progress.report(1, 2, long)\nlog.info(long)\nlog.info('m', many)\nlog.info('m', { n = 1 })\nreturn 'done'";
    declare(&dir, &listing(&tool(&dir, "t", "", body), "progress, log"));
    let client = &mut serve(&dir, ClientRevision::Legacy);
    assert_eq!(client.call("logging/setLevel", json!({"level": "info"}))["result"], json!({}));
    let id = client.send_request("tools/call", json!({"name": "t", "arguments": {}, "_meta": {"progressToken": "p"}}));
    let (mut notifications, mut answer) = (Vec::new(), Value::Null);
    while answer.is_null() {
        let mut message = client.receive();
        if message["id"] == json!(id) { answer = message } else { notifications.push(message["params"].take()) }
    }
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    let [progress, text, data, short] = notifications.as_slice() else { panic!("{notifications:?}") };
    let cut = format!("{}…", "x".repeat(MAX_HANDLER_NOTIFICATION_BYTES));
    assert_eq!((&progress["message"], &text["data"]), (&json!(cut), &json!(cut)));
    let cut = data["data"]["data"].as_str().unwrap();
    assert!(cut.starts_with("[{\"a\":1},{\"a\":1}") && cut.ends_with('…'), "{cut:.100}");
    assert!(cut.len() <= MAX_HANDLER_NOTIFICATION_BYTES + '…'.len_utf8(), "{}", cut.len());
    assert_eq!(short["data"], json!({"message": "m", "data": {"n": 1}}));
}

/// A caller may have its task at an endpoint that does not offer the tool.
#[test]
fn responses_at_another_endpoint_end_no_task() {
    let dir = TestDir::new();
    let form = "{ form = { message = '?', schema = { type = 'object', properties = {} } } }";
    let asks = format!("ask.all({{ a = {form} }}) return 'asked'");
    let entry = listing(&tool(&dir, "asks", "      mcp.task: optional\n      mcp.scope: inner\n", &asks), "ask");
    declare(&dir, &entry);
    let config = "[http.endpoints.open]\npath = \"/mcp\"\ntokens = []\n\
                  [http.endpoints.inner]\npath = \"/inner\"\nscope = \"inner\"\ntokens = []\n";
    let server = HttpServer::start_with(&dir, config, &["--service", "registry"]);
    let ask = |path: &str, method: &str, mut params: Value| {
        let can = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {}});
        params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": can});
        server.connect().call_at(path, &[], method, params).json()
    };
    let task = ask("/inner", "tools/call", json!({"name": "asks", "arguments": {}}))["result"]["taskId"].clone();
    let status = || ask("/mcp", "tasks/get", json!({"taskId": task}))["result"]["status"].clone();
    let until = |expected: &str| {
        let start = std::time::Instant::now();
        while status() != expected {
            assert!(start.elapsed() < TEST_TIMEOUT, "it takes too long");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    until("input_required");
    let answers = json!({"taskId": task, "inputResponses": {"a": {"action": "accept", "content": {}}}});
    let refused = ask("/mcp", "tasks/update", answers.clone());
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(status(), "input_required");
    assert_eq!(ask("/inner", "tasks/update", answers)["result"]["resultType"], "complete");
    until("completed");
}

#[test]
fn callers_share_task_slots() {
    let dir = TestDir::new();
    let task = "      mcp.task: optional\n";
    let sleeps = "time.sleep('100s') return 1";
    let form = "{ form = { message = '?', schema = { type = 'object', properties = {} } } }";
    let asks = format!("ask.all({{ a = {form}, b = {form} }}) return 'asked'");
    let entries =
        [listing(&tool(&dir, "slow", task, sleeps), "time"), listing(&tool(&dir, "asks", task, &asks), "ask")];
    declare(&dir, &entries.concat());
    // Of the token `inner-token`: without one, all are one caller.
    let config = "[http.tokens.inner]\nsha256 = \"f9edd5d744ad13811428b5abc904bdaddc1a2a3159039bc3e7d054a8ec0f2f17\"\n\
                  [http.endpoints.open]\npath = \"/mcp\"\ntokens = []\n\
                  [http.endpoints.inner]\npath = \"/inner\"\nscope = \"inner\"\n";
    let server = HttpServer::start_with(&dir, config, &["--service", "registry"]);
    let ask = |path: &str, method: &str, mut params: Value| {
        let can = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {}});
        params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": can});
        let connection = server.connect();
        let mut connection = if path == "/inner" { connection.with_token("inner-token") } else { connection };
        connection.call_at(path, &[], method, params).json()
    };
    let begin = |path: &str, name: &str| ask(path, "tools/call", json!({"name": name, "arguments": {}}));
    let asking = begin("/mcp", "asks")["result"]["taskId"].clone();
    let status = || ask("/mcp", "tasks/get", json!({"taskId": asking}))["result"]["status"].clone();
    let until = |is_so: &dyn Fn() -> bool| {
        let start = std::time::Instant::now();
        while !is_so() {
            assert!(start.elapsed() < TEST_TIMEOUT, "it takes too long");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    until(&|| status() == "input_required");
    let slow: Vec<Value> = (0..MAX_RUNNING_TASKS_PER_CALLER)
        .map(|_| {
            let begun = begin("/mcp", "slow");
            assert!(begun["result"]["taskId"].is_string(), "{begun}");
            begun["result"]["taskId"].clone()
        })
        .collect();
    let busy = "32 tasks run, or 24 of this caller, which is the limit: try again later";
    assert_eq!(begin("/mcp", "slow")["error"]["message"], busy);
    // A response needs no slot before the call resumes.
    let update = |key: &str| {
        let answers = json!({key: {"action": "accept", "content": {}}});
        ask("/mcp", "tasks/update", json!({"taskId": asking, "inputResponses": answers}))
    };
    assert_eq!(update("a")["result"]["resultType"], "complete");
    assert_eq!(update("b")["error"]["message"], busy);
    assert_eq!(status(), "input_required");
    for _ in MAX_RUNNING_TASKS_PER_CALLER..MAX_RUNNING_TASKS {
        let begun = begin("/inner", "slow");
        assert!(begun["result"]["taskId"].is_string(), "{begun}");
    }
    assert_eq!(begin("/inner", "slow")["error"]["message"], busy);
    assert_eq!(ask("/mcp", "tasks/cancel", json!({"taskId": slow[0]}))["result"]["resultType"], "complete");
    until(&|| update("b")["error"].is_null());
    until(&|| status() == "completed");
}
