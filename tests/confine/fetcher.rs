//! The rights of the fetch helpers: the HTTP helper with Landlock alone and with seccomp alone, and the git helper with
//! Landlock, its only wall.

use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use wardroom_appdir::{Access, ambient};
use wardroom_process::confine::{FolderRights, Grants, Wall, confine_fetcher_with, confine_launcher_with};

use wardroom_test_support::landlock_or_skip;

use super::attempts::Outcome;
use super::roles::{play as played, say};
use Outcome::{Killed, Refused, RefusedFrom, Works};
use wardroom_test_support::TestDir;

const EPERM: i32 = 1;
const EACCES: i32 = 13;

/// The attempt, and its outcomes with Landlock and with seccomp.
const ROWS: &[(&str, Outcome, Outcome)] = &[
    ("look up a name", Works, Works),
    ("connect", Works, Works),
    ("a datagram", Works, Works),
    ("start a thread", Works, Works),
    ("read a granted file", Works, Works),
    ("read outside", Refused(EACCES), Works),
    ("list outside", Refused(EACCES), Works),
    ("write outside", Refused(EACCES), Works),
    ("write a granted file", Refused(EACCES), Works),
    ("remove a file", Refused(EACCES), Refused(EPERM)),
    ("make a folder", Refused(EACCES), Refused(EPERM)),
    ("run a program", Refused(EACCES), Killed),
    ("start a process", Refused(EACCES), Refused(EPERM)),
    ("listen", RefusedFrom(4, EACCES), Refused(EPERM)),
    ("a pair of sockets", Works, Refused(EPERM)),
];

fn place() -> (TestDir, TcpListener) {
    let dir = TestDir::new();
    dir.write_file("granted", "granted");
    fs::write(dir.root().join("secret"), "secret").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    dir.write_file("address", listener.local_addr().unwrap().to_string());
    (dir, listener)
}

fn grant(grants: &mut Grants, path: &Path) {
    if let Ok(file) = ambient::open_file(path, Access::ReadOnly) {
        grants.add_file(file, Access::ReadOnly);
    }
}

/// Runs in the child: `walls what`.
pub(super) fn play(what: &str, folder: &Path) {
    let (walls, what) = what.split_once(' ').unwrap();
    let walls: &[Wall] = match walls {
        "landlock" => &[Wall::Landlock],
        "seccomp" => &[Wall::Seccomp],
        "all" => &Wall::FOR_SERVER,
        "process" => &[Wall::Process],
        other => panic!("{other}"),
    };
    let mut grants = Grants::default();
    for name in ["/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf", "/etc/host.conf"] {
        grant(&mut grants, Path::new(name));
    }
    for name in ["granted", "address"] {
        grant(&mut grants, &folder.join("app").join(name));
    }
    let report = confine_fetcher_with(walls, &grants);
    assert!(report.is_fully_enforced() || walls == [Wall::Landlock], "{report}");
    report_outcome(attempt(what, folder));
}

fn report_outcome(done: io::Result<()>) {
    match done {
        Ok(()) => say("works"),
        Err(error) => say(&error.raw_os_error().map_or_else(|| error.to_string(), |number| number.to_string())),
    }
}

fn attempt(what: &str, folder: &Path) -> io::Result<()> {
    let app = folder.join("app");
    match what {
        "look up a name" => ("localhost", 1).to_socket_addrs().map(|found| assert!(found.count() > 0)),
        "connect" => TcpStream::connect(fs::read_to_string(app.join("address")).unwrap()).map(drop),
        // Binding, always to a free port of the system's choice, happens only where it is allowed.
        "a datagram" => {
            use rustix::net::{AddressFamily, SocketType, connect, send, socket};
            let socket = socket(AddressFamily::INET, SocketType::DGRAM, None)?;
            connect(&socket, &"127.0.0.1:9".parse::<std::net::SocketAddrV4>().unwrap())?;
            Ok(send(&socket, b"x", rustix::net::SendFlags::empty()).map(drop)?)
        }
        "start a thread" => std::thread::Builder::new().spawn(|| ()).map(|thread| thread.join().unwrap()),
        "read a granted file" => fs::read(app.join("granted")).map(drop),
        "read outside" => fs::read(folder.join("secret")).map(drop),
        "list outside" => fs::read_dir(folder).map(drop),
        "write outside" => fs::write(folder.join("new"), "new"),
        "write a granted file" => fs::write(app.join("granted"), "new"),
        "remove a file" => fs::remove_file(folder.join("secret")),
        "make a folder" => fs::create_dir(folder.join("folder")),
        "run a program" => Err(Command::new("/bin/true").exec()),
        "start a process" => Command::new("/bin/true").status().map(drop),
        "listen" => TcpListener::bind("127.0.0.1:0").map(drop),
        "a pair of sockets" => UnixStream::pair().map(drop),
        other => panic!("{other}"),
    }
}

