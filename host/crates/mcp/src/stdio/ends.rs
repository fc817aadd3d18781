//! The two ends of the connection: standard input and output, read and written without blocking where they can be.
//!
//! Owns: what kind of end it is. Pipes are opened anew, so that switching them to non-blocking changes nothing for
//! whoever shares them. Sockets (Node starts servers on socket pairs) cannot be; each has a side of its own, so that
//! hardly anyone shares ours. Files and terminals get a thread.

use std::io;

use tokio::sync::mpsc;

#[cfg(unix)]
use super::nonblocking;
use wardroom_base::limits::READ_BYTES;

pub(super) enum Input {
    #[cfg(unix)]
    Ready(nonblocking::Readable),
    Thread(mpsc::Receiver<io::Result<Vec<u8>>>),
}

pub(super) enum Output {
    #[cfg(unix)]
    Ready(nonblocking::Writable),
    Thread,
}

/// Both ends, opened. A confined process can open none any more.
pub struct Ends {
    #[cfg(unix)]
    input: Option<nonblocking::Opened>,
    #[cfg(unix)]
    output: Option<nonblocking::Opened>,
}

impl Ends {
    /// Opens both ends.
    ///
    /// # Errors
    /// When the system does not say what they are.
    pub fn open() -> io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            input: nonblocking::Opened::to_read(io::stdin())?,
            #[cfg(unix)]
            output: nonblocking::Opened::to_write(io::stdout())?,
        })
    }

    /// # Errors
    /// When the event queue of the system does not take them.
    pub(super) fn start(self) -> io::Result<(Input, Output)> {
        #[cfg(unix)]
        {
            let input = self.input.map(nonblocking::Readable::new).transpose()?;
            let output = self.output.map(nonblocking::Writable::new).transpose()?;
            Ok((input.map_or_else(Input::thread, Input::Ready), output.map_or(Output::Thread, Output::Ready)))
        }
        #[cfg(not(unix))]
        Ok((Input::thread(), Output::Thread))
    }
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
                let mut chunk = vec![0; READ_BYTES];
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
