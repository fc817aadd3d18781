//! Scripts that try to hang, kill, escape or fill memory: the server answers the next call as usual.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::{Value, json};

use wardroom_test_support::{ClientRevision, StdioClient, TEST_TIMEOUT, TestDir, tool_result};

/// Scripts that end only when they are cancelled.
const ENDLESS: [&str; 9] = [
    "while true do end",
    "coroutine.wrap(function() while true do end end)()",
    "while true do pcall(function() while true do end end) end",
    "return ('a'):rep(30000):find(('.-'):rep(30) .. 'b$')",
    "while true do print('x') end",
    "local t <close> = setmetatable({}, {__close = function() while true do end end}) error('x')",
    "error(setmetatable({}, {__tostring = function() while true do end end}))",
    "table.sort({3, 2, 1, 5, 4}, function() while true do end end)",
    "for i = 1, math.huge do alc.progress(i, i, 'x') alc.log('info', 'x') end",
];

/// Scripts that end by themselves, with an error.
const ENDING: [&str; 15] = [
    "return ('x'):rep(2e8)",
    "local s = 'x' while true do s = s .. s end",
    "local t = {} while true do t[#t + 1] = {} end",
    "local f = function() end while true do local g = f f = function() return g() end end",
    "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
    "return string.pack('s', ('x'):rep(1e8)) .. ('x'):rep(1e8)",
    "local function f() return 1 + f() end return f()",
    "local t = {} t[1] = t return t",
    "local t = {} for i = 1, 1e5 do t = {t} end return t",
    "return assert(load(('('):rep(1e5) .. (')'):rep(1e5)))",
    "return os.exit(1)",
    "return io.open('/etc/passwd')",
    "return require('../../etc/passwd')",
    "return alc.llm(string.rep('x', 1e8))",
    "alc.state.set('k', string.rep('x', 1e8)) return alc.llm('p')",
];

/// Returns the answer to this request and skips others.
fn answer_to(client: &mut StdioClient, id: u64) -> Value {
    loop {
        let message = client.receive();
        if message["id"] == json!(id) {
            return message;
        }
        // A cancelled call has no answer, or an error.
        assert!(message.get("error").is_some() || message.get("result").is_some(), "{message:#}");
    }
}

#[track_caller]
fn check_still_answers(client: &mut StdioClient, script: &str) {
    let id = client.send_request("tools/call", json!({"name": "alc_status", "arguments": {}}));
    let status = answer_to(client, id);
    assert!(status["result"]["structuredContent"]["active_sessions"].is_u64(), "{script}: {status:#}");
}

#[test]
fn server_answers_after_each_hostile_script() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let code = |code: &str| json!({"name": "alc_run", "arguments": {"code": code}});
    for script in ENDLESS {
        let id = client.send_request("tools/call", code(script));
        check_still_answers(&mut client, script);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
        check_still_answers(&mut client, script);
    }
    for script in ENDING {
        let id = client.send_request("tools/call", code(script));
        let (content, failed) = tool_result(&answer_to(&mut client, id));
        assert!(failed, "{script}: {content:#}");
        let told = content.to_string();
        assert!(told.len() < 10_000 && !told.contains("root:"), "{script}: {}", told.len());
        check_still_answers(&mut client, script);
    }
    let id = client.send_request("tools/call", code("return 1"));
    assert_eq!(tool_result(&answer_to(&mut client, id)).0["result"], 1);
    // No run waits, and only pre-started workers are left.
    let deadline = Instant::now() + TEST_TIMEOUT;
    loop {
        let workers: BTreeSet<i32> = client.grandchild_processes("lua-worker").into_iter().collect();
        if workers.len() <= wardroom_lua::limits::WARM_LUA_WORKERS {
            break;
        }
        assert!(Instant::now() < deadline, "{workers:?}");
        check_still_answers(&mut client, "the end");
    }
    assert!(
        !dir.app_path().join("runs").exists() || std::fs::read_dir(dir.app_path().join("runs")).unwrap().count() == 0
    );
}
