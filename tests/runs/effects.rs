//! The effects of scripts: state, cards, logs, progress.

use std::collections::HashSet;

use serde_json::{Value, json};

use wardroom_test_support::{ClientRevision, RunClient, StdioClient, TestDir};

#[test]
fn state_is_visible_to_next_run() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    runner.run_result("for i = 1, 1000 do alc.state.set('k' .. i, {i}) end alc.state.set('n', 1)");
    let read = "return {alc.state.get('k1000'), alc.state.incr('n', 2), alc.state.has('x'), alc.state.get('x', 'none'), \
                alc.state.delete('k1'), alc.state.has('k1'), alc.state.set_nx('n', 9), #alc.state.keys()}";
    assert_eq!(runner.run_result(read), json!([[1000], 3, false, "none", true, false, false, 1000]));
    let stored: Value =
        serde_json::from_slice(&std::fs::read(dir.app_path().join("state/default.json")).unwrap()).unwrap();
    assert_eq!((&stored["n"], stored.as_object().unwrap().len()), (&json!(3), 1000));
}

#[test]
fn state_set_is_visible_at_once_and_stored_at_pause() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("alc.state.set('a', 1) local seen = alc.state.get('a') alc.llm('p') return seen");
    let stored = std::fs::read_to_string(dir.app_path().join("state/default.json")).unwrap();
    assert!(stored.contains("\"a\": 1"), "{stored}");
    assert_eq!(runner.answer_query(&waits, "x")["result"], 1);
}

#[test]
fn invalid_state_write_fails_run() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let (answer, failed) =
        runner.call_tool("alc_run", json!({"code": "alc.state.set('a', 1) return 1", "ctx": {"_ns": "../x"}}));
    assert!(failed, "{answer:#}");
    assert!(!dir.root().join("x.json").exists());
    assert!(runner.run_error("alc.state.set('a', ('x'):rep(12000000)) return 1").contains("a"));
}

#[test]
fn oversized_value_is_refused_at_its_call() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "local function refused(...) local ok, why = pcall(...) return not ok and why end \
                local key = refused(alc.state.set, ('k'):rep(2000), 1) \
                local value = refused(alc.state.set, 'large', ('x'):rep(1048577)) \
                local figure = refused(alc.stats.record, 'large', ('x'):rep(262145)) \
                alc.stats.record('k', ('x'):rep(200000)) alc.stats.record('k', ('x'):rep(200000)) \
                local figures = refused(alc.stats.record, 'other', ('x'):rep(100000)) \
                return {key = key, value = value, figure = figure, figures = figures, after = (pcall(alc.time))}";
    let refused = runner.run_result(code);
    for (what, words) in [
        ("key", "alc.state.set: a state key is 2.0 KiB long, the limit is 1 KiB"),
        ("value", "alc.state.set: the value of state key 'large' is 1.1 MiB long as JSON"),
        ("figure", "alc.stats.record: more than 256 KiB"),
        ("figures", "alc.stats.record: more than 256 KiB"),
    ] {
        assert!(refused[what].as_str().is_some_and(|why| why.contains(words)), "{what}: {refused:#}");
    }
    // No error is left for a later, unrelated call.
    assert_eq!(refused["after"], true);
    let code = "local ok, why = pcall(alc.state.set, 'a', 1) return {ok, why, (pcall(alc.time))}";
    let told = runner.call_ok("alc_run", json!({"code": code, "ctx": {"_ns": "../x"}}));
    assert_eq!((&told["result"][0], &told["result"][2]), (&json!(false), &json!(true)), "{told:#}");
    assert!(told["result"][1].as_str().unwrap().contains("Invalid namespace: '../x'"), "{told:#}");
}

#[test]
fn card_is_created_once_and_found() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let made = runner.run_result(
        "local c = alc.card.create({pkg = {name = 'p'}, stats = {pass_rate = 0.5}}) \
         alc.card.write_samples(c.card_id, {{case = 1}, {case = 2}}) \
         return {id = c.card_id, listed = #alc.card.list({pkg = 'p'}), again = {pcall(alc.card.create, {card_id = c.card_id, \
         pkg = {name = 'p'}})}, rows = alc.card.read_samples(c.card_id, {limit = 1}), none = alc.card.get('nope') == nil}",
    );
    assert_eq!((&made["listed"], &made["again"][0], &made["none"]), (&json!(1), &json!(false), &json!(true)));
    assert_eq!(made["rows"], json!([{"case": 1}]));
    let id = made["id"].as_str().unwrap();
    assert_eq!(runner.call_ok("alc_card_get", json!({"card_id": id}))["stats"]["pass_rate"], 0.5);
}

#[test]
fn equal_cards_of_one_second_are_two_cards() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "local c = {pkg = {name = 'p'}, stats = {pass_rate = 0.5}} local ids = {} \
                for i = 1, 8 do ids[i] = alc.card.create(c).card_id end return ids";
    let ids = runner.run_result(code);
    let distinct: HashSet<&str> = ids.as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(distinct.len(), 8, "{ids}");
}

#[test]
fn script_output_is_in_run_log() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits =
        runner.run_code("print('a', 1) alc.log('warn', 'careful') alc.stats.record('k', {1}) alc.llm('p') return 1");
    let status = runner.call_ok("alc_status", json!({"session_id": waits["session_id"]}));
    let logs: Vec<String> = status["sessions"][0]["metrics"]["recent_logs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| format!("{} {}", line["level"].as_str().unwrap(), line["message"].as_str().unwrap()))
        .collect();
    assert_eq!(logs, ["info a\t1", "warn careful"]);
    assert_eq!(runner.answer_query(&waits, "x")["stats"]["custom"], json!({"k": [1]}));
}

#[test]
fn progress_is_notified_before_answer() {
    let dir = TestDir::new();
    for revision in ClientRevision::ALL {
        let mut client = StdioClient::start(&dir, revision);
        let mut params = client.with_meta(json!({"name": "alc_run",
            "arguments": {"code": "alc.progress(1, 2, 'half') alc.progress(2, 2) return 1"}}));
        params["_meta"]["progressToken"] = json!("t");
        client.send(&json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": params}));
        let told: Vec<Value> = (0..3).map(|_| client.receive()).collect();
        assert_eq!(told[0]["method"], "notifications/progress", "{told:#?}");
        assert_eq!(told[0]["params"], json!({"progressToken": "t", "progress": 1.0, "total": 2.0, "message": "half"}));
        assert_eq!(told[1]["params"], json!({"progressToken": "t", "progress": 2.0, "total": 2.0}));
        assert_eq!(told[2]["id"], 99);
    }
}

#[test]
fn environment_hides_other_variables() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    assert_eq!(
        runner.run_result("return {home = os.getenv('HOME') or 'none', path = os.getenv('PATH') or 'none'}"),
        json!({"home": "none", "path": "none"})
    );
}
