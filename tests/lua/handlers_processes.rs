//! Which processes calls of handlers have, and who waits for whom.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use wardroom_lua::limits::{
    MAX_HANDLER_WORKERS, MAX_IDLE_HANDLER_WORKERS, MAX_RUNNING_CALLS_PER_NAMESPACE, WARM_LUA_WORKERS,
};
use wardroom_lua::{HandlerPool, HandlerRequest};

use super::handlers::{body, returned_by, serve, with};
use super::processes::{children_of, is_idle, kill, own_pool};
use super::*;
use wardroom_test_support::eventually;

fn workers(spawner: u32) -> BTreeSet<u32> {
    children_of(spawner).iter().filter(|process| process.state != 'Z').map(|process| process.id).collect()
}

/// So many workers beside those that wait for a run.
fn has(spawner: u32, handlers: usize) -> bool {
    workers(spawner).len() == WARM_LUA_WORKERS + handlers
}

fn value_in(handlers: &HandlerPool, namespace: &str, call: &HandlerRequest) -> Value {
    let mut run = handlers.start_call(namespace, call).unwrap();
    match serve(&mut run, &mut |operation, _| Err(format!("nobody knows {operation}"))).0 {
        Ok(ScriptStep::Returned(value)) => value["value"].clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_namespace_has_its_worker_and_no_other() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    for _ in 0..10 {
        for namespace in ["a", "b", "a"] {
            assert_eq!(value_in(&handlers, namespace, &body("return 1")), json!(1));
        }
    }
    eventually("each has one", || has(spawner, 2));
    let before = workers(spawner);
    for _ in 0..10 {
        assert_eq!(value_in(&handlers, "a", &body("return 1")), json!(1));
    }
    assert_eq!(workers(spawner), before);
    // The one that is killed while it waits is replaced, and the other one stays.
    before.iter().for_each(|worker| kill(*worker));
    eventually("they are reaped", || workers(spawner).is_disjoint(&before));
    for namespace in ["a", "b"] {
        assert_eq!(value_in(&handlers, namespace, &body("return 2")), json!(2));
    }
    eventually("each has one", || has(spawner, 2));
    drop(handlers);
    eventually("only those that wait for a run are left", || is_idle(spawner));
}

#[test]
fn a_call_that_is_dropped_takes_its_worker_along() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    assert_eq!(value_in(&handlers, "a", &body("return 1")), json!(1));
    eventually("one is there", || has(spawner, 1));
    let mut run = handlers.start_call("a", &body("return os.time()")).unwrap();
    assert!(matches!(step(&mut run), Ok(ScriptStep::Request { .. })));
    drop(run);
    eventually("it is gone", || has(spawner, 0));
    // One that was never stepped, too.
    drop(handlers.start_call("a", &body("return 1")).unwrap());
    assert_eq!(value_in(&handlers, "a", &body("return 1")), json!(1));
    drop(handlers);
    eventually("only those that wait for a run are left", || is_idle(spawner));
}

#[test]
fn many_calls_of_a_namespace_are_all_answered_by_a_few_workers() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    let (answered, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for number in 0..50 {
            let (handlers, answered, most) = (&handlers, &answered, &most);
            scope.spawn(move || {
                let call = HandlerRequest {
                    arguments: json!({"n": number}),
                    ..body("local n = 0 for i = 1, 2e5 do n = n + 1 end return arguments.n")
                };
                assert_eq!(value_in(handlers, "a", &call), json!(number));
                answered.fetch_add(1, Ordering::Relaxed);
                most.fetch_max(workers(spawner).len(), Ordering::Relaxed);
            });
        }
    });
    assert_eq!(answered.into_inner(), 50);
    let bound = MAX_RUNNING_CALLS_PER_NAMESPACE + WARM_LUA_WORKERS + 1;
    assert!(most.into_inner() <= bound, "more than {bound} processes");
    drop(handlers);
    eventually("only those that wait for a run are left", || is_idle(spawner));
}

