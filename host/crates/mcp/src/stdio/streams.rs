//! Standard input and output, read and written without blocking where they can be.
//!
//! Owns: the kind of each stream. Pipes are opened again, so that switching them to non-blocking changes nothing for
//! other processes that share them. Sockets (Node starts servers on socket pairs) cannot be opened again; each end of a
//! pair has its own flags, so that ours are hardly ever shared. Files and terminals get a thread.

use std::io;

use tokio::sync::mpsc;

#[cfg(unix)]
use super::nonblocking;
use crate::limits::STDIO_READ_CHUNK_BYTES;

pub(super) enum StdinReader {
    #[cfg(unix)]
    Nonblocking(nonblocking::NonblockingReader),
    Thread(mpsc::Receiver<io::Result<Vec<u8>>>),
}

pub(super) enum StdoutWriter {
    #[cfg(unix)]
    Nonblocking(nonblocking::NonblockingWriter),
    Thread,
}

/// Both streams, opened. A confined process cannot open them any more.
pub struct StdioStreams {
    #[cfg(unix)]
    input: Option<nonblocking::NonblockingFd>,
    #[cfg(unix)]
    output: Option<nonblocking::NonblockingFd>,
}

impl StdioStreams {
    /// Opens both streams.
    ///
    /// # Errors
    /// When the system does not report their type.
    pub fn open() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            input: nonblocking::NonblockingFd::for_reading(io::stdin())?,
            #[cfg(unix)]
            output: nonblocking::NonblockingFd::for_writing(io::stdout())?,
        })
    }

    /// Registers both streams with the runtime.
    ///
    /// # Errors
    /// When the event queue of the system does not accept them.
    pub(super) fn into_async(self) -> io::Result<(StdinReader, StdoutWriter)> {
        #[cfg(unix)]
        {
            let input = self.input.map(nonblocking::NonblockingReader::new).transpose()?;
            let output = self.output.map(nonblocking::NonblockingWriter::new).transpose()?;
            Ok((
                input.map_or_else(StdinReader::spawn_thread, StdinReader::Nonblocking),
                output.map_or(StdoutWriter::Thread, StdoutWriter::Nonblocking),
            ))
        }
        #[cfg(not(unix))]
        Ok((StdinReader::spawn_thread(), StdoutWriter::Thread))
    }
}

impl StdinReader {
    /// Reads at most one chunk, and waits until there is something to read. The chunk is empty at the end of input.
    pub(super) async fn read(&mut self, chunk: &mut Vec<u8>) -> io::Result<()> {
        chunk.clear();
        match self {
            #[cfg(unix)]
            Self::Nonblocking(ready) => ready.read(chunk).await.map(drop),
            Self::Thread(chunks) => {
                if let Some(read) = chunks.recv().await {
                    *chunk = read?;
                }
                Ok(())
            }
        }
    }

    /// Reads as [`Self::read`] does, but fails with `WouldBlock` instead of waiting.
    pub(super) fn try_read(&mut self, chunk: &mut Vec<u8>) -> io::Result<()> {
        chunk.clear();
        match self {
            #[cfg(unix)]
            Self::Nonblocking(ready) => ready.try_read(chunk).map(drop),
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

    /// Starts a thread that reads chunks. It ends with the process.
    fn spawn_thread() -> Self {
        const READ_AHEAD_CHUNKS: usize = 4;
        let (sender, chunks) = mpsc::channel(READ_AHEAD_CHUNKS);
        std::thread::spawn(move || {
            use std::io::Read as _;
            let mut input = io::stdin().lock();
            loop {
                let mut chunk = vec![0; STDIO_READ_CHUNK_BYTES];
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

impl StdoutWriter {
    /// Writes what can be written without waiting, or fails with `WouldBlock`.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            #[cfg(unix)]
            Self::Nonblocking(ready) => ready.try_write(bytes),
            Self::Thread => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Writes all of `bytes`. Afterwards the buffer may be empty.
    pub(super) async fn write_all(&self, bytes: &mut Vec<u8>) -> io::Result<()> {
        match self {
            #[cfg(unix)]
            Self::Nonblocking(ready) => ready.write_all(bytes).await,
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
