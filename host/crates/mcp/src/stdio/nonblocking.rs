//! Standard streams that can be non-blocking: pipes and sockets.
//!
//! Owns: opening a pipe a second time, so that it becomes non-blocking for this process only.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;

use rustix::fs::{FileType, Mode, OFlags};
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

use crate::limits::STDIO_READ_CHUNK_BYTES;

/// An input that reports when it is readable.
pub(super) enum NonblockingReader {
    Pipe(pipe::Receiver),
    Socket(UnixStream),
}

/// An output that reports when it is writable.
pub(super) enum NonblockingWriter {
    Pipe(pipe::Sender),
    Socket(UnixStream),
}

/// An open descriptor that is not registered with the runtime yet.
pub(super) enum NonblockingFd {
    Pipe(OwnedFd),
    Socket(OwnedFd),
}

impl NonblockingFd {
    /// Opens an input; `None` if it is neither a pipe nor a socket.
    pub(super) fn for_reading(stream: impl AsFd) -> io::Result<Option<Self>> {
        Self::open(&stream, "/proc/self/fd/0", OFlags::RDONLY)
    }

    /// Opens an output; `None` if it is neither a pipe nor a socket.
    pub(super) fn for_writing(stream: impl AsFd) -> io::Result<Option<Self>> {
        Self::open(&stream, "/proc/self/fd/1", OFlags::WRONLY)
    }

    #[expect(clippy::disallowed_methods, reason = "opens this process's own pipe a second time, not a file")]
    fn open(stream: &impl AsFd, path: &str, mode: OFlags) -> io::Result<Option<Self>> {
        Ok(match FileType::from_raw_mode(rustix::fs::fstat(stream)?.st_mode) {
            // Without /proc, or with a pipe of another user, a thread is used instead.
            FileType::Fifo => {
                let fd = rustix::fs::open(path, mode | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty());
                fd.ok().map(Self::Pipe)
            }
            FileType::Socket => Some(Self::Socket(stream.as_fd().try_clone_to_owned()?)),
            _ => None,
        })
    }
}

impl NonblockingReader {
    pub(super) fn new(stream: NonblockingFd) -> io::Result<Self> {
        Ok(match stream {
            NonblockingFd::Pipe(fd) => Self::Pipe(pipe::Receiver::from_owned_fd(fd)?),
            NonblockingFd::Socket(fd) => Self::Socket(to_unix_stream(fd)?),
        })
    }

    /// Appends at most one chunk, and waits until there is something to read.
    pub(super) async fn read(&mut self, chunk: &mut Vec<u8>) -> io::Result<usize> {
        chunk.reserve(STDIO_READ_CHUNK_BYTES);
        match self {
            Self::Pipe(pipe) => pipe.read_buf(chunk).await,
            Self::Socket(stream) => stream.read_buf(chunk).await,
        }
    }

    /// Reads as [`Self::read`] does, but fails with `WouldBlock` instead of waiting.
    pub(super) fn try_read(&self, chunk: &mut Vec<u8>) -> io::Result<usize> {
        chunk.reserve(STDIO_READ_CHUNK_BYTES);
        match self {
            Self::Pipe(pipe) => pipe.try_read_buf(chunk),
            Self::Socket(stream) => stream.try_read_buf(chunk),
        }
    }
}

impl NonblockingWriter {
    pub(super) fn new(stream: NonblockingFd) -> io::Result<Self> {
        Ok(match stream {
            NonblockingFd::Pipe(fd) => Self::Pipe(pipe::Sender::from_owned_fd(fd)?),
            NonblockingFd::Socket(fd) => Self::Socket(to_unix_stream(fd)?),
        })
    }

    /// Writes what can be written without waiting, or fails with `WouldBlock`.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Pipe(pipe) => pipe.try_write(bytes),
            Self::Socket(stream) => stream.try_write(bytes),
        }
    }

    pub(super) async fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            match self.try_write(rest) {
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

fn to_unix_stream(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = StdStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
