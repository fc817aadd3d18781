//! Escapes of unpaired UTF-16 surrogates: JavaScript writes a string that was cut within a surrogate pair as
//! `"\ud83d"`, which is valid JSON by its grammar, but not valid Unicode.
//!
//! Never: changes the written file. Only the parser reads the replaced text.

use std::borrow::Cow;

use memchr::memchr;

/// The length of `\ud83d`.
const ESCAPE_LEN: usize = 6;

/// The surrogates are one block of `1 << BLOCK_BITS` code units among those that four digits reach.
const BLOCK_BITS: u32 = 11;

/// The private use blocks that may replace the surrogates.
const PRIVATE_USE_BLOCKS: [u32; 3] = [0xe800 >> BLOCK_BITS, 0xe000 >> BLOCK_BITS, 0xf000 >> BLOCK_BITS];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Surrogate {
    High,
    Low,
}

/// Returns a text that a parser accepts, in which every position is unchanged: each unpaired surrogate is replaced by a
/// private use character (`\ue83d`), of a block that the text does not use otherwise. So keys that differ in surrogates
/// still differ. If the text uses every such block, it is returned unchanged, and no parser accepts it.
pub(super) fn replace_unpaired(text: &str) -> Cow<'_, str> {
    let (bytes, mut at) = (text.as_bytes(), 0);
    let (mut unpaired, mut used) = (Vec::new(), 0_u32);
    while let Some(before) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        let start = at + before;
        at = match (surrogate_at(bytes, start), surrogate_at(bytes, start + ESCAPE_LEN)) {
            (Some(Surrogate::High), Some(Surrogate::Low)) => start + 2 * ESCAPE_LEN,
            (Some(_), _) => {
                unpaired.push(start);
                start + ESCAPE_LEN
            }
            // The character of another escape begins no escape.
            (None, _) => {
                used |= escaped_code_unit(text, start).map_or(0, block_bit);
                start + 2
            }
        };
    }
    if unpaired.is_empty() {
        return Cow::Borrowed(text);
    }
    used |= text.chars().map(|character| block_bit(character.into())).fold(0, |used, block| used | block);
    let Some(free) = PRIVATE_USE_BLOCKS.into_iter().find(|free| used & (1 << free) == 0) else {
        return Cow::Borrowed(text);
    };
    let mut readable = text.to_owned();
    for start in unpaired {
        let Some(surrogate) = escaped_code_unit(text, start) else { continue };
        let character = free << BLOCK_BITS | surrogate & ((1 << BLOCK_BITS) - 1);
        readable.replace_range(start..start + ESCAPE_LEN, &format!("\\u{character:04x}"));
    }
    Cow::Owned(readable)
}

/// Returns the code unit of an escape of four digits.
fn escaped_code_unit(text: &str, start: usize) -> Option<u32> {
    let digits = text.get(start..start + ESCAPE_LEN)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok()
}

/// Returns the block of a character as one bit; 0 for one that four digits do not reach.
fn block_bit(character: u32) -> u32 {
    1_u32.checked_shl(character >> BLOCK_BITS).unwrap_or_default()
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
