//! A run of a strategy or a call of a handler, as the sequence of its worker's messages.
//!
//! Owns: the socket to the worker, and the checks of deadline and cancellation while the worker computes.
//! Never: performs the requested effects, or waits past the deadline: a worker that does not stop is killed.

use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use serde::Deserialize;
use serde_json::Value;

use super::error::ScriptStopError;
use super::handler_pool::WorkerLease;
use super::protocol::{MessageToServer, MessageToWorker, StrategyRequest};
use super::spawner::Worker;
use super::start_frame::{StartFrame, counted_bytes};
use crate::limits::{MAX_SCRIPT_ERROR_BYTES, MEMORY_WAIT_TIMEOUT};
use wardroom_base::limits::CANCEL_POLL_INTERVAL;
use wardroom_base::memory::{MemoryLease, OutOfMemory};
use wardroom_base::payload::Payload;
use wardroom_process::ipc::{FrameBuffer, append_frame};

/// A message of the run, or its end.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptStep {
    /// The script waits for [`ScriptRun::answer`].
    Request {
        operation: String,
        arguments: Payload,
    },
    /// The script continues without an answer.
    Notify {
        operation: String,
        arguments: Payload,
    },
    Returned(Payload),
    /// An uncaught Lua error. Neither text contains a path of the host, or exceeds `MAX_SCRIPT_ERROR_BYTES`.
    Failed {
        message: String,
        traceback: Option<String>,
    },
}

/// The arguments of a handler's `sleep`.
#[derive(Default, Deserialize)]
struct SleepArguments {
    seconds: f64,
}

/// Takes over workers whose run has ended, so that the result is reported before the process is killed.
pub(super) trait RetireWorker: Send + Sync {
    fn retire_worker(&self, worker: Worker);
}

/// A run in its worker. Dropping it before its end kills the worker.
pub struct ScriptRun {
    worker: Option<Worker>,
    /// For a strategy: takes over the worker at the end.
    pool: Option<Arc<dyn RetireWorker>>,
    /// For a handler: supplies the worker, and takes it back after a call that returned or failed.
    lease: Option<WorkerLease>,
    inbox: FrameBuffer,
    /// Messages for the worker that are not completely written.
    unsent: Vec<u8>,
    /// How many bytes of `unsent` are written.
    sent_bytes: usize,
    /// Nothing more arrives from the worker. `inbox` may still hold messages.
    is_disconnected: bool,
    /// Whether the worker waits for the answer to its request.
    awaits_answer: bool,
    /// The bytes of `inbox`, of `unsent` and of the message that was taken last.
    memory: MemoryLease,
    /// Whether the processor time counts after the script has ended, and has to be read then.
    counts_after_end: bool,
    /// The processor time of a worker that was given back.
    ended_processor_time: Duration,
    /// Since when the server has no memory for the next message, which is not read meanwhile.
    blocked_since: Option<Instant>,
}

impl ScriptRun {
    fn empty(start: StartFrame) -> Self {
        Self {
            worker: None,
            pool: None,
            lease: None,
            inbox: FrameBuffer::default(),
            unsent: start.bytes,
            sent_bytes: 0,
            is_disconnected: false,
            awaits_answer: false,
            memory: start.memory,
            blocked_since: None,
            counts_after_end: false,
            ended_processor_time: Duration::ZERO,
        }
    }

    pub(super) fn new(mut worker: Worker, start: StartFrame, pool: Option<Arc<dyn RetireWorker>>) -> Self {
        worker.usage.begin_run(start.memory.share().caller_key());
        let mut run = Self { worker: Some(worker), pool, ..Self::empty(start) };
        // The first step reports a worker that is gone.
        drop(run.flush());
        run
    }

    /// A call of a handler, with an idle worker if there is one. Otherwise the first step acquires a worker.
    pub(super) fn with_lease(mut lease: WorkerLease, call: StartFrame) -> Self {
        let worker = lease.try_acquire();
        let mut run = Self { worker, lease: Some(lease), ..Self::empty(call) };
        if run.worker.is_some() {
            drop(run.flush());
        }
        run
    }

