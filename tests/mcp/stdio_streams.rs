//! Kinds of standard input and output: pipes, socket pairs, files.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use wardroom_test_support::{TestDir, wardroom_command};

fn server_command(dir: &TestDir) -> Command {
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).stderr(Stdio::null());
    command
}

/// Returns `count` requests, one a line.
fn requests(count: u64) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"_meta": meta, "uri": "alc://packages/cot/init.lua"});
    let line = |id| json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params});
    (0..count).map(|id| format!("{}\n", line(id))).collect()
}

fn assert_answered(lines: impl Iterator<Item = String>, count: u64) {
    let answers: Vec<Value> = lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
    let mut ids: Vec<u64> = answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..count).collect::<Vec<_>>());
    assert!(answers.iter().all(|answer| answer["result"]["contents"][0]["mimeType"] == "text/x-lua"));
}

/// Node starts servers on socket pairs.
#[test]
fn socket_pairs_are_served() {
    const COUNT: u64 = 500;
    let dir = TestDir::new_demo();
    let (mut input, server_input) = UnixStream::pair().unwrap();
    let (output, to_client) = UnixStream::pair().unwrap();
    let mut command = server_command(&dir);
    command.stdin(OwnedFd::from(server_input)).stdout(OwnedFd::from(to_client));
    let mut child = command.spawn().unwrap();
    drop(command);
    let writer = std::thread::spawn(move || {
        input.write_all(requests(COUNT).as_bytes()).unwrap();
        input.shutdown(Shutdown::Write).unwrap();
    });
    assert_answered(BufReader::new(output).lines().map(Result::unwrap), COUNT);
    writer.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn one_socket_for_both_directions_is_served() {
    const COUNT: u64 = 50;
    let dir = TestDir::new_demo();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let mut command = server_command(&dir);
    command.stdin(OwnedFd::from(theirs.try_clone().unwrap())).stdout(OwnedFd::from(theirs));
    let mut child = command.spawn().unwrap();
    drop(command);
    ours.write_all(requests(COUNT).as_bytes()).unwrap();
    ours.shutdown(Shutdown::Write).unwrap();
    assert_answered(BufReader::new(ours).lines().map(Result::unwrap), COUNT);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn files_are_served() {
    const COUNT: u64 = 300;
    let dir = TestDir::new_demo();
    let (input, output) = (dir.root().join("in"), dir.root().join("out"));
    std::fs::write(&input, requests(COUNT)).unwrap();
    let mut command = server_command(&dir);
    command.stdin(File::open(&input).unwrap()).stdout(File::create(&output).unwrap());
    assert_eq!(command.status().unwrap().code(), Some(0));
    assert_answered(std::fs::read_to_string(&output).unwrap().lines().map(str::to_owned), COUNT);
}

#[test]
fn null_streams_end_server() {
    let dir = TestDir::new_demo();
    let mut command = server_command(&dir);
    assert_eq!(command.stdin(Stdio::null()).stdout(Stdio::null()).status().unwrap().code(), Some(0));
}

/// A shell shares its pipes between programs: switching them to non-blocking would break the others.
#[test]
fn shared_pipes_keep_their_flags() {
    let dir = TestDir::new_demo();
    let (reader, writer) = std::io::pipe().unwrap();
    let (shared_reader, shared_writer) = (reader.try_clone().unwrap(), writer.try_clone().unwrap());
    let flags = |fd: &dyn std::os::fd::AsRawFd| {
        let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", fd.as_raw_fd())).unwrap();
        info.lines().find(|line| line.starts_with("flags")).unwrap().to_owned()
    };
    let before = (flags(&shared_reader), flags(&shared_writer));
    let (answers, output) = std::io::pipe().unwrap();
    let mut command = server_command(&dir);
    let mut child = command.stdin(reader).stdout(output).spawn().unwrap();
    drop(command);
    (&writer).write_all(requests(1).as_bytes()).unwrap();
    let mut lines = BufReader::new(answers).lines().map(Result::unwrap);
    assert_answered(lines.by_ref().take(1), 1);
    assert_eq!((flags(&shared_reader), flags(&shared_writer)), before);
    drop((writer, shared_writer, shared_reader));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
