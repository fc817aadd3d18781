//! One run, or one call of a handler: what its worker says, step by step.
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
use super::frame::{Start, ToServer, ToWorker};
use super::handlers::Seat;
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

/// Where a worker is left whose run is over, so that its end keeps nobody from hearing the result.
pub(super) trait Home: Send + Sync {
    fn leave(&self, worker: Worker);
}

/// A run in its worker. Drop it before its end, and the worker is killed.
pub struct Run {
    worker: Option<Worker>,
    /// Of a run: where its worker goes after the end.
    home: Option<Arc<dyn Home>>,
    /// Of a call: where its worker comes from, and goes after a good end.
    seat: Option<Seat>,
    inbox: Inbox,
    /// What the worker has not taken yet, and how much of it it has.
    unsent: Vec<u8>,
    sent: usize,
}

impl Run {
    pub(super) fn new(worker: Worker, start: Vec<u8>, home: Option<Arc<dyn Home>>) -> Self {
        let mut run = Self { worker: Some(worker), home, seat: None, inbox: Inbox::default(), unsent: start, sent: 0 };
        // When it is gone, the first step says so.
        drop(run.send());
        run
    }

    /// A call that has no worker yet, unless one is free.
    pub(super) fn seated(mut seat: Seat, call: Vec<u8>) -> Self {
        let worker = seat.free();
        let mut run = Self { worker, home: None, seat: Some(seat), inbox: Inbox::default(), unsent: call, sent: 0 };
        if run.worker.is_some() {
            drop(run.send());
        }
        run
    }

    /// Waits for what comes next, until `deadline`, and looks at `cancelled` every 20 ms. The first step of a call waits for
    /// its worker too.
    ///
    /// # Errors
    /// When the run stopped. Its worker is killed, and every later step says that it died.
    pub fn step(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<Step, Stopped> {
        let step = self.seat(deadline, cancelled).and_then(|()| self.next_awake(deadline, cancelled));
        match (&step, &mut self.seat) {
            (Ok(Step::Post { .. }), _) | (Ok(Step::Ask { .. }), None) => {}
            (Ok(Step::Ask { .. }), Some(seat)) => seat.pause(),
            (Ok(Step::Returned(_) | Step::Failed { .. }), Some(seat)) => {
                // A worker that says more than it should is not trusted with another call.
                let worker = self.worker.take().filter(|_| self.inbox.is_empty() && self.unsent.is_empty());
                seat.leave(worker);
                self.seat = None;
            }
            (Ok(Step::Returned(_) | Step::Failed { .. }), None) => {
                // It computes nothing any more.
                if let (Some(worker), Some(home)) = (self.worker.take(), &self.home) {
                    home.leave(worker);
                }
            }
            (Err(_), _) => {
                self.worker = None;
                self.seat = None;
            }
        }
        step
    }

    /// Takes the worker that a call waits for.
    fn seat(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<(), Stopped> {
        match &mut self.seat {
            Some(seat) if self.worker.is_none() => {
                self.worker = Some(seat.take(deadline, cancelled)?);
                self.send()
            }
            _ => Ok(()),
        }
    }

    /// The next step of a call that does not only sleep: that needs nobody else.
    fn next_awake(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<Step, Stopped> {
        loop {
            let step = self.next(deadline, cancelled)?;
            match (&step, &mut self.seat) {
                (Step::Ask { operation, arguments }, Some(seat)) if operation == "sleep" => {
                    seat.pause();
                    let seconds = arguments.get("seconds").and_then(Value::as_f64).unwrap_or_default();
                    let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
                    sleep(time, deadline, cancelled)?;
                    self.answer(Ok(Value::Bool(true)))?;
                }
                _ => return Ok(step),
            }
        }
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
        if let Some(seat) = &mut self.seat {
            seat.go_on();
        }
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

/// Waits for so long, and no longer than a call may.
fn sleep(time: Duration, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<(), Stopped> {
    let begun = Instant::now();
    loop {
        let left = time.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        if cancelled() {
            return Err(Stopped::Cancelled);
        }
        let until = deadline.saturating_duration_since(Instant::now());
        if until.is_zero() {
            return Err(Stopped::Deadline);
        }
        std::thread::sleep(left.min(until).min(LUA_LOOK_TIME));
    }
}
