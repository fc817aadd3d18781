//! The server's handle on a helper process, and on the calls to it.
//!
//! Owns: the process, the limit of concurrent calls, and the two pipes of each call: one for the request, one for the
//! response. Dropping a call cancels it: its pipe closes, and the process stops working on it.
//! Never: waits longer than a call may take, or starts a second process: a confined server cannot.

use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::NetError;
use crate::limits::FETCH_PERMIT_TIMEOUT;
use wardroom_appdir::Folder;
use wardroom_base::limits::CANCEL_POLL_INTERVAL;
use wardroom_base::permits::{SharedPermit, SharedPermits};
use wardroom_process::child_process;
use wardroom_process::fd_passing;
use wardroom_process::ipc::{FrameBuffer, FrameError, append_frame};
use wardroom_process::limits::SPAWN_TIMEOUT;

/// How a helper is started.
#[derive(Debug)]
pub struct HelperConfig<'b> {
    /// This binary.
    pub program: &'b Path,
    /// The helper's whole environment.
    pub environment: Vec<(&'static str, std::ffi::OsString)>,
    /// The hosts that may be in private networks: `name` or `name:port`.
    pub private_hosts: &'b [String],
}

/// The status that a helper reports when it is ready for calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelperStatus {
    /// The version or resources that it uses.
    pub description: String,
    /// Why it cannot serve calls, if so.
    pub unavailable_reason: Option<String>,
    pub confinement: HelperConfinement,
}

/// The confinement of a helper.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelperConfinement {
    pub active: String,
    /// `None` if all mechanisms are active.
    pub missing: Option<String>,
}

pub(super) struct HelperProcess {
    socket: Mutex<Option<OwnedFd>>,
    child: Mutex<Child>,
    call_permits: SharedPermits,
    status: HelperStatus,
}

impl HelperProcess {
    /// Starts `wardroom helper NAME`, and waits until it is ready. The server does so before it confines itself.
    pub(super) fn start(
        name: &str,
        max_calls: usize,
        config: HelperConfig<'_>,
        folder: Option<&Folder>,
    ) -> io::Result<Self> {
        let (ours, theirs) = fd_passing::socket_pair()?;
        set_socket_timeout(&ours, Timeout::Recv, Some(SPAWN_TIMEOUT))?;
        #[expect(clippy::disallowed_methods, reason = "this program again, before the server is confined")]
        let mut command = Command::new(config.program);
        let mut child = command
            .args(["helper", name])
            .args(config.private_hosts)
            .env_clear()
            .envs(config.environment)
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        // The command holds the other end of the socket.
        drop(command);
        let handshake = || {
            let folder = folder.map(|folder| folder.as_fd());
            fd_passing::send_with_fds(&ours, &[0], folder.as_slice())?;
            let mut inbox = FrameBuffer::default();
            loop {
                if let Some(status) = inbox.take_message::<HelperStatus>().map_err(io::Error::other)? {
                    return Ok(status);
                }
                if inbox.fill(ours.as_fd())? == 0 {
                    return Err(io::Error::other("it ended before it was ready"));
                }
            }
        };
        let handshake: io::Result<HelperStatus> = handshake();
        let status = handshake.inspect_err(|_| child_process::wait_or_kill(&mut child, Duration::ZERO))?;
        let (socket, child) = (Mutex::new(Some(ours)), Mutex::new(child));
        Ok(Self { socket, child, call_permits: SharedPermits::new(max_calls), status })
    }

    pub(super) fn status(&self) -> &HelperStatus {
        &self.status
    }

    pub(super) fn process_id(&self) -> u32 {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// Waits for the permit of a call, for at most `time`.
    pub(super) fn acquire_permit(
        &self,
        caller: Option<&str>,
        time: Duration,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<SharedPermit<'_>, NetError> {
        let deadline = Instant::now() + time.min(FETCH_PERMIT_TIMEOUT);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.call_permits.acquire(caller, left.min(CANCEL_POLL_INTERVAL)) {
                Some(permit) => return Ok(permit),
                None if cancelled() => return Err(NetError::Cancelled),
                None if left.is_zero() => return Err(NetError::Busy),
                None => {}
            }
        }
    }

