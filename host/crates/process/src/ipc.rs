//! Messages between two of our processes: a length of four bytes (little endian), followed by as many bytes of JSON.
//!
//! Owns: the limits of a message, and the buffer of received bytes.
//! Never: waits, or trusts a length: a buffer grows with the received bytes.

use std::io;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::limits::{FIRST_FRAME_READ_BYTES, FRAME_READ_CHUNK_BYTES, MAX_FRAME_BYTES};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::limits::MAX_JSON_DEPTH;
use wardroom_base::payload;

/// Why a message is refused.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("larger than {}", ByteSize(MAX_FRAME_BYTES as u64))]
    TooLarge,
    #[error("nested deeper than {MAX_JSON_DEPTH} levels")]
    TooDeep,
    /// The parser's message may quote the text.
    #[error("not a message")]
    Malformed(#[source] serde_json::Error),
}

const LENGTH_BYTES: usize = 4;

/// Appends one message. If it is refused, `out` is unchanged.
///
/// # Errors
/// When it exceeds a limit.
pub fn append_frame(out: &mut Vec<u8>, message: &impl Serialize) -> Result<(), FrameError> {
    let start = out.len();
    let written = encode_frame(out, message);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

/// Returns the bytes of a message's frame, without building it.
///
/// # Errors
/// When it is too large.
pub fn frame_len(message: &impl Serialize) -> Result<usize, FrameError> {
    let mut counter = ByteCounter(0);
    match serde_json::to_writer(&mut counter, message) {
        Ok(()) => Ok(LENGTH_BYTES + counter.0),
        Err(error) if error.is_io() => Err(FrameError::TooLarge),
        Err(error) => Err(FrameError::Malformed(error)),
    }
}

/// Counts what is written, up to the size of a message.
struct ByteCounter(usize);

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        if self.0 > MAX_FRAME_BYTES { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn encode_frame(out: &mut Vec<u8>, message: &impl Serialize) -> Result<(), FrameError> {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH_BYTES]);
    let mut bounded = BoundedWriter { out, remaining: MAX_FRAME_BYTES };
    if let Err(error) = serde_json::to_writer(&mut bounded, message) {
        return Err(if error.is_io() { FrameError::TooLarge } else { FrameError::Malformed(error) });
    }
    let (head, body) = out.get_mut(start..).unwrap_or_default().split_at_mut(LENGTH_BYTES);
    if payload::json_depth(body) > MAX_JSON_DEPTH {
        return Err(FrameError::TooDeep);
    }
    let length = u32::try_from(body.len()).map_err(|_| FrameError::TooLarge)?;
    head.copy_from_slice(&length.to_le_bytes());
    Ok(())
}

struct BoundedWriter<'a> {
    out: &'a mut Vec<u8>,
    remaining: usize,
}

impl io::Write for BoundedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.remaining = self.remaining.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Received bytes that are not decoded yet.
#[derive(Default)]
pub struct FrameBuffer {
    bytes: Vec<u8>,
    /// The number of bytes that were consumed.
    consumed: usize,
}

