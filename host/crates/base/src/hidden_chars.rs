//! Characters that a person cannot see, and that change what a text seems to say.
//!
//! Owns: which those are: controls, and marks that reorder a line or take no room.
//! Never: touches what is stored, or a mark that scripts and emoji need.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns a text with a name in the place of each hidden character.
#[must_use]
pub fn reveal(text: &str) -> Cow<'_, str> {
    let with_previous = || text.chars().scan(None, |previous: &mut Option<char>, c| Some((previous.replace(c), c)));
    if !with_previous().any(|(previous, c)| is_hidden(previous, c)) {
        return Cow::Borrowed(text);
    }
    let mut revealed = String::with_capacity(text.len() + 8);
    for (previous, c) in with_previous() {
        if is_hidden(previous, c) {
            // Writing to a string does not fail.
            let _ = write!(revealed, "⟨U+{:04X}⟩", u32::from(c));
        } else {
            revealed.push(c);
        }
    }
    Cow::Owned(revealed)
}

/// Whether a character is hidden after another one; line ends and tabs are not.
#[must_use]
pub fn is_hidden(previous: Option<char>, c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Words of some languages and emoji have one joiner between two characters.
        '\u{200C}' | '\u{200D}' => !previous.is_some_and(|c| is_shown_beyond_ascii(c) || c == '\u{FE0F}'),
        // A selector chooses the form of the emoji, digit or ideograph before it.
        '\u{FE0E}' | '\u{FE0F}' => {
            !previous.is_some_and(|c| is_shown_beyond_ascii(c) || c.is_ascii_digit() || matches!(c, '#' | '*'))
        }
        '\u{E0100}'..='\u{E01EF}' => {
            !previous.is_some_and(|c| matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}'))
        }
        c => is_hidden_anywhere(c),
    }
}

/// Whether a character has to be named in a line of which nothing may be hidden, such as a command: also a joiner or a selector that
/// belongs to the character before it, and those of private use, which each program shows in its own way.
#[must_use]
pub fn is_hidden_in_line(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
        || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}')
        || is_hidden_anywhere(c)
}

fn is_hidden_anywhere(c: char) -> bool {
    match c {
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{200B}'
        | '\u{200E}' | '\u{200F}' => true,
        '\u{180B}'..='\u{180F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' => true,
        '\u{FE00}'..='\u{FE0D}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' => true,
        '\u{13430}'..='\u{1345F}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E00FF}'
        | '\u{E01F0}'..='\u{E0FFF}' => true,
        c => c.is_control(),
    }
}

/// Whether a character before a mark is one that the mark can belong to.
fn is_shown_beyond_ascii(c: char) -> bool {
    !c.is_ascii()
        && !c.is_whitespace()
        && !matches!(c, '\u{200B}'..='\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0000}'..='\u{E01EF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_hidden_in_a_line() {
        for c in "\n\t\u{0}\u{AD}\u{200D}\u{FE0F}\u{E0020}\u{E0100}\u{E000}\u{10FFFD}\u{13430}\u{2066}".chars() {
            assert!(is_hidden_in_line(c), "{c:?}");
        }
        assert!(!"a é 中 👩".chars().any(is_hidden_in_line));
    }

    #[test]
    fn hidden_characters_are_named() {
        assert_eq!(reveal("if admin\u{202E} -- }\u{0}"), "if admin⟨U+202E⟩ -- }⟨U+0000⟩");
        assert_eq!(reveal("a\u{200D}b \u{200C}\u{E0141}\u{3164}"), "a⟨U+200D⟩b ⟨U+200C⟩⟨U+E0141⟩⟨U+3164⟩");
        assert_eq!(reveal("a\u{FFF0}\u{FFF8}\u{E01F0}\u{E0FFF}"), "a⟨U+FFF0⟩⟨U+FFF8⟩⟨U+E01F0⟩⟨U+E0FFF⟩");
        assert_eq!(reveal("中\u{200D}\u{200D}\u{FE01}"), "中\u{200D}⟨U+200D⟩⟨U+FE01⟩");
        assert_eq!(reveal("葛\u{E0100}\u{E0100}"), "葛\u{E0100}⟨U+E0100⟩");
        for plain in [
            "a\tb\nc",
            "👩\u{200D}🚀",
            "❤\u{FE0F}\u{200D}🔥",
            "1\u{FE0F}\u{20E3}",
            "می\u{200C}خواهم",
            "é ü 中",
            "葛\u{E0100}",
        ] {
            assert_eq!(reveal(plain), plain);
        }
    }
}
