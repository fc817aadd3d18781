//! The helper processes' shared server: receives calls on the socket that is standard input, each on a thread of its
//! own, until the socket closes.
//!
//! Never: continues a call that the server cancelled.

use std::io::{self, PipeReader, PipeWriter, Stdin, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::helper::HelperStatus;
use wardroom_process::fd_passing;
use wardroom_process::ipc::{FrameBuffer, append_frame};

/// A received call.
pub(super) struct InboundCall {
    request_pipe: PipeReader,
    response_pipe: PipeWriter,
    inbox: FrameBuffer,
    /// The folder handle that was sent with the call.
    pub(super) folder: Option<OwnedFd>,
}

impl InboundCall {
    fn new(passed: Vec<OwnedFd>) -> Option<Self> {
        let mut passed = passed.into_iter();
        let (request_pipe, response_pipe) = (PipeReader::from(passed.next()?), PipeWriter::from(passed.next()?));
        Some(Self { request_pipe, response_pipe, inbox: FrameBuffer::default(), folder: passed.next() })
    }

    pub(super) fn read_message<T: DeserializeOwned>(&mut self) -> Option<T> {
        loop {
            match self.inbox.take_message() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => self.fill()?,
                Err(_) => return None,
            }
        }
    }

    pub(super) fn read_bytes(&mut self, length: usize) -> Option<Vec<u8>> {
        loop {
            match self.inbox.take_bytes(length) {
                Some(bytes) => return Some(bytes),
                None => self.fill()?,
            }
        }
    }

    fn fill(&mut self) -> Option<()> {
        matches!(self.inbox.fill(self.request_pipe.as_fd()), Ok(1..)).then_some(())
    }

    /// Writes the response. The server may have cancelled the call.
    pub(super) fn respond(&mut self, message: &impl Serialize, body: &[u8]) {
        let mut bytes = Vec::new();
        if append_frame(&mut bytes, message).is_ok() && self.response_pipe.write_all(&bytes).is_ok() {
            drop(self.response_pipe.write_all(body));
        }
    }
}

/// A call that the server still waits for.
struct RunningCall<S> {
    /// Its poll reports an error once the server closed the other end.
    response_pipe: PipeWriter,
    stop: S,
    thread: JoinHandle<()>,
}

/// Waits for the first message, which shows that the server is there, and returns the handle that was sent with it.
pub(super) fn receive_start(socket: &Stdin) -> io::Result<Option<OwnedFd>> {
    let mut byte = [0];
    let (received, passed) = fd_passing::recv_with_fds(socket, &mut byte)?;
    if received == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(passed.into_iter().next())
}

/// Serves calls until the socket closes. `begin` returns a call's work, which runs on a thread of its own, and the
/// function that stops it. Calls in progress at the end are stopped; the caller waits for their threads.
pub(super) fn serve_calls<S: FnOnce(), W: FnOnce(InboundCall) + Send + 'static>(
    socket: &Stdin,
    ready: &HelperStatus,
    begin: impl Fn() -> (W, S),
) -> io::Result<Vec<JoinHandle<()>>> {
    let mut frame = Vec::new();
    append_frame(&mut frame, ready).map_err(io::Error::other)?;
    fd_passing::send_with_fds(socket, &frame, &[])?;
    let mut running: Vec<RunningCall<S>> = Vec::new();
    loop {
        let mut waited = vec![PollFd::new(socket, PollFlags::IN)];
        waited.extend(running.iter().map(|call| PollFd::new(&call.response_pipe, PollFlags::empty())));
        rustix::io::retry_on_intr(|| rustix::event::poll(&mut waited, None))?;
        let mut happened = waited.iter().map(|end| !end.revents().is_empty());
        let is_called = happened.next() == Some(true);
        let left: Vec<bool> = happened.collect();
        drop(waited);
        let before = std::mem::take(&mut running);
        for (call, is_left) in before.into_iter().zip(left) {
            if is_left { (call.stop)() } else { running.push(call) }
        }
        if !is_called {
            continue;
        }
        let mut byte = [0];
        let (received, passed) = fd_passing::recv_with_fds(socket, &mut byte)?;
        if received == 0 {
            break;
        }
        // Without its pipes a call cannot be answered.
        let Some(job) = InboundCall::new(passed) else { continue };
        let (work, stop) = begin();
        let Ok(answer) = job.response_pipe.try_clone() else { continue };
        let spawned = thread::Builder::new().name("call".to_owned()).spawn(move || work(job));
        if let Ok(thread) = spawned {
            running.push(RunningCall { response_pipe: answer, stop, thread });
        }
    }
    let stopped = running.into_iter().map(|call| {
        (call.stop)();
        call.thread
    });
    Ok(stopped.collect())
}
