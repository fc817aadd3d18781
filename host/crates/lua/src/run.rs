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

use super::error::ScriptStopError;
use super::handler_pool::WorkerLease;
use super::protocol::{MessageToServer, MessageToWorker, StrategyRequest};
use super::spawner::Worker;
use wardroom_base::limits::CANCEL_POLL_INTERVAL;
use wardroom_process::ipc::{FrameBuffer, append_frame};

/// What a run wants, or how it ended.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptStep {
    /// Goes on after [`ScriptRun::answer`].
    Request {
        operation: String,
        arguments: Value,
    },
    /// Goes on by itself.
    Notify {
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
pub(super) trait RetireWorker: Send + Sync {
    fn retire_worker(&self, worker: Worker);
}

/// A run in its worker. Drop it before its end, and the worker is killed.
pub struct ScriptRun {
    worker: Option<Worker>,
    /// Of a run: where its worker goes after the end.
    pool: Option<Arc<dyn RetireWorker>>,
    /// Of a call: where its worker comes from, and goes after a good end.
    lease: Option<WorkerLease>,
    inbox: FrameBuffer,
    /// What the worker has not taken yet, and how much of it it has.
    unsent: Vec<u8>,
    sent_bytes: usize,
    /// The worker says nothing any more. What it said before can still be read.
    is_disconnected: bool,
}

impl ScriptRun {
    const fn empty() -> Self {
        let inbox = FrameBuffer::from_bytes(Vec::new());
        Self { worker: None, pool: None, lease: None, inbox, unsent: Vec::new(), sent_bytes: 0, is_disconnected: false }
    }

    pub(super) fn new(worker: Worker, start: Vec<u8>, home: Option<Arc<dyn RetireWorker>>) -> Self {
        let mut run = Self { worker: Some(worker), pool: home, unsent: start, ..Self::empty() };
        // When it is gone, the first step says so.
        drop(run.flush());
        run
    }

    /// A call that has no worker yet, unless one is free.
    pub(super) fn with_lease(mut seat: WorkerLease, call: Vec<u8>) -> Self {
        let worker = seat.try_acquire();
        let mut run = Self { worker, lease: Some(seat), unsent: call, ..Self::empty() };
        if run.worker.is_some() {
            drop(run.flush());
        }
        run
    }

    /// Waits for what comes next, until `deadline`, and looks at `cancelled` every 20 ms. The first step of a call waits for
    /// its worker too.
    ///
    /// # Errors
    /// When the run stopped. Its worker is killed, and every later step says that it died.
    pub fn step(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<ScriptStep, ScriptStopError> {
        loop {
            if cancelled() {
                return Err(self.abort(ScriptStopError::Cancelled));
            }
            self.ensure_worker(deadline, cancelled).map_err(|stopped| self.abort(stopped))?;
            match self.poll(deadline)? {
                // A call that only sleeps needs nobody else.
                Some(ScriptStep::Request { operation, arguments }) if operation == "sleep" && self.lease.is_some() => {
                    let seconds = arguments.get("seconds").and_then(Value::as_f64).unwrap_or_default();
                    let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
                    sleep_cancellable(time, deadline, cancelled).map_err(|stopped| self.abort(stopped))?;
                    self.answer(Ok(Value::Bool(true)))?;
                }
                Some(step) => return Ok(step),
                None => wait_for_message(&mut [self], deadline.saturating_duration_since(Instant::now())),
            }
        }
    }

    /// Nothing comes of it any more.
    fn abort(&mut self, why: ScriptStopError) -> ScriptStopError {
        (self.worker, self.lease) = (None, None);
        why
    }

    /// What comes next, if it is there. A run that said something in time is not late, however late somebody looks; what
    /// it posts is no sign that it comes to an end.
    ///
    /// # Errors
    /// When the run stopped, at `deadline` or before. Its worker is killed, and every later step says that it died.
    pub fn poll(&mut self, deadline: Instant) -> Result<Option<ScriptStep>, ScriptStopError> {
        let step = self.next_step(deadline).map_err(|stopped| self.abort(stopped))?;
        match (&step, &mut self.lease) {
            (None | Some(ScriptStep::Notify { .. }), _) | (Some(ScriptStep::Request { .. }), None) => {}
            (Some(ScriptStep::Request { .. }), Some(seat)) => seat.pause(),
            (Some(ScriptStep::Returned(_) | ScriptStep::Failed { .. }), Some(seat)) => {
                // A worker that says more than it should is not trusted with another call.
                let worker = self.worker.take().filter(|_| self.inbox.is_empty() && self.unsent.is_empty());
                seat.release(worker);
                self.lease = None;
            }
            // It computes nothing any more.
            (Some(ScriptStep::Returned(_) | ScriptStep::Failed { .. }), None) => {
                if let (Some(worker), Some(home)) = (self.worker.take(), &self.pool) {
                    home.retire_worker(worker);
                }
            }
        }
        Ok(step)
    }

    /// Takes the worker that a call waits for.
    fn ensure_worker(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<(), ScriptStopError> {
        match &mut self.lease {
            Some(seat) if self.worker.is_none() => {
                self.worker = Some(seat.acquire(deadline, cancelled)?);
                self.flush()
            }
            _ => Ok(()),
        }
    }

    fn next_step(&mut self, deadline: Instant) -> Result<Option<ScriptStep>, ScriptStopError> {
        let mut said = self.inbox.take_message()?;
        let is_late = Instant::now() >= deadline;
        if said.is_none() && is_late {
            wait_for_message(&mut [self], Duration::ZERO);
            said = self.inbox.take_message()?;
        }
        match said {
            Some(MessageToServer::Request { operation, arguments }) => {
                Ok(Some(ScriptStep::Request { operation, arguments }))
            }
            Some(MessageToServer::Returned(value)) => Ok(Some(ScriptStep::Returned(value))),
            Some(MessageToServer::Failed { message, traceback }) => Ok(Some(ScriptStep::Failed { message, traceback })),
            Some(MessageToServer::Memory) => Err(ScriptStopError::OutOfMemory),
            Some(MessageToServer::Notify { operation, arguments }) if !is_late => {
                Ok(Some(ScriptStep::Notify { operation, arguments }))
            }
            None if self.is_disconnected || self.worker.is_none() => Err(ScriptStopError::WorkerDied),
            Some(MessageToServer::Notify { .. }) | None if is_late => Err(ScriptStopError::DeadlineExceeded),
            Some(MessageToServer::Notify { .. }) | None => Ok(None),
        }
    }

    /// Answers what the last step asked; an `Err` becomes an error in Lua, which a script may catch.
    ///
    /// # Errors
    /// When the worker is gone.
    pub fn answer(&mut self, answer: Result<Value, String>) -> Result<(), ScriptStopError> {
        if let Some(seat) = &mut self.lease {
            seat.resume();
        }
        let message = answer.map_or_else(MessageToWorker::<StrategyRequest>::Refused, MessageToWorker::Answer);
        if let Err(error) = append_frame(&mut self.unsent, &message) {
            let refused = MessageToWorker::<StrategyRequest>::Refused(format!("the answer is {error}"));
            append_frame(&mut self.unsent, &refused)?;
        }
        self.flush()
    }

    /// Writes what the worker takes without waiting.
    fn flush(&mut self) -> Result<(), ScriptStopError> {
        let worker = self.worker.as_ref().ok_or(ScriptStopError::WorkerDied)?;
        while let Some(left @ [_, ..]) = self.unsent.get(self.sent_bytes..) {
            match rustix::net::send(&worker.socket, left, SendFlags::empty()) {
                Ok(sent) => self.sent_bytes += sent,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                // What it said before it ended can still be read.
                Err(_) => break,
            }
        }
        (self.unsent, self.sent_bytes) = (Vec::new(), 0);
        Ok(())
    }

    /// Reads what there is.
    fn receive(&mut self) {
        let Some(worker) = &self.worker else { return };
        // Whatever else happens to the socket, nothing comes out of it any more.
        self.is_disconnected |= !matches!(self.inbox.fill(worker.socket.as_fd()), Ok(1..) | Err(Errno::AGAIN));
    }
}

/// Waits until one of these runs says something, for at most as long as a run may go unlooked at, and reads what they say.
/// None of them has to wait for another one's end.
pub fn wait_for_message(runs: &mut [&mut ScriptRun], time: Duration) {
    // Of those that are gone there is nothing to wait for.
    let mut time = time.min(CANCEL_POLL_INTERVAL);
    for run in runs.iter_mut() {
        if run.flush().is_err() || run.is_disconnected {
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
fn sleep_cancellable(time: Duration, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<(), ScriptStopError> {
    let begun = Instant::now();
    loop {
        let left = time.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        if cancelled() {
            return Err(ScriptStopError::Cancelled);
        }
        let until = deadline.saturating_duration_since(Instant::now());
        if until.is_zero() {
            return Err(ScriptStopError::DeadlineExceeded);
        }
        std::thread::sleep(left.min(until).min(CANCEL_POLL_INTERVAL));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a run whose worker said this, and then nothing.
    fn after(said: &[u8]) -> Result<Option<ScriptStep>, ScriptStopError> {
        let inbox = FrameBuffer::from_bytes(said.to_vec());
        let mut run = ScriptRun { inbox, is_disconnected: true, ..ScriptRun::empty() };
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
            assert!(matches!(stopped, Err(ScriptStopError::MalformedMessage(_))), "{said:?}: {stopped:?}");
        }
        // What it said before it ended counts.
        assert_eq!(after(&frame(r#"{"returned":1}"#)).unwrap(), Some(ScriptStep::Returned(1.into())));
        assert!(matches!(after(b"\x09\0\0\0{\"ret"), Err(ScriptStopError::WorkerDied)));
        assert!(matches!(after(&frame(r#""memory""#)), Err(ScriptStopError::OutOfMemory)));
    }
}
