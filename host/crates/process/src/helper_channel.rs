//! A helper process that answers one request after another on its standard input and output.
//!
//! Owns: both ends: the server's handle, which begins with a configuration, and the loop of the process.
//! Never: waits longer than a request may take, or uses a helper again that failed once: a late answer would be taken
//! for the next one.

use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::child_process;
use crate::ipc::{FrameBuffer, append_frame};
use crate::limits::CHILD_EXIT_TIMEOUT;

/// The server's handle on its helper.
pub struct HelperChannel {
    /// `None` after a failure.
    open: Mutex<Option<OpenChannel>>,
    /// Time that the helper has for one request.
    timeout: Duration,
}

struct OpenChannel {
    child: Child,
    /// `None` once the helper should end.
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    frames: FrameBuffer,
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
        let mut open = OpenChannel { child, stdin: Some(stdin), stdout, frames: FrameBuffer::default() };
        open.send(config, Instant::now() + timeout)?;
        Ok(Self { open: Mutex::new(Some(open)), timeout })
    }

    /// Sends a request and returns the helper's answer; requests are serialized.
    ///
    /// # Errors
    /// When the helper is gone, or does not read and answer in time: then no further request is sent.
    pub fn request<A: DeserializeOwned>(&self, request: &impl Serialize) -> io::Result<A> {
        let mut channel = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = channel.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let deadline = Instant::now() + self.timeout;
        let answered = open.send(request, deadline).and_then(|()| open.receive(deadline));
        if answered.is_err() {
            *channel = None;
        }
        answered
    }
}

impl Drop for OpenChannel {
    fn drop(&mut self) {
        // The helper ends when its input ends, and writes nothing from then on.
        self.stdin = None;
        child_process::wait_or_kill(&mut self.child, CHILD_EXIT_TIMEOUT);
    }
}

impl OpenChannel {
    fn send(&mut self, message: &impl Serialize, deadline: Instant) -> io::Result<()> {
        let mut bytes = Vec::new();
        append_frame(&mut bytes, message).map_err(io::Error::other)?;
        let stdin = self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut unsent = bytes.as_slice();
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
            wait_for(&self.stdout, PollFlags::IN, deadline)?;
            if self.frames.fill(self.stdout.as_fd())? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
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

/// Runs the helper process: `begin` takes the configuration, and `answer` each request, until the input ends.
///
/// # Errors
/// When the input is not a valid message, `begin` fails, or a system call fails.
pub fn serve<C, S, R, A>(
    begin: impl FnOnce(C) -> io::Result<S>,
    mut answer: impl FnMut(&mut S, R) -> A,
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
    while let Some(request) = receive_own(&mut inbox)? {
        let mut bytes = Vec::new();
        append_frame(&mut bytes, &answer(&mut state, request)).map_err(io::Error::other)?;
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

/// Whether the server still holds the other end of the input: a server that stopped waiting has reported that nothing
/// was written.
#[must_use]
pub fn is_server_connected() -> bool {
    let input = io::stdin();
    let mut ends = [PollFd::new(&input, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut ends, Some(&now))).is_ok_and(|ended| ended == 0)
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
        let kind = |answered: io::Result<()>| answered.map_err(|error| error.kind());
        assert_eq!(kind(channel.request(&larger_than_a_pipe)), Err(io::ErrorKind::TimedOut));
        assert_eq!(kind(channel.request(&"again")), Err(io::ErrorKind::BrokenPipe));
    }
}
