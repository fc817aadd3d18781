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
use wardroom_base::limits::LUA_LOOK_TIME;
use wardroom_process::frame::{Inbox, append};

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
    /// The worker says nothing any more. What it said before can still be read.
    is_gone: bool,
}

impl Run {
    const fn empty() -> Self {
        let inbox = Inbox::of(Vec::new());
        Self { worker: None, home: None, seat: None, inbox, unsent: Vec::new(), sent: 0, is_gone: false }
    }

    pub(super) fn new(worker: Worker, start: Vec<u8>, home: Option<Arc<dyn Home>>) -> Self {
        let mut run = Self { worker: Some(worker), home, unsent: start, ..Self::empty() };
        // When it is gone, the first step says so.
        drop(run.send());
        run
    }

    /// A call that has no worker yet, unless one is free.
    pub(super) fn seated(mut seat: Seat, call: Vec<u8>) -> Self {
        let worker = seat.free();
        let mut run = Self { worker, seat: Some(seat), unsent: call, ..Self::empty() };
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
        loop {
            if cancelled() {
                return Err(self.stopped(Stopped::Cancelled));
            }
            self.seat(deadline, cancelled).map_err(|stopped| self.stopped(stopped))?;
            match self.poll(deadline)? {
                // A call that only sleeps needs nobody else.
                Some(Step::Ask { operation, arguments }) if operation == "sleep" && self.seat.is_some() => {
                    let seconds = arguments.get("seconds").and_then(Value::as_f64).unwrap_or_default();
                    let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
                    sleep(time, deadline, cancelled).map_err(|stopped| self.stopped(stopped))?;
                    self.answer(Ok(Value::Bool(true)))?;
                }
                Some(step) => return Ok(step),
                None => wait(&mut [self], deadline.saturating_duration_since(Instant::now())),
            }
        }
    }

    /// Nothing comes of it any more.
    fn stopped(&mut self, why: Stopped) -> Stopped {
        (self.worker, self.seat) = (None, None);
        why
    }

    /// What comes next, if it is there. A run that said something in time is not late, however late somebody looks; what
    /// it posts is no sign that it comes to an end.
    ///
    /// # Errors
    /// When the run stopped, at `deadline` or before. Its worker is killed, and every later step says that it died.
    pub fn poll(&mut self, deadline: Instant) -> Result<Option<Step>, Stopped> {
        let step = self.next(deadline).map_err(|stopped| self.stopped(stopped))?;
        match (&step, &mut self.seat) {
            (None | Some(Step::Post { .. }), _) | (Some(Step::Ask { .. }), None) => {}
            (Some(Step::Ask { .. }), Some(seat)) => seat.pause(),
            (Some(Step::Returned(_) | Step::Failed { .. }), Some(seat)) => {
                // A worker that says more than it should is not trusted with another call.
                let worker = self.worker.take().filter(|_| self.inbox.is_empty() && self.unsent.is_empty());
                seat.leave(worker);
                self.seat = None;
            }
            // It computes nothing any more.
            (Some(Step::Returned(_) | Step::Failed { .. }), None) => {
                if let (Some(worker), Some(home)) = (self.worker.take(), &self.home) {
                    home.leave(worker);
                }
            }
        }
        Ok(step)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a run whose worker said this, and then nothing.
    fn after(said: &[u8]) -> Result<Option<Step>, Stopped> {
        let inbox = Inbox::of(said.to_vec());
        let mut run = Run { inbox, is_gone: true, ..Run::empty() };
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
