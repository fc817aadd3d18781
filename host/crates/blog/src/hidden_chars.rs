//! Characters that a person cannot see, and that change what a text seems to say.
//!
//! Owns: which those are: controls, and marks that reorder a line or take no room.
//! Never: touches what is stored, or a mark that scripts and emoji need.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns a text with a name in the place of each hidden character.
pub(crate) fn reveal(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut revealed = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_hidden(c) {
            // Writing to a string does not fail.
            let _ = write!(revealed, "⟨U+{:04X}⟩", u32::from(c));
        } else {
            revealed.push(c);
        }
    }
    Cow::Owned(revealed)
}

fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // The joiners U+200C and U+200D stay: words of some languages and emoji have them.
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' => true,
        '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_named() {
        assert_eq!(reveal("if admin\u{202E} -- }\u{0}"), "if admin⟨U+202E⟩ -- }⟨U+0000⟩");
        for plain in ["a\tb\nc", "👩\u{200D}🚀", "می\u{200C}خواهم", "é ü 中"] {
            assert_eq!(reveal(plain), plain);
        }
    }
}
