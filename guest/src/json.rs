//! A JSON writer for single values.
//!
//! Owns: escaping, and the form of numbers.
//! Never: builds a tree, and never checks that the pieces fit together; `render` and `report` write whole values.

use std::fmt::Write;

/// Appends a string with its quotes.
pub fn push_string(json: &mut String, text: &str) {
    json.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|b| b < 0x20 || matches!(b, b'"' | b'\\')) {
        let (plain, special) = rest.split_at(at);
        json.push_str(plain);
        let mut characters = special.chars();
        if let Some(character) = characters.next() {
            push_escape(json, character);
        }
        rest = characters.as_str();
    }
    json.push_str(rest);
    json.push('"');
}

fn push_escape(json: &mut String, character: char) {
    match character {
        '"' => json.push_str("\\\""),
        '\\' => json.push_str("\\\\"),
        '\n' => json.push_str("\\n"),
        '\r' => json.push_str("\\r"),
        '\t' => json.push_str("\\t"),
        other => push(json, format_args!("\\u{:04x}", u32::from(other))),
    }
}

/// Appends an integer.
pub fn push_int(json: &mut String, int: i64) {
    push(json, format_args!("{int}"));
}

/// Appends a finite float, in the fewest digits that read back as the same float.
pub fn push_float(json: &mut String, float: f64) {
    push(json, format_args!("{float:?}"));
}

fn push(json: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _infallible = json.write_fmt(piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_string_escapes_special_characters() {
        let mut json = String::new();
        push_string(&mut json, "a\"b\\c\n\r\t\u{0}\u{1f}\u{7f}é→");
        assert_eq!(json, "\"a\\\"b\\\\c\\n\\r\\t\\u0000\\u001f\u{7f}é→\"");
    }

    #[test]
    fn push_float_writes_fewest_digits() {
        for (float, text) in [(1.0, "1.0"), (0.1, "0.1"), (1e100, "1e100"), (-0.0, "-0.0"), (5e-324, "5e-324")] {
            let mut json = String::new();
            push_float(&mut json, float);
            assert_eq!(json, text);
        }
    }
}
