//! Attempts of a server that an attacker has taken over: with Landlock alone, with seccomp alone, and with both.
//!
//! Each row says what became of it. What only one of the two forbids has its other wall elsewhere: files outside are out of
//! reach of the directory handles (`tests/appdir/containment.rs`), and what a process starts is confined as it is
//! itself.

use std::ffi::{c_int, c_long, c_void};
use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::process::{PidfdFlags, getppid, pidfd_open, test_kill_process};
use rustix::rand::{GetRandomFlags, getrandom};
use wardroom_appdir::{Access, ambient};
use wardroom_process::confine::{FolderRights, Grants, Wall, confine_server_with};

use super::roles::{BAD_CALL, Ending, play as played, say};
use wardroom_test_support::{TestDir, landlock_or_skip};

/// The attempt, and its outcomes with Landlock and with seccomp.
type Row = (&'static str, Outcome, Outcome);

#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome {
    Works,
    /// Fails with this error number.
    Refused(i32),
    /// The process is killed.
    Killed,
    /// Fails from this Landlock ABI on, otherwise works.
    RefusedFrom(u32, i32),
}
use Outcome::{Killed, Refused, RefusedFrom, Works};

const EPERM: i32 = 1;
const EACCES: i32 = 13;
const EXDEV: i32 = 18;

const ROWS: &[Row] = &[
    // Regular work of a server.
    ("read below", Works, Works),
    ("list below", Works, Works),
    ("write granted", Works, Works),
    ("replace granted", Works, Works),
    ("make a folder granted", Works, Works),
    ("remove granted", Works, Works),
    ("move between granted folders", Works, Works),
    ("read the project", Works, Works),
    ("replace in the project", Works, Works),
    ("a folder in the project", Works, Works),
    ("start a thread", Works, Works),
    ("randomness", Works, Works),
    ("watch a folder", Works, Works),
    // Files.
    ("read outside", Refused(EACCES), Works),
    ("read the system's users", Refused(EACCES), Works),
    ("list outside", Refused(EACCES), Works),
    ("write outside", Refused(EACCES), Works),
    ("truncate outside", Refused(EACCES), Works),
    ("write the registry", Refused(EACCES), Works),
    ("replace in the registry", Refused(EACCES), Works),
    ("write beside the folders", Refused(EACCES), Works),
    ("remove from the registry", Refused(EACCES), Works),
    ("move into the registry", Refused(EACCES), Works),
    ("link into the registry", Refused(EACCES), Works),
    ("a folder of the project away", Refused(EACCES), Works),
    ("a link in a granted folder", Refused(EACCES), Refused(EPERM)),
    ("a pipe in a granted folder", Refused(EACCES), Refused(EPERM)),
    ("rights of a granted file", Works, Refused(EPERM)),
    ("memory of the parent", Refused(EACCES), Works),
    // Programs and processes.
    ("run a program", Refused(EACCES), Killed),
    ("run a granted program", Refused(EACCES), Killed),
    ("run this program again", Refused(EACCES), Killed),
    ("start a process", Refused(EACCES), Refused(EPERM)),
    ("attach to the parent", Refused(EPERM), Killed),
    ("a descriptor of the parent", Refused(EPERM), Refused(EPERM)),
    ("signal the parent", RefusedFrom(6, EPERM), Refused(EPERM)),
    ("a handle on the parent", Works, Refused(EPERM)),
    // The network.
    ("connect", RefusedFrom(4, EACCES), Refused(EPERM)),
    ("listen", RefusedFrom(4, EACCES), Refused(EPERM)),
    ("send a datagram", Works, Refused(EPERM)),
    ("a pair of sockets", Works, Refused(EPERM)),
    ("connect to an abstract socket", RefusedFrom(6, EPERM), Refused(EPERM)),
    ("connect to a named socket", RefusedFrom(9, EACCES), Refused(EPERM)),
];

/// Creates the surroundings of an attempt: an AppDir, a project, and files outside.
fn place() -> TestDir {
    let dir = TestDir::new();
    for folder in ["cards", "state", "registry"] {
        dir.write_file(&format!("{folder}/there"), "there");
    }
    let outside = dir.root();
    fs::write(outside.join("secret"), "secret").unwrap();
    fs::create_dir_all(outside.join("project/src")).unwrap();
    fs::write(outside.join("project/alc.toml"), "").unwrap();
    fs::copy("/bin/true", dir.app_path().join("cards/program")).unwrap();
    dir
}

