//! The values of front matter, whatever its syntax.
//!
//! Owns: the order of keys, and numbers as they were written.
//! Never: knows a syntax but JSON, which the host receives.

use std::fmt::Write as _;

/// A value. Dates are text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// A number of JSON that a double can hold, but for its precision.
    Number(String),
    Text(String),
    List(Vec<Self>),
    Table(Vec<(String, Self)>),
}

impl Value {
    /// Returns the number that is written as `text` (digits with an optional sign, fraction and exponent), or that text
    /// where no double is large enough: readers of JSON would refuse the number.
    pub(crate) fn number(text: &str) -> Self {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", text.strip_prefix('+').unwrap_or(text)),
        };
        let split = digits.find(['e', 'E']).unwrap_or(digits.len());
        let (mantissa, exponent) = digits.split_at(split);
        let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(whole, part)| (whole, Some(part)));
        let whole = whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        let mut json = format!("{sign}{whole}");
        if let Some(fraction) = fraction {
            json.push('.');
            json.push_str(if fraction.is_empty() { "0" } else { fraction });
        }
        json.push_str(exponent);
        if json.parse::<f64>().is_ok_and(f64::is_finite) { Self::Number(json) } else { Self::Text(text.to_owned()) }
    }

    pub(crate) fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    pub(crate) fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => out.push_str(number),
            Self::Text(text) => write_quoted(text, out),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    item.write_json(out);
                }
                out.push(']');
            }
            Self::Table(fields) => {
                out.push('{');
                for (index, (name, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    write_quoted(name, out);
                    out.push_str(": ");
                    value.write_json(out);
                }
                out.push('}');
            }
        }
    }

    /// Whether both mean the same: numbers count by their value, integers exactly and others as doubles; the order of keys
    /// does not count.
    pub(crate) fn is_equivalent(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => is_same_number(left, right),
            (Self::List(left), Self::List(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is_equivalent(right))
            }
            (Self::Table(left), Self::Table(right)) => {
                let sorted = |fields: &[(String, Self)]| {
                    let mut fields = fields.to_vec();
                    fields.sort_by(|left, right| left.0.cmp(&right.0));
                    fields
                };
                let same =
                    |left: &(String, Self), right: &(String, Self)| left.0 == right.0 && left.1.is_equivalent(&right.1);
                left.len() == right.len()
                    && sorted(left).iter().zip(&sorted(right)).all(|(left, right)| same(left, right))
            }
            _ => self == other,
        }
    }

    /// Counts the bytes of all texts, and one for each value.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) => 1,
            Self::Number(text) | Self::Text(text) => text.len() + 1,
            Self::List(items) => items.iter().fold(1, |sum, item| sum + item.weight()),
            Self::Table(fields) => fields.iter().fold(1, |sum, (name, value)| sum + name.len() + value.weight()),
        }
    }
}

/// Whether two numbers of JSON are the same. Of two long identifiers a double may hold only the first digits.
fn is_same_number(left: &str, right: &str) -> bool {
    match (left.parse::<i128>(), right.parse::<i128>()) {
        (Ok(left), Ok(right)) => left == right,
        _ => left == right || left.parse::<f64>().is_ok_and(|left| right.parse() == Ok(left)),
    }
}

/// Writes a text between double quotes such that JSON, YAML and TOML all read it: their escapes have these in common.
pub(crate) fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char if is_escaped(char) => {
                let _infallible = write!(out, "\\u{:04x}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out.push('"');
}

/// Whether YAML or TOML requires an escape for the character, or an editor would not show it.
pub(crate) fn is_escaped(char: char) -> bool {
    char.is_control() || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_numbers_of_json() {
        for (written, json) in [
            ("+1", "1"),
            ("007", "7"),
            (".5", "0.5"),
            ("1.", "1.0"),
            ("-0", "-0"),
            ("1.10", "1.10"),
            ("1e5", "1e5"),
            ("+.5E-3", "0.5E-3"),
            ("1e999", "\"1e999\""),
        ] {
            assert_eq!(Value::number(written).to_json(), json, "{written}");
        }
    }

    #[test]
    fn text_is_escaped_for_all_syntaxes() {
        let text = "a\"b\\\n\t\u{1}\u{7f}\u{85}\u{2028}\u{feff}é😀";
        assert_eq!(Value::Text(text.into()).to_json(), "\"a\\\"b\\\\\\n\\t\\u0001\\u007f\\u0085\\u2028\\ufeffé😀\"");
    }

    #[test]
    fn equivalence_ignores_key_order_and_spelling_of_numbers() {
        let table = |fields: [(&str, &str); 2]| {
            Value::Table(fields.iter().map(|(name, number)| ((*name).into(), Value::number(number))).collect())
        };
        assert!(table([("a", "1.0"), ("b", "2")]).is_equivalent(&table([("b", "2.0"), ("a", "1")])));
        assert!(!table([("a", "1"), ("b", "2")]).is_equivalent(&table([("b", "1"), ("a", "2")])));
        assert!(!Value::number("1").is_equivalent(&Value::Text("1".into())));
        assert!(!Value::number("9007199254740993").is_equivalent(&Value::number("9007199254740992")));
        assert!(Value::number("-0").is_equivalent(&Value::number("0")));
        assert!(Value::number("9007199254740993").is_equivalent(&Value::number("9007199254740993.0")));
    }
}
