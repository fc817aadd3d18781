//! A run's writes when they cannot be stored, or were stored by a process that died.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::replay::{journal, state};
use wardroom_test_support::{RunClient, TestDir, tool_result};

/// Cuts a journal before the first line with all of these words, as a server leaves it that dies there.
pub(super) fn cut_before(path: &Path, words: &[&str]) {
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| words.iter().all(|word| line.contains(word)));
    let at = at.unwrap_or_else(|| panic!("{words:?} in {text}"));
    fs::write(path, lines[..at].iter().flat_map(|line| [line, "\n"]).collect::<String>()).unwrap();
}

/// The process died before it made an announced change, and another run made the same one since. The log of changes is an old one,
/// of which lines were cut.
#[test]
fn announced_change_is_not_taken_for_that_of_another_run() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let waits = runner.run_code("alc.llm('a') for i = 1, 700 do alc.state.incr('n') end return alc.state.get('n')");
    assert_eq!(runner.answer_query(&waits, "x")["result"], 700);
    let files = ["state/default.json", "state/.default.changes"].map(|name| dir.app_path().join(name));
    let before = files.each_ref().map(|file| fs::read(file).unwrap());
    assert!(before[1].starts_with(b"{\"removed\":"), "lines were cut");
    let waits = runner.run_code("alc.llm('a') local n = alc.state.incr('n') alc.llm('b') return n");
    let waits = runner.answer_query(&waits, "x");
    assert_eq!(waits["query_id"], "q-1", "{waits}");
    drop(runner);
    cut_before(&journal(&dir, &waits["session_id"]), &["\"t\":\"answer\"", "state.incr"]);
    files.iter().zip(&before).for_each(|(file, bytes)| fs::write(file, bytes).unwrap());

    let mut runner = RunClient::start(&dir);
    assert_eq!(runner.run_result("return alc.state.incr('n')"), 701);
    let reply = json!({"session_id": waits["session_id"], "query_id": "q-0", "response": "x"});
    let waits = runner.call_ok("alc_continue", reply);
    assert_eq!(runner.answer_query(&waits, "y")["result"], 702);
}

#[test]
fn locked_namespace_loses_no_run() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let pauses = runner.run_code(
        "local x = alc.llm('a') alc.state.set('k', x) local y = alc.llm('b') return {x, y, alc.state.get('k')}",
    );
    let ends = runner.run_code("local x = alc.llm('a') alc.state.set('e', x) return x");
    let lock = dir.open_app().create_folder("state").unwrap().lock(".default.lock").unwrap();
    // The client repeats each reply unchanged, without the query's id.
    let answers = [&pauses, &ends].map(|waits| json!({"session_id": waits["session_id"], "response": "x"}));
    for arguments in &answers {
        runner.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": arguments}));
    }
    for _ in &answers {
        let (content, failed) = tool_result(&runner.0.receive());
        assert_eq!((&content["error"]["code"], failed), (&json!("BUSY"), true), "{content:#}");
        let message = content["error"]["message"].as_str().unwrap();
        assert!(message.contains("The run is kept"), "{message}");
    }
    drop(lock);
    for waits in [&pauses, &ends] {
        let text = fs::read_to_string(journal(&dir, &waits["session_id"])).unwrap();
        assert!(!text.contains("\"t\":\"end\""), "{text}");
    }
    let waits = runner.call_ok("alc_continue", answers[0].clone());
    assert_eq!((&waits["query_id"], &waits["prompt"]), (&json!("q-1"), &json!("b")), "{waits:#}");
    assert_eq!(runner.answer_query(&waits, "y")["result"], json!(["x", "y", "x"]));
    assert_eq!(runner.call_ok("alc_continue", answers[1].clone())["result"], "x");
    assert_eq!(state(&dir, "default"), json!({"e": "x", "k": "x"}));
}

