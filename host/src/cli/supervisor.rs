//! `wardroom guard`, hidden: the process between a command and a program that it tries, so that nothing of the program is left
//! however the command ends.
//!
//! Owns: the group of processes that the program is in, with this one. A death signal would reach the program alone, and
//! that only on Linux.
//! Never: reads or writes what the program says; standard input and output are handed on. Of what it complains about on
//! standard error only the reason for its end is told.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getpgrp, getpid, kill_current_process_group};

use crate::assemble::settings;
use crate::report::{self, CommandError};
use wardroom_agents::InstalledEntry;
use wardroom_appdir::ambient;

/// The command's end of what ties a guard to it. The other end is the guard's standard error.
pub(super) struct SupervisorLink(UnixStream);

/// Before the names of the variables that an entry sets: they are the program's, and mean nothing to the guard.
const ENTRY_VARIABLE_PREFIX: &str = "WARDROOM_ENTRY_";

/// Starts the program that an entry names under a guard, as an agent would start it: with the input and the output of the
/// child.
pub(super) fn start_supervised(program: &Path, found: &InstalledEntry) -> Result<(Child, SupervisorLink), String> {
    let failed = |error: io::Error| format!("cannot be tried: {error}");
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    let itself = ambient::current_exe().map_err(|error| format!("cannot be tried: {error}"))?;
    #[expect(clippy::disallowed_methods, reason = "this program, for one that a person asks about")]
    let child = Command::new(itself)
        .arg("guard")
        .arg(program)
        .args(&found.launch.args)
        .envs(found.environment.iter().map(|(name, value)| (format!("{ENTRY_VARIABLE_PREFIX}{name}"), value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(OwnedFd::from(theirs))
        // What a terminal sends to the command's group ends the command, and so this one.
        .process_group(0)
        .spawn();
    Ok((child.map_err(failed)?, SupervisorLink(ours)))
}

impl SupervisorLink {
    /// What kept a guard that is over from starting its program, or the program from serving.
    pub(super) fn read_reason(self) -> String {
        let mut said = Vec::new();
        // What it has not said it does not say any more.
        let _ = self.0.take(MAX_REASON_BYTES).read_to_end(&mut said);
        String::from_utf8_lossy(&said).trim_end().to_owned()
    }
}

/// What the guard's process does. It leads a group, and its end is that of the group: when the program ends, and when the
/// command does.
pub(super) fn run(program: &str, args: &[String]) -> Result<(), CommandError> {
    if getpgrp() != getpid() {
        let hint = "wardroom agents status starts this process, and says what comes of it";
        return Err(CommandError::new("the guard does not lead its group of processes", hint));
    }
    #[expect(clippy::disallowed_methods, reason = "a person asks whether it starts, and no server is confined here")]
    let mut command = Command::new(program);
    for (name, value) in settings::env_variables_with_prefix(ENTRY_VARIABLE_PREFIX) {
        command.env_remove(format!("{ENTRY_VARIABLE_PREFIX}{name}")).env(name, value);
    }
    let started = command.args(args).stderr(Stdio::piped()).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            report::print_note(&format!("does not start: {error}"));
            return Ok(());
        }
    };
    let watcher = thread::Builder::new().name("line".to_owned()).spawn(|| {
        // Nothing is said there. It ends with the command.
        let _ = rustix::io::retry_on_intr(|| rustix::io::read(io::stderr(), &mut [0; 1]));
        kill_own_group();
    });
    if watcher.is_ok() {
        let complaints = child.stderr.take().map(read_failure_reason);
        let ended = child.wait();
        // What it started may hold the other end for longer.
        let said = complaints.and_then(|said| said.recv_timeout(STDERR_TIMEOUT).ok());
        if let (Ok(false), Some(said)) = (ended.map(|status| status.success()), said) {
            report::print_note(&said);
        }
    }
    kill_own_group();
    Ok(())
}

/// What of a reason is told, in bytes.
const MAX_REASON_BYTES: u64 = 1024;
/// What is looked at of what a program complains about, in bytes.
const MAX_STDERR_BYTES: u64 = 16 * 1024;
/// How long the last words of a program that is over are waited for.
const STDERR_TIMEOUT: Duration = Duration::from_millis(200);

/// The reason that a program gives for its end, in the form that ours has: what follows `error: `, and the hint.
fn read_failure_reason(stderr: ChildStderr) -> Receiver<String> {
    let (sender, receiver) = channel();
    let read = move || {
        let (mut said, mut stderr) = (String::new(), BufReader::new(stderr));
        for line in stderr.by_ref().take(MAX_STDERR_BYTES).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            let is_reason = line.starts_with("error: ") || line.starts_with("hint: ");
            if is_reason && said.len() < MAX_REASON_BYTES as usize {
                said += if said.is_empty() { "" } else { "; " };
                said += line.trim_end();
            }
        }
        // Nobody waits when the time is over.
        drop(sender.send(said));
        // It may complain on.
        drop(io::copy(&mut stderr, &mut io::sink()));
    };
    // Without a thread there is no reason.
    drop(thread::Builder::new().name("complaints".to_owned()).spawn(read));
    receiver
}

/// This process's, too.
fn kill_own_group() {
    let _ = kill_current_process_group(Signal::KILL);
}