fn grants(folder: &Path) -> Grants {
    let open = |name: &str| ambient::open_folder(&folder.join(name), Access::ReadWrite).unwrap();
    let app = open("app");
    let mut grants = Grants::default();
    grants.add_folder(&app, FolderRights::Read);
    for name in ["cards", "state"] {
        grants.add_folder(&app.open_folder(name).unwrap(), FolderRights::Write);
    }
    grants.add_folder(&open("project"), FolderRights::Edit);
    grants
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
    let report = confine_server_with(walls, &grants(folder));
    assert!(report.is_fully_enforced() || walls == [Wall::Landlock], "{report}");
    match attempt(what, folder) {
        Ok(()) => say("works"),
        Err(error) => say(&error.raw_os_error().map_or_else(|| error.to_string(), |number| number.to_string())),
    }
}

#[expect(unsafe_code, reason = "no safe library attaches to a process")]
unsafe extern "C" {
    fn ptrace(request: c_long, process: c_int, address: *mut c_void, data: *mut c_void) -> c_long;
    fn mknod(path: *const std::ffi::c_char, mode: u32, device: u64) -> c_int;
}

fn attempt(what: &str, folder: &Path) -> io::Result<()> {
    let app = folder.join("app");
    let (cards, state, registry) = (app.join("cards"), app.join("state"), app.join("registry"));
    let project = folder.join("project");
    let parent = || getppid().unwrap();
    let replace = |from: &Path, to: &Path| fs::write(from, "new").and_then(|()| fs::rename(from, to));
    match what {
        "read below" => fs::read(registry.join("there")).map(drop),
        "list below" => fs::read_dir(&app).map(drop),
        "write granted" => fs::write(cards.join("new"), "new"),
        "replace granted" => replace(&cards.join(".there"), &cards.join("there")),
        "make a folder granted" => {
            fs::create_dir(cards.join("folder")).and_then(|()| fs::remove_dir(cards.join("folder")))
        }
        "remove granted" => fs::remove_file(cards.join("there")),
        "move between granted folders" => fs::rename(cards.join("there"), state.join("moved")),
        "read the project" => fs::read(project.join("alc.toml")).map(drop),
        "replace in the project" => replace(&project.join(".alc.toml"), &project.join("alc.toml")),
        "start a thread" => std::thread::Builder::new().spawn(|| ()).map(|thread| thread.join().unwrap()),
        "randomness" => Ok(getrandom(&mut [0; 16], GetRandomFlags::empty()).map(drop)?),
        "watch a folder" => {
            let folder = ambient::open_folder(&cards, Access::ReadOnly).unwrap();
            wardroom_appdir::FolderWatcher::new()?.watch(&folder).map(drop).map_err(io::Error::other)
        }
        "read outside" => fs::read(folder.join("secret")).map(drop),
        "read the system's users" => fs::read("/etc/passwd").map(drop),
        "list outside" => fs::read_dir(folder).map(drop),
        "write outside" => fs::write(folder.join("new"), "new"),
        "truncate outside" => fs::File::options().write(true).truncate(true).open(folder.join("secret")).map(drop),
        "write the registry" => fs::write(registry.join("there"), "mine"),
        "replace in the registry" => replace(&registry.join(".there"), &registry.join("there")),
        "write beside the folders" => fs::write(app.join("new"), "new"),
        "remove from the registry" => fs::remove_file(registry.join("there")),
        "move into the registry" => not_across(fs::rename(cards.join("there"), registry.join("moved"))),
        "link into the registry" => not_across(fs::hard_link(cards.join("there"), registry.join("linked"))),
        "a folder in the project" => fs::create_dir(project.join("folder")),
        "a folder of the project away" => fs::remove_dir(project.join("src")),
        "a link in a granted folder" => std::os::unix::fs::symlink("/", cards.join("link")),
        "a pipe in a granted folder" => {
            let name = std::ffi::CString::new(cards.join("pipe").into_os_string().into_encoded_bytes()).unwrap();
            #[expect(unsafe_code, reason = "the name ends with a zero, and lives until the call is over")]
            of_libc(unsafe { mknod(name.as_ptr(), 0o010_600, 0) }.into())
        }
        "rights of a granted file" => {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(cards.join("there"), fs::Permissions::from_mode(0o600))
        }
        "memory of the parent" => fs::File::open(format!("/proc/{}/mem", parent())).map(drop),
        "run a program" => Err(Command::new("/bin/true").exec()),
        "run a granted program" => Err(Command::new(cards.join("program")).exec()),
        "run this program again" => Err(Command::new("/proc/self/exe").arg("--list").exec()),
        "start a process" => Command::new("/bin/true").status().map(drop),
        "attach to the parent" => {
            /// `PTRACE_SEIZE` does not stop the parent.
            const SEIZE: c_long = 0x4206;
            let parent = parent().as_raw_nonzero().get();
            #[expect(unsafe_code, reason = "attaching takes no memory of ours")]
            of_libc(unsafe { ptrace(SEIZE, parent, std::ptr::null_mut(), std::ptr::null_mut()) })
        }
        "a descriptor of the parent" => {
            use rustix::process::{PidfdGetfdFlags, pidfd_getfd};
            let parent = pidfd_open(parent(), PidfdFlags::empty())?;
            Ok(pidfd_getfd(parent, 0, PidfdGetfdFlags::empty()).map(drop)?)
        }
        "signal the parent" => Ok(test_kill_process(parent())?),
        "a handle on the parent" => Ok(pidfd_open(parent(), PidfdFlags::empty()).map(drop)?),
        "connect" => TcpStream::connect(fs::read_to_string(app.join("address")).unwrap()).map(drop),
        "listen" => TcpListener::bind("127.0.0.1:0").map(drop),
        "send a datagram" => {
            UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(b"x", "127.0.0.1:9")).map(drop)
        }
        "a pair of sockets" => UnixStream::pair().map(drop),
        "connect to an abstract socket" => {
            let name = fs::read(app.join("abstract")).unwrap();
            UnixStream::connect_addr(&SocketAddr::from_abstract_name(name)?).map(drop)
        }
        "connect to a named socket" => UnixDatagram::unbound().and_then(|socket| socket.connect(folder.join("socket"))),
        other => panic!("{other}"),
    }
}

