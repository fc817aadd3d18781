//! Scripts, clients and workers that make the server hold much: it stays within its memory, and answers others.
//!
//! Each limit is that of `VmHWM`, the peak of the server's resident memory, over what the idle server had.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, thread};

use rustix::event::{PollFd, PollFlags};
use serde_json::{Value, json};
use wardroom_alc::{Alc, AlcFolders, AlcOptions, RunSettings};
use wardroom_appdir::LineIndexCache;
use wardroom_base::limits::DEFAULT_MEMORY_BYTES;
use wardroom_base::memory::MemoryShare;
use wardroom_base::payload::Payload;
use wardroom_config::limits::DEFAULT_RUN_PROCESSOR_TIME;
use wardroom_lua::limits::MAX_SCRIPT_ERROR_BYTES;
use wardroom_lua::{EntryPoint, Spawner, StrategyRequest, WorkerPool};
use wardroom_process::fd_passing;
use wardroom_service::{Catalogue, RequestInfo, RequestMemory};

use wardroom_test_support::{ClientRevision, RunClient, SANDBOX, StdioClient, TestDir, tool_result, wardroom_binary};

const MIB: usize = 1024 * 1024;
/// What one run may add to the peak of the idle server.
const ONE_RUN_BYTES: usize = 100 * MIB;

/// Returns 249,000 tables of one key, which are 2.5 MB of JSON and some 40 times as much as values.
const MANY_TABLES: &str = "local t = {} for i = 1, 249000 do t[i] = {a = 0} end return t";

fn run_code(code: &str) -> Value {
    json!({"name": "alc_run", "arguments": {"code": code}})
}

/// Sends these scripts at once and returns the answers by id, once a status in between was answered too.
fn run_at_once(client: &mut StdioClient, scripts: &[String]) -> BTreeMap<u64, (Value, bool)> {
    let ids: Vec<u64> = scripts.iter().map(|script| client.send_request("tools/call", run_code(script))).collect();
    let status = client.send_request("tools/call", json!({"name": "alc_status", "arguments": {}}));
    let mut answers = BTreeMap::new();
    let mut has_status = false;
    while answers.len() < ids.len() || !has_status {
        let message = client.receive();
        let id = message["id"].as_u64().unwrap();
        if id == status {
            assert!(message["result"]["structuredContent"]["active_sessions"].is_u64(), "{message}");
            has_status = true;
        } else {
            assert!(ids.contains(&id));
            answers.insert(id, tool_result(&message));
        }
    }
    answers
}

#[track_caller]
#[expect(clippy::print_stdout, reason = "the figures of docs/BENCHMARKS.md")]
fn check_peak(client: &StdioClient, idle: usize, most: usize) {
    let added = client.peak_resident_bytes().saturating_sub(idle);
    println!("{}: {} MiB more than idle", thread::current().name().unwrap_or_default(), added / MIB);
    assert!(added <= most, "{} MiB more than idle, {} MiB may be", added / MIB, most / MIB);
}

#[test]
fn large_result_of_small_tables_stays_text() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    client.call("tools/call", run_code("return 1"));
    let idle = client.peak_resident_bytes();
    let id = client.send_request("tools/call", run_code(MANY_TABLES));
    let answer = client.receive();
    assert_eq!(answer["id"], json!(id));
    let result = &answer["result"]["structuredContent"]["result"];
    assert_eq!((result.as_array().unwrap().len(), &result[248_999]), (249_000, &json!({"a": 0})));
    // The text and the structured value are the same.
    let text: Value = serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(&text, &answer["result"]["structuredContent"]);
    check_peak(&client, idle, ONE_RUN_BYTES);
}

#[test]
fn large_results_at_once_stay_within_memory() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    client.call("tools/call", run_code("return 1"));
    let idle = client.peak_resident_bytes();
    for (_, (content, failed)) in run_at_once(&mut client, &vec![MANY_TABLES.to_owned(); 8]) {
        assert!(!failed, "{:.300}", content.to_string());
    }
    check_peak(&client, idle, DEFAULT_MEMORY_BYTES);
}

