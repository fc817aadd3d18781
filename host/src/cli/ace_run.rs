//! `wardroom ace run`: runs a build, a test or a lint, and records what it printed.
//!
//! Owns: the command's process: its output is shown as it comes, and its exit code is that of this command.
//! Never: uses a shell, changes a byte of the output, or fails a command because its trace could not be recorded.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{ace, changed_files};
use crate::assemble;
use crate::assemble::settings::{self, Settings};
use crate::limits::{MAX_CAPTURED_OUTPUT_BYTES, MAX_COMMAND_TIME};
use crate::report::{self, CommandError};
use wardroom_ace::{errors_in_output, last_failure};

/// The task that agents and hooks name for all commands.
pub(super) const TASK_VARIABLE: &str = "ACE_CURRENT_BEAD";
/// The task of commands without one.
pub(super) const NO_TASK: &str = "unassigned";
/// The exit code after the time of a command is over, as that of `timeout`.
const TIMED_OUT: u8 = 124;

/// What is run, and for which task.
pub(super) struct RunRequest {
    pub(super) bead: Option<String>,
    pub(super) timeout: Option<u64>,
    pub(super) command: Vec<String>,
}

pub(super) fn run(settings: &Settings, request: &RunRequest) -> Result<ExitCode, CommandError> {
    // The arguments of this command have one at least.
    let program = request.command.first().map(String::as_str).unwrap_or_default();
    let arguments = request.command.get(1..).unwrap_or_default();
    let limit = request.timeout.map_or(MAX_COMMAND_TIME, Duration::from_secs);
    let changed = changed_since_failure(settings, request);
    let (status, output) = run_command(program, arguments, limit)?;
    let exit_code = match &status {
        Some(status) => exit_code_of(*status),
        None => {
            report::print_note(&format!(
                "the command was ended after {} s: give it more with --timeout",
                limit.as_secs()
            ));
            TIMED_OUT
        }
    };
    if let Err(error) = record(settings, request, exit_code == 0, &output, changed) {
        report::print_note(&format!("no trace was recorded: {error}\nhint: {}", error.hint()));
    }
    Ok(ExitCode::from(exit_code))
}

/// Runs a command to its end; `None` where its time was over.
fn run_command(
    program: &str,
    arguments: &[String],
    limit: Duration,
) -> Result<(Option<ExitStatus>, String), CommandError> {
    #[expect(clippy::disallowed_methods, reason = "the command that the person named")]
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::inherit()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| {
        let hint = "name a program as a shell would find it; for pipes and variables, name a script";
        CommandError::with_cause(format!("cannot run {}", report::escape_name(program)), error, hint)
    })?;
    let captured = Arc::new(Mutex::new(CapturedOutput::default()));
    let (of_stdout, of_stderr) = (Arc::clone(&captured), Arc::clone(&captured));
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let readers = [
        thread::spawn(move || stdout.map(|from| pass_on(from, io::stdout(), &of_stdout))),
        thread::spawn(move || stderr.map(|from| pass_on(from, io::stderr(), &of_stderr))),
    ];
    let status = wait(&mut child, limit).map_err(|error| {
        CommandError::with_cause("cannot wait for the command", error, "run it again without `wardroom ace run`")
    })?;
    // What a command that was ended has started may hold its output open for good.
    if status.is_some() {
        readers.into_iter().for_each(|reader| drop(reader.join()));
    }
    let output = std::mem::take(&mut *captured.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((status, output.into_text()))
}

/// Waits for a command, and ends it when its time is over.
fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    const STEP: Duration = Duration::from_millis(20);
    let started = Instant::now();
    while started.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(STEP);
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// Writes what a command prints to where it would have gone, and keeps it.
fn pass_on(mut from: impl Read, mut to: impl Write, captured: &Mutex<CapturedOutput>) {
    let mut buffer = [0; 16 * 1024];
    loop {
        let n_read = match from.read(&mut buffer) {
            Ok(0) => return,
            Ok(n_read) => n_read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let piece = buffer.get(..n_read).unwrap_or_default();
        captured.lock().unwrap_or_else(PoisonError::into_inner).add(piece);
        // A closed terminal keeps no command from its end.
        drop(to.write_all(piece).and_then(|()| to.flush()));
    }
}

/// The beginning and the end of an output.
#[derive(Default)]
struct CapturedOutput {
    start: Vec<u8>,
    end: VecDeque<u8>,
}

impl CapturedOutput {
    fn add(&mut self, piece: &[u8]) {
        let room = (MAX_CAPTURED_OUTPUT_BYTES / 2).saturating_sub(self.start.len());
        let (first, rest) = piece.split_at(room.min(piece.len()));
        self.start.extend_from_slice(first);
        self.end.extend(rest);
        let excess = self.end.len().saturating_sub(MAX_CAPTURED_OUTPUT_BYTES / 2);
        self.end.drain(..excess);
    }

    fn into_text(self) -> String {
        let Self { mut start, end } = self;
        if !end.is_empty() {
            start.push(b'\n');
        }
        start.extend(end);
        String::from_utf8_lossy(&start).into_owned()
    }
}

/// Returns the files that changed since the command failed in the same task; `None` if it did not, or there is no log.
fn changed_since_failure(settings: &Settings, request: &RunRequest) -> Option<Vec<String>> {
    let (places, root) = assemble::learning_places(settings).ok()?;
    let failed_at = last_failure(&places, &request.task(), &request.command.join(" "))?;
    changed_files::find(&root, failed_at)
}

impl RunRequest {
    fn task(&self) -> String {
        let of_environment = || settings::env_variable(TASK_VARIABLE)?.into_string().ok();
        self.bead.clone().or_else(of_environment).unwrap_or_else(|| NO_TASK.to_owned())
    }
}

fn record(
    settings: &Settings,
    request: &RunRequest,
    has_passed: bool,
    output: &str,
    changed: Option<Vec<String>>,
) -> Result<(), CommandError> {
    let program = request.command.first().map(String::as_str).unwrap_or_default();
    let runner = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or(program);
    // A command that passed may warn, and fails nothing by it.
    let errors: Vec<Value> = errors_in_output(output);
    let mut execution = json!({
        "runner": runner,
        "command": request.command.join(" "),
        "status": if has_passed { "pass" } else { "fail" },
        "errors": errors,
    });
    if has_passed {
        ace::set(&mut execution, "changedFiles", changed);
    }
    let arguments = json!({"beadId": request.task(), "executions": [execution]});
    ace::call(settings, "ace_capture_trace", arguments).map(drop)
}

/// Returns the exit code of a command, as a shell gives it.
fn exit_code_of(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
