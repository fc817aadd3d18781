//! Escapes of half a letter: JavaScript writes a string that was cut in the middle of one as `"\ud83d"`, which is JSON by its
//! grammar, and no text.
//!
//! Never: changes what is written. Only the parser reads the text that is made here.

use std::borrow::Cow;

use memchr::memchr;

/// How long `\ud83d` is.
const LENGTH: usize = 6;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// A text that a parser takes, in which everything stands where it stood: each half without its other one is a letter for
/// private use instead (`\ue83d`). Two that differ still do, so that keys with them are no others' twice.
pub(super) fn readable(text: &str) -> Cow<'_, str> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    let mut readable = Cow::Borrowed(text);
    while let Some(before) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        let start = at + before;
        at = match (half(bytes, start), half(bytes, start + LENGTH)) {
            (Some(Half::First), Some(Half::Second)) => start + 2 * LENGTH,
            (Some(_), _) => {
                readable.to_mut().replace_range(start + 2..start + 3, "e");
                start + LENGTH
            }
            // What an escape stands for begins none.
            (None, _) => start + 2,
        };
    }
    readable
}

fn half(bytes: &[u8], start: usize) -> Option<Half> {
    let [b'\\', b'u', b'd' | b'D', second, third, fourth] = bytes.get(start..start + LENGTH)? else { return None };
    if !third.is_ascii_hexdigit() || !fourth.is_ascii_hexdigit() {
        return None;
    }
    match second {
        b'8' | b'9' | b'a' | b'b' | b'A' | b'B' => Some(Half::First),
        b'c'..=b'f' | b'C'..=b'F' => Some(Half::Second),
        _ => None,
    }
}
