//! Journals, and what a page shows of them.

use serde_json::json;

use super::*;

fn record(lines: &[Value], last_ms: u64, now_ms: u64) -> RunRecord {
    let header = json!({"v": 1, "engine": "e", "session": "s-1", "started_ms": 1000,
        "script": {"source": {"package": "vote"}, "context": {"task": "<t>"}, "seed": 1, "strategy": "vote"}});
    let journal: String = std::iter::once(&header).chain(lines).map(|line| format!("{line}\n")).collect();
    RecordBuilder::parse(journal.as_bytes()).and_then(|builder| builder.build(last_ms, now_ms)).unwrap()
}

fn asked(branch: &str, number: u64, id: &str) -> Value {
    json!({"t": "queries", "s": branch, "n": number, "q": "d", "ids": [id], "asked": [{"prompt": format!("p {id}")}]})
}

fn call(branch: &str, number: u64, operation: &str) -> Value {
    json!({"t": "answer", "s": branch, "n": number, "op": operation, "q": "d", "ok": null})
}

#[test]
fn time_in_the_model_is_that_in_which_a_question_is_open() {
    let lines = [
        asked("", 0, "q-0"),
        json!({"t": "paused", "cpu_ms": 7, "at_ms": 2000}),
        json!({"t": "reply", "id": "q-0", "text": "a", "usage": null, "at_ms": 5000}),
        asked("", 1, "q-1"),
        asked("", 2, "q-2"),
        json!({"t": "paused", "cpu_ms": 9, "at_ms": 6000}),
        json!({"t": "reply", "id": "q-1", "text": "b", "usage": null, "at_ms": 7000}),
    ];
    let record = record(&lines, 7000, 10_000);
    assert_eq!(record.times, RecordTimes { elapsed_ms: 9000, model_ms: Some(3000 + 4000), script_ms: 9 });
    let open: Vec<&str> = record.open_questions().iter().map(|question| question.id.as_str()).collect();
    assert_eq!((open, record.n_questions, record.task.as_deref()), (vec!["q-2"], 3, Some("<t>")));
    // Journals of earlier servers have no times.
    let old = self::record(&[asked("", 0, "q-0"), json!({"t": "paused", "cpu_ms": 7})], 3000, 4000);
    assert_eq!(old.times, RecordTimes { elapsed_ms: 3000, model_ms: None, script_ms: 7 });
}

#[test]
fn branches_lie_below_their_fork_and_equal_calls_are_counted() {
    let lines = [
        call("", 0, "require"),
        call("", 1, "state.get"),
        call("", 2, "state.get"),
        json!({"t": "fork", "s": "", "n": 3, "q": "d"}),
        asked("3-0", 0, "q-0"),
        call("3-1", 0, "time"),
    ];
    let running = record(&lines, 2000, 2000);
    let [RecordStep::Call { .. }, RecordStep::Call { operation, count: 2, error: None }, RecordStep::Fork(branches)] =
        running.steps.as_slice()
    else {
        panic!("{running:?}")
    };
    assert_eq!((operation.as_str(), branches.len(), running.open_questions().len()), ("state.get", 2, 1));
    // Once the outcome is known, the branches have names, and none of their questions waits.
    let outcome = json!([{"strategy": "cot", "ok": true}, {"strategy": "sc", "ok": false, "error": "e"}]);
    let known = json!({"t": "answer", "s": "", "n": 3, "op": "fork", "q": "d", "ok": outcome});
    let ended = record(&[&lines[..], &[known]].concat(), 2000, 2000);
    let Some(RecordStep::Fork(branches)) = ended.steps.last() else { panic!("{ended:?}") };
    assert_eq!(branches[0].strategy.as_deref(), Some("cot"));
    assert_eq!(branches[1].error.as_deref(), Some("e"));
    assert!(ended.open_questions().is_empty());
}

#[test]
fn log_is_no_step_and_keeps_the_order_of_the_branches() {
    let line = |branch: &str, text: &str| json!({"t": "log", "s": branch, "ms": 5, "level": "info", "source": "print", "text": text});
    let lines = [
        call("", 0, "time"),
        line("", "a"),
        call("", 1, "time"),
        json!({"t": "fork", "s": "", "n": 2, "q": "d"}),
        line("2-0", "b"),
        line("", "c"),
    ];
    let record = record(&lines, 2000, 2000);
    let log: Vec<(&str, &str)> =
        record.log.iter().map(|entry| (entry.branch.as_str(), entry.message.as_str())).collect();
    assert_eq!(log, [("", "a"), ("2-0", "b"), ("", "c")]);
    // A line between two equal calls does not part them.
    assert!(matches!(record.steps.as_slice(), [RecordStep::Call { count: 2, .. }, RecordStep::Fork(_)]), "{record:?}");
}

#[test]
fn many_steps_are_cut_and_an_open_question_stays() {
    let mut lines: Vec<Value> = (0..MAX_PAGE_RUN_STEPS as u64 + 5).map(|n| call("", n, &format!("op{n}"))).collect();
    lines.push(asked("", 9999, "q-0"));
    let record = record(&lines, 2000, 2000);
    assert_eq!((record.steps.len(), record.n_omitted), (MAX_PAGE_RUN_STEPS + 1, 5));
    assert_eq!(record.open_questions().len(), 1);
}

#[test]
fn forks_are_cut_and_numbers_of_branches_that_no_run_has_are_bounded() {
    let forks = |from: u64| {
        (from..from + MAX_PAGE_RUN_STEPS as u64 + 5)
            .flat_map(|n| [json!({"t": "fork", "s": "", "n": n, "q": "d"}), call(&format!("{n}-0"), 0, "time")])
    };
    let cut = record(&forks(0).collect::<Vec<_>>(), 2000, 2000);
    assert!(cut.steps.len() <= MAX_PAGE_RUN_STEPS && cut.n_omitted > 5, "{} {}", cut.steps.len(), cut.n_omitted);
    let forged = [json!({"t": "fork", "s": "", "n": 0, "q": "d"}), asked(&format!("0-{}", u64::MAX), 0, "q-0")];
    let found = record(&forged, 2000, 2000);
    let Some(RecordStep::Fork(branches)) = found.steps.last() else { panic!("{found:?}") };
    assert_eq!(branches.len(), MAX_PAGE_RUN_STEPS);
}
