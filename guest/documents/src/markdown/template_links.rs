//! Links whose address is a template expression: `[a]({% post_url 2024-03-01-a %})`, `[a]({{< ref "a" >}})`.
//!
//! Owns: making them links of CommonMark, which allows spaces only between `<` and `>`. No byte moves: the first and the
//! last byte of the address become those brackets, and brackets within it spaces.
//! Never: changes a text in which there is no such link, nor what a reader sees of one in which there is.

use std::borrow::Cow;
use std::ops::Range;

use crate::limits::MAX_TEMPLATE_LINK_BYTES;

/// Returns the body with the addresses of such links between `<` and `>`.
pub(crate) fn bracket(body: &str) -> Cow<'_, str> {
    if !body.contains("]({") {
        return Cow::Borrowed(body);
    }
    let mut bytes = body.as_bytes().to_vec();
    let mut from = 0;
    while let Some(found) = body.get(from..).and_then(|rest| rest.find("]({")) {
        let start = from + found + 2;
        from = start;
        if let Some(range) = address(body.as_bytes(), start) {
            from = range.end;
            let last = range.end - 1;
            for (at, byte) in bytes.iter_mut().enumerate().take(range.end).skip(range.start) {
                match byte {
                    _ if at == range.start => *byte = b'<',
                    _ if at == last => *byte = b'>',
                    b'<' | b'>' | b'\\' => *byte = b' ',
                    _ => {}
                }
            }
        }
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(body), Cow::Owned)
}

/// Returns the place of an address that begins with a template expression, if it ends on its line.
fn address(body: &[u8], start: usize) -> Option<Range<usize>> {
    let window = body.get(start..)?;
    let window = window.get(..MAX_TEMPLATE_LINK_BYTES).unwrap_or(window);
    let mut at = 0;
    loop {
        let closing: &[u8] = match window.get(at..at + 2) {
            Some(b"{{") => b"}}",
            Some(b"{%") => b"%}",
            _ => break,
        };
        let inside = window.get(at + 2..)?;
        let length = inside.windows(2).position(|pair| pair == closing || matches!(pair, [b'\n' | b'\r', _]))?;
        if inside.get(length..length + 2) != Some(closing) {
            return None;
        }
        at += length + 4;
    }
    let rest = window.get(at..)?;
    let tail = rest.iter().position(|byte| matches!(byte, b')' | b' ' | b'\t' | b'\n' | b'\r'))?;
    let end = at + tail;
    // The last byte becomes `>`, so it must be a character by itself.
    let is_char = window.get(end.checked_sub(1)?).is_some_and(u8::is_ascii);
    (at > 0 && is_char).then_some(start..start + end)
}

/// Returns a text of the parsed body as it is in the body itself, given where it comes from.
pub(crate) fn original<'t>(shown: &'t str, parsed: &str, body: &'t str, range: Range<usize>) -> &'t str {
    // Nearly every body: `bracket` borrowed it.
    if std::ptr::eq(parsed, body) {
        return shown;
    }
    let (Some(parsed), Some(body)) = (parsed.get(range.clone()), body.get(range)) else { return shown };
    if parsed == body {
        return shown;
    }
    let found = parsed.find(shown).and_then(|at| body.get(at..at + shown.len()));
    found.unwrap_or(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_put_between_brackets_without_moving_a_byte() {
        for (body, bracketed) in [
            ("[a]({% post_url 2024-03-01-a %})", "[a](<% post_url 2024-03-01-a %>)"),
            (
                "[a]({{ site.baseurl }}{% link _posts/a.md %}#x \"t\")",
                "[a](<{ site.baseurl }}{% link _posts/a.md %}#> \"t\")",
            ),
            ("[a]({{< ref \"a\" >}}) [b]({{% relref b %}})", "[a](<{  ref \"a\"  }>) [b](<{% relref b %}>)"),
        ] {
            assert_eq!(bracket(body), bracketed);
        }
        for body in
            ["[a](b)", "[a]({b})", "[a]({{ x )", "[a]({% x\n %})", "[a]({{ x }}é)", "[a]({% x %}", "]({{", "]({"]
        {
            assert_eq!(bracket(body), body);
        }
    }

    #[test]
    fn unclosed_expressions_are_searched_within_a_window() {
        let body = "](".repeat(3) + &"]({{".repeat(100_000);
        assert_eq!(bracket(&body), body.as_str());
        let long = format!("[a]({{{{ {} }}}})", "x".repeat(MAX_TEMPLATE_LINK_BYTES));
        assert_eq!(bracket(&long), long.as_str());
    }
}