fn of_libc(answer: c_long) -> io::Result<()> {
    if answer == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// For a forbidden move to another folder some kernels report a move across file systems.
fn not_across(moved: io::Result<()>) -> io::Result<()> {
    moved.map_err(|error| match error.raw_os_error() {
        Some(EXDEV) => io::Error::from_raw_os_error(EACCES),
        _ => error,
    })
}

impl Outcome {
    pub(super) fn ending(self, version: u32) -> Ending {
        match self {
            Killed => BAD_CALL,
            Refused(number) => Ending::Said(number.to_string()),
            RefusedFrom(from, number) if version >= from => Ending::Said(number.to_string()),
            Works | RefusedFrom(..) => Ending::said("works"),
        }
    }
}

/// The peers of the attempts.
struct Peers {
    _tcp: TcpListener,
    _named: UnixDatagram,
    _abstract: UnixListener,
}

fn peers(dir: &TestDir) -> Peers {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    dir.write_file("address", tcp.local_addr().unwrap().to_string());
    let name = format!("wardroom-test-{}", dir.root().display());
    dir.write_file("abstract", &name);
    let address = SocketAddr::from_abstract_name(name).unwrap();
    Peers {
        _tcp: tcp,
        _named: UnixDatagram::bind(dir.root().join("socket")).unwrap(),
        _abstract: UnixListener::bind_addr(&address).unwrap(),
    }
}

/// Some systems let only its parent attach to a process.
fn is_forbidden_anyway(what: &str) -> bool {
    let attaches = ["memory of the parent", "attach to the parent", "a descriptor of the parent"].contains(&what);
    attaches && fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").is_ok_and(|scope| scope.trim() != "0")
}

#[track_caller]
fn try_all(walls: &str, version: u32, expected: impl Fn(&Row) -> Outcome) {
    for row in ROWS {
        if is_forbidden_anyway(row.0) {
            continue;
        }
        // Each attempt has its own surroundings, since some change them.
        let dir = place();
        let _peers = peers(&dir);
        let ending = played(&format!("server {walls} {}", row.0), dir.root());
        assert_eq!(ending, expected(row).ending(version), "{} behind {walls}", row.0);
    }
}

/// Without walls every attempt works, so the rows below show the effect of the walls alone.
#[test]
fn attempts_without_walls_succeed() {
    try_all("process", 0, |_| Works);
}

#[test]
fn behind_landlock_alone() {
    let Some(version) = landlock_or_skip(1) else { return };
    try_all("landlock", version, |row| row.1);
}

#[test]
fn seccomp_alone_denies_listed_attempts() {
    try_all("seccomp", u32::MAX, |row| row.2);
}

/// Everything that either of them forbids is forbidden.
#[test]
fn behind_all() {
    let Some(version) = landlock_or_skip(1) else { return };
    try_all("all", version, |row| match (row.1, row.2) {
        (_, Killed) => Killed,
        // The filter runs before files are opened.
        (_, refused @ Refused(_)) => refused,
        (by_landlock, _) => by_landlock,
    });
}