#[test]
fn results_beyond_memory_are_refused_with_the_reason() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    client.call("tools/call", run_code("return 1"));
    let idle = client.peak_resident_bytes();
    let large = "return ('x'):rep(15 * 1024 * 1024)".to_owned();
    let answers = run_at_once(&mut client, &vec![large; 16]);
    let (refused, made): (Vec<_>, Vec<_>) = answers.into_values().partition(|(_, failed)| *failed);
    assert!(!made.is_empty(), "{refused:?}");
    for (content, _) in &refused {
        // The scripts may reach the limit of their processes first, or a run the limit before its result is complete.
        let reasons = ["all scripts together hold more than", "the server would hold"];
        let is_stopped = content["error"].as_str().is_some_and(|why| reasons.iter().any(|reason| why.contains(reason)));
        assert!(is_stopped || content["error"]["code"] == "OUT_OF_MEMORY", "{content}");
    }
    check_peak(&client, idle, DEFAULT_MEMORY_BYTES);
    // The memory is free again.
    let (content, failed) = tool_result(&client.call("tools/call", run_code("return ('x'):rep(15 * 1024 * 1024)")));
    assert!(!failed, "{:.300}", content.to_string());
}

#[test]
fn fork_of_twenty_large_results_fails_and_the_server_lives() {
    // As an operator does who limits what the process may have: to 1.5 and to 3 GiB.
    for limit_kib in [1_572_864, 3_145_728] {
        check_fork_of_twenty(limit_kib);
    }
}

fn check_fork_of_twenty(limit_kib: u32) {
    let dir = TestDir::new();
    dir.write_package("many", &format!("return {{run = function() {MANY_TABLES} end}}"));
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -d {limit_kib}; exec \"$@\""), "sh"]).arg(wardroom_binary());
    command.arg("--appdir").arg(dir.app_path()).env("HOME", dir.root());
    let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
    client.initialize();
    client.call("tools/call", run_code("return 1"));
    let idle = client.peak_resident_bytes();
    let names = vec!["'many'"; 20].join(", ");
    let (content, failed) = tool_result(&client.call("tools/call", run_code(&format!("return alc.fork({{{names}}})"))));
    assert!(failed, "{:.300}", content.to_string());
    assert!(content["error"].as_str().unwrap().contains("alc.fork"), "{content}");
    check_peak(&client, idle, ONE_RUN_BYTES);
    let (content, failed) = tool_result(&client.call("tools/call", run_code("return #alc.fork({'many', 'many'})")));
    assert_eq!((&content["result"], failed), (&json!(2), false), "{:.300}", content.to_string());
}

#[test]
fn long_errors_are_cut_off() {
    let dir = TestDir::new();
    let fails = "error(('x'):rep(2 * 1024 * 1024), 0)";
    dir.write_package("fails", &format!("return {{run = function() {fails} end}}"));
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    client.call("tools/call", run_code("return 1"));
    let idle = client.peak_resident_bytes();
    let (content, failed) = tool_result(&client.call("tools/call", run_code(fails)));
    let message = content["error"].as_str().unwrap();
    assert!(failed && message.ends_with("x…") && message.len() <= MAX_SCRIPT_ERROR_BYTES, "{}", message.len());
    let names = vec!["'fails'"; 32].join(", ");
    let code = format!(
        "local sizes = {{}} for at, child in ipairs(alc.fork({{{names}}})) do sizes[at] = child.error and #child.error \
         or 0 end return sizes"
    );
    let (content, failed) = tool_result(&client.call("tools/call", run_code(&code)));
    assert!(!failed, "{:.300}", content.to_string());
    let sizes: Vec<u64> = serde_json::from_value(content["result"].clone()).unwrap();
    assert!(sizes.len() == 32 && sizes.iter().all(|size| *size <= MAX_SCRIPT_ERROR_BYTES as u64), "{sizes:?}");
    check_peak(&client, idle, ONE_RUN_BYTES);
}

