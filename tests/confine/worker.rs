//! The rights of a worker, with all walls and with each alone.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Command;

use wardroom_process::confine::{Wall, confine_worker_with};

use super::roles::{BAD_CALL, Ending, command, ended, say};
use wardroom_test_support::TestDir;

const MEMORY: u64 = 32 * 1024 * 1024;

/// Runs in the child: `walls what`. Its standard input is one end of a socket pair.
pub(super) fn play(what: &str) {
    let (walls, what) = what.split_once(' ').unwrap();
    let walls: &[Wall] = match walls {
        "limits" => &[Wall::Limits],
        "landlock" => &[Wall::Landlock],
        "seccomp" => &[Wall::Seccomp],
        "all" => &Wall::FOR_WORKER,
        other => panic!("{other}"),
    };
    let leaked = fs::File::open("/etc/passwd").unwrap();
    let socket = std::io::stdin().as_fd().try_clone_to_owned().unwrap();
    let report = confine_worker_with(walls, MEMORY);
    assert!(report.is_fully_enforced() || walls == [Wall::Landlock], "{report}");
    say(&attempt(what, &leaked, &socket));
    // Skips the remaining work of the test harness. No descriptor is closed, since a worker may not call `close`.
    std::process::exit(0);
}

fn attempt(what: &str, mut leaked: &fs::File, socket: &OwnedFd) -> String {
    let done = match what {
        "talk" => talk(socket),
        "talk on standard input" => {
            let mut word = [0; 4];
            std::io::stdin()
                .read_exact(&mut word)
                .and_then(|()| Ok(rustix::io::write(std::io::stdin(), &word).map(drop)?))
        }
        "compute" => {
            let mut numbers: Vec<u64> = (0..100_000).rev().collect();
            numbers.sort_unstable();
            assert!(numbers.is_sorted());
            Ok(())
        }
        "take half of the memory" => return take(MEMORY / 2),
        "take twice the memory" => return take(MEMORY * 2),
        "read a file" => fs::read("/etc/hostname").map(drop),
        "read what was left open" => leaked.read_exact(&mut [0]),
        "write a file" => fs::write(std::env::temp_dir().join("wardroom-of-a-worker"), "x"),
        "start a thread" => std::thread::Builder::new().spawn(|| ()).map(drop),
        "start a process" => Command::new("/bin/true").status().map(drop),
        "a socket" => UnixStream::pair().map(drop),
        "signal the parent" => {
            rustix::process::getppid().map_or(Ok(()), |parent| Ok(rustix::process::test_kill_process(parent)?))
        }
        "end in a panic" => {
            std::panic::set_hook(Box::new(|_| ()));
            std::panic::catch_unwind(|| panic!("on purpose")).unwrap_err();
            Ok(())
        }
        "abort" => std::process::abort(),
        other => panic!("{other}"),
    };
    match done {
        Ok(()) => "works".to_owned(),
        Err(error) => error.raw_os_error().map_or_else(|| error.to_string(), |number| number.to_string()),
    }
}

/// Reads and writes as a worker does: a `UnixStream` makes other system calls.
fn talk(socket: &OwnedFd) -> std::io::Result<()> {
    let mut word = [0; 4];
    rustix::io::read(socket, &mut word)?;
    rustix::io::write(socket, &word)?;
    Ok(())
}

fn take(bytes: u64) -> String {
    let mut memory: Vec<u8> = Vec::new();
    match memory.try_reserve_exact(bytes.try_into().unwrap()) {
        Ok(()) => {
            memory.resize(memory.capacity(), 1);
            "works".to_owned()
        }
        Err(_) => "no memory".to_owned(),
    }
}

/// Plays a worker's role, with data to read in its socket. Returns its answer and its end.
#[track_caller]
fn play_with_socket(role: &str) -> (String, Ending) {
    let dir = TestDir::new();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    ours.write_all(b"word").unwrap();
    ours.shutdown(Shutdown::Write).unwrap();
    let mut command = command(&format!("worker {role}"), dir.root());
    let ending = ended(command.stdin(OwnedFd::from(theirs)));
    drop(command);
    let mut answer = Vec::new();
    // A child that exits with unread data resets the connection.
    let _ = ours.read_to_end(&mut answer);
    (String::from_utf8(answer).unwrap(), ending)
}

#[track_caller]
fn check(role: &str, expected: &Ending) {
    assert_eq!(play_with_socket(role).1, *expected, "{role}");
}

#[test]
fn worker_communicates_computes_and_exits() {
    for what in ["talk", "talk on standard input"] {
        assert_eq!(play_with_socket(&format!("all {what}")), ("word".to_owned(), Ending::said("works")), "{what}");
    }
    for what in ["compute", "take half of the memory", "end in a panic"] {
        check(&format!("all {what}"), &Ending::said("works"));
    }
    check("all take twice the memory", &Ending::said("no memory"));
    // Like a failed allocation, which is not reported as an attack.
    check("all abort", &Ending::Killed(6));
}

#[test]
fn forbidden_call_kills_worker() {
    for walls in ["all", "seccomp"] {
        for what in [
            "read a file",
            "read what was left open",
            "write a file",
            "start a thread",
            "start a process",
            "a socket",
            "signal the parent",
        ] {
            check(&format!("{walls} {what}"), &BAD_CALL);
        }
    }
}

#[test]
fn landlock_alone_leaves_a_worker_no_file() {
    let Some(version) = wardroom_test_support::landlock_or_skip(1) else { return };
    for what in ["read a file", "write a file", "start a process"] {
        check(&format!("landlock {what}"), &Ending::said("13"));
    }
    if version >= 6 {
        check("landlock signal the parent", &Ending::said("1"));
    }
}

#[test]
fn limits_alone_bound_worker_memory_and_files() {
    check("limits take half of the memory", &Ending::said("works"));
    check("limits take twice the memory", &Ending::said("no memory"));
    // SIGXFSZ, the signal for exceeding the file size limit.
    check("limits write a file", &Ending::Killed(25));
}