#[track_caller]
fn try_all(walls: &str, version: u32, expected: impl Fn(Outcome, Outcome) -> Outcome) {
    for (what, landlock, seccomp) in ROWS {
        let (dir, _listener) = place();
        let ending = played(&format!("fetcher {walls} {what}"), dir.root());
        assert_eq!(ending, expected(*landlock, *seccomp).ending(version), "{what} behind {walls}");
    }
}

#[test]
fn attempts_without_walls_succeed() {
    try_all("process", 0, |_, _| Works);
}

#[test]
fn behind_landlock_alone() {
    let Some(version) = landlock_or_skip(1) else { return };
    try_all("landlock", version, |landlock, _| landlock);
}

#[test]
fn seccomp_alone_denies_listed_attempts() {
    try_all("seccomp", u32::MAX, |_, seccomp| seccomp);
}

#[test]
fn behind_all() {
    let Some(version) = landlock_or_skip(1) else { return };
    try_all("all", version, |landlock, seccomp| match (landlock, seccomp) {
        (_, Killed) => Killed,
        (_, refused @ Refused(_)) => refused,
        (by_landlock, _) => by_landlock,
    });
}

/// Attempts of a git that its peer has taken over.
const LAUNCHER_ROWS: &[(&str, bool)] = &[
    ("echo new > cache/new && mkdir cache/folder && ln -s /etc/passwd cache/link && rm cache/new", true),
    ("true > /dev/null", true),
    ("cat secret", false),
    ("ls .", false),
    ("echo new > new", false),
    ("echo new > cache/../packages/new", false),
    ("rm secret", false),
    ("mkdir folder", false),
    ("cp /bin/true cache/true && cache/true", false),
];

/// Runs in the child: starts a shell with the attempt.
pub(super) fn play_launcher(what: &str, folder: &Path) {
    let (walls, what) = what.split_once(' ').unwrap();
    let mut grants = Grants::default();
    grants.add_folder(&ambient::open_folder(&folder.join("cache"), Access::ReadWrite).unwrap(), FolderRights::Build);
    for path in ["/usr", "/bin", "/lib", "/lib64"] {
        if let Ok(system) = ambient::open_folder(Path::new(path), Access::ReadOnly) {
            grants.add_folder(&system, FolderRights::Execute);
        }
    }
    grants.add_file(ambient::open_file(Path::new("/dev/null"), Access::ReadWrite).unwrap(), Access::ReadWrite);
    let walls: &[Wall] = if walls == "all" { &Wall::FOR_LAUNCHER } else { &[Wall::Process] };
    let report = confine_launcher_with(walls, &grants);
    assert!(report.is_fully_enforced(), "{report}");
    let done =
        Command::new("/bin/sh").args(["-c", what]).current_dir(folder).stdin(std::process::Stdio::null()).status();
    say(if done.unwrap().success() { "works" } else { "refused" });
}

#[test]
fn what_a_helper_starts_stays_in_its_folder() {
    if landlock_or_skip(3).is_none() {
        return;
    }
    for (script, works) in LAUNCHER_ROWS {
        for walls in ["process", "all"] {
            let dir = TestDir::new();
            for name in ["cache", "packages"] {
                fs::create_dir(dir.root().join(name)).unwrap();
            }
            fs::write(dir.root().join("secret"), "secret").unwrap();
            let ending = played(&format!("launcher {walls} {script}"), dir.root());
            let expected = if *works || walls == "process" { "works" } else { "refused" };
            assert_eq!(ending, super::roles::Ending::said(expected), "{script} behind {walls}");
        }
    }
}
