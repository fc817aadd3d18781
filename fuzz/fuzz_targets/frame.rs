//! Messages between our processes: a stream in pieces of any size gives the messages of a naive reader, what is sent is
//! what arrives, and no message of a worker or to one changes on the way.
#![no_main]

use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;

use wardroom_base::limits::MAX_JSON_DEPTH;
use wardroom_base::payload::json_depth;
use wardroom_lua::fuzzing::{reencode_message_to_server, reencode_message_to_worker};
use wardroom_process::ipc::{FrameBuffer, FrameError, append_frame, frame_len};
use wardroom_process::limits::MAX_FRAME_BYTES;

/// A message, or why the stream ends: [`None`] where its rest is incomplete.
#[derive(Debug, PartialEq)]
enum Outcome {
    Message(Value),
    End(Option<&'static str>),
}

fn outcome(taken: Result<Option<Value>, FrameError>) -> Outcome {
    match taken {
        Ok(Some(message)) => Outcome::Message(message),
        Ok(None) => Outcome::End(None),
        Err(FrameError::TooLarge) => Outcome::End(Some("large")),
        Err(FrameError::TooDeep) => Outcome::End(Some("deep")),
        Err(FrameError::Malformed(_)) => Outcome::End(Some("malformed")),
    }
}

fn model(mut stream: &[u8]) -> Vec<Outcome> {
    let mut found = Vec::new();
    loop {
        let next = next_of_model(&mut stream);
        let is_last = matches!(next, Outcome::End(_));
        found.push(next);
        if is_last {
            return found;
        }
    }
}

fn next_of_model(stream: &mut &[u8]) -> Outcome {
    let Some((length, rest)) = stream.split_first_chunk::<4>() else { return Outcome::End(None) };
    let length = u32::from_le_bytes(*length) as usize;
    if length > MAX_FRAME_BYTES {
        return Outcome::End(Some("large"));
    }
    if length > rest.len() {
        return Outcome::End(None);
    }
    let (body, rest) = rest.split_at(length);
    *stream = rest;
    if json_depth(body) > MAX_JSON_DEPTH {
        return Outcome::End(Some("deep"));
    }
    serde_json::from_slice(body).map_or(Outcome::End(Some("malformed")), Outcome::Message)
}

fn received(stream: &[u8], piece: usize) -> Vec<Outcome> {
    let (mut sender, receiver) = UnixStream::pair().expect("a pair of sockets");
    let (mut buffer, mut found) = (FrameBuffer::default(), Vec::new());
    for piece in stream.chunks(piece) {
        sender.write_all(piece).expect("the pair holds a piece");
        let mut filled = 0;
        while filled < piece.len() {
            filled += buffer.fill(receiver.as_fd()).expect("the pair is open");
        }
        loop {
            match outcome(buffer.take_message()) {
                Outcome::End(None) => break,
                Outcome::End(why) => {
                    found.push(Outcome::End(why));
                    return found;
                }
                message => found.push(message),
            }
        }
        assert!(buffer.expected_len() <= 4 + MAX_FRAME_BYTES);
    }
    found.push(Outcome::End(None));
    found
}

fn check_sent(text: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(text) else { return };
    let mut sent = b"before".to_vec();
    match append_frame(&mut sent, &value) {
        Ok(()) => {
            assert_eq!(frame_len(&value).ok(), Some(sent.len() - 6));
            let mut buffer = FrameBuffer::from_bytes(sent.split_off(6));
            assert_eq!(outcome(buffer.take_message()), Outcome::Message(value));
            assert!(buffer.is_empty());
        }
        Err(_) => assert_eq!(sent, b"before", "a refused message leaves nothing"),
    }
}

fn check_message(body: &[u8], reencode: fn(&[u8]) -> Option<Vec<u8>>) {
    let Some(once) = reencode(body) else { return };
    assert_eq!(reencode(&once).as_ref(), Some(&once), "{:?}", String::from_utf8_lossy(&once));
    // What is read is what was written, in any order of the fields.
    let [written, read] = [body, &once].map(|text| serde_json::from_slice::<Value>(text).ok());
    let tag = |value: &Option<Value>| value.as_ref().and_then(|value| Some(value.as_object()?.keys().next()?.clone()));
    assert_eq!(tag(&written), tag(&read));
}

fuzz_target!(|input: &[u8]| {
    let Some((kind, rest)) = input.split_first() else { return };
    match kind % 4 {
        0 => {
            let expected = model(rest);
            for piece in [1, 3 + usize::from(*kind), rest.len().max(1)] {
                assert_eq!(received(rest, piece), expected);
            }
        }
        1 => check_sent(rest),
        2 => check_message(rest, reencode_message_to_worker),
        _ => check_message(rest, reencode_message_to_server),
    }
});
