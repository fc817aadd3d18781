//! Framing: splits bytes into lines, and keeps no line longer than the cap.

use crate::limits::OVERSIZED_MESSAGE_PREFIX_BYTES;
use wardroom_base::baseline_search::find_byte;
use wardroom_service::limits::MAX_MESSAGE_BYTES;

/// Splits a stream of bytes into lines.
#[derive(Default)]
pub struct FrameDecoder {
    buffer: Vec<u8>,
    /// The start of the next line.
    start: usize,
    /// There is no newline between `start` and here.
    searched_end: usize,
    /// The current line is over the cap: the rest of it is dropped.
    is_overlong: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    Line(Vec<u8>),
    /// The beginning of a line over the cap, which may name the request.
    Overlong(Vec<u8>),
}

impl FrameDecoder {
    /// Adds bytes. Callers take all lines before they read again, so that little is moved.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.searched_end -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next line.
    pub fn next_frame(&mut self) -> Option<Frame> {
        loop {
            let unsearched = self.buffer.get(self.searched_end..).unwrap_or_default();
            let Some(end) = find_byte(b'\n', unsearched).map(|end| end + self.searched_end) else {
                self.searched_end = self.buffer.len();
                return self.cut_overlong();
            };
            let line = self.buffer.get(self.start..end).unwrap_or_default();
            let frame = (!self.is_overlong).then(|| Frame::from_line(line)).flatten();
            self.start = end + 1;
            self.searched_end = self.start;
            self.is_overlong = false;
            if frame.is_some() {
                return frame;
            }
        }
    }

    /// Returns the bytes after the last newline, at the end of input.
    pub fn finish(&mut self) -> Option<Frame> {
        let frame = Frame::from_line(self.buffer.get(self.start..).unwrap_or_default());
        self.clear();
        frame.filter(|_| !self.is_overlong)
    }

    fn cut_overlong(&mut self) -> Option<Frame> {
        let line = self.buffer.get(self.start..).unwrap_or_default();
        if !self.is_overlong && line.len() <= MAX_MESSAGE_BYTES {
            return None;
        }
        let frame = (!self.is_overlong).then(|| Frame::from_line(line)).flatten();
        self.is_overlong = true;
        self.clear();
        frame
    }

    fn clear(&mut self) {
        self.buffer = Vec::new();
        (self.start, self.searched_end) = (0, 0);
    }
}

impl Frame {
    /// Returns `None` for a blank line. A trailing carriage return counts for the cap, because an overlong line is cut
    /// before its end is known.
    fn from_line(line: &[u8]) -> Option<Self> {
        if line.len() > MAX_MESSAGE_BYTES {
            return Some(Self::Overlong(line.get(..OVERSIZED_MESSAGE_PREFIX_BYTES).unwrap_or_default().to_vec()));
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let blank = line.iter().all(u8::is_ascii_whitespace);
        (!blank).then(|| Self::Line(line.to_vec()))
    }
}
