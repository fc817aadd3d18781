//! One run: what its worker says, step by step.
//!
//! Owns: the socket to the worker, and the look at the deadline and at cancellation while it computes.
//! Never: performs what is asked, or waits longer than it may: whatever a worker does, it is killed in time.

use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::SendFlags;
use serde_json::Value;

use super::error::Stopped;
use super::frame::{Start, ToServer, ToWorker};
use super::spawner::Worker;
use crate::frame::{Inbox, append};
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

/// A run in its worker. Drop it, and the worker is killed.
pub struct Run {
    worker: Option<Worker>,
    inbox: Inbox,
    /// What the worker has not taken yet, and how much of it it has.
    unsent: Vec<u8>,
    sent: usize,
}

impl Run {
    pub(super) fn new(worker: Worker, start: Vec<u8>) -> Self {
        let mut run = Self { worker: Some(worker), inbox: Inbox::default(), unsent: start, sent: 0 };
        // When it is gone, the first step says so.
        drop(run.send());
        run
    }

    /// Waits for what comes next, until `deadline`, and looks at `cancelled` every 20 ms.
    ///
    /// # Errors
    /// When the run stopped. Its worker is killed, and every later step says that it died.
    pub fn step(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<Step, Stopped> {
        let step = self.next(deadline, cancelled);
        if !matches!(step, Ok(Step::Ask { .. } | Step::Post { .. })) {
            self.worker = None;
        }
        step
    }

    fn next(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<Step, Stopped> {
        loop {
            if cancelled() {
                return Err(Stopped::Cancelled);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Stopped::Deadline);
            }
            match self.inbox.take()? {
                Some(ToServer::Ask { operation, arguments }) => return Ok(Step::Ask { operation, arguments }),
                Some(ToServer::Post { operation, arguments }) => return Ok(Step::Post { operation, arguments }),
                Some(ToServer::Returned(value)) => return Ok(Step::Returned(value)),
                Some(ToServer::Failed { message, traceback }) => return Ok(Step::Failed { message, traceback }),
                Some(ToServer::Memory) => return Err(Stopped::Memory),
                None => {}
            }
            self.send()?;
            self.receive(left.min(LUA_LOOK_TIME))?;
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

    /// Waits for at most this long, and reads what there is.
    fn receive(&mut self, time: Duration) -> Result<(), Stopped> {
        let worker = self.worker.as_ref().ok_or(Stopped::Died)?;
        let wanted = if self.unsent.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        let mut socket = [PollFd::new(&worker.socket, wanted)];
        let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
        match rustix::event::poll(&mut socket, Some(&time)) {
            Ok(0) | Err(Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(_) => return Err(Stopped::Died),
        }
        match self.inbox.fill(worker.socket.as_fd()) {
            Ok(0) => Err(Stopped::Died),
            Ok(_) | Err(Errno::AGAIN) => Ok(()),
            Err(_) => Err(Stopped::Died),
        }
    }
}
