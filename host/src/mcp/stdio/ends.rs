//! The two ends of the connection: standard input and output, read and written without blocking where they can be.
//!
//! Owns: what kind of end it is. Pipes are opened anew, so that switching them to non-blocking changes nothing for
//! whoever shares them. Sockets (Node starts servers on socket pairs) cannot be; each has a side of its own, so that
//! hardly anyone shares ours. Files and terminals get a thread.

use std::io;

use tokio::sync::mpsc;

/// Bytes read at a time.
pub(super) const CHUNK_BYTES: usize = 64 * 1024;

pub(super) enum Input {
    #[cfg(unix)]
    Ready(unix::Readable),
    Thread(mpsc::Receiver<io::Result<Vec<u8>>>),
}

pub(super) enum Output {
    #[cfg(unix)]
    Ready(unix::Writable),
    Thread,
}

/// Opens both ends.
///
/// # Errors
/// When the event queue of the system does not take them.
pub(super) fn standard() -> io::Result<(Input, Output)> {
    #[cfg(unix)]
    {
        let input = unix::Readable::open(io::stdin())?.map_or_else(Input::thread, Input::Ready);
        let output = unix::Writable::open(io::stdout())?.map_or(Output::Thread, Output::Ready);
        Ok((input, output))
    }
    #[cfg(not(unix))]
    Ok((Input::thread(), Output::Thread))
}

impl Input {
    /// Reads what there is, at most a chunk, and waits when there is nothing. Empty at the end of input.
    pub(super) async fn read(&mut self, chunk: &mut Vec<u8>) -> io::Result<()> {
        chunk.clear();
        match self {
            #[cfg(unix)]
            Self::Ready(ready) => ready.read(chunk).await,
            Self::Thread(chunks) => {
                if let Some(read) = chunks.recv().await {
                    *chunk = read?;
                }
                Ok(())
            }
        }
    }

    /// As [`Self::read`], but when there is nothing it says so at once.
    pub(super) fn try_read(&mut self, chunk: &mut Vec<u8>) -> io::Result<()> {
        chunk.clear();
        match self {
            #[cfg(unix)]
            Self::Ready(ready) => ready.try_read(chunk),
            Self::Thread(chunks) => match chunks.try_recv() {
                Ok(read) => {
                    *chunk = read?;
                    Ok(())
                }
                Err(mpsc::error::TryRecvError::Empty) => Err(io::ErrorKind::WouldBlock.into()),
                Err(mpsc::error::TryRecvError::Disconnected) => Ok(()),
            },
        }
    }

    /// A thread that reads and hands over chunks; it ends with the process.
    fn thread() -> Self {
        const AHEAD: usize = 4;
        let (sender, chunks) = mpsc::channel(AHEAD);
        std::thread::spawn(move || {
            use std::io::Read as _;
            let mut input = io::stdin().lock();
            loop {
                let mut chunk = vec![0; CHUNK_BYTES];
                let read = input.read(&mut chunk);
                let ended = matches!(read, Ok(0) | Err(_));
                let read = read.map(|count| {
                    chunk.truncate(count);
                    chunk
                });
                if sender.blocking_send(read).is_err() || ended {
                    return;
                }
            }
        });
        Self::Thread(chunks)
    }
}

impl Output {
    /// Writes all of `bytes`, which may be gone afterwards.
    pub(super) async fn write_all(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Ready(ready) => ready.write_all(bytes).await,
            Self::Thread => {
                let taken = std::mem::take(bytes);
                let writing = tokio::task::spawn_blocking(move || {
                    use std::io::Write as _;
                    let mut output = io::stdout().lock();
                    output.write_all(&taken)?;
                    output.flush()
                });
                writing.await.map_err(io::Error::other)?
            }
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::net::UnixStream as StdStream;

    use rustix::fs::{FileType, Mode, OFlags};
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    use super::CHUNK_BYTES;

    /// An end to read from that the system tells us about when it is ready.
    pub(in super::super) enum Readable {
        Pipe(pipe::Receiver),
        Socket(UnixStream),
    }

    /// The same, to write to.
    pub(in super::super) enum Writable {
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
            chunk.resize(CHUNK_BYTES, 0);
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
}
