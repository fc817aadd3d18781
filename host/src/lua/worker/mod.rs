//! What a worker's own process does: `wardroom lua-worker`, with its socket as standard input.
//!
//! Owns: one Lua state for one run, made before the run is known.
//! Gives: what the run asked, and how it ended, as frames.
//! Never: lives longer than the spawner or its socket, opens anything, or reads a clock.

mod parent;
mod socket;
mod state;
mod time;

use std::io;
use std::rc::Rc;

use self::socket::Socket;
use self::state::State;
use super::frame::{ToServer, ToWorker};

/// Runs one script: the one that arrives on standard input.
///
/// # Errors
/// When standard input is no such socket, or `confine` fails, which takes away whatever a Lua state does not need.
pub fn run(parent: u32, confine: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    if !parent::tied_to(parent)? {
        return Ok(());
    }
    confine()?;
    let socket = Rc::new(Socket::new(io::stdin()));
    let state = State::new(Rc::clone(&socket) as Rc<_>).map_err(|error| io::Error::other(error.to_string()))?;
    let ToWorker::Start(start) = socket.receive() else {
        socket::end_process();
    };
    let end = state.run(&start);
    // The process is about to end: nothing is gained by freeing what it holds one by one.
    std::mem::forget(state);
    if let Err(error) = socket.end(&end) {
        let message = format!("the result is {error}");
        socket.end(&ToServer::Failed { message, traceback: None }).map_err(io::Error::other)?;
    }
    Ok(())
}
