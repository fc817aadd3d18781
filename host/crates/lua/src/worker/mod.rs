//! What a worker's own process does: `wardroom lua-worker`, with its socket as standard input.
//!
//! Owns: one Lua state for one run, made before the run is known; or, of a namespace of handlers, one for each call, made
//! when the call before it has its answer.
//! Gives: what the run asked, and how it ended, as frames.
//! Never: lives longer than the spawner or its socket, opens anything, or reads a clock.

mod handler_vm;
mod os_time;
mod parent;
mod socket;
mod strategy_vm;

use std::io;
use std::rc::Rc;

use serde_json::{Map, Value};

use self::handler_vm::{Bytecode, HandlerVm};
use self::socket::WorkerSocket;
use self::strategy_vm::StrategyVm;
use super::protocol::{EntryPoint, HandlerRequest, MessageToServer, MessageToWorker, StrategyRequest};
use wardroom_process::ipc::{FrameBuffer, append_frame};

/// Runs one script, or serves the calls of one namespace: what arrives on standard input.
///
/// # Errors
/// When standard input is no such socket, or `confine` fails, which takes away whatever a Lua state does not need.
pub fn run(parent: u32, confine: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    if !parent::die_with_parent(parent)? {
        return Ok(());
    }
    wardroom_base::json_schema::init_regex_pool_capacity();
    confine()?;
    let socket = Rc::new(WorkerSocket::new(io::stdin()));
    let state = StrategyVm::new(Rc::clone(&socket) as Rc<_>).map_err(|error| io::Error::other(error.to_string()))?;
    warm_up_vm(&state)?;
    match socket.receive() {
        MessageToWorker::Start(start) => {
            let end = state.run(&start);
            // The process is about to end: nothing is gained by freeing what it holds one by one.
            std::mem::forget(state);
            send_outcome(&socket, &end)?;
            // The end of a process takes a while, in which the server is to say what this one came to.
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

/// Serves calls until there are no more. Each finds a state that no other one was in.
fn serve_calls(socket: &Rc<WorkerSocket>, mut call: HandlerRequest) -> io::Result<()> {
    let words = |error: mlua::Error| io::Error::other(error.to_string());
    let images = Bytecode::new().map_err(words)?;
    let mut handler = HandlerVm::new(&(Rc::clone(socket) as Rc<_>), &images, &call.modules).map_err(words)?;
    loop {
        let end = handler.run_call(&call);
        send_outcome(socket, &end)?;
        if matches!(end, MessageToServer::Memory) {
            return Ok(());
        }
        // Somebody has the answer already. What the last call listed, the next one probably lists.
        drop(handler);
        handler = HandlerVm::new(&(Rc::clone(socket) as Rc<_>), &images, &call.modules).map_err(words)?;
        call = match socket.receive() {
            MessageToWorker::Call(call) => call,
            _ => socket::exit_process(),
        };
    }
}

fn send_outcome(socket: &WorkerSocket, end: &MessageToServer) -> io::Result<()> {
    if let Err(error) = socket.send_outcome(end) {
        let message = format!("the result is {error}");
        socket.send_outcome(&MessageToServer::Failed { message, traceback: None }).map_err(io::Error::other)?;
    }
    Ok(())
}

/// A run that does nothing, so that the real one finds in memory what it needs. It leaves nothing behind that a script
/// could see, and every worker has gone through the same one.
fn warm_up_vm(state: &StrategyVm) -> io::Result<()> {
    let entry = EntryPoint::Code { name: "code".to_owned(), source: "return 1".to_owned() };
    let start = StrategyRequest { entry, context: Value::Object(Map::new()), seed: 0 };
    let mut bytes = Vec::new();
    append_frame(&mut bytes, &MessageToWorker::<_, ()>::Start(&start)).map_err(io::Error::other)?;
    match FrameBuffer::from_bytes(bytes).take_message::<MessageToWorker>() {
        Ok(Some(MessageToWorker::Start(start))) => {
            append_frame(&mut Vec::new(), &state.run(&start)).map_err(io::Error::other)
        }
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
