//! The server's handle on a helper process, and on the calls that it makes there.
//!
//! Owns: the process, how many calls there are at once, and the two pipes of each: one for what is asked, one for what is
//! answered. Whoever drops a call takes it back: its pipe ends, and the process stops what it does for it.
//! Never: waits longer than a call may take, or starts a second process: a confined server cannot.

use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::NetError;
use wardroom_appdir::Folder;
use wardroom_base::limits::{LUA_LOOK_TIME, SPAWN_TIME};
use wardroom_process::child;
use wardroom_process::frame::{FrameError, Inbox, append};
use wardroom_process::handles;

/// How a helper is started.
#[derive(Debug)]
pub struct Beginning<'b> {
    /// This binary.
    pub program: &'b Path,
    /// All of its environment.
    pub environment: Vec<(&'static str, std::ffi::OsString)>,
    /// The hosts that may be in private networks: `name` or `name:port`.
    pub private: &'b [String],
}

/// What a helper says when it has begun, and can be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// What it works with.
    pub about: String,
    /// Why it can do nothing, where that is so.
    pub lacks: Option<String>,
    pub walls: Walls,
}

/// What stands around a helper.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walls {
    pub standing: String,
    /// Nothing where all of it stands whole.
    pub missing: Option<String>,
}

pub(super) struct Helper {
    socket: Mutex<Option<OwnedFd>>,
    child: Mutex<Child>,
    calls: AtomicUsize,
    most: usize,
    ready: Ready,
}

impl Helper {
    /// Starts `wardroom helper NAME`, and waits until it is ready. The server does it before it confines itself.
    pub(super) fn start(
        name: &str,
        most: usize,
        beginning: Beginning<'_>,
        folder: Option<&Folder>,
    ) -> io::Result<Self> {
        let (ours, theirs) = handles::socket_pair()?;
        set_socket_timeout(&ours, Timeout::Recv, Some(SPAWN_TIME))?;
        #[expect(clippy::disallowed_methods, reason = "this program again, before the server is confined")]
        let mut command = Command::new(beginning.program);
        let mut child = command
            .args(["helper", name])
            .args(beginning.private)
            .env_clear()
            .envs(beginning.environment)
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        // The other end of the socket is closed with the command.
        drop(command);
        let begun = || {
            let folder = folder.map(|folder| folder.as_fd());
            handles::send(&ours, &[0], folder.as_slice())?;
            let mut inbox = Inbox::default();
            loop {
                if let Some(ready) = inbox.take::<Ready>().map_err(io::Error::other)? {
                    return Ok(ready);
                }
                if inbox.fill(ours.as_fd())? == 0 {
                    return Err(io::Error::other("it ended at once"));
                }
            }
        };
        let begun: io::Result<Ready> = begun();
        let ready = begun.inspect_err(|_| child::end(&mut child, Duration::ZERO))?;
        let (socket, child) = (Mutex::new(Some(ours)), Mutex::new(child));
        Ok(Self { socket, child, calls: AtomicUsize::new(0), most, ready })
    }

    pub(super) fn ready(&self) -> &Ready {
        &self.ready
    }

    pub(super) fn id(&self) -> u32 {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// Begins a call: what is asked is `message`, and after it `body`.
    pub(super) fn call(
        &self,
        message: &impl Serialize,
        body: &[u8],
        folder: Option<&Folder>,
    ) -> Result<Call<'_>, NetError> {
        let mut unsent = Vec::new();
        append(&mut unsent, message).map_err(|error| NetError::Failed(format!("the request is {error}")))?;
        unsent.extend_from_slice(body);
        let permit = Permit::of(self).ok_or(NetError::Busy)?;
        let pipes = || -> io::Result<_> {
            let (asked, asks) = io::pipe()?;
            let (answers, answer) = io::pipe()?;
            rustix::io::ioctl_fionbio(&asks, true)?;
            Ok((asked, asks, answers, answer))
        };
        let (asked, asks, answers, answer) = pipes().map_err(|error| {
            tracing::warn!(%error, "no pipes for a helper");
            NetError::Busy
        })?;
        let mut passed: Vec<BorrowedFd<'_>> = vec![asked.as_fd(), answer.as_fd()];
        passed.extend(folder.map(|folder| folder.as_fd()));
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = socket.as_ref().map(|socket| handles::send(socket, &[0], &passed));
        if !matches!(sent, Some(Ok(()))) {
            return Err(NetError::Gone);
        }
        drop(socket);
        Ok(Call { permit, asks: Some(asks), unsent, sent: 0, answers, inbox: Inbox::default() })
    }

