//! A probe of our server with the arguments of an agent's entry: starts it like the agent, completes the handshake, and
//! ends it.
//!
//! Owns: what of an entry takes part: the arguments that choose what is served, and the variables that a server reads.
//! Never: starts a program other than this one, passes on a variable of the linker or the name of a log file, waits
//! without a timeout, or leaves a process running.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde_json::{Value, json};

use super::args::GlobalArgs;
use crate::assemble::settings;
use crate::limits::{HANDSHAKE_TIMEOUT, MAX_HANDSHAKE_OUTPUT_BYTES};
use wardroom_agents::InstalledEntry;
use wardroom_appdir::ambient;
use wardroom_base::payload::escape_and_truncate;
use wardroom_process::limits::CHILD_EXIT_TIMEOUT;

/// The variables that choose what a server serves. No other variable of an entry or of this process is set.
pub(super) const SERVER_VARIABLES: &[&str] =
    &["ALC_HOME", "ALC_LOG_DIR", "ALC_PACKAGES_PATH", "ALC_PROJECT_ROOT", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];
/// The variables among them that every program of a person has.
pub(super) const COMMON_VARIABLES: &[&str] = &["HOME"];

/// Starts this program as the server of an entry, completes the handshake, and returns the server's name. What the entry
/// does not set of `inherited` has its value of this process.
///
/// # Errors
/// Why an agent could not use it, in a few words.
pub(super) fn handshake(
    global: &GlobalArgs,
    entry: &InstalledEntry,
    inherited: &[&'static str],
) -> Result<String, String> {
    let mut child = start_server(global, entry, inherited).map_err(|error| format!("cannot be tried: {error}"))?;
    let complaints = child.stderr.take().map(read_failure_reason);
    let greeted = initialize(&mut child);
    stop_child(&mut child);
    greeted.map_err(|failure| {
        let reason = complaints.and_then(|receiver| receiver.recv_timeout(STDERR_TIMEOUT).ok());
        reason.filter(|reason| !reason.is_empty()).unwrap_or(failure)
    })
}

fn start_server(global: &GlobalArgs, entry: &InstalledEntry, inherited: &[&'static str]) -> io::Result<Child> {
    // The running program itself, even when its file was replaced meanwhile.
    let itself = if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        ambient::current_exe().map_err(io::Error::other)?
    };
    let variables = SERVER_VARIABLES.iter().filter_map(|name| {
        let own = || settings::env_variable(name).filter(|_| inherited.contains(name));
        Some((*name, entry.environment.get(*name).map(OsString::from).or_else(own)?))
    });
    #[expect(clippy::disallowed_methods, reason = "this program, which a person asks about")]
    Command::new(itself)
        .args(server_args(global))
        .env_clear()
        .envs(variables)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Terminal signals end the command; the server ends with its input.
        .process_group(0)
        .spawn()
}

/// Returns the arguments of an entry that choose what is served.
fn server_args(global: &GlobalArgs) -> Vec<OsString> {
    let GlobalArgs {
        appdir,
        config,
        project,
        services,
        registry,
        blog,
        read_only,
        log_file: _,
        log_format: _,
        no_pager: _,
    } = global;
    let mut args = Vec::new();
    let paths = [
        ("--appdir", appdir),
        ("--config", config),
        ("--project", project),
        ("--registry", registry),
        ("--blog", blog),
    ];
    for (name, path) in paths {
        args.extend(path.iter().flat_map(|path| [OsString::from(name), path.into()]));
    }
    args.extend(services.iter().flat_map(|service| [OsString::from("--service"), service.into()]));
    if *read_only {
        args.push("--read-only".into());
    }
    args.push("serve".into());
    args
}

fn initialize(child: &mut Child) -> Result<String, String> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("has no standard input and output".to_owned());
    };
    let request = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "wardroom agents status", "version": env!("CARGO_PKG_VERSION")},
        },
    });
    let (sender, receiver) = channel();
    let reader = move || {
        // After the timeout the receiver is gone.
        drop(sender.send(read_server_name(BufReader::new(output.take(MAX_HANDSHAKE_OUTPUT_BYTES)))));
    };
    thread::Builder::new().name("greeting".to_owned()).spawn(reader).map_err(|error| error.to_string())?;
    let greeted = writeln!(input, "{request}").and_then(|()| input.flush());
    // If the program has exited, its output has ended, too, and the reason is reported below.
    let name = match receiver.recv_timeout(HANDSHAKE_TIMEOUT) {
        Ok(name) => name?,
        Err(_) => return Err(format!("does not answer within {} s", HANDSHAKE_TIMEOUT.as_secs())),
    };
    greeted.map_err(|error| format!("does not listen: {error}"))?;
    let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    // If this fails, the end of input that follows has the same meaning.
    drop(writeln!(input, "{done}"));
    Ok(name)
}

/// Reads the first response. Notifications may precede it, and log lines that a program writes to the wrong stream.
fn read_server_name(output: impl BufRead) -> Result<String, String> {
    for line in output.lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        if message.get("id") != Some(&json!(1)) {
            continue;
        }
        let Some(server) = message.pointer("/result/serverInfo") else {
            let reason = message.pointer("/error/message").and_then(Value::as_str).unwrap_or("no reason given");
            return Err(format!("refuses the handshake: {}", escape_and_truncate(reason)));
        };
        let part = |name: &str| server.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        return Ok(escape_and_truncate(format!("{} {}", part("name"), part("version")).trim()));
    }
    Err("ends without an answer".to_owned())
}

/// Waits until the child, whose input was closed, exits, and then kills its group.
fn stop_child(child: &mut Child) {
    const POLL_INTERVAL: Duration = Duration::from_millis(10);
    let deadline = Instant::now() + CHILD_EXIT_TIMEOUT;
    while Instant::now() < deadline && !has_exited(child) {
        thread::sleep(POLL_INTERVAL);
    }
    // Kills the child if it still runs, and its children.
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // The group has usually exited already.
        let _ = kill_process_group(group, Signal::KILL);
    }
    drop(child.kill());
    drop(child.wait());
}

/// Whether the child has exited, without reaping it: afterwards another process could get its id and group id.
fn has_exited(child: &Child) -> bool {
    let Some(own) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return true };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(own), options), Ok(None))
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
