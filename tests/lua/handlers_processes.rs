//! Tests of the handler pool: processes of namespaces, slots, limits and eviction.

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

/// Whether there are exactly this many handler workers besides the warm ones.
fn has_handler_workers(spawner: u32, count: usize) -> bool {
    workers(spawner).len() == WARM_LUA_WORKERS + count
}

fn value_in(handlers: &HandlerPool, namespace: &str, call: &HandlerRequest) -> Value {
    let mut run = handlers.start_call(namespace, call, &memory()).unwrap();
    match serve(&mut run, &mut |operation, _| Err(format!("unknown operation {operation}"))).0 {
        Ok(ScriptStep::Returned(value)) => value.into_value()["value"].clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn namespace_reuses_its_own_worker() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    for _ in 0..10 {
        for namespace in ["a", "b", "a"] {
            assert_eq!(value_in(&handlers, namespace, &body("return 1")), json!(1));
        }
    }
    eventually("each namespace has a worker", || has_handler_workers(spawner, 2));
    let before = workers(spawner);
    for _ in 0..10 {
        assert_eq!(value_in(&handlers, "a", &body("return 1")), json!(1));
    }
    assert_eq!(workers(spawner), before);
    // Killed idle workers are replaced.
    before.iter().for_each(|worker| kill(*worker));
    eventually("they are reaped", || workers(spawner).is_disjoint(&before));
    for namespace in ["a", "b"] {
        assert_eq!(value_in(&handlers, namespace, &body("return 2")), json!(2));
    }
    eventually("each namespace has a worker", || has_handler_workers(spawner, 2));
    drop(handlers);
    eventually("only warm workers are left", || is_idle(spawner));
}

#[test]
fn dropped_call_kills_its_worker() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    assert_eq!(value_in(&handlers, "a", &body("return 1")), json!(1));
    eventually("the namespace has a worker", || has_handler_workers(spawner, 1));
    let mut run = handlers.start_call("a", &body("return os.time()"), &memory()).unwrap();
    assert!(matches!(step(&mut run), Ok(ScriptStep::Request { .. })));
    drop(run);
    eventually("the worker is gone", || has_handler_workers(spawner, 0));
    // A call that was never stepped can be dropped too.
    drop(handlers.start_call("a", &body("return 1"), &memory()).unwrap());
    assert_eq!(value_in(&handlers, "a", &body("return 1")), json!(1));
    drop(handlers);
    eventually("only warm workers are left", || is_idle(spawner));
}