/// What is in the way of a change may pass, and costs no answer of a model.
#[test]
fn obstacle_of_a_change_loses_no_run() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let counts = runner.run_code("local x = alc.llm('a') return {x, alc.state.incr('n')}");
    let both = runner.run_code("local x = alc.llm('a') alc.state.set('k', x) return {x, alc.state.incr('m')}");
    let makes = runner.run_code("local x = alc.llm('a') return {x, alc.card.create({pkg = {name = 'p'}}).card_id}");
    let app = dir.open_app();
    let state = app.create_folder("state").unwrap().lock(".default.lock").unwrap();
    let locks = app.create_folder("cards/.locks").unwrap();
    let cards: Vec<_> = (0..256).map(|shard| locks.lock(&format!("{shard:02x}.lock")).unwrap()).collect();
    let answers = [&counts, &both, &makes].map(|waits| json!({"session_id": waits["session_id"], "response": "x"}));
    for arguments in &answers {
        runner.0.send_request("tools/call", json!({"name": "alc_continue", "arguments": arguments}));
    }
    for _ in &answers {
        let (content, failed) = tool_result(&runner.0.receive());
        assert_eq!((&content["error"]["code"], failed), (&json!("BUSY"), true), "{content:#}");
        assert!(content["error"]["message"].as_str().unwrap().contains("The run is kept"), "{content:#}");
    }
    drop((state, cards));
    let [counted, stored, made] = answers.map(|answer| runner.call_ok("alc_continue", answer)["result"].clone());
    assert_eq!((counted, stored), (json!(["x", 1]), json!(["x", 1])));
    assert!(made[1].as_str().unwrap().starts_with("p_"), "{made}");
}

#[test]
fn unstorable_state_fails_run() {
    let dir = TestDir::new();
    let mut runner = RunClient::start(&dir);
    let code = "alc.llm('a') for i = 1, 12 do alc.state.set('k' .. i, ('x'):rep(900000)) end return alc.llm('b')";
    let waits = runner.run_code(code);
    let (failed, is_failure) = runner
        .call_tool("alc_continue", json!({"session_id": waits["session_id"], "query_id": "q-0", "response": "x"}));
    assert!(is_failure && failed["error"].as_str().unwrap().contains("the limit is"), "{failed:#}");
    assert!(!journal(&dir, &waits["session_id"]).exists());
}

#[test]
fn stored_write_is_not_repeated_over_later_writes() {
    for stored in [true, false] {
        let dir = TestDir::new();
        let mut runner = RunClient::start(&dir);
        let waits = runner.run_code("alc.llm('1') alc.state.set('t', 'run') alc.llm('2') return alc.state.get('t')");
        runner.answer_query(&waits, "x");
        drop(runner);
        cut_before(&journal(&dir, &waits["session_id"]), &["\"t\":\"stored\""]);
        if stored {
            RunClient::start(&dir).run_result("alc.state.set('t', 'other') return 1");
        } else {
            // The process died before storing the write.
            fs::remove_file(dir.app_path().join("state/default.json")).unwrap();
            fs::remove_file(dir.app_path().join("state/.default.changes")).unwrap();
        }
        let mut runner = RunClient::start(&dir);
        let again = runner.answer_query(&waits, "x");
        assert_eq!(again["query_id"], "q-1", "{again:#}");
        let wanted = if stored { "other" } else { "run" };
        assert_eq!(state(&dir, "default"), json!({"t": wanted}));
        assert_eq!(runner.answer_query(&again, "y")["result"], wanted);
    }
}

#[test]
fn set_alias_is_not_repeated_over_later_assignment() {
    for made in [true, false] {
        let dir = TestDir::new();
        dir.write_card("p", "p_1", &[]);
        dir.write_card("p", "p_2", &[]);
        let mut runner = RunClient::start(&dir);
        let code = "alc.llm('1') local set = alc.card.alias_set('best', 'p_1') alc.llm('2') \
                    return {set.card_id, alc.card.get_by_alias('best').card_id}";
        let waits = runner.run_code(code);
        runner.answer_query(&waits, "x");
        drop(runner);
        cut_before(&journal(&dir, &waits["session_id"]), &["\"t\":\"answer\"", "card.alias_set"]);
        if made {
            RunClient::start(&dir).run_result("return alc.card.alias_set('best', 'p_2').card_id");
        } else {
            fs::remove_file(dir.app_path().join("cards/_aliases.toml")).unwrap();
        }
        let mut runner = RunClient::start(&dir);
        let again = runner.answer_query(&waits, "x");
        // The run sees its own alias as set.
        let stands = if made { "p_2" } else { "p_1" };
        assert_eq!(runner.answer_query(&again, "y")["result"], json!(["p_1", stands]));
    }
}

#[test]
fn child_stats_are_ignored_with_and_without_crash() {
    let dir = TestDir::new();
    dir.write_package("kid", "return {run = function() alc.stats.record('kid', 1) return 1 end}");
    let code = "alc.fork({'kid'}, {}) alc.stats.record('me', 2) alc.llm('p') return 1";
    let custom = |killed: bool| -> Value {
        let mut runner = RunClient::start(&dir);
        let waits = runner.run_code(code);
        if killed {
            runner = RunClient::start(&dir);
        }
        runner.answer_query(&waits, "x")["stats"]["custom"].clone()
    };
    assert_eq!((custom(false), custom(true)), (json!({"me": 2}), json!({"me": 2})));
}