/// Calls that call: `depth` more of them, each in a worker of its own, and what the innermost one returns.
fn nested(handlers: &HandlerPool, namespace: &dyn Fn(usize) -> String, depth: usize) -> Value {
    let call = HandlerRequest {
        arguments: json!({"depth": depth}),
        ..with(
            &["funcs"],
            body(
                "if arguments.depth == 0 then return 'bottom' end
        local value, err = funcs.call('app:test', {depth = arguments.depth - 1})
        if err then return nil, err end
        return arguments.depth .. ' ' .. value",
            ),
        )
    };
    let mut run = handlers.start_call(&namespace(depth), &call).unwrap();
    let end = serve(&mut run, &mut |operation, arguments| {
        assert_eq!((operation, &arguments["arguments"]), ("funcs.call", &json!([{"depth": depth - 1}])));
        Ok(nested(handlers, namespace, depth - 1))
    });
    match end.0 {
        Ok(ScriptStep::Returned(value)) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn calls_of_one_namespace_nest_and_never_wait_for_themselves() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    let expected: String = (1..=20).rev().map(|depth| format!("{depth} ")).collect::<String>() + "bottom";
    assert_eq!(nested(&handlers, &|_| "a".to_owned(), 20), json!({"value": expected}));
    assert_eq!(nested(&handlers, &|depth| format!("n{}", depth % 3), 20), json!({"value": expected}));
    // As many at once as there are places, each with calls below it.
    std::thread::scope(|scope| {
        for _ in 0..MAX_RUNNING_CALLS_PER_NAMESPACE * 2 {
            scope.spawn(|| assert!(nested(&handlers, &|_| "a".to_owned(), 5)["value"].is_string()));
        }
    });
    eventually("few are kept", || workers(spawner).len() <= MAX_IDLE_HANDLER_WORKERS + WARM_LUA_WORKERS);
    drop(handlers);
    eventually("only those that wait for a run are left", || is_idle(spawner));
}

#[test]
fn whoever_finds_no_place_waits_as_long_as_it_may() {
    let (pool, _) = own_pool();
    let handlers = HandlerPool::new(&pool);
    let mut busy: Vec<ScriptRun> = (0..MAX_RUNNING_CALLS_PER_NAMESPACE)
        .map(|_| handlers.start_call("a", &body("while true do end")).unwrap())
        .collect();
    for run in &mut busy {
        // It computes from now on.
        assert!(matches!(
            run.step(Instant::now() + Duration::from_millis(1), &|| false),
            Err(ScriptStopError::DeadlineExceeded)
        ));
    }
    // They were stopped: their places are free.
    assert_eq!(value_in(&handlers, "a", &body("return 1")), json!(1));
    let (stop, started) = (&AtomicBool::new(false), &AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..MAX_RUNNING_CALLS_PER_NAMESPACE {
            let handlers = &handlers;
            scope.spawn(move || {
                let mut run = handlers.start_call("a", &body("print('begun') while true do end")).unwrap();
                assert!(matches!(step(&mut run), Ok(ScriptStep::Notify { .. })));
                started.fetch_add(1, Ordering::SeqCst);
                let end = run.step(Instant::now() + PATIENCE, &|| stop.load(Ordering::SeqCst));
                assert!(matches!(end, Err(ScriptStopError::Cancelled)), "{end:?}");
            });
        }
        eventually("all compute", || started.load(Ordering::SeqCst) == MAX_RUNNING_CALLS_PER_NAMESPACE);
        let mut waiting = handlers.start_call("a", &body("return 1")).unwrap();
        let end = waiting.step(Instant::now() + Duration::from_millis(100), &|| false);
        assert!(matches!(end, Err(ScriptStopError::DeadlineExceeded)), "{end:?}");
        let mut waiting = handlers.start_call("a", &body("return 1")).unwrap();
        assert!(matches!(waiting.step(Instant::now() + PATIENCE, &|| true), Err(ScriptStopError::Cancelled)));
        // Others do not wait for them.
        assert_eq!(value_in(&handlers, "b", &body("return 2")), json!(2));
        let mut waiting = handlers.start_call("a", &body("return 3")).unwrap();
        scope.spawn(move || assert_eq!(step(&mut waiting).unwrap(), ScriptStep::Returned(json!({"value": 3}))));
        stop.store(true, Ordering::SeqCst);
    });
}

