//! Messages of tools without what differs from one occurrence to the next.
//!
//! Owns: what stands for what: `PATH`, `URL`, `UUID`, `HEX` and `N`.
//! Never: drops a word: a message says the opposite without its `not`.

/// Marks that may stand around a word.
const OPENING: &[char] = &['"', '\'', '`', '(', '[', '{', '<', '‘', '“'];
const CLOSING: &[char] = &['"', '\'', '`', ')', ']', '}', '>', ',', ';', ':', '.', '!', '?', '’', '”'];

/// Returns the message with each path, address, number, UUID and digest abstracted.
pub(crate) fn abstract_message(message: &str) -> String {
    // Most messages are ASCII, whose words are found without decoding it; the vertical tab is a blank of Unicode alone.
    if message.is_ascii() && !message.contains('\u{b}') {
        abstract_words(message.split_ascii_whitespace(), message.len())
    } else {
        abstract_words(message.split_whitespace(), message.len())
    }
}

fn abstract_words<'m>(words: impl Iterator<Item = &'m str>, len: usize) -> String {
    let mut abstracted = String::with_capacity(len);
    for word in words {
        if !abstracted.is_empty() {
            abstracted.push(' ');
        }
        // Most words have nothing to abstract.
        if word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            abstracted.push_str(word);
        } else {
            push_abstracted(word, &mut abstracted);
        }
    }
    abstracted
}

fn push_abstracted(word: &str, out: &mut String) {
    let core = word.trim_start_matches(OPENING);
    let lead = word.get(..word.len() - core.len()).unwrap_or_default();
    let trimmed = core.trim_end_matches(CLOSING);
    // `(5,3)` and `x:5:3:` end with marks, `[]` is nothing else.
    let tail = core.get(trimmed.len()..).unwrap_or_default();
    if trimmed.is_empty() {
        return out.push_str(word);
    }
    // `file=./x` and `from:./x` have a path behind a name.
    let split = trimmed.find('=').map(|at| at + 1).filter(|at| *at < trimmed.len());
    let (name, value) = trimmed.split_at(split.unwrap_or(0));
    let value = value.trim_start_matches(OPENING);
    let kept_len = trimmed.len() - name.len() - value.len();
    let quote = trimmed.get(name.len()..name.len() + kept_len).unwrap_or_default();
    for part in [lead, name, quote] {
        out.push_str(part);
    }
    push_abstracted_value(value, out);
    out.push_str(tail);
}

fn push_abstracted_value(value: &str, out: &mut String) {
    if value.contains("://") {
        return out.push_str("URL");
    }
    let (place, position) = split_position(value);
    if is_path(place) {
        out.push_str("PATH");
        return push_without_numbers(position, out);
    }
    if is_uuid(value) {
        return out.push_str("UUID");
    }
    if is_hex(value) {
        return out.push_str("HEX");
    }
    push_without_numbers(value, out);
}

/// Splits the line and the column from a place such as `src/a.ts:5:3` or `a.cs(5,3)`.
fn split_position(value: &str) -> (&str, &str) {
    let rest = value.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '(' | ')' | ','));
    match value.get(rest.len()..) {
        Some(position) if position.starts_with([':', '(']) => (rest, position),
        _ => (value, ""),
    }
}

/// Whether a word is the path of a file. `lodash/fp`, `and/or` and `application/json` are none: a path begins like
/// one, or its last part has the ending of a file.
fn is_path(word: &str) -> bool {
    let is_drive = word.as_bytes().get(1) == Some(&b':')
        && word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.get(2..3).is_some_and(|next| matches!(next, "\\" | "/"));
    let starts = ["/", "./", "../", "~/", "~\\", ".\\", "..\\", "\\\\"];
    let is_rooted = starts.iter().any(|start| word.len() > start.len() && word.starts_with(start));
    let parts = word.rsplit_once(['/', '\\']);
    let has_ending = parts.is_some_and(|(_, file)| {
        file.rsplit_once('.').is_some_and(|(name, ending)| {
            let is_ending = (1..=5).contains(&ending.len()) && ending.bytes().all(|b| b.is_ascii_alphanumeric());
            !name.is_empty() && is_ending && !ending.bytes().all(|b| b.is_ascii_digit())
        })
    });
    is_drive || is_rooted || has_ending
}

