//! A run from its start to its end, whatever its script does.

use std::sync::atomic::{AtomicBool, Ordering};

use wardroom_lua::wait_for_message;

use super::*;

#[test]
fn a_script_returns_its_value() {
    let pool = pool();
    assert_eq!(returned(&pool, "return 1"), json!(1));
    assert_eq!(returned(&pool, "return {a = {1, 2.0, 'x'}, b = {}}"), json!({"a": [1, 2.0, "x"], "b": {}}));
    assert_eq!(returned(&pool, "return"), Value::Null);
    let mut run =
        pool.start_run(&StrategyRequest { context: json!({"task": "t"}), ..code("return ctx.task .. '!'") }).unwrap();
    assert_eq!(step(&mut run).unwrap(), ScriptStep::Returned(json!("t!")));
}

#[test]
fn questions_are_answered() {
    let pool = pool();
    let mut run = pool.start_run(&code("print('a', 1) return os.getenv('HOME') or os.time()")).unwrap();
    let post = json!({"level": "info", "message": "a\t1", "source": "print"});
    assert_eq!(step(&mut run).unwrap(), ScriptStep::Notify { operation: "log".to_owned(), arguments: post });
    let ask = ScriptStep::Request { operation: "env".to_owned(), arguments: json!({"name": "HOME"}) };
    assert_eq!(step(&mut run).unwrap(), ask);
    run.answer(Ok(Value::Null)).unwrap();
    assert_eq!(step(&mut run).unwrap(), ScriptStep::Request { operation: "time".to_owned(), arguments: json!({}) });
    run.answer(Ok(json!(12.75))).unwrap();
    assert_eq!(step(&mut run).unwrap(), ScriptStep::Returned(json!(12)));
    assert!(matches!(step(&mut run), Err(ScriptStopError::WorkerDied)));
}

#[test]
fn what_was_said_in_time_is_not_late() {
    let pool = pool();
    // Both are written at once: with the first the second one is there.
    let mut run = pool.start_run(&code("alc.state.set('a', 1) return os.time()")).unwrap();
    assert!(matches!(step(&mut run).unwrap(), ScriptStep::Notify { .. }));
    let late = run.step(Instant::now(), &|| false);
    assert!(matches!(late, Ok(ScriptStep::Request { .. })), "{late:?}");
}

#[test]
fn whoever_only_posts_ends_at_the_deadline() {
    let pool = pool();
    let mut run = pool.start_run(&code("while true do alc.log('info', 'x') end")).unwrap();
    let deadline = Instant::now() + Duration::from_millis(300);
    let mut posts = 0;
    let stopped = loop {
        match run.step(deadline, &|| false) {
            Ok(ScriptStep::Notify { .. }) => posts += 1,
            other => break other,
        }
        assert!(Instant::now() < deadline + PATIENCE);
    };
    assert!(matches!(stopped, Err(ScriptStopError::DeadlineExceeded)) && posts > 0, "{posts} {stopped:?}");
}

#[test]
fn several_runs_are_waited_for_at_once() {
    let pool = pool();
    let mut spins = pool.start_run(&code("while true do end")).unwrap();
    let mut asks = pool.start_run(&code("return os.time()")).unwrap();
    let deadline = Instant::now() + PATIENCE;
    loop {
        assert!(spins.poll(deadline).unwrap().is_none());
        if let Some(said) = asks.poll(deadline).unwrap() {
            assert!(matches!(said, ScriptStep::Request { .. }));
            break;
        }
        wait_for_message(&mut [&mut spins, &mut asks], PATIENCE);
    }
}

#[test]
fn a_loop_ends_at_its_deadline_and_when_it_is_cancelled() {
    let pool = pool();
    let mut run = pool.start_run(&code("while true do end")).unwrap();
    let stopped = run.step(Instant::now() + Duration::from_millis(50), &|| false);
    assert!(matches!(stopped, Err(ScriptStopError::DeadlineExceeded)), "{stopped:?}");

    let mut run = pool.start_run(&code("while true do pcall(function() while true do end end) end")).unwrap();
    let cancelled = AtomicBool::new(false);
    let stopped = std::thread::scope(|scope| {
        scope.spawn(|| cancelled.store(true, Ordering::Relaxed));
        run.step(Instant::now() + PATIENCE, &|| cancelled.load(Ordering::Relaxed))
    });
    assert!(matches!(stopped, Err(ScriptStopError::Cancelled)), "{stopped:?}");
}
