//! The worker's socket, through which every effect of a script goes.
//!
//! Owns: the notifications that are not written yet. They wait for the next request, the end, or a full buffer, so that
//! a thousand of them take a few system calls. Logs and progress are written at once: a user may watch them, and a
//! script that never ends would never flush them.
//! Never: continues after the socket's end, which ends the process.

use std::cell::RefCell;
use std::io::Stdin;
use std::os::fd::AsFd as _;

use serde_json::Value;

use crate::ScriptHost;
use crate::limits::WORKER_SEND_BUFFER_BYTES;
use crate::protocol::{MessageToServer, MessageToWorker};
use wardroom_base::payload::Payload;
use wardroom_process::ipc::{FrameBuffer, FrameError, append_frame};

pub(super) struct WorkerSocket {
    /// Used for its descriptor only, without its buffer.
    socket: Stdin,
    inbox: RefCell<FrameBuffer>,
    outbox: RefCell<Vec<u8>>,
}

impl WorkerSocket {
    pub(super) fn new(socket: Stdin) -> Self {
        Self { socket, inbox: RefCell::default(), outbox: RefCell::default() }
    }

    /// Sends the end of the run or call.
    pub(super) fn send_outcome(&self, message: &MessageToServer) -> Result<(), FrameError> {
        append_frame(&mut self.outbox.borrow_mut(), message)?;
        self.flush();
        Ok(())
    }

    /// Waits for the server's next message.
    pub(super) fn receive(&self) -> MessageToWorker {
        let mut inbox = self.inbox.borrow_mut();
        loop {
            match inbox.take_message() {
                Ok(Some(message)) => return message,
                Ok(None) => {}
                Err(_) => exit_process(),
            }
            if !matches!(inbox.fill(self.socket.as_fd()), Ok(1..)) {
                exit_process();
            }
        }
    }

    /// Waits until the server closes the socket.
    pub(super) fn wait_for_disconnect(&self) {
        let mut ignored = [0; 64];
        while matches!(rustix::io::retry_on_intr(|| rustix::io::read(&self.socket, &mut ignored)), Ok(1..)) {}
    }

    fn flush(&self) {
        let outbox = std::mem::take(&mut *self.outbox.borrow_mut());
        let mut left = outbox.as_slice();
        while !left.is_empty() {
            match rustix::io::retry_on_intr(|| rustix::io::write(&self.socket, left)) {
                Ok(written) => left = left.get(written..).unwrap_or_default(),
                Err(_) => exit_process(),
            }
        }
    }
}

/// Ends the worker when the server is gone. A script must not be able to catch that.
#[expect(clippy::disallowed_methods, reason = "a worker has nothing to clean up")]
pub(super) fn exit_process() -> ! {
    std::process::exit(1)
}

impl ScriptHost for WorkerSocket {
    fn request(&self, operation: &str, arguments: Value) -> Result<Payload, String> {
        let request = MessageToServer::Request { operation: operation.to_owned(), arguments: arguments.into() };
        append_frame(&mut self.outbox.borrow_mut(), &request)
            .map_err(|error| format!("{operation}: the request is {error}"))?;
        self.flush();
        match self.receive() {
            MessageToWorker::Answer(answer) => Ok(answer),
            MessageToWorker::Refused(message) => Err(message),
            MessageToWorker::Start(_) | MessageToWorker::Call(_) => exit_process(),
        }
    }

    fn notify(&self, operation: &str, arguments: Value) -> Result<(), String> {
        let is_watched = matches!(operation, "log" | "progress");
        let notification = MessageToServer::Notify { operation: operation.to_owned(), arguments: arguments.into() };
        append_frame(&mut self.outbox.borrow_mut(), &notification)
            .map_err(|error| format!("{operation}: the request is {error}"))?;
        if is_watched || self.outbox.borrow().len() >= WORKER_SEND_BUFFER_BYTES {
            self.flush();
        }
        Ok(())
    }
}
