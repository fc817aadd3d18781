//! Processes that are copies of this one: one that waits to become a program, and one that goes on as it is.
//!
//! Owns: `fork` and `execve`. A waiting process shares the memory that it does not change with its parent, holds its
//! socket alone, and ends with it. What it becomes has no environment and nothing of its parent's memory.
//! Never: allocates or waits for a lock between `fork` and `execve`: the parent may have other threads. A process that
//! goes on as a copy had one thread.

use std::ffi::{CStr, CString, c_char};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, WaitOptions, WaitStatus};

use crate::fd_passing::socket_pair;
use crate::limits::CHILD_EXIT_TIMEOUT;

/// The program gets its arguments.
const AS_IT_IS: u8 = 0;
/// The program gets one argument more.
const WITH_OPTION: u8 = 1;
/// The exit code of a process that could not become its program, as in shells.
const NOT_EXECUTED: i32 = 127;
/// The first descriptor after standard input, output and error.
const FIRST_NONSTANDARD_FD: i32 = 3;

/// A copy of this process, which is going to be another program.
#[derive(Debug)]
pub struct DormantProcess {
    pid: Pid,
    is_reaped: bool,
    /// `None` once it was closed, which ends the process.
    socket: Option<OwnedFd>,
}

impl DormantProcess {
    /// Forks this process. [`Self::wake`] makes the copy `program`, with these arguments and perhaps `option`; its
    /// standard input is the other end of the socket, and its output goes nowhere.
    ///
    /// # Errors
    /// When the system cannot start a process, and for a path that contains a zero byte.
    pub fn fork(program: &Path, arguments: &[&CStr], option: &CStr) -> io::Result<Self> {
        let program = CString::new(program.as_os_str().as_bytes())?;
        let pointers = |option: Option<&CStr>| -> Vec<*const c_char> {
            arguments.iter().copied().chain(option).map(CStr::as_ptr).chain([std::ptr::null()]).collect()
        };
        let (as_it_is, with_option) = (pointers(None), pointers(Some(option)));
        let (ours, theirs) = socket_pair()?;
        #[expect(unsafe_code, reason = "the child calls only what is safe after a fork, and never returns")]
        // SAFETY: the child runs `wait_and_execute` alone, which makes system calls and nothing else.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => wait_and_execute(&theirs, &program, &as_it_is, &with_option),
            pid => {
                let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidData)?;
                Ok(Self { pid, is_reaped: false, socket: Some(ours) })
            }
        }
    }

    #[must_use]
    pub const fn pid(&self) -> Pid {
        self.pid
    }

    /// Makes the process its program. The socket stays the one between the two.
    ///
    /// # Errors
    /// When the process is gone.
    pub fn wake(&self, with_option: bool) -> io::Result<()> {
        let told = [if with_option { WITH_OPTION } else { AS_IT_IS }];
        crate::fd_passing::send_with_fds(self.socket()?, &told, &[])
    }

    /// The end of the socket that this process has.
    ///
    /// # Errors
    /// When it was closed.
    pub fn socket(&self) -> io::Result<&OwnedFd> {
        self.socket.as_ref().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Closes the socket, which ends a process that waits or serves it.
    pub fn close(&mut self) {
        self.socket = None;
    }

    /// Closes the socket, and waits for the end of the process. `None` if that does not come: a confined server may not
    /// kill it, and does not wait for ever.
    ///
    /// # Errors
    /// The system's error.
    pub fn wait(&mut self) -> io::Result<Option<WaitStatus>> {
        self.close();
        self.is_reaped = true;
        let deadline = Instant::now() + CHILD_EXIT_TIMEOUT;
        loop {
            let ended = rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(self.pid), WaitOptions::NOHANG))?;
            match ended {
                Some((_, status)) => return Ok(Some(status)),
                None if Instant::now() >= deadline => return Ok(None),
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
    }
}

impl Drop for DormantProcess {
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        match self.wait() {
            Ok(Some(_)) => {}
            Ok(None) => tracing::warn!("a child process does not exit"),
            Err(error) => tracing::warn!(%error, "cannot wait for a child process"),
        }
    }
}