#[test]
fn who_sleeps_takes_no_place_and_can_be_cancelled() {
    let (pool, _) = own_pool();
    let handlers = HandlerPool::new(&pool);
    let sleeping = |time: &str| with(&["time"], body(&format!("return time.sleep('{time}')")));
    let stop = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..MAX_RUNNING_CALLS_PER_NAMESPACE * 2 {
            let mut run = handlers.start_call("a", &sleeping("1h")).unwrap();
            scope.spawn(move || {
                let end = run.step(Instant::now() + PATIENCE, &|| stop.load(Ordering::SeqCst));
                assert!(matches!(end, Err(ScriptStopError::Cancelled)), "{end:?}");
            });
        }
        // With all places taken by those that sleep, this one would never come to its turn.
        for _ in 0..5 {
            assert_eq!(value_in(&handlers, "a", &body("return 1")), json!(1));
        }
        stop.store(true, Ordering::SeqCst);
    });
    assert_eq!(value_in(&handlers, "a", &sleeping("30ms")), json!(true));
    let mut run = handlers.start_call("a", &sleeping("1h")).unwrap();
    let end = run.step(Instant::now() + Duration::from_millis(100), &|| false);
    assert!(matches!(end, Err(ScriptStopError::DeadlineExceeded)), "{end:?}");
}

#[test]
fn namespaces_that_nobody_calls_give_up_their_workers_for_others() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    for number in 0..MAX_IDLE_HANDLER_WORKERS + 5 {
        assert_eq!(value_in(&handlers, &format!("n{number}"), &body("return 1")), json!(1));
    }
    eventually("so many are kept", || has(spawner, MAX_IDLE_HANDLER_WORKERS));
    assert_eq!(value_in(&handlers, "n0", &body("return 1")), json!(1));
    assert_eq!(returned_by(&handlers, &body("return 1")), json!({"value": 1}));
    drop(handlers);
    eventually("only those that wait for a run are left", || is_idle(spawner));
}

#[test]
fn so_many_calls_have_a_worker_and_the_next_is_refused() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    let asks = body("return os.time()");
    let asked = |number: usize| {
        let mut run = handlers.start_call(&format!("n{number}"), &asks).unwrap();
        step(&mut run).map(|_| run)
    };
    let mut waiting: Vec<ScriptRun> = (0..MAX_HANDLER_WORKERS).map(|number| asked(number).unwrap()).collect();
    assert!(matches!(asked(MAX_HANDLER_WORKERS), Err(ScriptStopError::Busy)));
    drop(waiting.pop());
    assert!(asked(MAX_HANDLER_WORKERS).is_ok());
    drop((waiting, handlers));
    eventually("only those that wait for a run are left", || is_idle(spawner));
}

#[test]
fn whoever_ends_a_worker_keeps_nobody_from_another() {
    use rustix::process::{Pid, Signal, kill_process};
    /// Goes on when the test fails, too.
    struct GoesOn(Pid);
    impl Drop for GoesOn {
        fn drop(&mut self) {
            kill_process(self.0, Signal::CONT).unwrap();
        }
    }
    let (pool, spawner) = own_pool();
    let handlers = &HandlerPool::new(&pool);
    let mut last = handlers.start_call("last", &body("os.time() return 1")).unwrap();
    assert!(matches!(step(&mut last), Ok(ScriptStep::Request { .. })));
    for number in 0..MAX_IDLE_HANDLER_WORKERS {
        assert_eq!(value_in(handlers, &format!("n{number}"), &body("return 1")), json!(1));
    }
    eventually("so many wait", || has(spawner, MAX_IDLE_HANDLER_WORKERS + 1));
    let stopped = GoesOn(Pid::from_raw(spawner.try_into().unwrap()).unwrap());
    kill_process(stopped.0, Signal::STOP).unwrap();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        // These take the workers that are ready, and have the pool start others, which nobody does now.
        for number in 0..=WARM_LUA_WORKERS {
            let call = body("return 1");
            scope
                .spawn(move || handlers.start_call(&format!("new{number}"), &call).map(|mut run| drop(step(&mut run))));
        }
        std::thread::sleep(Duration::from_millis(200));
        // Its worker is one too many: another one has to go.
        scope.spawn(move || {
            last.answer(Ok(json!(1))).unwrap();
            assert!(matches!(step(&mut last), Ok(ScriptStep::Returned(_))));
        });
        std::thread::sleep(Duration::from_millis(200));
        let kept = format!("n{}", MAX_IDLE_HANDLER_WORKERS - 1);
        assert_eq!(value_in(handlers, &kept, &body("return 1")), json!(1));
        assert!(begun.elapsed() < Duration::from_secs(5), "it waited for the end of another one");
        drop(stopped);
    });
}
