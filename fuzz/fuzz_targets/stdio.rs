//! Framing and decoding on standard input: any bytes in pieces of any size give one frame for each line that is not
//! blank, the same for every way to cut them, and never more memory than a line may take; and whatever a line is, who can
//! be answered by id is.
#![no_main]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use libfuzzer_sys::fuzz_target;
use rmcp::model::RequestId;
use serde_json::Value;

use wardroom_mcp::decode::{IncomingMessage, RequestKind, prepare_frame};
use wardroom_mcp::framing::{Frame, FrameDecoder};
use wardroom_mcp::limits::OVERSIZED_MESSAGE_PREFIX_BYTES;
use wardroom_service::limits::MAX_MESSAGE_BYTES;

/// Counts what is held.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Sizes of the pieces that a stream is read in.
struct Sizes(u32);

impl Sizes {
    const LARGEST: usize = 512;

    /// One of 1 to [`Self::LARGEST`], small ones as often as large ones.
    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let most = 1 << (self.0 >> 28).min(9);
        1 + (self.0 >> 8) as usize % most
    }
}

fn pieces(stream: &[u8], seed: u32) -> impl Iterator<Item = &[u8]> {
    let (mut sizes, mut rest) = (Sizes(seed), stream);
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(sizes.next().min(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// What the lines of a stream are, from all of it.
fn model(stream: &[u8]) -> Vec<Frame> {
    let frame = |line: &[u8]| {
        if line.len() > MAX_MESSAGE_BYTES {
            return Some(Frame::Overlong(line[..OVERSIZED_MESSAGE_PREFIX_BYTES].to_vec()));
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        (!line.trim_ascii().is_empty()).then(|| Frame::Line(line.to_vec()))
    };
    stream.split(|byte| *byte == b'\n').filter_map(frame).collect()
}

fn framed<'s>(stream: impl Iterator<Item = &'s [u8]>) -> Vec<Frame> {
    let (mut frames, mut found) = (FrameDecoder::default(), Vec::new());
    for piece in stream {
        frames.push(piece);
        while let Some(frame) = frames.next_frame() {
            found.push(frame);
        }
    }
    found.extend(frames.finish());
    found
}

fn check_memory(stream: &[u8], seed: u32) {
    let before = HELD.load(Ordering::Relaxed);
    let mut frames = FrameDecoder::default();
    for piece in pieces(stream, seed) {
        frames.push(piece);
        while frames.next_frame().is_some() {}
        // A vector grows by doubling.
        let held = HELD.load(Ordering::Relaxed) - before;
        assert!(held <= 2 * (MAX_MESSAGE_BYTES + Sizes::LARGEST), "{held} bytes held");
    }
}

/// What a line that is JSON says of itself.
struct Envelope {
    id: Option<RequestId>,
    method: Option<String>,
}

fn envelope(line: &[u8]) -> Option<Envelope> {
    let fields = match serde_json::from_slice(line).ok()? {
        Value::Object(fields) => fields,
        _ => return None,
    };
    let id = fields.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    Some(Envelope { id, method: fields.get("method").and_then(Value::as_str).map(str::to_owned) })
}

fn check_decoded(frame: Frame) {
    let (line, is_whole) = match &frame {
        Frame::Line(line) => (line.clone(), true),
        Frame::Overlong(head) => (head.clone(), false),
    };
    let envelope = envelope(&line).filter(|_| is_whole);
    let prepared = prepare_frame(frame);
    // An object counts for some hundred bytes, and arguments for their text.
    assert!(prepared.decoded_bytes() <= line.len() * 706);
    match prepared.decode() {
        IncomingMessage::Request { id, kind, request } => {
            let envelope = envelope.expect("a request is an object");
            assert_eq!(Some(&id), envelope.id.as_ref());
            assert_eq!(id, request.id);
            // With other params than it has, a subscription is a call that will be refused.
            let may_listen = envelope.method.as_deref() == Some("subscriptions/listen");
            assert!(kind == RequestKind::Call || may_listen);
        }
        IncomingMessage::Invalid { error, id } => {
            assert!(matches!(error.code.0, -32700 | -32600 | -32602) && !error.message.is_empty());
            if let Some(envelope) = envelope {
                assert_eq!(id, envelope.id, "{}", String::from_utf8_lossy(&line));
            }
        }
        IncomingMessage::Cancel { .. } | IncomingMessage::Other(_) => {
            let envelope = envelope.expect("a message is an object");
            // Only an answer has an id, and that has no method.
            assert!(envelope.id.is_none() || envelope.method.is_none(), "{}", String::from_utf8_lossy(&line));
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((seed, stream)) = input.split_first_chunk::<4>() else { return };
    let seed = u32::from_le_bytes(*seed);
    let expected = model(stream);
    for found in [
        framed(pieces(stream, seed)),
        framed(stream.chunks(1)),
        framed(std::iter::once(stream)),
        framed(stream.split_inclusive(|byte| *byte == b'\n')),
    ] {
        assert_eq!(found, expected);
    }
    check_memory(stream, seed);
    expected.into_iter().for_each(check_decoded);
});