/// The child's side: keeps its socket alone, waits for one byte, and becomes the program.
fn wait_and_execute(socket: &OwnedFd, program: &CStr, as_it_is: &[*const c_char], with_option: &[*const c_char]) -> ! {
    let line = match hold_socket_alone(socket).and_then(|()| wait_for_byte()) {
        Ok(Some(AS_IT_IS)) => as_it_is,
        Ok(Some(WITH_OPTION)) => with_option,
        Ok(None) => exit_at_once(0),
        Ok(Some(_)) | Err(_) => exit_at_once(NOT_EXECUTED),
    };
    let environment = [std::ptr::null()];
    #[expect(unsafe_code, reason = "no safe function replaces a process without allocating")]
    // SAFETY: the program is a C string; both lists end with a null pointer, and their strings live in the caller.
    unsafe {
        libc::execve(program.as_ptr(), line.as_ptr(), environment.as_ptr());
    }
    exit_at_once(NOT_EXECUTED)
}

/// Makes the socket standard input, closes every other descriptor, and gives up privileges. A terminal's signals to the parent's process
/// group do not reach this process: the parent ends it.
#[expect(clippy::disallowed_methods, reason = "the null device alone, by its fixed name")]
fn hold_socket_alone(socket: &OwnedFd) -> rustix::io::Result<()> {
    // On a single processor, the parent's first answer would wait for the rest of this.
    rustix::thread::sched_yield();
    rustix::process::setpgid(None, None)?;
    // Where that fails, the program that it becomes says so.
    let _refused = crate::confine::drop_privileges();
    rustix::stdio::dup2_stdin(socket)?;
    let null = rustix::fs::open(c"/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    #[expect(unsafe_code, reason = "no safe function closes descriptors that something else may own")]
    // SAFETY: nothing of this process uses them again: it becomes another program, or ends without any destructor.
    unsafe {
        close_fds::close_open_fds(FIRST_NONSTANDARD_FD, &[]);
    }
    Ok(())
}

/// Waits for a byte on standard input; `None` at its end.
fn wait_for_byte() -> rustix::io::Result<Option<u8>> {
    let mut told = [0];
    let read = rustix::io::retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut told))?;
    let [byte] = told;
    Ok((read == 1).then_some(byte))
}

fn exit_at_once(code: i32) -> ! {
    #[expect(unsafe_code, reason = "the parent's handlers of a process's end must not run twice")]
    // SAFETY: it ends this process, and takes a plain number.
    unsafe {
        libc::_exit(code)
    }
}

/// The side of a fork on which the caller goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForkSide {
    Parent(Pid),
    Child,
}

/// Forks this process, which has one thread.
///
/// # Errors
/// When it has more threads, whose locks the child could never take, and when the system cannot start a process.
pub fn fork_single_threaded() -> io::Result<ForkSide> {
    if !crate::confine::is_single_threaded() {
        return Err(io::Error::other("a process with several threads cannot be copied"));
    }
    #[expect(unsafe_code, reason = "no safe function copies a process")]
    // SAFETY: there is no other thread, so that no lock is taken and nothing is half written in the child.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(ForkSide::Child),
        pid => Pid::from_raw(pid).map(ForkSide::Parent).ok_or_else(|| io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dormant(program: &str) -> DormantProcess {
        DormantProcess::fork(
            Path::new(program),
            &[c"sh", c"-c", c"test $# -gt 0 && exit 3; exit 4", c"name"],
            c"option",
        )
        .unwrap()
    }

    #[test]
    fn process_becomes_its_program_with_or_without_the_option() {
        for (with_option, code) in [(false, 4), (true, 3)] {
            let mut process = dormant("/bin/sh");
            process.wake(with_option).unwrap();
            assert_eq!(process.wait().unwrap().unwrap().exit_status(), Some(code));
        }
    }

    #[test]
    fn process_ends_with_its_socket() {
        assert_eq!(dormant("/bin/sh").wait().unwrap().unwrap().exit_status(), Some(0));
    }

    #[test]
    fn missing_program_is_an_exit_code() {
        let mut process = dormant("/nonexistent");
        process.wake(false).unwrap();
        assert_eq!(process.wait().unwrap().unwrap().exit_status(), Some(NOT_EXECUTED));
    }
}
