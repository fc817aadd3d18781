//! Tests that no process outlives its parent or its run, and of a worker's rights. Processes are counted in `/proc`.

#![cfg(target_os = "linux")]

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use super::*;
use wardroom_lua::ScriptStartError;
use wardroom_process::fd_passing::recv_with_fds;
use wardroom_test_support::eventually;

/// A process, parsed from `/proc/PID/stat`.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) id: u32,
    parent: u32,
    name: String,
    pub(super) state: char,
}

pub(super) fn processes() -> Vec<Process> {
    let entries = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let stats = entries.filter_map(|path| fs::read_to_string(path.join("stat")).ok());
    let parsed = stats.map(|stat| {
        let (head, tail) = stat.rsplit_once(") ").unwrap();
        let (id, name) = head.split_once(" (").unwrap();
        let mut fields = tail.split(' ');
        let state = fields.next().unwrap().chars().next().unwrap();
        Process {
            id: id.parse().unwrap(),
            parent: fields.next().unwrap().parse().unwrap(),
            name: name.to_owned(),
            state,
        }
    });
    parsed.collect()
}

pub(super) fn children_of(parent: u32) -> Vec<Process> {
    processes().into_iter().filter(|process| process.parent == parent).collect()
}

/// Starts a pool with a spawner for this test only, and returns it with the spawner's process id.
pub(super) fn own_pool() -> (Arc<WorkerPool>, u32) {
    use std::sync::Mutex;
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let spawners = || -> Vec<u32> { children_of(std::process::id()).iter().map(|child| child.id).collect() };
    let spawner = Spawner::start(wardroom_test_support::wardroom_binary()).unwrap();
    let id = spawner.process_id();
    assert!(spawners().contains(&id));
    let pool = WorkerPool::new(spawner);
    pool.start_refilling();
    (pool, id)
}

/// Whether the spawner has exactly the warm workers, all alive and sleeping.
pub(super) fn is_idle(spawner: u32) -> bool {
    let workers = children_of(spawner);
    workers.len() == wardroom_lua::limits::WARM_LUA_WORKERS
        && workers.iter().all(|worker| worker.name == "lua-worker" && worker.state == 'S')
}

/// Kills a process, unless it has ended since it was listed.
pub(super) fn kill(process: u32) {
    let pid = rustix::process::Pid::from_raw(process.try_into().unwrap()).unwrap();
    let killed = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    assert!(matches!(killed, Ok(()) | Err(rustix::io::Errno::SRCH)), "{killed:?}");
}