    /// Waits for the next step until `deadline`, and checks `cancelled` every 20 ms. The first step of a handler's call
    /// also waits for a worker.
    ///
    /// # Errors
    /// When the run was stopped. Its worker is killed, and every later step returns [`ScriptStopError::WorkerDied`].
    pub fn step(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<ScriptStep, ScriptStopError> {
        loop {
            if cancelled() {
                return Err(self.abort(ScriptStopError::Cancelled));
            }
            self.ensure_worker(deadline, cancelled).map_err(|stopped| self.abort(stopped))?;
            match self.poll(deadline)? {
                // A handler's sleep is served here: it is no effect for the caller.
                Some(ScriptStep::Request { operation, arguments }) if operation == "sleep" && self.lease.is_some() => {
                    let seconds = arguments.into_typed::<SleepArguments>().unwrap_or_default().seconds;
                    let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
                    sleep_cancellable(time, deadline, cancelled).map_err(|stopped| self.abort(stopped))?;
                    self.answer(Ok(Value::Bool(true).into()))?;
                }
                Some(step) => return Ok(step),
                None => wait_for_message(&mut [self], deadline.saturating_duration_since(Instant::now())),
            }
        }
    }

    /// Drops the worker and the lease, which kills the worker.
    fn abort(&mut self, why: ScriptStopError) -> ScriptStopError {
        if self.lease.is_none() {
            self.ended_processor_time = self.processor_time();
        }
        (self.worker, self.lease) = (None, None);
        why
    }

    /// Returns the next step if it has arrived. A request or an end that has arrived counts even after the deadline. A
    /// notification does not, because a script could send them without end.
    ///
    /// # Errors
    /// When the run was stopped, at `deadline` or before. Its worker is killed, and every later step returns
    /// [`ScriptStopError::WorkerDied`].
    pub fn poll(&mut self, deadline: Instant) -> Result<Option<ScriptStep>, ScriptStopError> {
        let step = self.next_step(deadline).map_err(|stopped| self.abort(stopped))?;
        let is_over = matches!(step, Some(ScriptStep::Returned(_) | ScriptStep::Failed { .. }));
        if is_over && self.counts_after_end {
            self.ended_processor_time = self.processor_time();
        }
        match (&step, &mut self.lease) {
            (None | Some(ScriptStep::Notify { .. }), _) | (Some(ScriptStep::Request { .. }), None) => {}
            (Some(ScriptStep::Request { .. }), Some(lease)) => lease.pause(),
            (Some(ScriptStep::Returned(_) | ScriptStep::Failed { .. }), Some(lease)) => {
                // A worker that sends more than it should is not trusted with another call.
                let worker = self.worker.take().filter(|_| self.inbox.is_empty() && self.unsent.is_empty());
                lease.release(worker);
                self.lease = None;
            }
            (Some(ScriptStep::Returned(_) | ScriptStep::Failed { .. }), None) => {
                if let (Some(worker), Some(pool)) = (self.worker.take(), &self.pool) {
                    pool.retire_worker(worker);
                }
            }
        }
        Ok(step)
    }

    /// Acquires a worker for a handler's call that has none.
    fn ensure_worker(&mut self, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Result<(), ScriptStopError> {
        match &mut self.lease {
            Some(lease) if self.worker.is_none() => {
                let mut worker = lease.acquire(deadline, cancelled)?;
                worker.usage.begin_run(self.memory.share().caller_key());
                self.worker = Some(worker);
                self.flush()
            }
            _ => Ok(()),
        }
    }

    fn next_step(&mut self, deadline: Instant) -> Result<Option<ScriptStep>, ScriptStopError> {
        let mut message = self.take_message()?;
        let is_late = Instant::now() >= deadline;
        if message.is_none() && is_late {
            wait_for_message(&mut [self], Duration::ZERO);
            message = self.take_message()?;
        }
        match message {
            Some(MessageToServer::Request { operation, arguments }) => {
                self.awaits_answer = true;
                Ok(Some(ScriptStep::Request { operation, arguments }))
            }
            Some(MessageToServer::Returned(value)) => Ok(Some(ScriptStep::Returned(value))),
            Some(MessageToServer::Failed { message, traceback }) => Ok(Some(ScriptStep::Failed { message, traceback })),
            Some(MessageToServer::Memory) => Err(ScriptStopError::OutOfMemory),
            Some(MessageToServer::Notify { operation, arguments }) if !is_late => {
                Ok(Some(ScriptStep::Notify { operation, arguments }))
            }
            None if self.is_over_worker_limit() => {
                Err(ScriptStopError::WorkersOutOfMemory { limit: self.worker_limit() })
            }
            None if self.is_disconnected || self.worker.is_none() => Err(ScriptStopError::WorkerDied),
            Some(MessageToServer::Notify { .. }) | None => match self.lasting_shortage() {
                Some(error) => Err(error.into()),
                None if is_late => Err(ScriptStopError::DeadlineExceeded),
                None => Ok(None),
            },
        }
    }

    /// Takes the next message, if it is complete. A worker that waits for an answer, or has not read its last one, sends
    /// none: otherwise it could make the server collect answers without end.
    fn take_message(&mut self) -> Result<Option<MessageToServer>, ScriptStopError> {
        let message = self.inbox.take_message::<MessageToServer>()?;
        let Some(mut message) = message else { return Ok(None) };
        if self.awaits_answer || !self.unsent.is_empty() && !matches!(message, MessageToServer::Notify { .. }) {
            return Err(ScriptStopError::UnexpectedMessage);
        }
        let taken = match &mut message {
            MessageToServer::Request { arguments: taken, .. }
            | MessageToServer::Notify { arguments: taken, .. }
            | MessageToServer::Returned(taken) => taken.text_bytes(),
            MessageToServer::Failed { message, traceback } => {
                truncate_error_text(message);
                traceback.as_mut().map(truncate_error_text);
                message.len() + traceback.as_ref().map_or(0, String::len)
            }
            MessageToServer::Memory => 0,
        };
        self.memory.resize_held(counted_bytes(self.inbox.expected_len() + self.unsent.len() + taken));
        Ok(Some(message))
    }

    /// Answers the last request. An `Err` becomes an error in Lua, which a script may catch.
    ///
    /// # Errors
    /// When the worker is gone, or has sent something else meanwhile.
    pub fn answer(&mut self, answer: Result<Payload, String>) -> Result<(), ScriptStopError> {
        if self.has_sent_more() {
            return Err(self.abort(ScriptStopError::UnexpectedMessage));
        }
        self.awaits_answer = false;
        if let Some(lease) = &mut self.lease {
            lease.resume();
        }
        let message = answer.map_or_else(MessageToWorker::<StrategyRequest>::Refused, MessageToWorker::Answer);
        if let Err(error) = append_frame(&mut self.unsent, &message) {
            let refused = MessageToWorker::<StrategyRequest>::Refused(format!("the answer is {error}"));
            append_frame(&mut self.unsent, &refused)?;
        }
        self.memory.resize_held(counted_bytes(self.inbox.expected_len() + self.unsent.len()));
        self.flush()
    }

    /// Whether the worker has sent more than was taken.
    fn has_sent_more(&self) -> bool {
        let has_bytes = |worker: &Worker| {
            let peeked = rustix::net::recv(&worker.socket, &mut [0], RecvFlags::PEEK);
            matches!(peeked, Ok((1.., _)))
        };
        !self.inbox.is_empty() || self.worker.as_ref().is_some_and(has_bytes)
    }

    /// Takes the memory for the worker's next message, which is there up to three times while it is read.
    fn try_lease(&mut self) -> Result<(), OutOfMemory> {
        let needed = counted_bytes(self.inbox.expected_len()) * 3 + counted_bytes(self.unsent.len());
        if needed > self.memory.bytes() {
            self.memory.resize(needed)?;
        }
        self.blocked_since = None;
        Ok(())
    }

    /// Has the processor time of the worker count after the script has ended, as that of a part of a run does. Reading it
    /// costs some 20 µs, which the end of a whole run does not need.
    pub const fn count_after_end(&mut self) {
        self.counts_after_end = true;
    }

    /// Returns the processor time of the run's worker. After the script has ended, it is zero unless it counts then.
    #[must_use]
    pub fn processor_time(&self) -> Duration {
        self.worker.as_ref().map_or(self.ended_processor_time, |worker| worker.usage.processor_time())
    }

    /// Whether the worker has to end, so that all of them keep their limit. It is measured at most every
    /// `WORKER_MEASURE_INTERVAL`.
    pub fn is_over_worker_limit(&mut self) -> bool {
        self.worker.as_mut().is_some_and(|worker| worker.usage.is_over_limit())
    }

    fn worker_limit(&self) -> usize {
        self.worker.as_ref().map_or(0, |worker| worker.usage.limit())
    }

    /// Returns the lack of memory for the next message, if it has lasted too long and has not just ended.
    fn lasting_shortage(&mut self) -> Option<OutOfMemory> {
        let is_over = self.blocked_since.is_some_and(|since| since.elapsed() >= MEMORY_WAIT_TIMEOUT);
        is_over.then(|| self.try_lease().err()).flatten()
    }

    /// Writes as much of `unsent` as the socket takes without blocking.
    fn flush(&mut self) -> Result<(), ScriptStopError> {
        let worker = self.worker.as_ref().ok_or(ScriptStopError::WorkerDied)?;
        while let Some(left @ [_, ..]) = self.unsent.get(self.sent_bytes..) {
            match rustix::net::send(&worker.socket, left, SendFlags::empty()) {
                Ok(sent) => self.sent_bytes += sent,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                // Messages that the worker sent before it ended can still be read.
                Err(_) => break,
            }
        }
        self.memory.resize_held(self.memory.bytes().saturating_sub(counted_bytes(self.unsent.len())));
        (self.unsent, self.sent_bytes) = (Vec::new(), 0);
        Ok(())
    }

    /// Whether the worker's socket can be read now: there is a worker, and memory for its next message.
    fn is_readable(&mut self) -> bool {
        if self.worker.is_some() && self.try_lease().is_err() {
            self.blocked_since.get_or_insert_with(Instant::now);
        }
        self.worker.is_some() && self.blocked_since.is_none()
    }

    /// Reads once from the worker's socket into `inbox`.
    fn receive(&mut self) {
        let Some(worker) = &self.worker else { return };
        // After the end or any other error, nothing more can be read.
        self.is_disconnected |= !matches!(self.inbox.fill(worker.socket.as_fd()), Ok(1..) | Err(Errno::AGAIN));
    }
}

/// Waits until a worker of these runs sends something, for at most `time` and at most `CANCEL_POLL_INTERVAL`, and reads
/// from all workers that are ready.
pub fn wait_for_message(runs: &mut [&mut ScriptRun], time: Duration) {
    // A run whose worker is gone has its end to report now.
    let mut time = time.min(CANCEL_POLL_INTERVAL);
    for run in runs.iter_mut() {
        if run.flush().is_err() || run.is_disconnected {
            time = Duration::ZERO;
        }
    }
    let readable: Vec<bool> = runs.iter_mut().map(|run| run.is_readable()).collect();
    let sockets = runs.iter().zip(&readable).filter(|(_, readable)| **readable).filter_map(|(run, _)| {
        let events = if run.unsent.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        Some(PollFd::new(&run.worker.as_ref()?.socket, events))
    });
    let mut sockets: Vec<PollFd<'_>> = sockets.collect();
    let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
    match rustix::event::poll(&mut sockets, Some(&time)) {
        Ok(0) | Err(Errno::INTR) => return,
        // Reading reports the error.
        Ok(_) | Err(_) => {}
    }
    let mut ready = sockets.iter().map(|socket| !socket.revents().is_empty()).collect::<Vec<_>>().into_iter();
    for (run, _) in runs.iter_mut().zip(readable).filter(|(_, readable)| *readable) {
        if ready.next().unwrap_or(false) {
            run.receive();
        }
    }
}

/// Cuts a text of a Lua error off at `MAX_SCRIPT_ERROR_BYTES`, and releases the rest.
fn truncate_error_text(text: &mut String) {
    const ELLIPSIS: char = '…';
    if text.len() > MAX_SCRIPT_ERROR_BYTES {
        text.truncate(text.floor_char_boundary(MAX_SCRIPT_ERROR_BYTES - ELLIPSIS.len_utf8()));
        text.push(ELLIPSIS);
        text.shrink_to_fit();
    }
}

/// Sleeps for `time`, or until the deadline or cancellation.
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
    use wardroom_base::memory::MemoryShare;

    /// Polls a run whose worker sent these bytes and disconnected.
    fn poll_after(sent: &[u8]) -> Result<Option<ScriptStep>, ScriptStopError> {
        let inbox = FrameBuffer::from_bytes(sent.to_vec());
        let mut run = ScriptRun { inbox, is_disconnected: true, ..run_within(usize::MAX) };
        run.poll(Instant::now() + Duration::from_secs(60))
    }

    /// A run without a worker and with this memory.
    fn run_within(bytes: usize) -> ScriptRun {
        let memory = MemoryShare::budget(bytes).lease_none();
        ScriptRun::empty(StartFrame { bytes: Vec::new(), memory })
    }

    fn frame(text: &str) -> Vec<u8> {
        [&u32::try_from(text.len()).unwrap().to_le_bytes(), text.as_bytes()].concat()
    }

    #[test]
    fn malformed_message_stops_run() {
        let deep = format!("{{\"returned\":{}1{}}}", "[".repeat(200), "]".repeat(200));
        let malformed = [
            u32::MAX.to_le_bytes().to_vec(),
            frame("{]"),
            frame("[]"),
            frame(r#"{"other":1}"#),
            frame(&deep),
            frame("\u{1}"),
        ];
        for sent in malformed {
            let stopped = poll_after(&sent);
            assert!(matches!(stopped, Err(ScriptStopError::MalformedMessage(_))), "{sent:?}: {stopped:?}");
        }
        // A complete message counts although the worker has ended.
        assert_eq!(
            poll_after(&frame(r#"{"returned":1}"#)).unwrap(),
            Some(ScriptStep::Returned(serde_json::json!(1).into()))
        );
        assert!(matches!(poll_after(b"\x09\0\0\0{\"ret"), Err(ScriptStopError::WorkerDied)));
        assert!(matches!(poll_after(&frame(r#""memory""#)), Err(ScriptStopError::OutOfMemory)));
    }

    #[test]
    fn shortage_that_ends_late_stops_no_run() {
        let inbox = || FrameBuffer::from_bytes(1_000_000_u32.to_le_bytes().to_vec());
        let since = Instant::now().checked_sub(MEMORY_WAIT_TIMEOUT);
        assert!(since.is_some());
        let mut lacks = ScriptRun { inbox: inbox(), blocked_since: since, ..run_within(1_000_000) };
        assert!(lacks.lasting_shortage().is_some());
        let mut has_memory = ScriptRun { inbox: inbox(), blocked_since: since, ..run_within(4_000_000) };
        assert!(has_memory.lasting_shortage().is_none() && has_memory.blocked_since.is_none());
    }

    #[test]
    fn long_error_is_cut_off_at_character() {
        let long = "é".repeat(MAX_SCRIPT_ERROR_BYTES);
        let sent = serde_json::json!({"failed": {"message": long, "traceback": long}}).to_string();
        let Ok(Some(ScriptStep::Failed { message, traceback: Some(traceback) })) = poll_after(&frame(&sent)) else {
            panic!("the run did not fail");
        };
        for text in [message, traceback] {
            assert!((MAX_SCRIPT_ERROR_BYTES - 4..=MAX_SCRIPT_ERROR_BYTES).contains(&text.len()), "{}", text.len());
            assert!(text.starts_with('é') && text.ends_with('…') && text.capacity() <= MAX_SCRIPT_ERROR_BYTES);
        }
        let short = "x".repeat(MAX_SCRIPT_ERROR_BYTES);
        let sent = serde_json::json!({"failed": {"message": short, "traceback": null}}).to_string();
        let failed = poll_after(&frame(&sent)).unwrap();
        assert_eq!(failed, Some(ScriptStep::Failed { message: short, traceback: None }));
    }
}
