//! A helper process that answers one request after another on its standard input and output.
//!
//! Owns: both ends: the server's handle, which begins with a configuration, and the loop of the process.
//! Never: waits longer than a request may take, takes a late answer for that of the next request, or uses a helper again that broke the
//! protocol.

use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::child_process;
use crate::ipc::{FrameBuffer, FrameError, append_frame};
use crate::limits::CHILD_EXIT_TIMEOUT;

/// Why a helper gave no answer. `Display` may be shown to a client.
#[derive(Debug, thiserror::Error)]
pub enum HelperError {
    /// It may have done in the end what was asked for.
    #[error("it did not answer within {} s", .0.as_secs())]
    Late(Duration),
    #[error("it still works on an earlier request")]
    Busy,
    /// Nothing was sent.
    #[error("the request is {0}")]
    Refused(FrameError),
    #[error("it has ended")]
    Gone(#[source] io::Error),
}

/// What a server sends to its helper after the configuration.
#[derive(Serialize, Deserialize)]
enum HelperMessage<R> {
    Request(R),
    /// The server no longer waits for the answer to the request before.
    GivenUp,
}

/// The server's handle on its helper.
pub struct HelperChannel {
    /// `None` once the helper is gone.
    open: Mutex<Option<OpenChannel>>,
    /// Time that the helper has for one request.
    timeout: Duration,
}

struct OpenChannel {
    child: Child,
    /// `None` once the helper should end.
    stdin: Option<ChildStdin>,
    /// `None` once the helper should end: the helper may be writing an answer for which the server no longer waits.
    stdout: Option<ChildStdout>,
    frames: FrameBuffer,
    /// Whether the answer to a request that was given up is still to come.
    is_late: bool,
}

impl HelperChannel {
    /// Starts `wardroom helper NAME`, without an environment, and sends its configuration. A server does so before it is
    /// confined.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(program: &Path, name: &str, config: &impl Serialize, timeout: Duration) -> io::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "this program again, before the server is confined")]
        let mut command = Command::new(program);
        let mut child = command
            .args(["helper", name])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("a process without pipes"));
        };
        // A helper that does not read would keep the writer.
        rustix::io::ioctl_fionbio(&stdin, true)?;
        let mut open = OpenChannel {
            child,
            stdin: Some(stdin),
            stdout: Some(stdout),
            frames: FrameBuffer::default(),
            is_late: false,
        };
        open.send_message(config, Instant::now() + timeout)?;
        Ok(Self { open: Mutex::new(Some(open)), timeout })
    }

    /// Sends a request and returns the helper's answer; requests are serialized.
    ///
    /// # Errors
    /// When the helper is late, still at a request that was given up, or gone. Only then no further request is sent.
    pub fn request<A: DeserializeOwned>(&self, request: &impl Serialize) -> Result<A, HelperError> {
        let mut channel = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = channel.as_mut() else { return Err(HelperError::Gone(io::ErrorKind::BrokenPipe.into())) };
        let answered = open.exchange(request, self.timeout);
        if let Err(HelperError::Gone(_)) = &answered {
            *channel = None;
        }
        answered
    }
}

impl Drop for OpenChannel {
    fn drop(&mut self) {
        // The helper ends when its input ends, and writes nothing from then on.
        (self.stdin, self.stdout) = (None, None);
        child_process::wait_or_kill(&mut self.child, CHILD_EXIT_TIMEOUT);
    }
}