#[test]
fn large_context_stays_text() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    client.call("tools/call", run_code("return 1"));
    let idle = client.peak_resident_bytes();
    let context = json!({"list": vec![json!({"a": 0}); 49_000]});
    for _ in 0..8 {
        client.send_request(
            "tools/call",
            json!({"name": "alc_run", "arguments": {"code": "return #ctx.list", "ctx": context}}),
        );
    }
    for _ in 0..8 {
        let (content, failed) = tool_result(&client.receive());
        assert_eq!((&content["result"], failed), (&json!(49_000), false));
    }
    check_peak(&client, idle, ONE_RUN_BYTES);
}

#[test]
fn workers_together_have_a_limit() {
    let dir = TestDir::new();
    dir.write_package(
        "holds",
        "return {run = function() local t = {} for i = 1, 100 do t[i] = ('x'):rep(1024 * 1024) end \
         local till = os.time() + 1 while os.time() < till do end return #t end}",
    );
    let mut runner = RunClient::start(&dir);
    runner.run_result("return 1");
    let server = runner.0.process_id();
    let done = Arc::new(());
    let watching = Arc::downgrade(&done);
    let watch = thread::spawn(move || {
        let mut most = 0;
        while watching.upgrade().is_some() {
            most = most.max(worker_bytes(server));
            thread::sleep(Duration::from_millis(2));
        }
        most
    });
    let names = ["'holds'"; 12].join(", ");
    let results = runner.run_result(&format!("return alc.fork({{{names}}})"));
    drop(done);
    let most = watch.join().unwrap();
    let (made, stopped): (Vec<_>, Vec<_>) = results.as_array().unwrap().iter().partition(|result| result["ok"] == true);
    assert!(!made.is_empty() && !stopped.is_empty(), "{results}");
    for result in stopped {
        assert!(result["error"].as_str().unwrap().contains("all scripts together hold more than 512 MiB"), "{result}");
    }
    // What the workers take between two measurements comes on top.
    assert!(most <= 640 * MIB, "{} MiB", most / MIB);
}

/// Returns the memory of all workers of a server that they share with no file.
fn worker_bytes(server: u32) -> usize {
    let children = |id: u32| {
        let ids = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>()
    };
    let bytes = |id: u32| {
        let statm = fs::read_to_string(format!("/proc/{id}/statm")).ok()?;
        let mut pages = statm.split(' ').map(|pages| pages.parse::<usize>().unwrap()).skip(1);
        Some((pages.next()? - pages.next()?) * 4096)
    };
    children(server).into_iter().flat_map(children).filter_map(bytes).sum()
}

// ---- Workers that were taken over ----------------------------------------------------------------------------------

/// What a worker that was taken over does after its start.
type Attack = fn(&mut UnixStream);

/// Calls that are attacks have this in their code; others get a true result.
const ATTACK: &str = "'attack'";
/// What a call is told whose worker does not wait for its answers.
const IMPATIENT: &str = "its process sent a message instead of waiting for an answer";

