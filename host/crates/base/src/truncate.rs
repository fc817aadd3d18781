//! The beginning of a text that is too long.
//!
//! Never: cuts a character.

use std::borrow::Cow;

/// Returns the text, or as much of it as `max_bytes` have room for, with an ellipsis after it.
#[must_use]
pub fn truncate_text(text: &str, max_bytes: usize) -> Cow<'_, str> {
    match text.get(..text.floor_char_boundary(max_bytes)) {
        Some(beginning) if beginning.len() < text.len() => format!("{beginning}…").into(),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(truncate_text("aéb", 4), "aéb");
        assert_eq!(truncate_text("aéb", 3), "aé…");
        assert_eq!(truncate_text("aéb", 2), "a…");
        assert_eq!(truncate_text("", 0), "");
    }
}