    /// Starts a call with the request `message`, followed by `body`.
    pub(super) fn start_call<'h>(
        &'h self,
        permit: SharedPermit<'h>,
        message: &impl Serialize,
        body: &[u8],
        folder: Option<&Folder>,
    ) -> Result<HelperCall<'h>, NetError> {
        let mut unsent = Vec::new();
        append_frame(&mut unsent, message).map_err(|error| NetError::Failed(format!("the request is {error}")))?;
        unsent.extend_from_slice(body);
        let pipes = || -> io::Result<_> {
            let (request_reader, request_writer) = io::pipe()?;
            let (response_reader, response_writer) = io::pipe()?;
            rustix::io::ioctl_fionbio(&request_writer, true)?;
            Ok((request_reader, request_writer, response_reader, response_writer))
        };
        let (request_reader, request_writer, response_reader, response_writer) = pipes().map_err(|error| {
            tracing::warn!(%error, "cannot create pipes for a helper");
            NetError::Busy
        })?;
        let mut passed: Vec<BorrowedFd<'_>> = vec![request_reader.as_fd(), response_writer.as_fd()];
        passed.extend(folder.map(|folder| folder.as_fd()));
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = socket.as_ref().map(|socket| fd_passing::send_with_fds(socket, &[0], &passed));
        if !matches!(sent, Some(Ok(()))) {
            return Err(NetError::HelperGone);
        }
        drop(socket);
        Ok(HelperCall {
            helper: self,
            _permit: permit,
            request_pipe: Some(request_writer),
            request_bytes: unsent,
            sent_bytes: 0,
            response_pipe: response_reader,
            frames: FrameBuffer::default(),
        })
    }

    /// Whether the process is still alive after it closed a call. A process that ends closes its pipes a moment before
    /// it exits, and is reaped here.
    fn is_alive(&self) -> bool {
        let deadline = Instant::now() + 10 * CANCEL_POLL_INTERVAL;
        while matches!(self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait(), Ok(None)) {
            if Instant::now() >= deadline {
                return true;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

impl Drop for HelperProcess {
    fn drop(&mut self) {
        // The process ends, with its calls, when its socket closes. It gives up before this timeout.
        *self.socket.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        child_process::wait_or_kill(child, SPAWN_TIMEOUT + 50 * CANCEL_POLL_INTERVAL);
    }
}

/// A call in progress.
pub(super) struct HelperCall<'h> {
    helper: &'h HelperProcess,
    _permit: SharedPermit<'h>,
    /// `None` once the whole request is written.
    request_pipe: Option<PipeWriter>,
    request_bytes: Vec<u8>,
    sent_bytes: usize,
    response_pipe: PipeReader,
    frames: FrameBuffer,
}

impl HelperCall<'_> {
    /// Waits for the next message until `deadline`, and polls `cancelled` meanwhile.
    pub(super) fn receive_message<T: DeserializeOwned>(
        &mut self,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<T, NetError> {
        self.poll_until(deadline, cancelled, FrameBuffer::take_message)
    }

    /// Waits for `length` raw bytes.
    pub(super) fn receive_bytes(
        &mut self,
        length: usize,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, NetError> {
        self.poll_until(deadline, cancelled, |inbox| Ok(inbox.take_bytes(length)))
    }

    fn poll_until<T>(
        &mut self,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
        take: impl Fn(&mut FrameBuffer) -> Result<Option<T>, FrameError>,
    ) -> Result<T, NetError> {
        loop {
            match take(&mut self.frames) {
                Ok(Some(taken)) => return Ok(taken),
                Ok(None) => {}
                Err(error) => {
                    tracing::error!(%error, "a helper sent an invalid message");
                    return Err(NetError::Failed("the fetch process sent an invalid answer".to_owned()));
                }
            }
            if cancelled() {
                return Err(NetError::Cancelled);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NetError::TimedOut);
            }
            self.poll_once(left.min(CANCEL_POLL_INTERVAL))?;
        }
    }

    /// Waits for at most this long; then writes what the pipe accepts, and reads what is available.
    fn poll_once(&mut self, time: Duration) -> Result<(), NetError> {
        let mut ends = vec![PollFd::new(&self.response_pipe, PollFlags::IN)];
        ends.extend(self.request_pipe.as_ref().map(|asks| PollFd::new(asks, PollFlags::OUT)));
        let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
        match rustix::event::poll(&mut ends, Some(&time)) {
            Ok(0) | Err(Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(_) => return Err(self.lost_response_error()),
        }
        let happened: Vec<bool> = ends.iter().map(|end| !end.revents().is_empty()).collect();
        drop(ends);
        if happened.get(1) == Some(&true) {
            self.write_pending();
        }
        if happened.first() != Some(&true) {
            return Ok(());
        }
        match self.frames.fill(self.response_pipe.as_fd()) {
            Ok(0) => Err(self.lost_response_error()),
            Ok(_) | Err(Errno::AGAIN) => Ok(()),
            Err(_) => Err(self.lost_response_error()),
        }
    }

    fn write_pending(&mut self) {
        let Some(asks) = &mut self.request_pipe else { return };
        match asks.write(self.request_bytes.get(self.sent_bytes..).unwrap_or_default()) {
            Ok(written) => self.sent_bytes += written,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            // An earlier response can still be read.
            Err(_) => self.sent_bytes = self.request_bytes.len(),
        }
        if self.sent_bytes == self.request_bytes.len() {
            (self.request_pipe, self.request_bytes, self.sent_bytes) = (None, Vec::new(), 0);
        }
    }

    /// Returns the error for a response that ended early.
    fn lost_response_error(&self) -> NetError {
        if self.helper.is_alive() {
            NetError::Failed("the fetch process gave no answer".to_owned())
        } else {
            NetError::HelperGone
        }
    }
}
