//! A probe of an agent's server: starts it like the agent, completes the handshake, and ends it.
//!
//! Never: waits without a timeout, or leaves the program or its children running, however the probe itself ends:
//! `supervisor` ensures this.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::Child;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde_json::{Value, json};

use super::supervisor;
use crate::limits::{HANDSHAKE_TIMEOUT, MAX_HANDSHAKE_OUTPUT_BYTES};
use wardroom_agents::InstalledEntry;
use wardroom_agents::limits::CHILD_EXIT_TIMEOUT;
use wardroom_base::payload::escape_and_truncate;

/// Starts the program of an entry, completes the handshake, and returns the server's name.
///
/// # Errors
/// Why an agent could not use it, in a few words.
pub(super) fn handshake(program: &Path, found: &InstalledEntry) -> Result<String, String> {
    let (mut child, line) = supervisor::start_supervised(program, found)?;
    let greeted = initialize(&mut child);
    stop_child(&mut child);
    let said = line.read_reason();
    greeted.map_err(|reason| if said.is_empty() { reason } else { said })
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
    let (sender, receiver) = mpsc::channel();
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
