//! `wardroom guard`, hidden: a process between a command and a program that it probes, which leaves nothing of the
//! program running when the command ends.
//!
//! Owns: the process group of the program and of itself. A parent death signal would reach the program alone, and only
//! on Linux.
//! Never: reads the program's standard input or output, which it inherits. Of its standard error only the reason of its
//! exit is reported.

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

/// The command's end of a socket whose other end is the supervisor's standard error; it closes when the command exits.
pub(super) struct SupervisorLink(UnixStream);

/// Prefix of the variables that an entry sets: they are for the program, not for the supervisor.
const ENTRY_VARIABLE_PREFIX: &str = "WARDROOM_ENTRY_";

/// Starts the program of an entry under a supervisor. Its standard input and output are those of the returned child.
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
        // Terminal signals end the command's group, and the supervisor ends when the command does.
        .process_group(0)
        .spawn();
    Ok((child.map_err(failed)?, SupervisorLink(ours)))
}

impl SupervisorLink {
    /// The reason why the program did not start, or did not serve. The supervisor has exited.
    pub(super) fn read_reason(self) -> String {
        let mut reason = Vec::new();
        // An incomplete reason is returned as it is.
        let _ = self.0.take(MAX_REASON_BYTES).read_to_end(&mut reason);
        String::from_utf8_lossy(&reason).trim_end().to_owned()
    }
}

/// Runs the supervisor. It leads a process group, and kills the group when the program exits or the command does.
pub(super) fn run(program: &str, args: &[String]) -> Result<(), CommandError> {
    if getpgrp() != getpid() {
        let hint = "run wardroom agents status, which starts this process and shows the result";
        return Err(CommandError::new("the guard is not the leader of its process group", hint));
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
        // The command writes nothing to it; the read returns when the command exits.
        let _ = rustix::io::retry_on_intr(|| rustix::io::read(io::stderr(), &mut [0; 1]));
        kill_own_group();
    });
    if watcher.is_ok() {
        let complaints = child.stderr.take().map(read_failure_reason);
        let ended = child.wait();
        // Children of the program may keep its standard error open.
        let reason = complaints.and_then(|receiver| receiver.recv_timeout(STDERR_TIMEOUT).ok());
        if let (Ok(false), Some(reason)) = (ended.map(|status| status.success()), reason) {
            report::print_note(&reason);
        }
    }
    kill_own_group();
    Ok(())
}

/// Longest reason that is reported, in bytes.
const MAX_REASON_BYTES: u64 = 1024;
/// Standard error that is searched for a reason, in bytes.
const MAX_STDERR_BYTES: u64 = 16 * 1024;
/// Time for which the standard error of an exited program is read.
const STDERR_TIMEOUT: Duration = Duration::from_millis(200);

/// Reads the reason that a program gives for its exit, in the form of our errors: the text after `error: `, and the
/// hint.
fn read_failure_reason(stderr: ChildStderr) -> Receiver<String> {
    let (sender, receiver) = channel();
    let read = move || {
        let (mut reason, mut stderr) = (String::new(), BufReader::new(stderr));
        for line in stderr.by_ref().take(MAX_STDERR_BYTES).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            let is_reason = line.starts_with("error: ") || line.starts_with("hint: ");
            if is_reason && reason.len() < MAX_REASON_BYTES as usize {
                reason += if reason.is_empty() { "" } else { "; " };
                reason += line.trim_end();
            }
        }
        // After the timeout the receiver is gone.
        drop(sender.send(reason));
        // Drains the rest, so that the program does not block.
        drop(io::copy(&mut stderr, &mut io::sink()));
    };
    // Without a thread the reason is missing.
    drop(thread::Builder::new().name("complaints".to_owned()).spawn(read));
    receiver
}

/// Kills the process group, including this process.
fn kill_own_group() {
    let _ = kill_current_process_group(Signal::KILL);
}
