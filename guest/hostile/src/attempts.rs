//! The attempts that guests of several worlds make: at files, the network, the process of the host, and its limits.
//!
//! Never: knows a world; an attempt returns its answer, or does not return.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, ToSocketAddrs as _, UdpSocket};

use crate::Answer;

/// Allocates without bound, and writes to the memory.
#[must_use]
pub fn allocate() -> Answer {
    const CHUNK: usize = 1 << 20;
    let mut chunks: Vec<Vec<u8>> = Vec::new();
    loop {
        chunks.push(vec![1; CHUNK]);
        std::hint::black_box(&chunks);
    }
}

/// Never returns.
#[must_use]
pub fn loop_forever() -> Answer {
    let mut turns = 0_u64;
    loop {
        turns = std::hint::black_box(turns.wrapping_add(1));
    }
}

/// Recurses without bound.
#[must_use]
pub fn recurse() -> Answer {
    #[expect(unconditional_recursion, reason = "what this attempt is for")]
    fn deeper(depth: u64) -> u64 {
        // Work after the call, so that it cannot become a loop.
        std::hint::black_box(deeper(std::hint::black_box(depth.wrapping_add(1)))) ^ std::hint::black_box(depth)
    }

    Answer::json(deeper(std::hint::black_box(1)).to_string())
}

/// Traps.
#[must_use]
pub fn trap() -> Answer {
    std::process::abort()
}

/// Lists the directories that it was given.
#[must_use]
pub fn list_preopens() -> Answer {
    let mut refusals = Vec::new();
    for path in ["/", ".", ".."] {
        match std::fs::read_dir(path) {
            Ok(entries) => return Answer::found(format_args!("{path}: {} entries", entries.count())),
            Err(error) => refusals.push(error.to_string()),
        }
    }
    Answer::refused(refusals.join("; "))
}

/// Opens files by absolute and relative paths, to read and to write.
#[must_use]
pub fn open_file() -> Answer {
    const PATHS: [&str; 5] = ["/etc/passwd", "init.lua", "./init.lua", "../init.lua", "/"];
    let mut refusals = Vec::new();
    for path in PATHS {
        match File::open(path) {
            Ok(_) => return Answer::found(path),
            Err(error) => refusals.push(error.to_string()),
        }
    }
    match OpenOptions::new().write(true).create(true).truncate(true).open("left_behind") {
        Ok(_) => Answer::found("left_behind"),
        Err(error) => {
            refusals.push(error.to_string());
            Answer::refused(refusals.join("; "))
        }
    }
}

/// Connects, listens, binds and resolves a name.
#[must_use]
pub fn open_socket() -> Answer {
    type Attempt = fn() -> io::Result<()>;
    let attempts: [(&str, Attempt); 4] = [
        ("connect", || TcpStream::connect("127.0.0.1:80").map(drop)),
        ("listen", || TcpListener::bind("127.0.0.1:0").map(drop)),
        ("send", || UdpSocket::bind("127.0.0.1:0")?.send_to(b"x", "127.0.0.1:53").map(drop)),
        ("resolve", || "localhost:80".to_socket_addrs().map(drop)),
    ];
    let mut refusals = Vec::new();
    for (name, attempt) in attempts {
        match attempt() {
            Ok(()) => return Answer::found(name),
            // The refusal came from the host's network: the guest reached it.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Answer::found(error),
            Err(error) => refusals.push(format!("{name}: {error}")),
        }
    }
    Answer::refused(refusals.join("; "))
}

/// Reads the command line.
#[must_use]
pub fn read_args() -> Answer {
    match std::env::args_os().count() {
        0 => Answer::refused("0 arguments"),
        n_arguments => Answer::found(format_args!("{n_arguments} arguments")),
    }
}

/// Reads the environment.
#[must_use]
pub fn read_env() -> Answer {
    match std::env::vars_os().count() {
        0 => Answer::refused("0 variables"),
        n_variables => Answer::found(format_args!("{n_variables} variables")),
    }
}

/// Reads standard input, which belongs to the host's client.
#[must_use]
pub fn read_stdin() -> Answer {
    let mut bytes = [0; 4096];
    match io::stdin().read(&mut bytes) {
        Ok(0) => Answer::refused("0 bytes"),
        Ok(n_bytes) => Answer::found(format_args!("{n_bytes} bytes")),
        Err(error) => Answer::refused(error),
    }
}

/// Writes to standard output and standard error. The guest cannot distinguish a sink that discards the bytes from one
/// that shows them: the host's test watches its own output.
#[must_use]
pub fn write_stdout() -> Answer {
    const NOISE: &[u8] = b"written by a guest\n";
    let stdout = io::stdout().write_all(NOISE).and_then(|()| io::stdout().flush());
    let stderr = io::stderr().write_all(NOISE);
    match stdout.and(stderr) {
        Ok(()) => Answer::found("the bytes were taken"),
        Err(error) => Answer::refused(error),
    }
}

/// Reads the clock.
#[must_use]
pub fn read_clock() -> Answer {
    let has_time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).is_ok();
    match has_time {
        true => Answer::found("a clock"),
        false => Answer::refused("no clock"),
    }
}