/// The attacks, each with its name and what its own call is told.
const TAKEN_OVER: [(&str, Attack, &str); 4] = [
    (
        "frame",
        |socket| {
            // A frame of the largest size, whose values would take gigabytes.
            let list = "{\"a\":0},".repeat(2 * MIB - 32);
            send(socket, &format!("{{\"returned\":[{list}0]}}"));
        },
        "result",
    ),
    (
        "requests",
        |socket| {
            // Requests whose answers are a megabyte each, and none of which is read.
            for _ in 0..400 {
                send(socket, REQUEST);
            }
        },
        IMPATIENT,
    ),
    (
        "unread",
        |socket| {
            // A second request when the answer has begun to arrive, and is not read.
            send(socket, REQUEST);
            let mut ready = [PollFd::new(&*socket, PollFlags::IN)];
            rustix::event::poll(&mut ready, None).unwrap();
            send(socket, REQUEST);
            // It reads none of it until the server has closed the socket.
            let mut closed = [PollFd::new(&*socket, PollFlags::HUP)];
            rustix::event::poll(&mut closed, None).unwrap();
        },
        IMPATIENT,
    ),
    (
        "arguments",
        |socket| {
            let fields = "{\"a\":0},".repeat(2 * MIB - 64);
            let card = format!("{{\"card\":{{\"rows\":[{fields}0]}}}}");
            send(socket, &format!("{{\"request\":{{\"operation\":\"card.create\",\"arguments\":{card}}}}}"));
        },
        "error",
    ),
];

/// The file that has the spawner say that it sends the handles which it does not send.
const MEASURABLE: &str = "say-measurable";

/// A request whose answer is a megabyte.
const REQUEST: &str = "{\"request\":{\"operation\":\"require\",\"arguments\":{\"module\":\"large\"}}}";

fn send(socket: &mut UnixStream, message: &str) {
    use std::io::Write as _;
    let length = u32::try_from(message.len()).unwrap().to_le_bytes();
    // The server may have closed the connection.
    let _ = socket.write_all(&length).and_then(|()| socket.write_all(message.as_bytes()));
}

/// The spawner of these workers. The server starts it as `PROGRAM spawner` with its socket as standard input, and so this
/// test runs, named after that argument.
#[test]
fn play_spawner_role() {
    let input = std::io::stdin();
    if rustix::net::sockopt::socket_type(&input).is_err() {
        return;
    }
    // The worker to play is the one that the server's test chose by a file's name in the working directory.
    let chosen = TAKEN_OVER.iter().find(|(name, ..)| fs::exists(format!("play-{name}")).unwrap());
    let is_measurable = fs::exists(MEASURABLE).unwrap();
    let played = match chosen {
        Some((_, played, _)) => *played,
        None if is_measurable => |_: &mut UnixStream| {},
        None => return,
    };
    let mut message = [0; 12];
    while input.lock().read_exact(&mut message).is_ok() {
        if message[..4] != 1u32.to_le_bytes() {
            continue;
        }
        let (theirs, mut ours) = UnixStream::pair().unwrap();
        // The handles that measure a worker are missing: with 4 the spawner says that the system has none.
        message[..4].copy_from_slice(&if is_measurable { 0u32 } else { 4 }.to_le_bytes());
        fd_passing::send_with_fds(&input, &message, &[theirs.as_fd()]).unwrap();
        thread::spawn(move || {
            // The start's message, for which a warm worker waits.
            let mut length = [0; 4];
            if ours.read_exact(&mut length).is_err() {
                return;
            }
            let mut start = vec![0; u32::from_le_bytes(length).try_into().unwrap()];
            ours.read_exact(&mut start).unwrap();
            if String::from_utf8(start).unwrap().contains(ATTACK) {
                played(&mut ours);
            } else {
                send(&mut ours, "{\"returned\":1}");
            }
            let _ = ours.shutdown(std::net::Shutdown::Write);
            let _ = std::io::copy(&mut ours, &mut std::io::sink());
        });
    }
}