impl FrameBuffer {
    /// Creates a buffer of received bytes.
    #[must_use]
    pub const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes, consumed: 0 }
    }

    /// Whether all received bytes were consumed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.consumed == self.bytes.len()
    }

    /// Returns how many bytes the buffer has or, once the length of its next message is known, will have.
    #[must_use]
    pub fn expected_len(&self) -> usize {
        let waiting = self.bytes.get(self.consumed..).unwrap_or_default();
        let announced = waiting.first_chunk().map_or(0, |head| u32::from_le_bytes(*head) as usize);
        // A longer message is refused, not read.
        waiting.len().max(LENGTH_BYTES + announced.min(MAX_FRAME_BYTES))
    }

    /// The next message, if it is complete.
    ///
    /// # Errors
    /// When it exceeds a limit, or has another type.
    pub fn take_message<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let waiting = self.bytes.get(self.consumed..).unwrap_or_default();
        let Some((head, rest)) = waiting.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
        let length = u32::from_le_bytes(*head) as usize;
        if length > MAX_FRAME_BYTES {
            return Err(FrameError::TooLarge);
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        if payload::json_depth(body) > MAX_JSON_DEPTH {
            return Err(FrameError::TooDeep);
        }
        let message = serde_json::from_slice(body).map_err(FrameError::Malformed)?;
        self.consumed += LENGTH_BYTES + length;
        if self.consumed == self.bytes.len() {
            // Most runs wait most of the time, and need no buffer meanwhile.
            *self = Self::default();
        }
        Ok(Some(message))
    }

    /// The next `length` raw bytes, if all of them were received.
    pub fn take_bytes(&mut self, length: usize) -> Option<Vec<u8>> {
        let bytes = self.bytes.get(self.consumed..)?.get(..length)?.to_vec();
        self.consumed += length;
        if self.consumed == self.bytes.len() {
            *self = Self::default();
        }
        Some(bytes)
    }

    /// Reads once; 0 is the end of the stream.
    ///
    /// # Errors
    /// The system's error.
    pub fn fill(&mut self, socket: BorrowedFd<'_>) -> Result<usize, Errno> {
        if self.consumed > 0 {
            self.bytes.drain(..self.consumed);
            self.consumed = 0;
        }
        let missing = self.expected_len() - self.bytes.len();
        self.bytes.reserve(missing.clamp(FIRST_FRAME_READ_BYTES, FRAME_READ_CHUNK_BYTES));
        rustix::io::retry_on_intr(|| rustix::io::read(socket, rustix::buffer::spare_capacity(&mut self.bytes)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The message in these bytes.
    fn taken(bytes: &[u8]) -> Result<Option<Value>, FrameError> {
        FrameBuffer::from_bytes(bytes.to_vec()).take_message()
    }

    #[test]
    fn split_messages_are_reassembled() {
        let sent = [json!({"a": [1, 2.0, null]}), json!("text"), json!([])];
        let mut bytes = Vec::new();
        for message in &sent {
            let before = bytes.len();
            append_frame(&mut bytes, message).unwrap();
            assert_eq!(frame_len(message).unwrap(), bytes.len() - before);
        }
        for piece in 1..bytes.len() {
            let mut inbox = FrameBuffer::default();
            let mut arrived: Vec<Value> = Vec::new();
            for chunk in bytes.chunks(piece) {
                inbox.bytes.extend_from_slice(chunk);
                while let Some(message) = inbox.take_message().unwrap() {
                    arrived.push(message);
                }
            }
            assert_eq!(arrived, sent, "in pieces of {piece}");
        }
    }

    #[test]
    fn oversized_message_is_refused_by_both_sides() {
        let mut out = vec![7];
        let large = "x".repeat(MAX_FRAME_BYTES);
        assert!(matches!(append_frame(&mut out, &large), Err(FrameError::TooLarge)));
        assert!(matches!(frame_len(&large), Err(FrameError::TooLarge)));
        let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
        assert!(matches!(append_frame(&mut out, &nested(MAX_JSON_DEPTH + 1)), Err(FrameError::TooDeep)));
        assert_eq!(out, [7]);
        append_frame(&mut out, &nested(MAX_JSON_DEPTH)).unwrap();

        assert!(matches!(taken(&u32::MAX.to_le_bytes()), Err(FrameError::TooLarge)));
        let deep = "[".repeat(MAX_JSON_DEPTH + 1);
        let frame = [&u32::try_from(deep.len()).unwrap().to_le_bytes()[..], deep.as_bytes()].concat();
        assert!(matches!(taken(&frame), Err(FrameError::TooDeep)));
        assert!(matches!(taken(b"\x02\0\0\0{]"), Err(FrameError::Malformed(_))));
        assert!(taken(b"\x02\0\0\0{").unwrap().is_none());
        assert!(taken(b"\x02\0").unwrap().is_none());
    }
}
