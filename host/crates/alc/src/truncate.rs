//! Shortens the text of a log without parsing it into values.
//!
//! Owns: the removal of white space and the truncation of strings. A parsed log takes a hundred times its size in
//! memory, and its numbers would lose digits.
//! Never: validates anything: the text is JSON already.

/// Returns the text without the white space outside its strings.
pub(super) fn strip_whitespace(json: &str) -> String {
    JsonLexemes(json).map(JsonLexeme::text).collect()
}

/// Compact text whose strings can be truncated, each to the same number of characters. Keys stay whole.
pub(super) struct TruncatableJson<'a>(Vec<JsonSegment<'a>>);

enum JsonSegment<'a> {
    Fixed(&'a str),
    /// The text between the quotes of a string, and its number of characters.
    Text(&'a str, usize),
}

impl<'a> TruncatableJson<'a> {
    pub(super) fn new(compact: &'a str) -> Self {
        let mut pieces = JsonLexemes(compact).peekable();
        let (mut parts, mut fixed, mut at) = (Vec::new(), 0, 0);
        while let Some(piece) = pieces.next() {
            let is_key = pieces.peek().is_some_and(|next| next.text().starts_with(':'));
            let end = at + piece.text().len();
            if let (JsonLexeme::String(token), false) = (piece, is_key)
                && let Some(text) = JsonSegment::from_string_token(token)
            {
                // Everything since the last such string is one segment: there may be millions of short lexemes.
                parts.extend([JsonSegment::Fixed(compact.get(fixed..at).unwrap_or_default()), text]);
                fixed = end;
            }
            at = end;
        }
        parts.push(JsonSegment::Fixed(compact.get(fixed..).unwrap_or_default()));
        Self(parts)
    }

    /// Returns the text with every string truncated to `keep` characters and a marker with the number of those removed.
    /// `None` as soon as the result exceeds `space` characters.
    pub(super) fn truncate_strings(&self, keep: usize, space: usize) -> Option<String> {
        let (mut short, mut used) = (String::new(), 0);
        for part in &self.0 {
            let start = short.len();
            part.append_to(&mut short, keep);
            used += short.get(start..)?.chars().count();
            if used > space {
                return None;
            }
        }
        Some(short)
    }
}

impl<'a> JsonSegment<'a> {
    /// Returns `None` for a string that is no longer than any marker.
    fn from_string_token(token: &'a str) -> Option<Self> {
        const MIN_MARKER_CHARS: usize = "… [1 characters cut]".len() - '…'.len_utf8() + 1;
        let inner = token.strip_prefix('"')?.strip_suffix('"')?;
        let len = JsonChars(inner).count();
        (len > MIN_MARKER_CHARS).then_some(Self::Text(inner, len))
    }

    fn append_to(&self, short: &mut String, keep: usize) {
        let (inner, len) = match *self {
            Self::Fixed(text) => return short.push_str(text),
            Self::Text(inner, len) => (inner, len),
        };
        let marker = format!("… [{} characters cut]", len.saturating_sub(keep));
        short.push('"');
        // A marker must not make a short string longer.
        if keep + marker.chars().count() < len {
            let kept: usize = JsonChars(inner).take(keep).map(str::len).sum();
            short.push_str(inner.get(..kept).unwrap_or_default());
            short.push_str(&marker);
        } else {
            short.push_str(inner);
        }
        short.push('"');
    }
}

#[derive(Clone, Copy)]
enum JsonLexeme<'a> {
    /// A string with its quotes.
    String(&'a str),
    /// Brackets, separators, numbers and words.
    Other(&'a str),
}

impl<'a> JsonLexeme<'a> {
    const fn text(self) -> &'a str {
        match self {
            Self::String(text) | Self::Other(text) => text,
        }
    }
}

/// An iterator over the lexemes of JSON text, without white space.
struct JsonLexemes<'a>(&'a str);

const JSON_WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

impl<'a> Iterator for JsonLexemes<'a> {
    type Item = JsonLexeme<'a>;

    fn next(&mut self) -> Option<JsonLexeme<'a>> {
        let text = self.0.trim_start_matches(JSON_WHITESPACE);
        let is_string = text.starts_with('"');
        let end = if is_string { string_end(text) } else { text.find(|c| c == '"' || JSON_WHITESPACE.contains(&c)) };
        let (piece, rest) = text.split_at_checked(end.unwrap_or(text.len()))?;
        self.0 = rest;
        match piece {
            "" => None,
            piece if is_string => Some(JsonLexeme::String(piece)),
            piece => Some(JsonLexeme::Other(piece)),
        }
    }
}

/// Returns the end of the string that the text begins with.
fn string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    let closes = |byte: u8| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    };
    // One for the opening quote, and one to be past the closing quote.
    text.bytes().skip(1).position(closes).map(|at| at + 2)
}

/// An iterator over the characters of a string as written: an escape is one, and so is a pair of surrogates.
struct JsonChars<'a>(&'a str);

impl<'a> Iterator for JsonChars<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.0.chars().next()?;
        let len = if first == '\\' { escape_len(self.0) } else { first.len_utf8() };
        let (character, rest) = self.0.split_at_checked(len).unwrap_or((self.0, ""));
        self.0 = rest;
        Some(character)
    }
}

fn escape_len(text: &str) -> usize {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    match (unit(0), unit(6)) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
        (Some(_), _) => 6,
        (None, _) => 2,
    }
}