/// The server of these workers: prints its peak before and after an attack, during which it answers others.
#[test]
fn play_server_role_with_hostile_worker() {
    if std::env::var_os("WARDROOM_TEST_HOSTILE_WORKER").is_none() {
        return;
    }
    let dir = TestDir::new();
    dir.write_package("large", &format!("-- {}\nreturn {{}}", "x".repeat(MIB - 100)));
    let spawner = Spawner::start(&std::env::current_exe().unwrap()).unwrap();
    let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
    let settings = RunSettings {
        environment: BTreeMap::new(),
        preview_chars: 200,
        warm_time: Duration::from_secs(60),
        processor_time: DEFAULT_RUN_PROCESSOR_TIME,
    };
    let options = AlcOptions { runs: Some((WorkerPool::new(spawner), settings)), ..AlcOptions::default() };
    let alc = Alc::with_options(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None), options);
    let catalogue = Arc::new(Catalogue::new(vec![Arc::new(alc)]));
    // One budget for all calls, as in a server.
    let memory = MemoryShare::budget(DEFAULT_MEMORY_BYTES);
    let call = |code: &str| {
        let info = RequestInfo { memory: RequestMemory::new(&memory), ..RequestInfo::new(&catalogue) };
        let answer = catalogue.call_blocking("alc_run", json!({"code": code}).into(), &info);
        answer.map(|answer| format!("{:.300}", answer.value.to_string())).unwrap_or_else(|error| format!("{error:?}"))
    };
    let before = own_peak();
    let is_answered = || assert!(call("return 1").contains("\"result\":1"));
    let told = thread::scope(|scope| {
        let attack = scope.spawn(|| call(&format!("return {ATTACK}")));
        is_answered();
        while !attack.is_finished() {
            is_answered();
        }
        attack.join().unwrap()
    });
    is_answered();
    println!("peak {before} {} {told:?}", own_peak());
}

/// The server of a spawner whose handles are lost on the way, as at the limit of descriptors.
#[test]
fn play_server_role_without_handles() {
    if std::env::var_os("WARDROOM_TEST_LOST_HANDLES").is_none() {
        return;
    }
    let pool = WorkerPool::new(Spawner::start(&std::env::current_exe().unwrap()).unwrap());
    let entry = EntryPoint::Code { name: "code".to_owned(), source: "return 1".to_owned() };
    let start = StrategyRequest { entry, context: Payload::default(), seed: 1 };
    let started = pool.start_run(&start, &MemoryShare::budget(usize::MAX));
    println!("told {}", started.map(|_| ()).unwrap_err());
}

#[test]
fn worker_that_cannot_be_measured_is_not_used() {
    let work = TestDir::new();
    fs::write(work.root().join(MEASURABLE), "").unwrap();
    let played = Command::new(std::env::current_exe().unwrap())
        .args(["memory::play_server_role_without_handles", "--exact", "--nocapture", "--test-threads=1"])
        .env("WARDROOM_TEST_LOST_HANDLES", "1")
        .current_dir(work.root())
        .output()
        .unwrap();
    let said = String::from_utf8(played.stdout).unwrap();
    assert!(said.contains("told no worker could be started"), "{said}");
}

fn own_peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() * 1024
}

#[test]
fn worker_that_was_taken_over_fills_no_memory_and_others_are_answered() {
    for (name, _, expected) in TAKEN_OVER {
        let work = TestDir::new();
        fs::write(work.root().join(format!("play-{name}")), "").unwrap();
        let played = Command::new(std::env::current_exe().unwrap())
            .args(["memory::play_server_role_with_hostile_worker", "--exact", "--nocapture", "--test-threads=1"])
            .env("WARDROOM_TEST_HOSTILE_WORKER", "1")
            .current_dir(work.root())
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        let said = String::from_utf8(played.stdout).unwrap();
        assert!(played.status.success(), "{name}: {said}");
        let figures = said.lines().find_map(|line| line.split_once("peak ").map(|(_, rest)| rest)).expect(&said);
        let mut figures = figures.splitn(3, ' ');
        let mut next = || figures.next().unwrap();
        let (before, after): (usize, usize) = (next().parse().unwrap(), next().parse().unwrap());
        let told = next();
        assert!(told.contains(expected), "{name}: {told}");
        assert!(after - before <= ONE_RUN_BYTES, "{name}: {} MiB more ({said})", (after - before) / MIB);
        println!("{name}: {} MiB", (after - before) / MIB);
    }
}