    /// Whether the process lives, after it closed a call. One that ends closes everything a moment before it is gone, and is
    /// reaped by this.
    fn lives(&self) -> bool {
        let deadline = Instant::now() + 10 * LUA_LOOK_TIME;
        while matches!(self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait(), Ok(None)) {
            if Instant::now() >= deadline {
                return true;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // The end of its socket ends it, with what it does. It is the first to give that up.
        *self.socket.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        child::end(child, SPAWN_TIME + 50 * LUA_LOOK_TIME);
    }
}

/// One of the calls that a helper may have at once.
struct Permit<'h>(&'h Helper);

impl<'h> Permit<'h> {
    fn of(helper: &'h Helper) -> Option<Self> {
        if helper.calls.fetch_add(1, Ordering::Relaxed) < helper.most {
            return Some(Self(helper));
        }
        helper.calls.fetch_sub(1, Ordering::Relaxed);
        None
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A call that goes on.
pub(super) struct Call<'h> {
    permit: Permit<'h>,
    /// Nothing once all is written.
    asks: Option<PipeWriter>,
    unsent: Vec<u8>,
    sent: usize,
    answers: PipeReader,
    inbox: Inbox,
}

impl Call<'_> {
    /// Waits for the next message, until `deadline`, and looks at `cancelled` again and again.
    pub(super) fn message<T: DeserializeOwned>(
        &mut self,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<T, NetError> {
        self.until(deadline, cancelled, Inbox::take)
    }

    /// The same for bytes that are no message.
    pub(super) fn bytes(
        &mut self,
        length: usize,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, NetError> {
        self.until(deadline, cancelled, |inbox| Ok(inbox.take_bytes(length)))
    }

    fn until<T>(
        &mut self,
        deadline: Instant,
        cancelled: &dyn Fn() -> bool,
        take: impl Fn(&mut Inbox) -> Result<Option<T>, FrameError>,
    ) -> Result<T, NetError> {
        loop {
            match take(&mut self.inbox) {
                Ok(Some(taken)) => return Ok(taken),
                Ok(None) => {}
                Err(error) => {
                    tracing::error!(%error, "a helper answers something else");
                    return Err(NetError::Failed("the process that fetches answers something unusable".to_owned()));
                }
            }
            if cancelled() {
                return Err(NetError::Cancelled);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NetError::TimedOut);
            }
            self.step(left.min(LUA_LOOK_TIME))?;
        }
    }

    /// Waits for at most this long; writes what is taken, and reads what there is.
    fn step(&mut self, time: Duration) -> Result<(), NetError> {
        let mut ends = vec![PollFd::new(&self.answers, PollFlags::IN)];
        ends.extend(self.asks.as_ref().map(|asks| PollFd::new(asks, PollFlags::OUT)));
        let time = Timespec { tv_sec: 0, tv_nsec: time.subsec_nanos().into() };
        match rustix::event::poll(&mut ends, Some(&time)) {
            Ok(0) | Err(Errno::INTR) => return Ok(()),
            Ok(_) => {}
            Err(_) => return Err(self.silent()),
        }
        let happened: Vec<bool> = ends.iter().map(|end| !end.revents().is_empty()).collect();
        drop(ends);
        if happened.get(1) == Some(&true) {
            self.write();
        }
        if happened.first() != Some(&true) {
            return Ok(());
        }
        match self.inbox.fill(self.answers.as_fd()) {
            Ok(0) => Err(self.silent()),
            Ok(_) | Err(Errno::AGAIN) => Ok(()),
            Err(_) => Err(self.silent()),
        }
    }

    fn write(&mut self) {
        let Some(asks) = &mut self.asks else { return };
        match asks.write(self.unsent.get(self.sent..).unwrap_or_default()) {
            Ok(written) => self.sent += written,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            // What it said before can still be read.
            Err(_) => self.sent = self.unsent.len(),
        }
        if self.sent == self.unsent.len() {
            (self.asks, self.unsent, self.sent) = (None, Vec::new(), 0);
        }
    }

    /// Nothing more will be answered.
    fn silent(&self) -> NetError {
        if self.permit.0.lives() {
            NetError::Failed("the process that fetches gave no answer".to_owned())
        } else {
            NetError::Gone
        }
    }
}
