//! Numerals: their extent and their value, and how Lua converts a number to a string.
//!
//! Owns: Lua 5.4's rules for decimal and hexadecimal, integer and float.
//! Never: rounds other than IEEE 754 does.

use crate::string::hex_digit;

/// A number of either of Lua's subtypes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Int(i64),
    Float(f64),
}

/// Returns the length of the numeral at the beginning of `rest`, as greedy as Lua: invalid trailing characters make the
/// numeral malformed.
pub fn extent(rest: &[u8]) -> usize {
    let is_hex = matches!(rest, [b'0', b'x' | b'X', ..]);
    let is_exponent = |b: u8| if is_hex { matches!(b, b'p' | b'P') } else { matches!(b, b'e' | b'E') };
    let mut len = if is_hex { 2 } else { 0 };
    while let Some(&byte) = rest.get(len) {
        if is_exponent(byte) {
            len += if matches!(rest.get(len + 1), Some(b'+' | b'-')) { 2 } else { 1 };
        } else if byte == b'.' || crate::chars::is_name_byte(byte) {
            len += 1;
        } else {
            break;
        }
    }
    len
}

/// Returns the value of a numeral, or `None` when it is malformed.
pub fn parse(text: &[u8]) -> Option<Number> {
    if let [b'0', b'x' | b'X', digits @ ..] = text {
        return parse_hex(digits);
    }
    let text = str::from_utf8(text).ok()?;
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map(Number::Int).or_else(|_| text.parse().map(Number::Float)).ok();
    }
    // Rust also parses `inf`, `nan` and `infinity`; a numeral begins with a digit or a point.
    let begins_well = text.starts_with(|c: char| c == '.' || c.is_ascii_digit());
    begins_well.then(|| text.parse().ok().map(Number::Float)).flatten()
}

fn parse_hex(digits: &[u8]) -> Option<Number> {
    if !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit) {
        let wrapped = digits.iter().filter_map(|b| hex_digit(*b)).fold(0_u64, |value, d| value << 4 | u64::from(d));
        return Some(Number::Int(wrapped.cast_signed()));
    }
    let split = digits.iter().position(|b| matches!(b, b'p' | b'P')).unwrap_or(digits.len());
    let (mantissa, exponent) = digits.split_at_checked(split)?;
    let exponent = match exponent.split_first() {
        Some((_, digits)) => parse_exponent(digits)?,
        None => 0,
    };
    let (value, scale) = parse_mantissa(mantissa)?;
    Some(Number::Float(scale_by_power_of_two(value, exponent.saturating_add(scale))))
}

/// Parses an integer with its sign; one too large for any float saturates.
fn parse_exponent(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] | digits => (1, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits.iter().fold(0_i64, |v, b| v.saturating_mul(10).saturating_add(i64::from(b - b'0')));
    Some(sign * value.min(1 << 40))
}

/// Parses the hexadecimal digits around at most one point to an integer and the power of two that scales it. Digits
/// past 60 bits only set the lowest bit, which suffices for rounding.
fn parse_mantissa(text: &[u8]) -> Option<(u64, i64)> {
    let (mut value, mut scale, mut has_digit, mut after_point) = (0_u64, 0_i64, false, false);
    for byte in text {
        if *byte == b'.' && !after_point {
            after_point = true;
            continue;
        }
        let digit = u64::from(hex_digit(*byte)?);
        has_digit = true;
        if value >> 60 == 0 {
            value = value << 4 | digit;
            scale -= if after_point { 4 } else { 0 };
        } else {
            value |= u64::from(digit != 0);
            scale += if after_point { 0 } else { 4 };
        }
    }
    has_digit.then_some((value, scale))
}

/// Returns the float that is nearest to `value * 2^power`. It is rounded once, to as many bits as a float of its size
/// has: fewer than 53 below the smallest normal one.
#[expect(clippy::cast_precision_loss, reason = "the value has at most 53 bits once it is rounded")]
fn scale_by_power_of_two(value: u64, power: i64) -> f64 {
    let mut power = power.clamp(-4_000, 4_000);
    let bits = 64 - i64::from(value.leading_zeros());
    let dropped = (bits - 53).max(-1_074 - power).clamp(0, 64);
    let mut scaled = round_half_even(value, dropped) as f64;
    power += dropped;
    while power != 0 && scaled != 0.0 && scaled.is_finite() {
        let step = power.clamp(-1_000, 1_000);
        // 2^step for |step| <= 1000 is a normal float: only the exponent bits are set.
        scaled *= f64::from_bits((1_023 + step).cast_unsigned() << 52);
        power -= step;
    }
    scaled
}

