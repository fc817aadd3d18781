//! One run: what its worker says, step by step.
//!
//! Owns: the socket to the worker, and the look at the deadline and at cancellation while it computes.
//! Never: performs what is asked, or waits longer than it may: whatever a worker does, it is killed in time.

use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::SendFlags;
use serde_json::Value;

use super::error::Stopped;
use super::frame::{Inbox, Start, ToServer, ToWorker, append};
use super::spawner::Worker;
use crate::limits::LUA_LOOK_TIME;

/// What a run wants, or how it ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Goes on after [`Run::answer`].
    Ask {
        operation: String,
        arguments: Value,
    },
    /// Goes on by itself.
    Post {
        operation: String,
        arguments: Value,
    },
    Returned(Value),
    /// An error of Lua that nothing caught. Neither text names a place of the machine.
    Failed {
        message: String,
        traceback: Option<String>,
    },
}

/// Where a worker is left whose run is over, so that its end keeps nobody from hearing the result.
pub(super) trait Home: Send + Sync {
    fn leave(&self, worker: Worker);
}

/// A run in its worker. Drop it, and the worker is killed.
pub struct Run {
    worker: Option<Worker>,
    home: Option<Arc<dyn Home>>,
    inbox: Inbox,
    /// What the worker has not taken yet, and how much of it it has.
    unsent: Vec<u8>,
    sent: usize,
    /// The worker says nothing any more. What it said before can still be read.
    is_gone: bool,
}

impl Run {
    pub(super) fn new(worker: Worker, start: Vec<u8>, home: Option<Arc<dyn Home>>) -> Self {
        let mut run =
            Self { worker: Some(worker), home, inbox: Inbox::default(), unsent: start, sent: 0, is_gone: false };
        // When it is gone, the first step says so.
        drop(run.send());
        run
    }