impl OpenChannel {
    fn exchange<A: DeserializeOwned>(&mut self, request: &impl Serialize, timeout: Duration) -> Result<A, HelperError> {
        let mut bytes = Vec::new();
        append_frame(&mut bytes, &HelperMessage::Request(request)).map_err(HelperError::Refused)?;
        if self.is_late {
            self.skip_late_answer(Instant::now() + timeout)?;
        }
        let deadline = Instant::now() + timeout;
        // A part of a message cannot be taken back.
        self.send(&bytes, deadline).map_err(HelperError::Gone)?;
        match self.receive(deadline) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                self.is_late = true;
                self.send_message(&HelperMessage::<()>::GivenUp, Instant::now()).map_err(HelperError::Gone)?;
                Err(HelperError::Late(timeout))
            }
            answered => answered.map_err(HelperError::Gone),
        }
    }

    /// Reads the answer to the request that the server gave up, if that answer has begun to arrive.
    fn skip_late_answer(&mut self, deadline: Instant) -> Result<(), HelperError> {
        let has_begun = self.output().and_then(|output| wait_for(output, PollFlags::IN, Instant::now()));
        match has_begun.and_then(|()| self.receive(deadline)) {
            Ok(IgnoredAny) => {
                self.is_late = false;
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(HelperError::Busy),
            Err(error) => Err(HelperError::Gone(error)),
        }
    }

    fn send_message(&mut self, message: &impl Serialize, deadline: Instant) -> io::Result<()> {
        let mut bytes = Vec::new();
        append_frame(&mut bytes, message).map_err(io::Error::other)?;
        self.send(&bytes, deadline)
    }

    fn send(&mut self, bytes: &[u8], deadline: Instant) -> io::Result<()> {
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut unsent = bytes;
        while !unsent.is_empty() {
            match stdin.write(unsent) {
                Ok(written) => unsent = unsent.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait_for(&*stdin, PollFlags::OUT, deadline)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn receive<A: DeserializeOwned>(&mut self, deadline: Instant) -> io::Result<A> {
        loop {
            if let Some(answer) = self.frames.take_message().map_err(io::Error::other)? {
                return Ok(answer);
            }
            let output = self.stdout.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
            wait_for(output, PollFlags::IN, deadline)?;
            if self.frames.fill(output.as_fd())? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn output(&self) -> io::Result<&ChildStdout> {
        Ok(self.stdout.as_ref().ok_or(io::ErrorKind::BrokenPipe)?)
    }
}

/// Waits until one end of a pipe can be used.
fn wait_for(end: &impl AsFd, flags: PollFlags, deadline: Instant) -> io::Result<()> {
    let left = deadline.saturating_duration_since(Instant::now());
    let time = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
    let mut ends = [PollFd::new(end, flags)];
    match rustix::io::retry_on_intr(|| rustix::event::poll(&mut ends, Some(&time)))? {
        0 => Err(io::ErrorKind::TimedOut.into()),
        _ => Ok(()),
    }
}

/// Runs the helper process: `begin` takes the configuration, and `answer` each request, until the input ends. What `answer` is given last
/// tells whether the server still waits: for one that does not, nothing is begun.
///
/// # Errors
/// When the input is not a valid message, `begin` fails, or a system call fails.
pub fn serve<C, S, R, A>(
    begin: impl FnOnce(C) -> io::Result<S>,
    mut answer: impl FnMut(&mut S, R, &dyn Fn() -> bool) -> A,
) -> io::Result<()>
where
    C: DeserializeOwned,
    R: DeserializeOwned,
    A: Serialize,
{
    let mut inbox = FrameBuffer::default();
    let Some(config) = receive_own(&mut inbox)? else { return Ok(()) };
    let mut state = begin(config)?;
    let mut output = io::stdout();
    while let Some(message) = receive_own(&mut inbox)? {
        let HelperMessage::Request(request) = message else { continue };
        let is_awaited = || inbox.is_empty() && is_input_quiet();
        let mut bytes = Vec::new();
        append_frame(&mut bytes, &answer(&mut state, request, &is_awaited)).map_err(io::Error::other)?;
        output.write_all(&bytes)?;
        output.flush()?;
    }
    Ok(())
}

/// Returns the next message on standard input; `None` at its end.
fn receive_own<T: DeserializeOwned>(inbox: &mut FrameBuffer) -> io::Result<Option<T>> {
    loop {
        if let Some(message) = inbox.take_message().map_err(io::Error::other)? {
            return Ok(Some(message));
        }
        if inbox.fill(io::stdin().as_fd())? == 0 {
            return Ok(None);
        }
    }
}

/// Whether the server holds the other end of the input, and has sent nothing since the request: all it could say is that it gave up.
fn is_input_quiet() -> bool {
    let input = io::stdin();
    let mut ends = [PollFd::new(&input, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut ends, Some(&now))).is_ok_and(|ready| ready == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helper_that_does_not_read_costs_its_timeout_and_no_more() {
        // Writes until its output is full, and reads nothing.
        let program = Path::new("/usr/bin/yes");
        let channel = HelperChannel::start(program, "x", &"config", Duration::from_millis(50)).unwrap();
        let larger_than_a_pipe = "x".repeat(1 << 20);
        let kind = |answered: Result<(), HelperError>| match answered {
            Err(HelperError::Gone(error)) => error.kind(),
            other => panic!("{other:?}"),
        };
        assert_eq!(kind(channel.request(&larger_than_a_pipe)), io::ErrorKind::TimedOut);
        assert_eq!(kind(channel.request(&"again")), io::ErrorKind::BrokenPipe);
    }
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test writes a program and starts it")]
    fn late_answer_is_not_that_of_the_next_request() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let (program, go) = (dir.path().join("helper"), dir.path().join("go"));
        let wait = format!("while [ ! -e {} ]; do sleep 0.01; done", go.display());
        let answers = r#"printf '\003\000\000\000"a"\003\000\000\000"b"'; cat >/dev/null"#;
        std::fs::write(&program, format!("#!/bin/sh\n{wait}\n{answers}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        let channel = loop {
            match HelperChannel::start(&program, "x", &"config", Duration::from_millis(200)) {
                // Another test forked while the file was open.
                Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {}
                started => break started.unwrap(),
            }
        };
        assert!(matches!(channel.request::<String>(&"first"), Err(HelperError::Late(_))));
        assert!(matches!(channel.request::<String>(&"second"), Err(HelperError::Busy)));
        std::fs::write(&go, "").unwrap();
        let answer = loop {
            match channel.request::<String>(&"third") {
                Err(HelperError::Busy) => std::thread::sleep(Duration::from_millis(10)),
                answered => break answered.unwrap(),
            }
        };
        assert_eq!(answer, "b");
    }
}