/// Returns `value / 2^dropped` as the nearest integer, and of two the even one. `dropped` is at most 64.
fn round_half_even(value: u64, dropped: i64) -> u64 {
    let (value, unit) = (u128::from(value), 1_u128 << dropped);
    let (quotient, rest) = (value / unit, value % unit);
    let is_up = rest * 2 > unit || (rest * 2 == unit && quotient % 2 == 1);
    u64::try_from(quotient).unwrap_or(u64::MAX) + u64::from(is_up)
}

/// Converts as `tostring` does: integers in full, floats as C's `%.14g` and always recognisable as floats. The text of
/// NaN depends on the machine: `-nan` or `nan`.
pub fn to_text(number: Number) -> Option<String> {
    match number {
        Number::Int(value) => Some(value.to_string()),
        Number::Float(value) if value.is_nan() => None,
        Number::Float(value) if value.is_infinite() => Some(if value < 0.0 { "-inf" } else { "inf" }.into()),
        Number::Float(value) => Some(finite_to_text(value)),
    }
}

fn finite_to_text(value: f64) -> String {
    const SIGNIFICANT: i32 = 14;
    let scientific = format!("{value:.13e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..SIGNIFICANT).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", without_trailing_zeros(mantissa), exponent.unsigned_abs());
    }
    let decimals = usize::try_from(SIGNIFICANT - 1 - exponent).unwrap_or(0);
    let fixed = format!("{value:.decimals$}");
    let short = without_trailing_zeros(&fixed);
    if short.contains('.') { short.into() } else { format!("{short}.0") }
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_matches_lua_numerals() {
        let cases = [
            ("0", Number::Int(0)),
            ("9223372036854775807", Number::Int(i64::MAX)),
            ("9223372036854775808", Number::Float(9_223_372_036_854_775_808.0)),
            ("0xff", Number::Int(255)),
            ("0xffffffffffffffff", Number::Int(-1)),
            ("0x1p4", Number::Float(16.0)),
            ("0xA.8p0", Number::Float(10.5)),
            ("0x.8", Number::Float(0.5)),
            ("0x1.fffffffffffffp1023", Number::Float(f64::MAX)),
            ("0x1p-1074", Number::Float(5e-324)),
            ("0x2.80000000000001p-1074", Number::Float(1.5e-323)),
            ("0x2.8p-1074", Number::Float(1e-323)),
            ("0x3.8p-1074", Number::Float(2e-323)),
            ("0x.8p-1074", Number::Float(0.0)),
            ("0x.80000000000000000001p-1074", Number::Float(5e-324)),
            ("0xf.fp-1080", Number::Float(0.0)),
            ("0xffffffffffffffff.0p-1200", Number::Float(0.0)),
            ("0x1.fffffffffffff8p0", Number::Float(2.0)),
            ("0x1.fffffffffffff8p1023", Number::Float(f64::INFINITY)),
            ("0x1.fffffffffffff7ffp1023", Number::Float(f64::MAX)),
            ("0x0p99999", Number::Float(0.0)),
            ("3.", Number::Float(3.0)),
            (".5e1", Number::Float(5.0)),
            ("1e100", Number::Float(1e100)),
            ("3.e2", Number::Float(300.0)),
        ];
        for (text, value) in cases {
            assert_eq!(extent(text.as_bytes()), text.len(), "{text}");
            assert_eq!(parse(text.as_bytes()), Some(value), "{text}");
        }
        for text in ["0x", "1e", "1..2", "12ab", "0x1p", "0x.p1", "1.2.3", "0xg", "1e+"] {
            assert_eq!(extent(text.as_bytes()), text.len(), "{text}");
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn to_text_writes_floats_as_percent_14g() {
        let cases = [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e15, "1e+15"),
            (1e14, "1e+14"),
            (123_456.75, "123456.75"),
            (1e-5, "1e-05"),
            (1.0 / 3.0, "0.33333333333333"),
            (1e100, "1e+100"),
            (99_999_999_999_999.9, "1e+14"),
            (f64::INFINITY, "inf"),
            (-f64::INFINITY, "-inf"),
            (12_345_678_901_234.5, "12345678901234.0"),
            (12_345_678_901_235.5, "12345678901236.0"),
        ];
        for (value, text) in cases {
            assert_eq!(to_text(Number::Float(value)).as_deref(), Some(text));
        }
        assert_eq!(to_text(Number::Float(f64::NAN)), None);
    }
}
