//! The words of code by their kind, so that a page can colour them.
//!
//! Owns: a single pass that knows comments, strings, keywords and tags, and takes all else for plain text.
//! Never: fails, changes a character, or says whether code is right: the guest does.

use crate::limits::MAX_HIGHLIGHTED_LINES;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeLanguage {
    Lua,
    Liquid,
}

/// A part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodeToken<'s> {
    /// The class of the part; `None` for plain text.
    pub(super) class: Option<&'static str>,
    pub(super) text: &'s str,
}

const COMMENT: &str = "comment";
const STRING: &str = "string";
const KEYWORD: &str = "keyword";

const LUA_KEYWORDS: [&str; 22] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
];

/// Returns the lines of a source, each in parts.
pub(super) fn highlight(language: CodeLanguage, source: &str) -> Vec<Vec<CodeToken<'_>>> {
    let (mut lines, mut rest) = (vec![Vec::new()], source);
    while !rest.is_empty() {
        let (class, length) = if lines.len() > MAX_HIGHLIGHTED_LINES {
            (None, rest.len())
        } else {
            match language {
                CodeLanguage::Lua => lua_token(rest),
                CodeLanguage::Liquid => liquid_token(rest),
            }
        };
        // A token has a character at least, so that this ends.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let (text, after) = rest.split_at_checked(length.max(first)).unwrap_or((rest, ""));
        rest = after;
        let mut parts = text.split('\n').peekable();
        while let Some(part) = parts.next() {
            let is_last = parts.peek().is_none();
            // Elsewhere than at the end of a line, this character is for a person to see.
            let ends_line = !is_last || rest.starts_with('\n');
            let text = part.strip_suffix('\r').filter(|_| ends_line).unwrap_or(part);
            if let Some(line) = lines.last_mut().filter(|_| !text.is_empty()) {
                line.push(CodeToken { class, text });
            }
            if !is_last {
                lines.push(Vec::new());
            }
        }
    }
    // The end of the last line begins no other one.
    if lines.len() > 1 && lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    lines
}

/// Returns the kind and the length of the token at the start of a text.
fn lua_token(text: &str) -> (Option<&'static str>, usize) {
    if let Some(comment) = text.strip_prefix("--") {
        let length = long_bracket(comment).map_or_else(|| line_end(text), |length| length + 2);
        return (Some(COMMENT), length);
    }
    if let Some(length) = long_bracket(text) {
        return (Some(STRING), length);
    }
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => (Some(STRING), quoted(text, quote)),
        Some(first) if is_word(first) => {
            let length = text.find(|c| !is_word(c)).unwrap_or(text.len());
            let word = text.get(..length).unwrap_or_default();
            (LUA_KEYWORDS.contains(&word).then_some(KEYWORD), length)
        }
        _ => (None, text.find(|c: char| is_word(c) || matches!(c, '-' | '[' | '"' | '\'')).unwrap_or(text.len())),
    }
}

fn liquid_token(text: &str) -> (Option<&'static str>, usize) {
    let until = |end: &str| text.find(end).map_or(text.len(), |at| at + end.len());
    if text.starts_with("{% comment") {
        return (Some(COMMENT), until("endcomment %}"));
    }
    if text.starts_with("<!--") {
        return (Some(COMMENT), until("-->"));
    }
    if text.starts_with("{%") {
        return (Some(KEYWORD), until("%}"));
    }
    if text.starts_with("{{") {
        return (Some(STRING), until("}}"));
    }
    let after_first = text.char_indices().nth(1).map_or(text.len(), |(at, _)| at);
    let next = text.get(after_first..).and_then(|rest| rest.find(['{', '<']));
    (None, next.map_or(text.len(), |at| after_first + at))
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// As Lua ends a comment.
fn line_end(text: &str) -> usize {
    text.find(['\n', '\r']).unwrap_or(text.len())
}

/// Returns the length of `[[…]]` or `[=[…]=]` at the start of a text.
fn long_bracket(text: &str) -> Option<usize> {
    let level = text.strip_prefix('[')?.bytes().take_while(|byte| *byte == b'=').count();
    let start = level + 2;
    let inner = text.get(start..).filter(|_| text.as_bytes().get(start - 1) == Some(&b'['))?;
    let close = format!("]{}]", "=".repeat(level));
    Some(inner.find(&close).map_or(text.len(), |at| start + at + close.len()))
}

/// Returns the length of a string in quotation marks, which ends with its line at the latest.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' | '\r' => return at,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(language: CodeLanguage, source: &str) -> String {
        let token = |token: &CodeToken<'_>| match token.class {
            Some(class) => format!("<{}:{}>", &class[..1], token.text),
            None => token.text.to_owned(),
        };
        let lines = highlight(language, source);
        lines.iter().map(|line| line.iter().map(token).collect::<String>()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn kinds_of_words_are_told_apart() {
        let source = "local x = \"a\\\"b\" -- end\nif x then return [[two\nlines]] end --[[ c\nd ]] done_end = 1\n";
        let expected = "<k:local> x = <s:\"a\\\"b\"> <c:-- end>\n<k:if> x <k:then> <k:return> <s:[[two>\n<s:lines]]> \
                        <k:end> <c:--[[ c>\n<c:d ]]> done_end = 1";
        assert_eq!(written(CodeLanguage::Lua, source), expected);
        // What hides behind the comment runs.
        assert_eq!(written(CodeLanguage::Lua, "-- safe\revil() -\r- x\r\n"), "<c:-- safe>\revil() -\r- x");
        let source = "<p>{{ title | escape }}</p>{% if a %}\n{% comment %}x{% endcomment %}<!-- y -->é";
        let expected =
            "<p><s:{{ title | escape }}></p><k:{% if a %}>\n<c:{% comment %}x{% endcomment %}><c:<!-- y -->>é";
        assert_eq!(written(CodeLanguage::Liquid, source), expected);
    }

    #[test]
    fn every_character_stays() {
        for source in [
            "",
            "\n",
            "-",
            "[",
            "[=",
            "'",
            "\"\\",
            "--[[",
            "ü\r\n'",
            "a\n\n-[=[",
            "{",
            "{%",
            "{{",
            "<",
            "<!--",
            "--\ra",
            "-\r-b\r\n",
            "'\r",
            "{{\r\r\n\r",
        ] {
            for language in [CodeLanguage::Lua, CodeLanguage::Liquid] {
                let lines = highlight(language, source);
                let text: Vec<String> =
                    lines.iter().map(|line| line.iter().map(|token| token.text).collect()).collect();
                let expected: Vec<&str> = source.lines().collect();
                let expected = if expected.is_empty() { vec![""] } else { expected };
                assert_eq!(text, expected, "{source:?}");
            }
        }
    }
}
