//! Ends that the system tells us about: pipes and sockets.
//!
//! Owns: opening a pipe a second time, so that it can be non-blocking for us alone.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;

use rustix::fs::{FileType, Mode, OFlags};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use crate::limits::READ_BYTES;

/// An end to read from that the system tells us about when it is ready.
pub(super) enum Readable {
    Pipe(pipe::Receiver),
    Socket(UnixStream),
}

/// The same, to write to.
pub(super) enum Writable {
    Pipe(pipe::Sender),
    Socket(UnixStream),
}

impl Readable {
    pub(super) fn open(end: impl AsFd) -> io::Result<Option<Self>> {
        Ok(match opened(&end, "/proc/self/fd/0", OFlags::RDONLY)? {
            Some((FileType::Fifo, fd)) => Some(Self::Pipe(pipe::Receiver::from_owned_fd(fd)?)),
            Some((_, fd)) => Some(Self::Socket(stream(fd)?)),
            None => None,
        })
    }

    pub(super) async fn read(&mut self, chunk: &mut Vec<u8>) -> io::Result<()> {
        loop {
            match self {
                Self::Pipe(pipe) => pipe.readable().await?,
                Self::Socket(stream) => stream.readable().await?,
            }
            match self.try_read(chunk) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }

    pub(super) fn try_read(&self, chunk: &mut Vec<u8>) -> io::Result<()> {
        chunk.resize(READ_BYTES, 0);
        let read = match self {
            Self::Pipe(pipe) => pipe.try_read(chunk),
            Self::Socket(stream) => stream.try_read(chunk),
        };
        chunk.truncate(*read.as_ref().unwrap_or(&0));
        read.map(|_| ())
    }
}

impl Writable {
    pub(super) fn open(end: impl AsFd) -> io::Result<Option<Self>> {
        Ok(match opened(&end, "/proc/self/fd/1", OFlags::WRONLY)? {
            Some((FileType::Fifo, fd)) => Some(Self::Pipe(pipe::Sender::from_owned_fd(fd)?)),
            Some((_, fd)) => Some(Self::Socket(stream(fd)?)),
            None => None,
        })
    }

    pub(super) async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = match self {
                Self::Pipe(pipe) => pipe.try_write(rest),
                Self::Socket(stream) => stream.try_write(rest),
            };
            match written {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => match self {
                    Self::Pipe(pipe) => pipe.writable().await?,
                    Self::Socket(stream) => stream.writable().await?,
                },
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// A descriptor of our own for a pipe or a socket; nothing for anything else.
#[expect(clippy::disallowed_methods, reason = "opens this process's own pipe a second time, not a file")]
fn opened(end: &impl AsFd, again: &str, mode: OFlags) -> io::Result<Option<(FileType, OwnedFd)>> {
    let kind = FileType::from_raw_mode(rustix::fs::fstat(end)?.st_mode);
    let fd = match kind {
        // Without /proc, or with somebody else's pipe, a thread will do.
        FileType::Fifo => rustix::fs::open(again, mode | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).ok(),
        FileType::Socket => Some(end.as_fd().try_clone_to_owned()?),
        _ => None,
    };
    Ok(fd.map(|fd| (kind, fd)))
}

fn stream(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = StdStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
