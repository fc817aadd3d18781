//! Where a secret value begins and ends.
//!
//! Owns: quotes, brackets, the schemes of `Authorization`, and what stands between a name and its value.
//! Never: ends a value before its quote, or looks further than [`MAX_VALUE_BYTES`] for one.

/// How far the end of a value is looked for. A quote or a bracket that is never closed would be looked for in the whole
/// text.
const MAX_VALUE_BYTES: usize = 1_000;

/// Between a name and its value, as words of their own; the last ones begin a block of YAML.
const OPERATORS: &[&str] = &["=", ":", "=>", ":=", "==", "->", "-", "|", "|-", "|+", ">", ">-", ">+"];

/// The first words of a value of `Authorization`, before the secret one.
const SCHEMES: &[&str] =
    &["bearer", "basic", "token", "apikey", "api-key", "negotiate", "ntlm", "dpop", "bot", "key", "privatetoken"];

/// Schemes with many values, of which some are secret.
const LONG_SCHEMES: &[&str] = &["digest", "oauth", "hawk", "aws4-hmac-sha256", "scram-sha-256"];

/// What is done with the beginning of a text that a secret name is before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Value {
    /// Bytes that stay.
    pub(super) kept: usize,
    /// Bytes after them that are secret.
    pub(super) secret: usize,
    /// Whether the value is yet to come.
    pub(super) is_ahead: bool,
}

impl Value {
    const fn ahead(kept: usize) -> Self {
        Self { kept, secret: 0, is_ahead: true }
    }

    const fn found(kept: usize, secret: usize) -> Self {
        Self { kept, secret, is_ahead: false }
    }

    /// Finds the value in a text that begins with no blank.
    pub(super) fn find(text: &str) -> Self {
        let operator = OPERATORS.iter().filter_map(|operator| text.strip_prefix(operator));
        if let Some(after) = operator.into_iter().find(|after| is_word_end(after)) {
            return Self::ahead(text.len() - after.len());
        }
        // `password:=x`, `password=>x`.
        let rest = text.trim_start_matches(['=', ':', '>', '|']);
        let kept = text.len() - rest.len();
        if is_word_end(rest) {
            return Self::ahead(kept);
        }
        if let Some(quoted) = find_quoted(rest) {
            return Self { kept: kept + quoted.kept, ..quoted };
        }
        let (scheme, after) = split_scheme(rest);
        if is_word_end(after) && LONG_SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
            return Self::found(kept, line_len(rest));
        }
        if !after.is_empty() && is_word_end(after) && SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
            return Self::ahead(text.len() - after.len());
        }
        match find_bracketed(rest) {
            Some(Bracketed::Closed(len)) => {
                return Self::found(kept, len + glued_len(rest.get(len..).unwrap_or_default()));
            }
            Some(Bracketed::Opened(len)) => return Self::ahead(kept + len),
            None => {}
        }
        match plain_len(rest) {
            0 => Self::found(text.len() - rest.trim_start_matches(PUNCTUATION).len(), 0),
            len => Self::found(kept, len),
        }
    }

    /// Finds a value of `Authorization`, whose scheme may be unknown.
    pub(super) fn find_authorization(text: &str) -> Self {
        let value = Self::find(text);
        let (first, after) = text.get(value.kept..).unwrap_or_default().split_at(value.secret);
        let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let next = after.trim_start_matches([' ', '\t']);
        let blanks = after.len() - next.len();
        if value.is_ahead || first.is_empty() || !first.chars().all(is_scheme) || blanks == 0 || is_word_end(next) {
            return value;
        }
        let word = next.split(char::is_whitespace).next().unwrap_or_default();
        // `Scheme id=a, signature=b`; base64 ends with `=`.
        let secret = if word.trim_end_matches('=').contains(['=', ',']) {
            line_len(next)
        } else {
            find_quoted(next).map_or_else(|| plain_len(next), |quoted| quoted.kept + quoted.secret)
        };
        Self::found(value.kept, first.len() + if secret > 0 { blanks + secret } else { 0 })
    }

    /// Finds the text of an element, which ends where the next one begins.
    pub(super) fn find_element(text: &str) -> Self {
        let mut line = text.char_indices().take_while(|(at, c)| *c != '\n' && *at < MAX_VALUE_BYTES);
        let end = line.find(|(_, c)| *c == '<').map(|(at, _)| at);
        Self::found(0, end.unwrap_or_else(|| plain_len(text)))
    }

    /// Finds the cookies of a header.
    pub(super) fn find_cookies(text: &str) -> Self {
        let mut word = text.chars().take(MAX_VALUE_BYTES).take_while(|c| !c.is_whitespace());
        Self::found(0, if word.any(|c| c == '=') { line_len(text) } else { 0 })
    }
}

/// What ends a word and is no value.
const PUNCTUATION: &[char] = &['"', '\'', '`', ',', ';', ')', ']', '}', '\\'];