#[test]
fn concurrent_calls_share_bounded_workers() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    let (answered, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for number in 0..50 {
            let (handlers, answered, most) = (&handlers, &answered, &most);
            scope.spawn(move || {
                let call = HandlerRequest {
                    arguments: json!({"n": number}).into(),
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
    eventually("only warm workers are left", || is_idle(spawner));
}

/// Runs a call that calls `depth` more, one inside another, each in its own worker. Returns the outermost result.
fn nested(handlers: &HandlerPool, namespace: &dyn Fn(usize) -> String, depth: usize) -> Value {
    let call = HandlerRequest {
        arguments: json!({"depth": depth}).into(),
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
    let mut run = handlers.start_call(&namespace(depth), &call, &memory()).unwrap();
    let end = serve(&mut run, &mut |operation, arguments| {
        assert_eq!((operation, &arguments["arguments"]), ("funcs.call", &json!([{"depth": depth - 1}])));
        Ok(nested(handlers, namespace, depth - 1))
    });
    match end.0 {
        Ok(ScriptStep::Returned(value)) => value.into_value(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn nested_calls_never_deadlock() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    let expected: String = (1..=20).rev().map(|depth| format!("{depth} ")).collect::<String>() + "bottom";
    assert_eq!(nested(&handlers, &|_| "a".to_owned(), 20), json!({"value": expected}));
    assert_eq!(nested(&handlers, &|depth| format!("n{}", depth % 3), 20), json!({"value": expected}));
    // Twice as many nested calls at once as there are slots.
    std::thread::scope(|scope| {
        for _ in 0..MAX_RUNNING_CALLS_PER_NAMESPACE * 2 {
            scope.spawn(|| assert!(nested(&handlers, &|_| "a".to_owned(), 5)["value"].is_string()));
        }
    });
    eventually("idle workers are within the limit", || {
        workers(spawner).len() <= MAX_IDLE_HANDLER_WORKERS + WARM_LUA_WORKERS
    });
    drop(handlers);
    eventually("only warm workers are left", || is_idle(spawner));
}

#[test]
fn call_without_slot_waits_until_deadline_or_cancellation() {
    let (pool, _) = own_pool();
    let handlers = HandlerPool::new(&pool);
    let mut busy: Vec<ScriptRun> = (0..MAX_RUNNING_CALLS_PER_NAMESPACE)
        .map(|_| handlers.start_call("a", &body("while true do end"), &memory()).unwrap())
        .collect();
    for run in &mut busy {
        // The call runs until it is stopped here.
        assert!(matches!(
            run.step(Instant::now() + Duration::from_millis(1), &|| false),
            Err(ScriptStopError::DeadlineExceeded)
        ));
    }
    // The stopped calls have released their slots.
    assert_eq!(value_in(&handlers, "a", &body("return 1")), json!(1));
    let (stop, started) = (&AtomicBool::new(false), &AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..MAX_RUNNING_CALLS_PER_NAMESPACE {
            let handlers = &handlers;
            scope.spawn(move || {
                let mut run = handlers.start_call("a", &body("print('begun') while true do end"), &memory()).unwrap();
                assert!(matches!(step(&mut run), Ok(ScriptStep::Notify { .. })));
                started.fetch_add(1, Ordering::SeqCst);
                let end = run.step(Instant::now() + TEST_TIMEOUT, &|| stop.load(Ordering::SeqCst));
                assert!(matches!(end, Err(ScriptStopError::Cancelled)), "{end:?}");
            });
        }
        eventually("all calls run", || started.load(Ordering::SeqCst) == MAX_RUNNING_CALLS_PER_NAMESPACE);
        let mut waiting = handlers.start_call("a", &body("return 1"), &memory()).unwrap();
        let end = waiting.step(Instant::now() + Duration::from_millis(100), &|| false);
        assert!(matches!(end, Err(ScriptStopError::DeadlineExceeded)), "{end:?}");
        let mut waiting = handlers.start_call("a", &body("return 1"), &memory()).unwrap();
        assert!(matches!(waiting.step(Instant::now() + TEST_TIMEOUT, &|| true), Err(ScriptStopError::Cancelled)));
        // Other namespaces are not affected.
        assert_eq!(value_in(&handlers, "b", &body("return 2")), json!(2));
        let mut waiting = handlers.start_call("a", &body("return 3"), &memory()).unwrap();
        scope.spawn(move || assert_eq!(step(&mut waiting).unwrap(), ScriptStep::Returned(json!({"value": 3}).into())));
        stop.store(true, Ordering::SeqCst);
    });
}

#[test]
fn sleeping_call_holds_no_slot_and_can_be_cancelled() {
    let (pool, _) = own_pool();
    let handlers = HandlerPool::new(&pool);
    let sleeping = |time: &str| with(&["time"], body(&format!("return time.sleep('{time}')")));
    let stop = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..MAX_RUNNING_CALLS_PER_NAMESPACE * 2 {
            let mut run = handlers.start_call("a", &sleeping("1h"), &memory()).unwrap();
            scope.spawn(move || {
                let end = run.step(Instant::now() + TEST_TIMEOUT, &|| stop.load(Ordering::SeqCst));
                assert!(matches!(end, Err(ScriptStopError::Cancelled)), "{end:?}");
            });
        }
        // If sleeping calls held slots, these calls would never start.
        for _ in 0..5 {
            assert_eq!(value_in(&handlers, "a", &body("return 1")), json!(1));
        }
        stop.store(true, Ordering::SeqCst);
    });
    assert_eq!(value_in(&handlers, "a", &sleeping("30ms")), json!(true));
    let mut run = handlers.start_call("a", &sleeping("1h"), &memory()).unwrap();
    let end = run.step(Instant::now() + Duration::from_millis(100), &|| false);
    assert!(matches!(end, Err(ScriptStopError::DeadlineExceeded)), "{end:?}");
}

#[test]
fn idle_workers_above_limit_are_evicted() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    for number in 0..MAX_IDLE_HANDLER_WORKERS + 5 {
        assert_eq!(value_in(&handlers, &format!("n{number}"), &body("return 1")), json!(1));
    }
    eventually("idle workers are at the limit", || has_handler_workers(spawner, MAX_IDLE_HANDLER_WORKERS));
    assert_eq!(value_in(&handlers, "n0", &body("return 1")), json!(1));
    assert_eq!(returned_by(&handlers, &body("return 1")), json!({"value": 1}));
    drop(handlers);
    eventually("only warm workers are left", || is_idle(spawner));
}

#[test]
fn call_beyond_worker_limit_is_busy() {
    let (pool, spawner) = own_pool();
    let handlers = HandlerPool::new(&pool);
    let call = body("return os.time()");
    let start_and_step = |number: usize| {
        let mut run = handlers.start_call(&format!("n{number}"), &call, &memory()).unwrap();
        step(&mut run).map(|_| run)
    };
    let mut waiting: Vec<ScriptRun> = (0..MAX_HANDLER_WORKERS).map(|number| start_and_step(number).unwrap()).collect();
    assert!(matches!(start_and_step(MAX_HANDLER_WORKERS), Err(ScriptStopError::Busy)));
    drop(waiting.pop());
    assert!(start_and_step(MAX_HANDLER_WORKERS).is_ok());
    drop((waiting, handlers));
    eventually("only warm workers are left", || is_idle(spawner));
}

#[test]
fn evicting_worker_does_not_block_other_calls() {
    use rustix::process::{Pid, Signal, kill_process};
    /// Resumes the process on drop, also when the test fails.
    struct ResumeOnDrop(Pid);
    impl Drop for ResumeOnDrop {
        fn drop(&mut self) {
            kill_process(self.0, Signal::CONT).unwrap();
        }
    }
    let (pool, spawner) = own_pool();
    let handlers = &HandlerPool::new(&pool);
    let mut last = handlers.start_call("last", &body("os.time() return 1"), &memory()).unwrap();
    assert!(matches!(step(&mut last), Ok(ScriptStep::Request { .. })));
    for number in 0..MAX_IDLE_HANDLER_WORKERS {
        assert_eq!(value_in(handlers, &format!("n{number}"), &body("return 1")), json!(1));
    }
    eventually("idle workers are at the limit", || has_handler_workers(spawner, MAX_IDLE_HANDLER_WORKERS + 1));
    let stopped = ResumeOnDrop(Pid::from_raw(spawner.try_into().unwrap()).unwrap());
    kill_process(stopped.0, Signal::STOP).unwrap();
    let begun = Instant::now();
    std::thread::scope(|scope| {
        // These calls take the warm workers and then wait for new ones, which the stopped spawner cannot start.
        for number in 0..=WARM_LUA_WORKERS {
            let call = body("return 1");
            scope.spawn(move || {
                handlers.start_call(&format!("new{number}"), &call, &memory()).map(|mut run| drop(step(&mut run)))
            });
        }
        std::thread::sleep(Duration::from_millis(200));
        // The worker of this call exceeds the idle limit, so another one is evicted.
        scope.spawn(move || {
            last.answer(Ok(json!(1).into())).unwrap();
            assert!(matches!(step(&mut last), Ok(ScriptStep::Returned(_))));
        });
        std::thread::sleep(Duration::from_millis(200));
        let kept = format!("n{}", MAX_IDLE_HANDLER_WORKERS - 1);
        assert_eq!(value_in(handlers, &kept, &body("return 1")), json!(1));
        assert!(begun.elapsed() < Duration::from_secs(5), "the call waited for an eviction");
        drop(stopped);
    });
}
