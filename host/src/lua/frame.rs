//! What a server and a worker say to each other, and how: a length of four bytes (little endian) and that much JSON.
//!
//! Owns: the messages, their bounds, and the buffer in which they arrive.
//! Never: waits, or believes a length: a buffer grows with what has arrived.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::FrameError;
use crate::limits::{FRAME_READ_BYTES, MAX_FRAME_BYTES, MAX_JSON_DEPTH};
use crate::payload;

/// A run, as its worker gets it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Start {
    pub entry: Entry,
    /// The global `ctx`.
    pub context: Value,
    /// What `math.random` begins with.
    pub seed: u64,
}

/// What a run begins with.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// The body of a function; `name` stands for it in messages.
    Code { name: String, source: String },
    /// `return require(name).run(ctx)`
    Package { name: String },
}

/// A call of a declared handler, as its worker gets it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Call {
    /// The entry's id, `namespace:name`, which stands for its file in messages.
    pub id: String,
    pub source: String,
    /// The function that is called: a field of the table that the source returns.
    pub method: String,
    /// Its argument. A list is several arguments.
    pub arguments: Value,
    /// The modules that the entry lists. No others are there.
    pub modules: Vec<String>,
    /// The entries that `require` finds, by the names that the entry gives them.
    pub imports: BTreeMap<String, String>,
    /// What `math.random` begins with.
    pub seed: u64,
}

/// From the server to a worker: one start or call, then one answer for each question. After a call there may be another.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToWorker<S = Start, C = Call> {
    Start(S),
    Call(C),
    Answer(Value),
    /// The question has no answer: an error in Lua, with these words.
    Refused(String),
}

/// From a worker to the server. The last three end the run, or the call.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToServer {
    Ask { operation: String, arguments: Value },
    Post { operation: String, arguments: Value },
    Returned(Value),
    Failed { message: String, traceback: Option<String> },
    Memory,
}

const LENGTH_BYTES: usize = 4;

/// Appends one message. When it is refused, `out` is as before.
pub(super) fn append(out: &mut Vec<u8>, message: &impl Serialize) -> Result<(), FrameError> {
    let start = out.len();
    let written = write(out, message);
    if written.is_err() {
        out.truncate(start);
    }
    written
}

fn write(out: &mut Vec<u8>, message: &impl Serialize) -> Result<(), FrameError> {
    let start = out.len();
    out.extend_from_slice(&[0; LENGTH_BYTES]);
    let mut bounded = Bounded { out, left: MAX_FRAME_BYTES };
    if let Err(error) = serde_json::to_writer(&mut bounded, message) {
        return Err(if error.is_io() { FrameError::TooLarge } else { FrameError::Malformed(error) });
    }
    let (head, body) = out.get_mut(start..).unwrap_or_default().split_at_mut(LENGTH_BYTES);
    if payload::depth(body) > MAX_JSON_DEPTH {
        return Err(FrameError::TooDeep);
    }
    let length = u32::try_from(body.len()).map_err(|_| FrameError::TooLarge)?;
    head.copy_from_slice(&length.to_le_bytes());
    Ok(())
}

struct Bounded<'a> {
    out: &'a mut Vec<u8>,
    left: usize,
}

impl io::Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self.left.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What arrived and was not looked at yet.
#[derive(Default)]
pub(super) struct Inbox {
    bytes: Vec<u8>,
    /// How many of them were taken.
    taken: usize,
}

impl Inbox {
    /// One in which this has arrived.
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        Self { bytes, taken: 0 }
    }

    /// The next message, if all of it has arrived.
    pub(super) fn take<T: DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        let waiting = self.bytes.get(self.taken..).unwrap_or_default();
        let Some((head, rest)) = waiting.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
        let length = u32::from_le_bytes(*head) as usize;
        if length > MAX_FRAME_BYTES {
            return Err(FrameError::TooLarge);
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        if payload::depth(body) > MAX_JSON_DEPTH {
            return Err(FrameError::TooDeep);
        }
        let message = serde_json::from_slice(body).map_err(FrameError::Malformed)?;
        self.taken += LENGTH_BYTES + length;
        if self.taken == self.bytes.len() {
            // Most runs wait for something most of the time, and need no buffer meanwhile.
            *self = Self::default();
        }
        Ok(Some(message))
    }

    /// Whether nothing arrived that was not taken.
    pub(super) fn is_empty(&self) -> bool {
        self.taken == self.bytes.len()
    }

    /// Reads once; 0 is the end.
    pub(super) fn fill(&mut self, socket: BorrowedFd<'_>) -> Result<usize, Errno> {
        if self.taken > 0 {
            self.bytes.drain(..self.taken);
            self.taken = 0;
        }
        self.bytes.reserve(FRAME_READ_BYTES);
        rustix::io::retry_on_intr(|| rustix::io::read(socket, rustix::buffer::spare_capacity(&mut self.bytes)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What `take` makes of these bytes.
    fn taken(bytes: &[u8]) -> Result<Option<Value>, FrameError> {
        Inbox::of(bytes.to_vec()).take()
    }

    #[test]
    fn messages_arrive_as_they_were_sent_however_they_are_cut() {
        let sent = [json!({"a": [1, 2.0, null]}), json!("text"), json!([])];
        let mut bytes = Vec::new();
        for message in &sent {
            append(&mut bytes, message).unwrap();
        }
        for piece in 1..bytes.len() {
            let mut inbox = Inbox::default();
            let mut arrived: Vec<Value> = Vec::new();
            for chunk in bytes.chunks(piece) {
                inbox.bytes.extend_from_slice(chunk);
                while let Some(message) = inbox.take().unwrap() {
                    arrived.push(message);
                }
            }
            assert_eq!(arrived, sent, "in pieces of {piece}");
        }
    }

    #[test]
    fn a_message_has_bounds_on_both_sides() {
        let mut out = vec![7];
        let large = "x".repeat(MAX_FRAME_BYTES);
        assert!(matches!(append(&mut out, &large), Err(FrameError::TooLarge)));
        let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
        assert!(matches!(append(&mut out, &nested(MAX_JSON_DEPTH + 1)), Err(FrameError::TooDeep)));
        assert_eq!(out, [7]);
        append(&mut out, &nested(MAX_JSON_DEPTH)).unwrap();

        assert!(matches!(taken(&u32::MAX.to_le_bytes()), Err(FrameError::TooLarge)));
        let deep = "[".repeat(MAX_JSON_DEPTH + 1);
        let frame = [&u32::try_from(deep.len()).unwrap().to_le_bytes()[..], deep.as_bytes()].concat();
        assert!(matches!(taken(&frame), Err(FrameError::TooDeep)));
        assert!(matches!(taken(b"\x02\0\0\0{]"), Err(FrameError::Malformed(_))));
        assert!(taken(b"\x02\0\0\0{").unwrap().is_none());
        assert!(taken(b"\x02\0").unwrap().is_none());
    }
}
