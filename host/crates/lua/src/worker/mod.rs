//! A worker's process: a copy of the spawner's, with its socket as standard input.
//!
//! Owns: one Lua state for a strategy's run, which its parent created before the run was known; or, for a namespace of handlers, one for
//! each call, created after the previous call was answered.
//! Gives: requests, notifications and the end of the run, as frames.
//! Never: outlives the spawner or its socket, opens a file, or reads a clock.

mod handler_vm;
mod native;
mod os_time;
mod parent;
mod socket;
mod strategy_vm;

use std::io;
use std::rc::Rc;
use std::thread;

use rustix::process::Pid;
use serde_json::{Map, Value};

use self::handler_vm::{Bytecode, HandlerVm};
use self::socket::WorkerSocket;
use self::strategy_vm::StrategyVm;
use super::protocol::{EntryPoint, HandlerRequest, MessageToServer, MessageToWorker, StrategyRequest};
use crate::limits::MAX_SCRIPT_ERROR_BYTES;
use wardroom_process::ipc::{FrameBuffer, append_frame};

/// The part of a worker that does not depend on its run. A process that has it can be copied.
pub(crate) struct PreparedWorker {
    socket: Rc<WorkerSocket>,
    state: StrategyVm,
}

impl PreparedWorker {
    /// Creates a Lua state whose effects go through standard input, and has it run an empty script.
    pub(crate) fn new() -> io::Result<Self> {
        wardroom_base::json_schema::init_regex_pool_capacity();
        let socket = Rc::new(WorkerSocket::new(io::stdin()));
        let state =
            StrategyVm::new(Rc::clone(&socket) as Rc<_>).map_err(|error| io::Error::other(error.to_string()))?;
        warm_up_vm(&state)?;
        Ok(Self { socket, state })
    }
}

/// Runs one strategy, or serves the calls of one namespace, as requested on standard input.
///
/// # Errors
/// When standard input is no such socket, or `confine` fails, which removes every right that a Lua state does not need.
pub(crate) fn run(prepared: PreparedWorker, spawner: Pid, confine: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    if !parent::die_with_parent(spawner)? {
        return Ok(());
    }
    confine()?;
    let PreparedWorker { socket, state } = prepared;
    // The memory of a copy is not its own before it is written, and its code is not mapped before it runs: that happens now,
    // while no run waits.
    warm_up_vm(&state)?;
    match socket.receive() {
        MessageToWorker::Start(start) => {
            let end = state.run(&start);
            // Freeing the state would only delay the end of the process.
            std::mem::forget(state);
            send_outcome(&socket, &end)?;
            // Ending a process takes a while. The server reports the result first, and then kills this process.
            socket.wait_for_disconnect();
            Ok(())
        }
        MessageToWorker::Call(call) => {
            drop(state);
            serve_calls(&socket, call)
        }
        _ => socket::exit_process(),
    }
}

/// Serves calls until the socket ends. Each call has a fresh Lua state.
fn serve_calls(socket: &Rc<WorkerSocket>, mut call: HandlerRequest) -> io::Result<()> {
    let io_error = |error: mlua::Error| io::Error::other(error.to_string());
    let bytecode = Rc::new(Bytecode::new().map_err(io_error)?);
    let mut handler = HandlerVm::new(&(Rc::clone(socket) as Rc<_>), &bytecode, &call.modules).map_err(io_error)?;
    loop {
        let end = handler.run_call(&call);
        send_outcome(socket, &end)?;
        if matches!(end, MessageToServer::Memory) {
            return Ok(());
        }
        // The answer is sent. On this worker's processor, those who wait for it come first.
        thread::yield_now();
        // The next call probably lists the same modules.
        drop(handler);
        handler = HandlerVm::new(&(Rc::clone(socket) as Rc<_>), &bytecode, &call.modules).map_err(io_error)?;
        call = match socket.receive() {
            MessageToWorker::Call(call) => call,
            _ => socket::exit_process(),
        };
    }
}

fn send_outcome(socket: &WorkerSocket, end: &MessageToServer) -> io::Result<()> {
    if let Err(error) = socket.send_outcome(end) {
        let message = match end {
            // The server shows no more of it.
            MessageToServer::Failed { message, .. } => message.chars().take(MAX_SCRIPT_ERROR_BYTES + 1).collect(),
            _ => format!("the result is {error}"),
        };
        socket.send_outcome(&MessageToServer::Failed { message, traceback: None }).map_err(io::Error::other)?;
    }
    Ok(())
}

/// Runs an empty script, so that the code of the real run is in memory. It leaves no trace that a script could see.
fn warm_up_vm(state: &StrategyVm) -> io::Result<()> {
    let entry = EntryPoint::Code { name: "code".to_owned(), source: "return 1".to_owned() };
    let start = StrategyRequest { entry, context: Value::Object(Map::new()).into(), seed: 0 };
    let mut bytes = Vec::new();
    append_frame(&mut bytes, &MessageToWorker::<_, ()>::Start(&start)).map_err(io::Error::other)?;
    match FrameBuffer::from_bytes(bytes).take_message::<MessageToWorker>() {
        Ok(Some(MessageToWorker::Start(start))) => {
            append_frame(&mut Vec::new(), &state.run(&start)).map_err(io::Error::other)
        }
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
