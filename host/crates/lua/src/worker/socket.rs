//! The worker's socket, through which every effect of a script goes.
//!
//! Owns: what was posted and not written yet. Posts wait for the next request, for the end, or for a full buffer, so that a
//! thousand of them take a few system calls; a log line or a sign of progress goes out at once, since somebody may be
//! watching, and a script that never ends would take them along.
//! Never: goes on after its end: nobody would hear of it.

use std::cell::RefCell;
use std::io::Stdin;
use std::os::fd::AsFd as _;

use serde_json::Value;

use crate::Host;
use crate::frame::{ToServer, ToWorker};
use wardroom_base::limits::POSTED_BYTES;
use wardroom_process::frame::{FrameError, Inbox, append};

pub(super) struct Socket {
    /// Only its descriptor: everything goes past its buffer.
    socket: Stdin,
    inbox: RefCell<Inbox>,
    posted: RefCell<Vec<u8>>,
}

impl Socket {
    pub(super) fn new(socket: Stdin) -> Self {
        Self { socket, inbox: RefCell::default(), posted: RefCell::default() }
    }

    /// Says how the run ended.
    pub(super) fn end(&self, message: &ToServer) -> Result<(), FrameError> {
        append(&mut self.posted.borrow_mut(), message)?;
        self.flush();
        Ok(())
    }

    /// Waits for the server's next message.
    pub(super) fn receive(&self) -> ToWorker {
        let mut inbox = self.inbox.borrow_mut();
        loop {
            match inbox.take() {
                Ok(Some(message)) => return message,
                Ok(None) => {}
                Err(_) => end_process(),
            }
            if !matches!(inbox.fill(self.socket.as_fd()), Ok(1..)) {
                end_process();
            }
        }
    }

    /// Waits until the server wants nothing more.
    pub(super) fn wait_for_end(&self) {
        let mut ignored = [0; 64];
        while matches!(rustix::io::retry_on_intr(|| rustix::io::read(&self.socket, &mut ignored)), Ok(1..)) {}
    }

    fn flush(&self) {
        let posted = std::mem::take(&mut *self.posted.borrow_mut());
        let mut left = posted.as_slice();
        while !left.is_empty() {
            match rustix::io::retry_on_intr(|| rustix::io::write(&self.socket, left)) {
                Ok(written) => left = left.get(written..).unwrap_or_default(),
                Err(_) => end_process(),
            }
        }
    }
}

/// Without the server there is nobody to work for, and a script must not be able to catch that.
#[expect(clippy::disallowed_methods, reason = "a worker has nothing to clean up")]
pub(super) fn end_process() -> ! {
    std::process::exit(1)
}

impl Host for Socket {
    fn ask(&self, operation: &str, arguments: Value) -> Result<Value, String> {
        let question = ToServer::Ask { operation: operation.to_owned(), arguments };
        append(&mut self.posted.borrow_mut(), &question)
            .map_err(|error| format!("{operation}: the request is {error}"))?;
        self.flush();
        match self.receive() {
            ToWorker::Answer(answer) => Ok(answer),
            ToWorker::Refused(message) => Err(message),
            ToWorker::Start(_) | ToWorker::Call(_) => end_process(),
        }
    }

    fn post(&self, operation: &str, arguments: Value) -> Result<(), String> {
        let is_watched = matches!(operation, "log" | "progress");
        let post = ToServer::Post { operation: operation.to_owned(), arguments };
        append(&mut self.posted.borrow_mut(), &post).map_err(|error| format!("{operation}: the request is {error}"))?;
        if is_watched || self.posted.borrow().len() >= POSTED_BYTES {
            self.flush();
        }
        Ok(())
    }
}
