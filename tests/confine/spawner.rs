//! The walls of a real spawner, seen from within: a library that the loader puts into it opens files once the spawner
//! serves, when it is told to by a signal.
//!
//! Nothing outside a process shows what Landlock takes from it, and the spawner itself opens nothing else.

use std::fs;
use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use wardroom_process::fd_passing;
use wardroom_test_support::{TestDir, landlock_or_skip, wardroom_binary};

/// Writes a letter for each path: `o` when it was opened, `d` when that was denied, `e` for any other error.
const PROBE: &str = r#"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char paths[4096];

static void probe(int number) {
    (void)number;
    char answer[16];
    size_t count = 0;
    char *path = paths;
    for (; *path && count < sizeof answer; path += strlen(path) + 1) {
        /* Each path has a letter before it: how it is opened. */
        int file = open(path + 1, (path[0] == 'w' ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
        answer[count++] = file >= 0 ? 'o' : errno == EACCES ? 'd' : 'e';
        if (file >= 0) close(file);
    }
    if (write(2, answer, count) < 0) _exit(9);
}

__attribute__((constructor)) static void prepare(void) {
    const char *given = getenv("PROBED_PATHS");
    if (!given) return;
    strncpy(paths, given, sizeof paths - 2);
    for (char *c = paths; *c; c++) if (*c == ':') *c = 0;
    signal(SIGUSR1, probe);
}
"#;

/// Builds the library with the C compiler, which building the program takes, too.
fn build_probe(folder: &Path) -> std::path::PathBuf {
    let (source, library) = (folder.join("probe.c"), folder.join("probe.so"));
    fs::write(&source, PROBE).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status().unwrap();
    assert!(built.success());
    library
}

/// Starts a spawner with the library, lets it start a worker, and returns what it says of these paths.
fn probe(dir: &TestDir, paths: &[String]) -> String {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut spawner = Command::new(wardroom_binary())
        .arg("spawner")
        .env_clear()
        .env("LD_PRELOAD", build_probe(dir.root()))
        .env("PROBED_PATHS", paths.join(":"))
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A worker runs: the spawner serves, and has confined itself before.
    let mut message = [0; 12];
    (message[0], message[4]) = (1, 7);
    fd_passing::send_with_fds(&ours, &message, &[]).unwrap();
    let mut answer = [0; 12];
    let (received, handles) = fd_passing::recv_with_fds(&ours, &mut answer).unwrap();
    assert_eq!((received, answer[4]), (12, 7));
    assert!(!handles.is_empty(), "it starts a worker");
    kill_process(Pid::from_child(&spawner), Signal::USR1).unwrap();
    let mut said = vec![0; paths.len()];
    spawner.stderr.as_mut().unwrap().read_exact(&mut said).unwrap();
    drop((ours, handles));
    assert!(spawner.wait().unwrap().success());
    String::from_utf8(said).unwrap()
}

#[test]
fn spawner_opens_no_other_file() {
    let dir = TestDir::new();
    let own = dir.write_file("secret", "x").display().to_string();
    let program = wardroom_binary().display().to_string();
    let paths = [
        format!("r{own}"),
        format!("w{own}"),
        format!("r{}", dir.app_path().display()),
        "r/etc/hosts".to_owned(),
        "r/proc/self/stat".to_owned(),
        "r/dev/null".to_owned(),
        "w/dev/null".to_owned(),
        format!("r{program}"),
    ];
    let expected = match landlock_or_skip(1) {
        Some(_) => "ddddoooo",
        // Without Landlock nothing is taken away: the probe itself works.
        None => return assert!(probe(&dir, &paths).starts_with("oo")),
    };
    assert_eq!(probe(&dir, &paths), expected);
}
