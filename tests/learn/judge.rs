//! The judge: whether a lesson names the cause and the fix that were planted.
//!
//! Owns: the tokens of a cause or a fix, and what it is to name them.
//! Never: shares code with the learner, or knows which player a lesson is of.

use serde::Deserialize;

/// Tokens of a cause or a fix: of each list a text names at least one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Tokens(pub(crate) Vec<Vec<String>>);

impl Tokens {
    pub(crate) fn are_named_in(&self, text: &str) -> bool {
        // A playbook is Markdown, in which a backslash stands before marks.
        let text = text.replace('\\', "").to_lowercase();
        !self.0.is_empty() && self.0.iter().all(|any| any.iter().any(|token| names(&text, &token.to_lowercase())))
    }
}

/// Whether a token stands in a text as a word: `lib` is not named by `library`.
fn names(text: &str, token: &str) -> bool {
    text.match_indices(token).any(|(start, found)| {
        let before = text[..start].chars().next_back();
        let after = text[start + found.len()..].chars().next();
        let continues = |beside: Option<char>, edge: Option<char>| {
            beside.is_some_and(is_word_char) && edge.is_some_and(is_word_char)
        };
        !continues(before, token.chars().next()) && !continues(after, token.chars().next_back())
    })
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a lesson names a cause and a fix of it.
pub(crate) fn is_right(lesson: &str, cause: &Tokens, fix: &Tokens) -> bool {
    cause.are_named_in(lesson) && fix.are_named_in(lesson)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(lists: &[&[&str]]) -> Tokens {
        Tokens(lists.iter().map(|any| any.iter().map(|token| (*token).to_owned()).collect()).collect())
    }

    #[test]
    fn lesson_needs_cause_and_fix() {
        let (cause, fix) = (tokens(&[&["TS2835", "TS2834"]]), tokens(&[&[".js"], &["extension"]]));
        let lesson = "TS2835: Relative imports - Fixed by: write the extension .js";
        assert!(is_right(lesson, &cause, &fix));
        assert!(!is_right("TS2307: Cannot find module - Fixed by: write the extension .js", &cause, &fix));
        assert!(!is_right("TS2835: Relative imports - Fixed by: write the ending .js", &cause, &fix));
        assert!(!is_right("TS2835: Relative imports - Look up TS2835 of tsc", &cause, &fix));
    }

    #[test]
    fn token_is_a_word_and_escapes_are_none() {
        assert!(!tokens(&[&["lib"]]).are_named_in("the library"));
        assert!(tokens(&[&["lib"]]).are_named_in("set \"lib\" to dom"));
        assert!(tokens(&[&["cache=shared"]]).are_named_in("mode=memory\\&cache=shared"));
        assert!(tokens(&[&["[env]"]]).are_named_in("the table \\[env\\] of it"));
        assert!(tokens(&[&["no such table"]]).are_named_in("OperationalError: No such table: items"));
        // What has no tokens cannot be learned.
        assert!(!tokens(&[]).are_named_in("anything"));
    }
}
