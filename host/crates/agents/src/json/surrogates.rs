//! Escapes of half a letter: JavaScript writes a string that was cut in the middle of one as `"\ud83d"`, which is JSON by its
//! grammar, and no text.
//!
//! Never: changes what is written. Only the parser reads the text that is made here.

use std::borrow::Cow;

use memchr::memchr;

/// How long `\ud83d` is.
const ESCAPE_LEN: usize = 6;

/// Halves are a block of `1 << SHIFT` among what four digits reach.
const BLOCK_BITS: u32 = 11;

/// Those that may stand for the halves: of letters for private use.
const PRIVATE_USE_BLOCKS: [u32; 3] = [0xe800 >> BLOCK_BITS, 0xe000 >> BLOCK_BITS, 0xf000 >> BLOCK_BITS];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Surrogate {
    High,
    Low,
}

/// A text that a parser takes, in which everything stands where it stood: each half without its other one is a letter for
/// private use instead (`\ue83d`), of a block that the text has no other letter of. So keys with halves differ as they did.
/// Where the text has letters of every such block, it stays as it is, and no parser takes it.
pub(super) fn replace_unpaired(text: &str) -> Cow<'_, str> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    let (mut halves, mut taken) = (Vec::new(), 0_u32);
    while let Some(before) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        let start = at + before;
        at = match (surrogate_at(bytes, start), surrogate_at(bytes, start + ESCAPE_LEN)) {
            (Some(Surrogate::High), Some(Surrogate::Low)) => start + 2 * ESCAPE_LEN,
            (Some(_), _) => {
                halves.push(start);
                start + ESCAPE_LEN
            }
            // What an escape stands for begins none.
            (None, _) => {
                taken |= escaped_code_unit(text, start).map_or(0, block_bit);
                start + 2
            }
        };
    }
    if halves.is_empty() {
        return Cow::Borrowed(text);
    }
    taken |= text.chars().map(|letter| block_bit(letter.into())).fold(0, |taken, block| taken | block);
    let Some(free) = PRIVATE_USE_BLOCKS.into_iter().find(|free| taken & (1 << free) == 0) else {
        return Cow::Borrowed(text);
    };
    let mut readable = text.to_owned();
    for start in halves {
        let Some(half) = escaped_code_unit(text, start) else { continue };
        let letter = free << BLOCK_BITS | half & ((1 << BLOCK_BITS) - 1);
        readable.replace_range(start..start + ESCAPE_LEN, &format!("\\u{letter:04x}"));
    }
    Cow::Owned(readable)
}

/// The letter of an escape of four digits.
fn escaped_code_unit(text: &str, start: usize) -> Option<u32> {
    let digits = text.get(start..start + ESCAPE_LEN)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok()
}

/// The block of a letter as one bit; of one that four digits do not reach, none.
fn block_bit(letter: u32) -> u32 {
    1_u32.checked_shl(letter >> BLOCK_BITS).unwrap_or_default()
}

fn surrogate_at(bytes: &[u8], start: usize) -> Option<Surrogate> {
    let [b'\\', b'u', b'd' | b'D', second, third, fourth] = bytes.get(start..start + ESCAPE_LEN)? else { return None };
    if !third.is_ascii_hexdigit() || !fourth.is_ascii_hexdigit() {
        return None;
    }
    match second {
        b'8' | b'9' | b'a' | b'b' | b'A' | b'B' => Some(Surrogate::High),
        b'c'..=b'f' | b'C'..=b'F' => Some(Surrogate::Low),
        _ => None,
    }
}
