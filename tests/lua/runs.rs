//! Tests of a run: steps, deadlines and cancellation.

use std::sync::atomic::{AtomicBool, Ordering};

use wardroom_lua::wait_for_message;

use super::*;

#[test]
fn script_result_is_returned() {
    let pool = pool();
    assert_eq!(returned(&pool, "return 1"), json!(1));
    assert_eq!(returned(&pool, "return {a = {1, 2.0, 'x'}, b = {}}"), json!({"a": [1, 2.0, "x"], "b": {}}));
    assert_eq!(returned(&pool, "return"), Value::Null);
    let mut run = pool
        .start_run(
            &StrategyRequest { context: json!({"task": "t"}).into(), ..code("return ctx.task .. '!'") },
            &memory(),
        )
        .unwrap();
    assert_eq!(step(&mut run).unwrap(), ScriptStep::Returned(json!("t!").into()));
}

#[test]
fn requests_are_delivered_and_answered() {
    let pool = pool();
    let mut run = pool.start_run(&code("print('a', 1) return os.getenv('HOME') or os.time()"), &memory()).unwrap();
    let log = json!({"level": "info", "message": "a\t1", "source": "print"});
    assert_eq!(step(&mut run).unwrap(), ScriptStep::Notify { operation: "log".to_owned(), arguments: log.into() });
    let request = ScriptStep::Request { operation: "env".to_owned(), arguments: json!({"name": "HOME"}).into() };
    assert_eq!(step(&mut run).unwrap(), request);
    run.answer(Ok(Payload::default())).unwrap();
    assert_eq!(
        step(&mut run).unwrap(),
        ScriptStep::Request { operation: "time".to_owned(), arguments: json!({}).into() }
    );
    run.answer(Ok(json!(12.75).into())).unwrap();
    assert_eq!(step(&mut run).unwrap(), ScriptStep::Returned(json!(12).into()));
    assert!(matches!(step(&mut run), Err(ScriptStopError::WorkerDied)));
}

#[test]
fn arrived_request_counts_after_deadline() {
    let pool = pool();
    // The worker writes both at once, so the second message has arrived with the first.
    let mut run = pool.start_run(&code("alc.state.set('a', 1) return os.time()"), &memory()).unwrap();
    assert!(matches!(step(&mut run).unwrap(), ScriptStep::Notify { .. }));
    let late = run.step(Instant::now(), &|| false);
    assert!(matches!(late, Ok(ScriptStep::Request { .. })), "{late:?}");
}

#[test]
fn endless_notifications_stop_at_deadline() {
    let pool = pool();
    let mut run = pool.start_run(&code("while true do alc.log('info', 'x') end"), &memory()).unwrap();
    let deadline = Instant::now() + Duration::from_millis(300);
    let mut posts = 0;
    let stopped = loop {
        match run.step(deadline, &|| false) {
            Ok(ScriptStep::Notify { .. }) => posts += 1,
            other => break other,
        }
        assert!(Instant::now() < deadline + TEST_TIMEOUT);
    };
    assert!(matches!(stopped, Err(ScriptStopError::DeadlineExceeded)) && posts > 0, "{posts} {stopped:?}");
}

#[test]
fn wait_for_message_covers_several_runs() {
    let pool = pool();
    let mut spins = pool.start_run(&code("while true do end"), &memory()).unwrap();
    let mut asks = pool.start_run(&code("return os.time()"), &memory()).unwrap();
    let deadline = Instant::now() + TEST_TIMEOUT;
    loop {
        assert!(spins.poll(deadline).unwrap().is_none());
        if let Some(message) = asks.poll(deadline).unwrap() {
            assert!(matches!(message, ScriptStep::Request { .. }));
            break;
        }
        wait_for_message(&mut [&mut spins, &mut asks], TEST_TIMEOUT);
    }
}

#[test]
fn endless_loop_stops_at_deadline_or_cancellation() {
    let pool = pool();
    let mut run = pool.start_run(&code("while true do end"), &memory()).unwrap();
    let stopped = run.step(Instant::now() + Duration::from_millis(50), &|| false);
    assert!(matches!(stopped, Err(ScriptStopError::DeadlineExceeded)), "{stopped:?}");

    let mut run =
        pool.start_run(&code("while true do pcall(function() while true do end end) end"), &memory()).unwrap();
    let cancelled = AtomicBool::new(false);
    let stopped = std::thread::scope(|scope| {
        scope.spawn(|| cancelled.store(true, Ordering::Relaxed));
        run.step(Instant::now() + TEST_TIMEOUT, &|| cancelled.load(Ordering::Relaxed))
    });
    assert!(matches!(stopped, Err(ScriptStopError::Cancelled)), "{stopped:?}");
}