fn send_signal(process: u32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(process.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

#[test]
fn workers_end_with_their_runs_and_with_the_pool() {
    let (pool, spawner) = own_pool();
    for source in ["return 1", "error('x')", "while true do end", "return ('x'):rep(2e8)", "print(1) os.time()"] {
        let mut run = pool.start_run(&code(source), &memory()).unwrap();
        let stopped = run.step(Instant::now() + Duration::from_millis(100), &|| false);
        drop(stopped);
    }
    eventually("only warm workers are left", || is_idle(spawner));
    let descriptors = || fs::read_dir(format!("/proc/{spawner}/fd")).unwrap().count();
    let before = descriptors();
    for _ in 0..20 {
        assert_eq!(returned(&pool, "return 1"), json!(1));
    }
    eventually("only warm workers are left", || is_idle(spawner));
    assert_eq!(descriptors(), before);

    let workers = children_of(spawner);
    drop(pool);
    eventually("no process is left", || {
        processes().iter().all(|process| process.id != spawner && workers.iter().all(|worker| worker.id != process.id))
    });
}

/// A machine that has no time for the spawner ends no run.
#[test]
fn spawner_that_is_late_is_used_again() {
    let (pool, spawner) = own_pool();
    eventually("the pool is warm", || is_idle(spawner));
    send_signal(spawner, rustix::process::Signal::STOP);
    let mut runs = Vec::new();
    let refused = loop {
        match pool.start_run(&code("return 1"), &memory()) {
            Ok(run) => runs.push(run),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, ScriptStartError::Unavailable(_)), "{refused:?}");
    send_signal(spawner, rustix::process::Signal::CONT);
    assert!(!runs.is_empty());
    for mut run in runs {
        let step = run.step(Instant::now() + TEST_TIMEOUT, &|| false);
        assert!(matches!(step, Ok(ScriptStep::Returned(_))), "{step:?}");
    }
    assert_eq!(returned(&pool, "return 2"), json!(2));
    eventually("workers that were given up are killed", || is_idle(spawner));
}

#[test]
fn worker_holds_only_its_socket() {
    // A descriptor that the server's parent left open and inheritable.
    let left_open = fs::File::open("/etc/hostname").unwrap();
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();
    let (pool, spawner) = own_pool();
    eventually("the pool is warm", || is_idle(spawner));
    let links_of = |id: u32| -> Vec<(String, String)> {
        let entries = fs::read_dir(format!("/proc/{id}/fd")).unwrap().map(|entry| entry.unwrap().path());
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        entries.filter_map(|path| Some((name(&path), fs::read_link(&path).ok()?.display().to_string()))).collect()
    };
    for worker in children_of(spawner) {
        let mut links = links_of(worker.id);
        links.sort();
        let ["0", "1", "2"] = links.iter().map(|(fd, _)| fd.as_str()).collect::<Vec<_>>()[..] else {
            panic!("{links:?}");
        };
        assert!(
            links[0].1.starts_with("socket:") && links[1].1 == "/dev/null" && links[2].1 == "/dev/null",
            "{links:?}"
        );
        assert_eq!(fs::read(format!("/proc/{}/environ", worker.id)).unwrap(), b"");
        let limits = fs::read_to_string(format!("/proc/{}/limits", worker.id)).unwrap();
        for (name, most) in
            [("Max core file size", "0"), ("Max file size", "0"), ("Max open files", "16"), ("Max processes", "0")]
        {
            let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            assert_eq!(line.split_whitespace().take(2).collect::<Vec<_>>(), [most, most], "{limits}");
        }
        // The limit is the space in use before confinement plus the allowance.
        let space = wardroom::limits::WORKER_ADDRESS_SPACE_BYTES;
        for name in ["Max address space", "Max data size"] {
            let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            let bounds: Vec<u64> = line.split_whitespace().take(2).map(|bytes| bytes.parse().unwrap()).collect();
            assert!(bounds.iter().all(|bytes| (space..space * 2).contains(bytes)), "{limits}");
        }
        let status = fs::read_to_string(format!("/proc/{}/status", worker.id)).unwrap();
        for line in ["NoNewPrivs:\t1", "Seccomp:\t2", "Seccomp_filters:\t1", "Threads:\t1"] {
            assert!(status.lines().any(|found| found == line), "{line}: {status}");
        }
    }
    drop(pool);
}

#[test]
fn spawner_and_workers_have_no_privileges() {
    let (pool, spawner) = own_pool();
    eventually("the pool is warm", || is_idle(spawner));
    for id in children_of(spawner).iter().map(|worker| worker.id).chain([spawner]) {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let none = "0000000000000000";
        let sets = ["CapInh", "CapPrm", "CapEff", "CapAmb"].map(|name| format!("{name}:\t{none}"));
        for line in sets.iter().map(String::as_str).chain(["NoNewPrivs:\t1"]) {
            assert!(status.lines().any(|found| found == line), "{id} {line}: {status}");
        }
    }
    assert_eq!(returned(&pool, "return 1"), json!(1));
    drop(pool);
}

#[test]
fn killed_worker_ends_only_its_run() {
    let (pool, spawner) = own_pool();
    eventually("the pool is warm", || is_idle(spawner));
    // Killed while warm: the next run takes another worker.
    children_of(spawner).iter().for_each(|worker| kill(worker.id));
    eventually("they are reaped", || children_of(spawner).is_empty());
    assert_eq!(returned(&pool, "return 1"), json!(1));

    eventually("the pool is warm", || is_idle(spawner));
    let waited: Vec<u32> = children_of(spawner).iter().map(|worker| worker.id).collect();
    let mut run = pool.start_run(&code("while true do end"), &memory()).unwrap();
    // A killed worker may stay visible for a moment, and is killed only once.
    let killed = RefCell::new(BTreeSet::new());
    let stopped = run.step(Instant::now() + TEST_TIMEOUT, &|| {
        let busy = children_of(spawner).into_iter().filter(|worker| worker.state == 'R' && waited.contains(&worker.id));
        busy.filter(|worker| killed.borrow_mut().insert(worker.id)).for_each(|worker| kill(worker.id));
        false
    });
    assert!(matches!(stopped, Err(ScriptStopError::WorkerDied)), "{stopped:?}");
    drop(run);
    eventually("only warm workers are left", || is_idle(spawner));
    assert_eq!(returned(&pool, "return 1"), json!(1));
}

#[test]
fn killed_spawner_ends_workers_and_prevents_runs() {
    let (pool, spawner) = own_pool();
    eventually("the pool is warm", || is_idle(spawner));
    let workers = children_of(spawner);
    let mut run = pool.start_run(&code("while true do end"), &memory()).unwrap();
    kill(spawner);
    assert!(matches!(step(&mut run), Err(ScriptStopError::WorkerDied)));
    eventually("no worker is left", || {
        let left = processes();
        workers.iter().all(|worker| left.iter().all(|process| process.id != worker.id))
    });
    let failed = pool.start_run(&code("return 1"), &memory()).map(|_| ()).unwrap_err();
    assert!(failed.to_string().contains("restart the server"), "{failed}");
}

/// The server process that `killed_server_leaves_no_processes` starts and kills. Does nothing in an ordinary test run.
#[test]
fn play_server_role() {
    if std::env::var_os("WARDROOM_TEST_SERVER").is_none() {
        return;
    }
    let (pool, spawner) = own_pool();
    let _paused: Vec<ScriptRun> = (0..3).map(|_| pool.start_run(&code("os.time()"), &memory()).unwrap()).collect();
    let _running: Vec<ScriptRun> =
        (0..2).map(|_| pool.start_run(&code("while true do end"), &memory()).unwrap()).collect();
    eventually("all are there", || children_of(spawner).len() >= 5);
    println!("spawner {spawner}");
    std::thread::sleep(TEST_TIMEOUT * 10);
}

#[test]
fn killed_server_leaves_no_processes() {
    use std::io::{BufRead as _, BufReader};
    let mut server: Child = Command::new(std::env::current_exe().unwrap())
        .args(["processes::play_server_role", "--exact", "--nocapture"])
        .env("WARDROOM_TEST_SERVER", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let spawner: u32 = lines
        .map_while(Result::ok)
        .find_map(|line| line.split_once("spawner ").map(|(_, id)| id.parse().unwrap()))
        .unwrap();
    let workers = children_of(spawner);
    assert!(workers.len() >= 5, "{workers:?}");
    server.kill().unwrap();
    server.wait().unwrap();
    eventually("no process is left", || {
        let left = processes();
        let gone = |id: u32| left.iter().all(|process| process.id != id || process.state == 'Z' && process.parent == 1);
        gone(spawner) && workers.iter().all(|worker| gone(worker.id))
    });
}

/// Starts a spawner and its only worker without a server, and returns the spawner, the worker's process and its socket.
fn lone_worker() -> (Child, u32, UnixStream) {
    const START: [u8; 12] = [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let spawner = Command::new(wardroom_test_support::wardroom_binary())
        .arg("spawner")
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn()
        .unwrap();
    ours.write_all(&START).unwrap();
    let (_, mut handles) = recv_with_fds(&ours, &mut [0; 12]).unwrap();
    let worker = children_of(spawner.id())[0].id;
    // The spawner ends with its socket, which lives as long as the test.
    std::mem::forget(ours);
    (spawner, worker, UnixStream::from(handles.swap_remove(0)))
}

fn command_line(process: u32) -> String {
    String::from_utf8(fs::read(format!("/proc/{process}/cmdline")).unwrap()).unwrap()
}

#[test]
fn worker_exits_on_closed_socket_or_malformed_input() {
    let frame = |text: &str| [&u32::try_from(text.len()).unwrap().to_le_bytes(), text.as_bytes()].concat();
    for sent in [
        &b""[..],
        b"\xff\xff\xff\xff",
        &frame("{"),
        &frame(r#"{"answer":1}"#),
        &frame(r#"{"call":{}}"#),
        &frame("[]"),
        b"\x05\0\0\0nul",
    ] {
        let (mut spawner, _, mut socket) = lone_worker();
        socket.write_all(sent).unwrap();
        drop(socket);
        eventually("the worker is reaped", || children_of(spawner.id()).is_empty());
        // It has not crashed.
        assert!(!command_line(spawner.id()).contains("--living"), "{sent:?}");
        spawner.kill().unwrap();
        spawner.wait().unwrap();
    }
}

#[test]
fn worker_ends_with_its_spawner() {
    let (mut spawner, worker, mut socket) = lone_worker();
    spawner.kill().unwrap();
    spawner.wait().unwrap();
    assert_eq!(socket.read(&mut [0]).unwrap(), 0);
    eventually("the worker is gone", || processes().iter().all(|process| process.id != worker));
}

/// The first address of a process's heap, which the kernel chooses when a program is executed. `None` while it begins.
fn heap_address(process: u32) -> Option<String> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    let heap = maps.lines().find(|line| line.ends_with("[heap]"))?;
    heap.split('-').next().map(str::to_owned)
}

#[test]
fn crashed_worker_renews_the_spawner_and_others_go_on() {
    let (pool, spawner) = own_pool();
    eventually("the pool is warm", || is_idle(spawner));
    let mut paused = pool.start_run(&code("return os.time()"), &memory()).unwrap();
    assert!(matches!(step(&mut paused).unwrap(), ScriptStep::Request { .. }));
    let is_warm = || children_of(spawner).len() == wardroom_lua::limits::WARM_LUA_WORKERS + 1;
    eventually("the pool is warm", is_warm);
    // The pool gives out the worker that has waited longest.
    let busy = children_of(spawner).iter().map(|worker| worker.id).min().unwrap();
    for _ in 0..3 {
        // A spawner that has just been renewed has no worker that could crash.
        eventually("the pool is warm", is_warm);
        let address = heap_address(spawner).unwrap();
        let idle: Vec<u32> = children_of(spawner).iter().map(|worker| worker.id).filter(|id| *id != busy).collect();
        for id in &idle {
            let pid = rustix::process::Pid::from_raw((*id).try_into().unwrap()).unwrap();
            // One that the pool had finished with may be gone.
            let _gone = rustix::process::kill_process(pid, rustix::process::Signal::ABORT);
        }
        eventually("they are reaped", || children_of(spawner).iter().all(|worker| !idle.contains(&worker.id)));
        eventually("the spawner has other addresses", || {
            assert_eq!(returned(&pool, "return 1"), json!(1));
            heap_address(spawner).is_some_and(|now| now != address)
        });
        let given = command_line(spawner);
        assert_eq!(given.matches("--living=").count(), 1, "{given}");
    }
    assert!(children_of(spawner).iter().any(|worker| worker.id == busy));
    let status = fs::read_to_string(format!("/proc/{spawner}/status")).unwrap();
    assert!(status.lines().any(|line| line == "NoNewPrivs:\t1"), "{status}");

    paused.answer(Ok(json!(7).into())).unwrap();
    assert_eq!(step(&mut paused).unwrap(), ScriptStep::Returned(json!(7).into()));
    drop(paused);
    eventually("only warm workers are left", || is_idle(spawner));
}

#[test]
fn spawner_that_cannot_be_executed_again_goes_on() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = wardroom_test_support::TestDir::new();
    let program = dir.root().join("wardroom");
    fs::copy(wardroom_test_support::wardroom_binary(), &program).unwrap();
    let pool = WorkerPool::new(Spawner::start(&program).unwrap());
    assert_eq!(returned(&pool, "return 1"), json!(1));
    let mut paused = pool.start_run(&code("return os.time()"), &memory()).unwrap();
    assert!(matches!(step(&mut paused).unwrap(), ScriptStep::Request { .. }));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o600)).unwrap();
    let crashed = end(&pool, "local s = ('a'):rep(60 << 20) local t = {} for i = 1, 40 do t[i] = s end return t");
    assert!(crashed.is_err(), "{crashed:?}");
    for _ in 0..3 {
        assert_eq!(returned(&pool, "return 1"), json!(1));
    }
    paused.answer(Ok(json!(7).into())).unwrap();
    assert_eq!(step(&mut paused).unwrap(), ScriptStep::Returned(json!(7).into()));
}

#[test]
fn killed_worker_renews_nothing() {
    let (pool, spawner) = own_pool();
    eventually("the pool is warm", || is_idle(spawner));
    children_of(spawner).iter().for_each(|worker| kill(worker.id));
    eventually("they are reaped", || children_of(spawner).is_empty());
    assert_eq!(returned(&pool, "return 1"), json!(1));
    assert!(!command_line(spawner).contains("--living"));
}

#[test]
fn spawner_is_a_waiting_copy_until_the_first_run() {
    let spawner = Spawner::start(wardroom_test_support::wardroom_binary()).unwrap();
    let id = spawner.process_id();
    let own = command_line(std::process::id());
    eventually("it holds its socket alone", || fs::read_dir(format!("/proc/{id}/fd")).unwrap().count() == 3);
    assert_eq!(command_line(id), own);
    let pool = WorkerPool::new(spawner);
    assert!(children_of(id).is_empty());
    assert_eq!(returned(&pool, "return 1"), json!(1));
    assert_eq!(command_line(id), "wardroom\0spawner\0");
    drop(pool);
    eventually("it has ended", || processes().iter().all(|process| process.id != id));
}

#[test]
fn many_workers_run_concurrently() {
    let (pool, spawner) = own_pool();
    let mut runs: Vec<ScriptRun> = Vec::new();
    for _ in 0..60 {
        let mut run = pool.start_run(&code("return os.time()"), &memory()).unwrap();
        assert!(matches!(step(&mut run).unwrap(), ScriptStep::Request { .. }));
        runs.push(run);
    }
    assert!(children_of(spawner).len() >= 60);
    for run in &mut runs {
        run.answer(Ok(json!(1).into())).unwrap();
        assert_eq!(step(run).unwrap(), ScriptStep::Returned(json!(1).into()));
    }
    drop(runs);
    eventually("only warm workers are left", || is_idle(spawner));
}
