//! What a worker's own process does: `wardroom lua-worker`, with its socket as standard input.
//!
//! Owns: one Lua state for one run, made before the run is known; or, of a namespace of handlers, one for each call, made
//! when the call before it has its answer.
//! Gives: what the run asked, and how it ended, as frames.
//! Never: lives longer than the spawner or its socket, opens anything, or reads a clock.

mod handler;
mod parent;
mod socket;
mod state;
mod time;

use std::io;
use std::rc::Rc;

use serde_json::{Map, Value};

use self::handler::{Handler, Images};
use self::socket::Socket;
use self::state::State;
use super::frame::{Call, Entry, Start, ToServer, ToWorker};
use wardroom_process::frame::{Inbox, append};

/// Runs one script, or serves the calls of one namespace: what arrives on standard input.
///
/// # Errors
/// When standard input is no such socket, or `confine` fails, which takes away whatever a Lua state does not need.
pub fn run(parent: u32, confine: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    if !parent::tied_to(parent)? {
        return Ok(());
    }
    wardroom_base::json_schema::prepare();
    confine()?;
    let socket = Rc::new(Socket::new(io::stdin()));
    let state = State::new(Rc::clone(&socket) as Rc<_>).map_err(|error| io::Error::other(error.to_string()))?;
    rehearse(&state)?;
    match socket.receive() {
        ToWorker::Start(start) => {
            let end = state.run(&start);
            // The process is about to end: nothing is gained by freeing what it holds one by one.
            std::mem::forget(state);
            say(&socket, &end)?;
            // The end of a process takes a while, in which the server is to say what this one came to.
            socket.wait_for_end();
            Ok(())
        }
        ToWorker::Call(call) => {
            drop(state);
            serve(&socket, call)
        }
        _ => socket::end_process(),
    }
}

/// Serves calls until there are no more. Each finds a state that no other one was in.
fn serve(socket: &Rc<Socket>, mut call: Call) -> io::Result<()> {
    let words = |error: mlua::Error| io::Error::other(error.to_string());
    let images = Images::new().map_err(words)?;
    let mut handler = Handler::new(&(Rc::clone(socket) as Rc<_>), &images, &call.modules).map_err(words)?;
    loop {
        let end = handler.call(&call);
        say(socket, &end)?;
        if matches!(end, ToServer::Memory) {
            return Ok(());
        }
        // Somebody has the answer already. What the last call listed, the next one probably lists.
        drop(handler);
        handler = Handler::new(&(Rc::clone(socket) as Rc<_>), &images, &call.modules).map_err(words)?;
        call = match socket.receive() {
            ToWorker::Call(call) => call,
            _ => socket::end_process(),
        };
    }
}

fn say(socket: &Socket, end: &ToServer) -> io::Result<()> {
    if let Err(error) = socket.end(end) {
        let message = format!("the result is {error}");
        socket.end(&ToServer::Failed { message, traceback: None }).map_err(io::Error::other)?;
    }
    Ok(())
}

/// A run that does nothing, so that the real one finds in memory what it needs. It leaves nothing behind that a script
/// could see, and every worker has gone through the same one.
fn rehearse(state: &State) -> io::Result<()> {
    let entry = Entry::Code { name: "code".to_owned(), source: "return 1".to_owned() };
    let start = Start { entry, context: Value::Object(Map::new()), seed: 0 };
    let mut bytes = Vec::new();
    append(&mut bytes, &ToWorker::<_, ()>::Start(&start)).map_err(io::Error::other)?;
    match Inbox::of(bytes).take::<ToWorker>() {
        Ok(Some(ToWorker::Start(start))) => append(&mut Vec::new(), &state.run(&start)).map_err(io::Error::other),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
