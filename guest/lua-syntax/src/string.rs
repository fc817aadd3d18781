//! String literals: their extent and their value.
//!
//! Owns: escapes, long brackets, and the conversion of line breaks in both.
//! Never: decides whether a string is text; Lua's strings are bytes, and escapes can make any.

use std::borrow::Cow;

use crate::token::{Kind, Token};

/// One escape sequence: its length in source bytes, and its value.
pub struct Escape {
    pub len: usize,
    pub meaning: Meaning,
}

pub enum Meaning {
    Byte(u8),
    /// `\u{…}`: up to 2³¹, which is more than Unicode has.
    Code(u32),
    /// `\z`: skips the white space after it.
    Nothing,
}

/// Reads the escape at the beginning of `rest`.
pub fn escape(rest: &[u8]) -> Result<Escape, &'static str> {
    let byte = |len, byte| Ok(Escape { len, meaning: Meaning::Byte(byte) });
    match rest.get(1) {
        Some(b'a') => byte(2, 0x07),
        Some(b'b') => byte(2, 0x08),
        Some(b'f') => byte(2, 0x0c),
        Some(b'n') => byte(2, b'\n'),
        Some(b'r') => byte(2, b'\r'),
        Some(b't') => byte(2, b'\t'),
        Some(b'v') => byte(2, 0x0b),
        Some(quoted @ (b'\\' | b'"' | b'\'')) => byte(2, *quoted),
        Some(b'\r') => byte(if rest.get(2) == Some(&b'\n') { 3 } else { 2 }, b'\n'),
        Some(b'\n') => byte(if rest.get(2) == Some(&b'\r') { 3 } else { 2 }, b'\n'),
        Some(b'x') => hex(rest),
        Some(b'z') => {
            let blank = rest.iter().skip(2).take_while(|b| b.is_ascii_whitespace() || **b == 0x0b).count();
            Ok(Escape { len: 2 + blank, meaning: Meaning::Nothing })
        }
        Some(b'0'..=b'9') => decimal(rest),
        Some(b'u') => unicode(rest),
        _ => Err("invalid escape sequence"),
    }
}

fn hex(rest: &[u8]) -> Result<Escape, &'static str> {
    let digit = |at: usize| rest.get(at).and_then(|b| hex_digit(*b));
    let (Some(high), Some(low)) = (digit(2), digit(3)) else {
        return Err("hexadecimal digit expected in an escape");
    };
    Ok(Escape { len: 4, meaning: Meaning::Byte(high << 4 | low) })
}

pub(crate) const fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

fn decimal(rest: &[u8]) -> Result<Escape, &'static str> {
    let digits = rest.iter().skip(1).take(3).take_while(|b| b.is_ascii_digit());
    let (len, value) = digits.fold((1, 0_u16), |(len, value), b| (len + 1, value * 10 + u16::from(b - b'0')));
    let byte = u8::try_from(value).map_err(|_| "decimal escape too large")?;
    Ok(Escape { len, meaning: Meaning::Byte(byte) })
}

fn unicode(rest: &[u8]) -> Result<Escape, &'static str> {
    if rest.get(2) != Some(&b'{') {
        return Err("missing '{' in a \\u escape");
    }
    let mut code = 0_u32;
    let mut len = 3;
    while let Some(digit) = rest.get(len).and_then(|b| hex_digit(*b)) {
        if code >= 1 << 27 {
            return Err("\\u escape too large");
        }
        code = code << 4 | u32::from(digit);
        len += 1;
    }
    match rest.get(len) {
        Some(b'}') if len > 3 => Ok(Escape { len: len + 1, meaning: Meaning::Code(code) }),
        Some(b'}') => Err("hexadecimal digit expected in an escape"),
        _ => Err("missing '}' in a \\u escape"),
    }
}

/// Returns the number of `=` in the long bracket at the beginning of `rest`.
pub fn long_level(rest: &[u8]) -> Option<usize> {
    let (b'[', inner) = rest.split_first()? else { return None };
    let level = inner.iter().take_while(|b| **b == b'=').count();
    (inner.get(level) == Some(&b'[')).then_some(level)
}

/// Returns the offset after the long bracket of `level` that opens at `start`.
pub fn long_end(source: &[u8], start: usize, level: usize) -> Option<usize> {
    let mut at = start + level + 2;
    loop {
        at += source.get(at..)?.iter().position(|b| *b == b']')? + 1;
        let equals = source.get(at..)?.iter().take_while(|b| **b == b'=').count();
        at += equals;
        if equals == level && source.get(at) == Some(&b']') {
            return Some(at + 1);
        }
    }
}

/// Returns the bytes of a string token; borrowed when the source has them unchanged.
pub fn decode(token: Token, source: &str) -> Cow<'_, [u8]> {
    let text = token.text(source).as_bytes();
    if token.kind == Kind::Long {
        return decode_long(text);
    }
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    if token.kind == Kind::Plain { Cow::Borrowed(inner) } else { Cow::Owned(decode_short(inner)) }
}

fn decode_short(mut rest: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some(plain) = rest.iter().position(|b| *b == b'\\') {
        bytes.extend_from_slice(rest.get(..plain).unwrap_or_default());
        rest = rest.get(plain..).unwrap_or_default();
        let Ok(escape) = escape(rest) else { break };
        match escape.meaning {
            Meaning::Byte(byte) => bytes.push(byte),
            Meaning::Code(code) => push_code(&mut bytes, code),
            Meaning::Nothing => {}
        }
        rest = rest.get(escape.len..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest);
    bytes
}

/// Appends UTF-8 as Lua writes it, up to six bytes; past U+10FFFF and for surrogates the result is not valid UTF-8.
fn push_code(bytes: &mut Vec<u8>, code: u32) {
    let low = |shift: u32| 0x80 | (code >> shift & 0x3f) as u8;
    let continued: u32 = match code {
        0..0x80 => 0,
        0x80..0x800 => 1,
        0x800..0x1_0000 => 2,
        0x1_0000..0x20_0000 => 3,
        0x20_0000..0x400_0000 => 4,
        _ => 5,
    };
    let mark = if continued == 0 { 0 } else { 0x7e_u32 << (6 - continued) };
    bytes.push(((mark | code >> (6 * continued)) & 0xff) as u8);
    bytes.extend((0..continued).rev().map(|i| low(6 * i)));
}

fn decode_long(text: &[u8]) -> Cow<'_, [u8]> {
    let bracket = long_level(text).map_or(0, |level| level + 2);
    let inner = text.get(bracket..text.len().saturating_sub(bracket)).unwrap_or_default();
    let inner = match inner {
        [b'\r', b'\n', inner @ ..] | [b'\n', b'\r', inner @ ..] | [b'\r' | b'\n', inner @ ..] | inner => inner,
    };
    if !inner.contains(&b'\r') {
        return Cow::Borrowed(inner);
    }
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().peekable();
    while let Some(byte) = rest.next() {
        let other = match byte {
            b'\r' => b'\n',
            b'\n' => b'\r',
            _ => {
                bytes.push(*byte);
                continue;
            }
        };
        bytes.push(b'\n');
        let _ = rest.next_if(|b| **b == other);
    }
    Cow::Owned(bytes)
}
