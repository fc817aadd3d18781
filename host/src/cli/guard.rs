//! `wardroom guard`, hidden: the process between a command and a program that it tries, so that nothing of the program is left
//! however the command ends.
//!
//! Owns: the group of processes that the program is in, with this one. A death signal would reach the program alone, and
//! that only on Linux.
//! Never: reads or writes what the program says; standard input and output are handed on.

use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::thread;

use rustix::process::{Signal, getpgrp, getpid, kill_current_process_group};

use super::report::{self, Failure};
use crate::agents::Found;
use crate::appdir::ambient;

/// The command's end of what ties a guard to it. The other end is the guard's standard error.
pub(super) struct Line(UnixStream);

/// Starts what an entry names under a guard, as an agent would start it: with the input and the output of the child.
pub(super) fn start(found: &Found) -> Result<(Child, Line), String> {
    let failed = |error: io::Error| format!("cannot be tried: {error}");
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    let itself = ambient::own_program().map_err(|error| format!("cannot be tried: {error}"))?;
    #[expect(clippy::disallowed_methods, reason = "this program, for one that a person asks about")]
    let child = Command::new(itself)
        .arg("guard")
        .arg(&found.launch.command)
        .args(&found.launch.args)
        .envs(&found.environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(OwnedFd::from(theirs))
        // What a terminal sends to the command's group ends the command, and so this one.
        .process_group(0)
        .spawn();
    Ok((child.map_err(failed)?, Line(ours)))
}

impl Line {
    /// What kept a guard that is over from starting its program.
    pub(super) fn said(mut self) -> String {
        let mut said = String::new();
        // One that was ended in the middle of a letter has said nothing.
        let _ = self.0.read_to_string(&mut said);
        said.trim_end().to_owned()
    }
}

/// What the guard's process does. It leads a group, and its end is that of the group: when the program ends, and when the
/// command does.
pub(super) fn run(program: &str, args: &[String]) -> Result<(), Failure> {
    if getpgrp() != getpid() {
        let hint = "wardroom agents status starts this process, and says what comes of it";
        return Err(Failure::new("the guard does not lead its group of processes", hint));
    }
    #[expect(clippy::disallowed_methods, reason = "a person asks whether it starts, and no server is confined here")]
    let started = Command::new(program).args(args).stderr(Stdio::null()).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            report::note(&format!("does not start: {error}"));
            return Ok(());
        }
    };
    let watcher = thread::Builder::new().name("line".to_owned()).spawn(|| {
        // Nothing is said there. It ends with the command.
        let _ = rustix::io::retry_on_intr(|| rustix::io::read(io::stderr(), &mut [0; 1]));
        end();
    });
    if watcher.is_ok() {
        drop(child.wait());
    }
    end();
    Ok(())
}

/// This process's, too.
fn end() {
    let _ = kill_current_process_group(Signal::KILL);
}
