//! `wardroom ace run`: runs a build, a test or a lint, and records what it printed.
//!
//! Owns: the command's process: its output is shown as it comes, and its exit code is that of this command. Signals are the
//! command's to handle.
//! Never: uses a shell, changes a byte of the output, or fails a command because its trace could not be recorded.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{ace, changed_files};
use crate::assemble;
use crate::assemble::settings::{self, Settings};
use crate::limits::{COMMAND_END_TIMEOUT, MAX_CAPTURED_OUTPUT_BYTES, MAX_COMMAND_TIME, MAX_OUTPUT_DELAY};
use crate::report::{self, CommandError};
use wardroom_ace::{errors_in_output, last_failure};
use wardroom_appdir::ambient;

/// The task that agents and hooks name for all commands.
pub(super) const TASK_VARIABLE: &str = "ACE_CURRENT_BEAD";
/// The task of commands without one.
pub(super) const NO_TASK: &str = "unassigned";
/// The exit code after the time of a command is over, as that of `timeout`.
const TIMED_OUT: u8 = 124;
/// The exit codes of a shell for programs that cannot be started.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;
/// How often a command is looked at.
const STEP: Duration = Duration::from_millis(20);

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
    let (status, output) = match run_command(program, arguments, limit) {
        Err(CommandFailure::NotStarted(error, exit_code)) => {
            report::print_error(&error);
            return Ok(ExitCode::from(exit_code));
        }
        Err(CommandFailure::Other(error)) => return Err(error),
        Ok(ran) => ran,
    };
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

/// Why a command did not run to its end.
enum CommandFailure {
    /// With the exit code that a shell gives.
    NotStarted(CommandError, u8),
    Other(CommandError),
}

/// Runs a command to its end; `None` where its time was over.
fn run_command(
    program: &str,
    arguments: &[String],
    limit: Duration,
) -> Result<(Option<ExitStatus>, String), CommandFailure> {
    let signals = ForwardedSignals::new().map_err(|error| CommandFailure::Other(cannot_wait(error)))?;
    #[expect(clippy::disallowed_methods, reason = "the command that the person named")]
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::inherit()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| {
        let hint = "name a program as a shell would find it; for pipes and variables, name a script";
        let exit_code = if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
        let what = format!("cannot run {}", report::escape_name(program));
        CommandFailure::NotStarted(CommandError::with_cause(what, error, hint), exit_code)
    })?;
    let captured = Arc::new(Mutex::new(CapturedOutput::default()));
    let (of_stdout, of_stderr) = (Arc::clone(&captured), Arc::clone(&captured));
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let readers = [
        thread::spawn(move || stdout.map(|from| pass_on(from, io::stdout(), &of_stdout))),
        thread::spawn(move || stderr.map(|from| pass_on(from, io::stderr(), &of_stderr))),
    ];
    let status = wait(&mut child, limit, &signals).map_err(|error| CommandFailure::Other(cannot_wait(error)))?;
    // What the command started may hold its output open for good.
    let deadline = Instant::now() + MAX_OUTPUT_DELAY;
    while !readers.iter().all(thread::JoinHandle::is_finished) && Instant::now() < deadline {
        thread::sleep(STEP);
    }
    let output = std::mem::take(&mut *captured.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((status, output.into_text()))
}

fn cannot_wait(error: io::Error) -> CommandError {
    CommandError::with_cause("cannot wait for the command", error, "run it again without `wardroom ace run`")
}

/// The signals by which a command is ended. A terminal sends its own to the command as well; what is sent to this process
/// alone is passed on.
struct ForwardedSignals {
    terminate: Arc<AtomicBool>,
}

impl ForwardedSignals {
    fn new() -> io::Result<Self> {
        let (terminate, interrupt) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&terminate))?;
        // This process waits for what the command makes of it.
        signal_hook::flag::register(signal_hook::consts::SIGINT, interrupt)?;
        Ok(Self { terminate })
    }

    fn pass_on(&self, child: &Child) {
        if self.terminate.swap(false, Ordering::Relaxed) {
            let _ = kill_process(Pid::from_child(child), Signal::TERM);
        }
    }
}

/// Waits for a command, and ends it when its time is over.
fn wait(child: &mut Child, limit: Duration, signals: &ForwardedSignals) -> io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    while started.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        signals.pass_on(child);
        thread::sleep(STEP);
    }
    // It may end what it started itself.
    let _ = kill_process(Pid::from_child(child), Signal::TERM);
    let deadline = Instant::now() + COMMAND_END_TIMEOUT;
    while Instant::now() < deadline {
        if child.try_wait()?.is_some() {
            return Ok(None);
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
        // Where the reader is gone, the command learns of it by its next write, as in a pipe of a shell.
        if to.write_all(piece).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

/// The beginning and the end of an output.
#[derive(Default)]
struct CapturedOutput {
    start: Vec<u8>,
    end: VecDeque<u8>,
    /// Whether something between the two is missing.
    is_cut: bool,
}

impl CapturedOutput {
    fn add(&mut self, piece: &[u8]) {
        let room = (MAX_CAPTURED_OUTPUT_BYTES / 2).saturating_sub(self.start.len());
        let (first, rest) = piece.split_at(room.min(piece.len()));
        self.start.extend_from_slice(first);
        self.end.extend(rest);
        let excess = self.end.len().saturating_sub(MAX_CAPTURED_OUTPUT_BYTES / 2);
        self.is_cut |= excess > 0;
        self.end.drain(..excess);
    }

    fn into_text(self) -> String {
        let Self { mut start, end, is_cut } = self;
        if is_cut {
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
    let root = ambient::working_dir().map_or(root.clone(), |here| changed_files::searched_folder(&here, &root));
    // A lesson that was learned meanwhile is in the playbook, and fixed nothing.
    let own = assemble::playbook_path(settings).into_iter().chain([settings.app_dir.path.clone()]);
    let canonical = |path: PathBuf| ambient::canonicalize(&path).unwrap_or(path);
    changed_files::find(&canonical(root), own.map(canonical).collect(), failed_at)
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
