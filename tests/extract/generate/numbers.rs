//! Constants whose value is easily wrong.
//!
//! Owns: numerals, arithmetic on them, and the notations of strings.
//! Never: writes anything that is not a constant.

use super::Writer;

const NUMERALS: [&str; 24] = [
    "0",
    "1",
    "7",
    "-3",
    "2.5",
    "-0.0",
    "1e15",
    "123456789012345",
    "9007199254740993",
    "9223372036854775807",
    "9223372036854775808",
    "0x7fffffffffffffff",
    "0xffffffffffffffffff",
    "1e308",
    "5e-324",
    "0x.8p-1",
    "0x2.80000000000001p-1074",
    "0x1.fffffffffffff7ffp-3",
    "1e-5",
    "3.",
    "-5.5",
    ".1",
    "12345678901234.5",
    "2.2250738585072014e-308",
];

impl Writer<'_, '_> {
    pub(super) fn number(&mut self) -> String {
        let (left, right) = (self.choices.of(&NUMERALS), self.choices.of(&NUMERALS));
        let operator = self.choices.of(&["+", "-", "*", "/", "//", "%"]);
        match self.choices.below(6) {
            0 => left.into(),
            1 => format!("- {left}"),
            2 => format!("{left} .. \"\""),
            3 => format!("({left} {operator} {right}) .. \"\""),
            _ => format!("{left} {operator} {right}"),
        }
    }

    pub(super) fn text(&mut self) -> String {
        let text = self.choices.of(&[
            r#""\65\066\x43\u{44}\z
                E\
F""#,
            r#"'\'"\"\\\a\b\f\n\r\t\v'"#,
            "[[\nfirst\nlast]]",
            "[==[\r\n]]\r\n\r]=]\n\r]==]",
            r#""\xc3" .. "\xa9""#,
            r#""\xff""#,
            r#""\u{7FFFFFFF}""#,
            "\"--[[\" --[[ \" ]] .. '--'",
            "'' .. -0.0 .. 0x10 .. 1e100",
        ]);
        text.into()
    }
}