fn is_uuid(word: &str) -> bool {
    word.len() == 36
        && word.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a word is a digest, an address or another number in hexadecimal.
fn is_hex(word: &str) -> bool {
    if let Some(digits) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        return !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    }
    let has = |is_kind: fn(&u8) -> bool| word.as_bytes().iter().any(is_kind);
    word.len() >= 7
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
}

/// Appends a text with `N` in place of numbers: those that begin a run of letters and digits. `i32`, `sha256` and `TS2307` are names.
fn push_without_numbers(text: &str, out: &mut String) {
    let mut is_in_word = false;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if is_in_word { 0 } else { number_len(rest) };
        if len > 0 {
            out.push('N');
            // A unit may follow.
            is_in_word = true;
            rest = rest.get(len..).unwrap_or_default();
            continue;
        }
        is_in_word = first.is_alphanumeric() || first == '_';
        out.push(first);
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
    }
}

/// Returns the length of the number at the start of a text, with its fraction and separators: `1.5`, `1_000`, `10,000`.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut len = 0;
    while is_digit(len) || len > 0 && is_digit(len + 1) && matches!(bytes.get(len), Some(b'.' | b'_' | b',')) {
        len += 1;
    }
    len
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_differs_is_abstracted() {
        for (message, expected) in [
            ("Cannot find module ./auth.js", "Cannot find module PATH"),
            ("Cannot find module './auth.js' or its types.", "Cannot find module 'PATH' or its types."),
            ("Cannot find module 'lodash/fp'", "Cannot find module 'lodash/fp'"),
            ("Type 'string' is not assignable to type 'number'", "Type 'string' is not assignable to type 'number'"),
            ("open /tmp/x-1a2b/y failed (5 of 10)", "open PATH failed (N of N)"),
            ("at src/a.ts:5:3: bad", "at PATH:N:N: bad"),
            ("C:\\a\\b.cs(5,3): no", "PATH(N): no"),
            ("took 10ms, 1.5 s, 10,000 rows", "took Nms, N s, N rows"),
            ("i32 and u64 via sha256, TS2307, utf8", "i32 and u64 via sha256, TS2307, utf8"),
            ("id 0190d1a2-7c3b-7aaa-8bbb-0123456789ab", "id UUID"),
            ("commit 3f2a9c1 at 0xDEADbeef, decade added", "commit HEX at HEX, decade added"),
            ("GET http://localhost:3000/x 404", "GET URL N"),
            ("path=/var/log/x mode=644", "path=PATH mode=N"),
            ("and/or [] {} ... 5.", "and/or [] {} ... N."),
            ("version 1.2.3", "version N"),
        ] {
            assert_eq!(abstract_message(message), expected, "{message}");
        }
    }

    proptest! {
        #[test]
        fn numbers_do_not_matter(a in 0_u32..100_000, b in 0_u32..100_000) {
            let message = |n: u32| format!("line {n}: got {n} of {n}ms in /tmp/run-{n}/out and src/f{n}.rs:{n}:{n}");
            prop_assert_eq!(abstract_message(&message(a)), abstract_message(&message(b)));
        }

        #[test]
        fn words_stay(words in proptest::collection::vec("[a-z]{2,6}", 1..10)) {
            // Six letters may be hexadecimal, and are a word without a digit.
            prop_assert_eq!(abstract_message(&words.join(" ")), words.join(" "));
        }

        #[test]
        fn words_of_any_text_are_those_of_unicode(text in "\\PC{0,20}|[ -~\t\n\u{b}\u{c}\r]{0,60}") {
            let expected = abstract_words(text.split_whitespace(), text.len());
            prop_assert_eq!(abstract_message(&text), expected);
        }
    }
}