fn is_word_end(text: &str) -> bool {
    text.is_empty() || text.starts_with(char::is_whitespace)
}

/// Returns how many bytes belong to the first line, at most [`MAX_VALUE_BYTES`] and the rest of a word.
fn line_len(text: &str) -> usize {
    let is_end = |(at, c): &(usize, char)| *c == '\n' || *at >= MAX_VALUE_BYTES && c.is_whitespace();
    text.char_indices().find(is_end).map_or(text.len(), |(at, _)| at)
}

/// Returns where the word ends that is `at` bytes after the start.
fn word_end_from(text: &str, at: usize) -> usize {
    let is_end = |(place, c): &(usize, char)| *place >= at && c.is_whitespace();
    text.char_indices().find(is_end).map_or(text.len(), |(at, _)| at)
}

/// Returns the name at the start of a value in whatever quotes and brackets it is, and what is after it.
fn split_scheme(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches(['(', '[', '{', '<', '"', '\'', '\\']);
    let (scheme, after) =
        text.split_at(text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(text.len()));
    (scheme, after.trim_start_matches([':', '=', ',', '"', '\'']))
}

/// Finds a value in quotes, which may have backslashes before them, as in JSON within JSON.
fn find_quoted(text: &str) -> Option<Value> {
    let inner = text.trim_start_matches('\\');
    let n_backslashes = text.len() - inner.len();
    let quote = inner.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let opened = n_backslashes + 1;
    let inner = text.get(opened..)?;
    // `"""x"""`, whose quotes may have any text between them.
    let triple = [quote; 3].iter().collect::<String>();
    if text.starts_with(&triple) {
        let (opened, inner) = text.split_at(triple.len());
        let near = inner.char_indices().map(|(at, _)| at).find(|at| *at >= MAX_VALUE_BYTES).unwrap_or(inner.len());
        let end = inner.get(..near).unwrap_or_default().find(&triple);
        // Without a close nearby all that was looked at is secret, and the rest of its word.
        return Some(Value::found(opened.len(), end.unwrap_or_else(|| word_end_from(inner, MAX_VALUE_BYTES))));
    }
    let mut n_before = 0;
    for (at, c) in inner.char_indices().take_while(|(at, _)| *at < MAX_VALUE_BYTES) {
        let is_close = c == quote && (n_before == n_backslashes || n_backslashes == 0 && n_before % 2 == 0);
        if is_close {
            let end = at - n_backslashes.min(n_before);
            let glued = glued_len(inner.get(at + 1..).unwrap_or_default());
            let secret = if glued > 0 { at + 1 + glued } else { end };
            return Some(Value::found(opened, secret));
        }
        n_before = if c == '\\' { n_before + 1 } else { 0 };
    }
    // A value that is cut off is secret to the end of its line.
    let line = line_len(inner);
    Some(if line == 0 { Value::ahead(opened) } else { Value::found(opened, line) })
}

/// Returns how much of a text directly after a quote or a bracket still belongs to the value, as in `'a'b`.
fn glued_len(text: &str) -> usize {
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | ':' | ')' | ']' | '}' | '<' | '>' | '\\' | '&' | '|' | '…')
    };
    if text.starts_with(ends) { 0 } else { plain_len(text) }
}

enum Bracketed {
    Closed(usize),
    /// A bracket that ends its word, and is not closed near.
    Opened(usize),
}

/// Finds `[…]`, `{…}`, `(…)` or `Some(…)` at the start of a text.
fn find_bracketed(text: &str) -> Option<Bracketed> {
    let bracket = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | '&'))?;
    let rest = text.get(bracket..)?;
    if !rest.starts_with(['(', '[', '{']) {
        return None;
    }
    let mut depth = 0_usize;
    for (at, c) in rest.char_indices().take_while(|(at, _)| *at < MAX_VALUE_BYTES) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(Bracketed::Closed(bracket + at + 1));
        }
    }
    rest.get(1..).filter(|after| is_word_end(after)).map(|_| Bracketed::Opened(bracket + 1))
}

/// Returns the length of a value without quotes: a word, up to a quote that something around it ends with.
fn plain_len(text: &str) -> usize {
    let mut has_content = false;
    for (at, c) in text.char_indices() {
        let (before, after) = text.split_at(at);
        let closes = || {
            let after = after.get(1..).unwrap_or_default();
            is_word_end(after) || after.starts_with([',', ')', ']', '}', '>', ';'])
        };
        if c.is_whitespace() || has_content && matches!(c, '"' | '\'' | '`') && closes() {
            // In JSON within JSON the quote has backslashes.
            let value = if c.is_whitespace() { before } else { before.trim_end_matches('\\') };
            return if has_content { value.len() } else { 0 };
        }
        has_content |= !PUNCTUATION.contains(&c);
    }
    if has_content { text.len() } else { 0 }
}