    /// Waits for what comes next, until `deadline`, and looks at `cancelled` every 20 ms.
    ///
    /// # Errors
    /// When the run stopped. Its worker is killed, and every later step says that it died.
    pub fn step(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<Step, Stopped> {
        loop {
            if cancelled() {
                self.worker = None;
                return Err(Stopped::Cancelled);
            }
            if let Some(step) = self.poll(deadline)? {
                return Ok(step);
            }
            wait(&mut [self], deadline.saturating_duration_since(Instant::now()));
        }
    }

    /// What comes next, if it is there. A run that said something in time is not late, however late somebody looks; what
    /// it posts is no sign that it comes to an end.
    ///
    /// # Errors
    /// When the run stopped, at `deadline` or before. Its worker is killed, and every later step says that it died.
    pub fn poll(&mut self, deadline: Instant) -> Result<Option<Step>, Stopped> {
        let step = self.next(deadline);
        match &step {
            Ok(None | Some(Step::Ask { .. } | Step::Post { .. })) => {}
            // It computes nothing any more.
            Ok(Some(Step::Returned(_) | Step::Failed { .. })) => {
                if let (Some(worker), Some(home)) = (self.worker.take(), &self.home) {
                    home.leave(worker);
                }
            }
            Err(_) => self.worker = None,
        }
        step
    }

    fn next(&mut self, deadline: Instant) -> Result<Option<Step>, Stopped> {
        let mut said = self.inbox.take()?;
        let is_late = Instant::now() >= deadline;
        if said.is_none() && is_late {
            wait(&mut [self], Duration::ZERO);
            said = self.inbox.take()?;
        }
        match said {
            Some(ToServer::Ask { operation, arguments }) => Ok(Some(Step::Ask { operation, arguments })),
            Some(ToServer::Returned(value)) => Ok(Some(Step::Returned(value))),
            Some(ToServer::Failed { message, traceback }) => Ok(Some(Step::Failed { message, traceback })),
            Some(ToServer::Memory) => Err(Stopped::Memory),
            Some(ToServer::Post { operation, arguments }) if !is_late => Ok(Some(Step::Post { operation, arguments })),
            None if self.is_gone || self.worker.is_none() => Err(Stopped::Died),
            Some(ToServer::Post { .. }) | None if is_late => Err(Stopped::Deadline),
            Some(ToServer::Post { .. }) | None => Ok(None),
        }
    }

    /// Answers what the last step asked; an `Err` becomes an error in Lua, which a script may catch.
    ///
    /// # Errors
    /// When the worker is gone.
    pub fn answer(&mut self, answer: Result<Value, String>) -> Result<(), Stopped> {
        let message = answer.map_or_else(ToWorker::<Start>::Refused, ToWorker::Answer);
        if let Err(error) = append(&mut self.unsent, &message) {
            let refused = ToWorker::<Start>::Refused(format!("the answer is {error}"));
            append(&mut self.unsent, &refused)?;
        }
        self.send()
    }

    /// Writes what the worker takes without waiting.
    fn send(&mut self) -> Result<(), Stopped> {
        let worker = self.worker.as_ref().ok_or(Stopped::Died)?;
        while let Some(left @ [_, ..]) = self.unsent.get(self.sent..) {
            match rustix::net::send(&worker.socket, left, SendFlags::empty()) {
                Ok(sent) => self.sent += sent,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                // What it said before it ended can still be read.
                Err(_) => break,
            }
        }
        (self.unsent, self.sent) = (Vec::new(), 0);
        Ok(())
    }

    /// Reads what there is.
    fn receive(&mut self) {
        let Some(worker) = &self.worker else { return };
        // Whatever else happens to the socket, nothing comes out of it any more.
        self.is_gone |= !matches!(self.inbox.fill(worker.socket.as_fd()), Ok(1..) | Err(Errno::AGAIN));
    }
}

/// Waits until one of these runs says something, for at most as long as a run may go unlooked at, and reads what they say.
/// None of them has to wait for another one's end.
pub fn wait(runs: &mut [&mut Run], time: Duration) {
    // Of those that are gone there is nothing to wait for.
    let mut time = time.min(LUA_LOOK_TIME);
    for run in runs.iter_mut() {
        if run.send().is_err() || run.is_gone {
            time = Duration::ZERO;
        }
    }
    let sockets = runs.iter().filter_map(|run| {
        let wanted = if run.unsent.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        Some(PollFd::new(&run.worker.as_ref()?.socket, wanted))
    });
    let mut sockets: Vec<PollFd<'_>> = sockets.collect();
    let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    match rustix::event::poll(&mut sockets, Some(&time)) {
        Ok(0) | Err(Errno::INTR) => return,
        // Reading says what is wrong.
        Ok(_) | Err(_) => {}
    }
    let mut ready = sockets.iter().map(|socket| !socket.revents().is_empty()).collect::<Vec<_>>().into_iter();
    for run in runs.iter_mut().filter(|run| run.worker.is_some()) {
        if ready.next().unwrap_or(false) {
            run.receive();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a run whose worker said this, and then nothing.
    fn after(said: &[u8]) -> Result<Option<Step>, Stopped> {
        let inbox = Inbox::of(said.to_vec());
        let mut run = Run { worker: None, home: None, inbox, unsent: Vec::new(), sent: 0, is_gone: true };
        run.poll(Instant::now() + Duration::from_secs(60))
    }

    fn frame(text: &str) -> Vec<u8> {
        [&u32::try_from(text.len()).unwrap().to_le_bytes(), text.as_bytes()].concat()
    }

    #[test]
    fn a_worker_that_says_something_else_has_ended() {
        let deep = format!("{{\"returned\":{}1{}}}", "[".repeat(200), "]".repeat(200));
        let malformed = [
            u32::MAX.to_le_bytes().to_vec(),
            frame("{]"),
            frame("[]"),
            frame(r#"{"other":1}"#),
            frame(&deep),
            frame("\u{1}"),
        ];
        for said in malformed {
            let stopped = after(&said);
            assert!(matches!(stopped, Err(Stopped::Malformed(_))), "{said:?}: {stopped:?}");
        }
        // What it said before it ended counts.
        assert_eq!(after(&frame(r#"{"returned":1}"#)).unwrap(), Some(Step::Returned(1.into())));
        assert!(matches!(after(b"\x09\0\0\0{\"ret"), Err(Stopped::Died)));
        assert!(matches!(after(&frame(r#""memory""#)), Err(Stopped::Memory)));
    }
}
