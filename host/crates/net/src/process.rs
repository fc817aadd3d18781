//! What the helpers' own processes have in common: calls that arrive on the socket that is standard input, each on a
//! thread of its own, until the socket ends.
//!
//! Never: goes on with a call that nobody waits for.

use std::io::{self, PipeReader, PipeWriter, Stdin, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::helper::Ready;
use wardroom_process::frame::{Inbox, append};
use wardroom_process::handles;

/// One call.
pub(super) struct Job {
    asked: PipeReader,
    answer: PipeWriter,
    inbox: Inbox,
    /// What came beside it.
    pub(super) folder: Option<OwnedFd>,
}

impl Job {
    fn new(passed: Vec<OwnedFd>) -> Option<Self> {
        let mut passed = passed.into_iter();
        let (asked, answer) = (PipeReader::from(passed.next()?), PipeWriter::from(passed.next()?));
        Some(Self { asked, answer, inbox: Inbox::default(), folder: passed.next() })
    }

    pub(super) fn message<T: DeserializeOwned>(&mut self) -> Option<T> {
        loop {
            match self.inbox.take() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => self.fill()?,
                Err(_) => return None,
            }
        }
    }

    pub(super) fn bytes(&mut self, length: usize) -> Option<Vec<u8>> {
        loop {
            match self.inbox.take_bytes(length) {
                Some(bytes) => return Some(bytes),
                None => self.fill()?,
            }
        }
    }

    fn fill(&mut self) -> Option<()> {
        matches!(self.inbox.fill(self.asked.as_fd()), Ok(1..)).then_some(())
    }

    /// Answers. Nobody may be there any more to take it.
    pub(super) fn answer(&mut self, message: &impl Serialize, body: &[u8]) {
        let mut bytes = Vec::new();
        if append(&mut bytes, message).is_ok() && self.answer.write_all(&bytes).is_ok() {
            drop(self.answer.write_all(body));
        }
    }
}

/// A call whose answer somebody waits for.
struct Running<S> {
    /// Fails when nobody does any more.
    answer: PipeWriter,
    stop: S,
    thread: JoinHandle<()>,
}

/// Waits for the first message, which says that there is a server; with the handle that came beside it.
pub(super) fn begin(socket: &Stdin) -> io::Result<Option<OwnedFd>> {
    let mut byte = [0];
    let (received, passed) = handles::receive(socket, &mut byte)?;
    if received == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(passed.into_iter().next())
}

/// Serves calls until the socket ends. `begin` gives what a thread of its own does with each, and what stops it.
/// What still goes on at the end is stopped, and is the caller's to wait for.
pub(super) fn serve<S: FnOnce(), W: FnOnce(Job) + Send + 'static>(
    socket: &Stdin,
    ready: &Ready,
    begin: impl Fn() -> (W, S),
) -> io::Result<Vec<JoinHandle<()>>> {
    let mut said = Vec::new();
    append(&mut said, ready).map_err(io::Error::other)?;
    handles::send(socket, &said, &[])?;
    let mut running: Vec<Running<S>> = Vec::new();
    loop {
        let mut waited = vec![PollFd::new(socket, PollFlags::IN)];
        waited.extend(running.iter().map(|call| PollFd::new(&call.answer, PollFlags::empty())));
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
        let (received, passed) = handles::receive(socket, &mut byte)?;
        if received == 0 {
            break;
        }
        // Without its pipes there is nobody to tell.
        let Some(job) = Job::new(passed) else { continue };
        let (work, stop) = begin();
        let Ok(answer) = job.answer.try_clone() else { continue };
        let begun = thread::Builder::new().name("call".to_owned()).spawn(move || work(job));
        if let Ok(thread) = begun {
            running.push(Running { answer, stop, thread });
        }
    }
    let stopped = running.into_iter().map(|call| {
        (call.stop)();
        call.thread
    });
    Ok(stopped.collect())
}
