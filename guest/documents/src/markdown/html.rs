//! HTML within Markdown: its tags, and the text between them.
//!
//! Owns: which tags are links, pictures, breaks and hidden elements. It is a scanner, not a parser: it accepts anything, in
//! one pass.
//! Never: corrects a tree; an element that is never closed ends with its block.

use std::borrow::Cow;

/// A part of HTML.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'h> {
    /// Text, with its references to characters.
    Text(&'h str),
    Comment(&'h str),
    /// Text that a reader does not see, of a script for example.
    Hidden,
    Open(Tag<'h>),
    /// The end of an element of this name.
    Close(&'h str),
}

/// The start of an element.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag<'h> {
    pub(crate) name: &'h str,
    attributes: &'h str,
}

/// The meaning of an element for the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Link,
    Picture,
    /// Separates words.
    Space,
    /// Separates lines.
    Block,
    Heading,
    Item,
    Code,
    /// Neither shown nor searched.
    Hidden,
    Other,
}

pub(crate) fn role(name: &str) -> Role {
    let mut lower = [0_u8; 12];
    let Some(slot) = lower.get_mut(..name.len()) else { return Role::Other };
    slot.copy_from_slice(name.as_bytes());
    slot.make_ascii_lowercase();
    match &*slot {
        b"a" => Role::Link,
        b"img" => Role::Picture,
        b"br" | b"td" | b"th" | b"wbr" => Role::Space,
        b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => Role::Heading,
        b"li" | b"dd" | b"dt" => Role::Item,
        b"pre" | b"code" | b"xmp" | b"plaintext" => Role::Code,
        b"script" | b"style" | b"template" | b"title" | b"iframe" | b"noembed" | b"noframes" => Role::Hidden,
        b"address" | b"article" | b"aside" | b"blockquote" | b"body" | b"caption" | b"center" | b"details"
        | b"dialog" | b"div" | b"dl" | b"fieldset" | b"figcaption" | b"figure" | b"footer" | b"form" | b"head"
        | b"header" | b"hr" | b"html" | b"legend" | b"main" | b"nav" | b"ol" | b"option" | b"p" | b"search"
        | b"section" | b"summary" | b"table" | b"tbody" | b"textarea" | b"tfoot" | b"thead" | b"tr" | b"ul" => {
            Role::Block
        }
        _ => Role::Other,
    }
}

/// Whether an element has text alone, in which tags are text as well.
fn has_text_alone(name: &str) -> bool {
    role(name) == Role::Hidden || ["xmp", "textarea", "plaintext"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a byte ends the name of an element.
fn ends_name(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>')
}

/// Where in the attributes of a tag a byte is, as browsers see it: a quote begins a value only where one is expected.
#[derive(Debug, Clone, Copy)]
enum TagState {
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Quoted(u8),
    Unquoted,
}

impl TagState {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Quoted(quote), _) if byte == quote => Self::BeforeName,
            (Self::Quoted(_), _) => self,
            (Self::BeforeValue, b'"' | b'\'') => Self::Quoted(byte),
            (Self::BeforeValue, _) if byte.is_ascii_whitespace() => self,
            (Self::BeforeName | Self::Unquoted, _) if byte.is_ascii_whitespace() => Self::BeforeName,
            (Self::BeforeValue | Self::Unquoted, _) => Self::Unquoted,
            (_, b'/') => Self::BeforeName,
            (Self::Name | Self::AfterName, b'=') => Self::BeforeValue,
            (Self::Name | Self::AfterName, _) if byte.is_ascii_whitespace() => Self::AfterName,
            (Self::BeforeName | Self::Name | Self::AfterName, _) => Self::Name,
        }
    }
}

/// Splits HTML into pieces. An unclosed tag or comment takes the rest with it, as in browsers.
#[derive(Debug)]
pub(crate) struct Pieces<'h> {
    html: &'h str,
    at: usize,
    /// The element of text alone that the last tag began.
    text_alone: Option<&'h str>,
}

impl<'h> Pieces<'h> {
    pub(crate) const fn new(html: &'h str) -> Self {
        Self { html, at: 0, text_alone: None }
    }

    /// Where the next piece begins.
    pub(crate) const fn offset(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'h str {
        self.html.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, length: usize) -> &'h str {
        let taken = self.rest().get(..length).unwrap_or(self.rest());
        self.at += taken.len();
        taken
    }

    /// Drops `skipped` bytes, takes all before `end`, and drops that.
    fn take_until(&mut self, skipped: usize, end: &str) -> &'h str {
        self.take(skipped);
        let length = self.rest().find(end);
        let taken = self.take(length.unwrap_or(usize::MAX));
        self.take(if length.is_some() { end.len() } else { 0 });
        taken
    }

    /// Takes a comment after its beginning: it is empty if `>` or `->` follows, and `--!>` ends it as well.
    fn take_comment(&mut self) -> &'h str {
        let rest = self.rest();
        if let Some(end) = [">", "->"].into_iter().find(|end| rest.starts_with(end)) {
            self.take(end.len());
            return "";
        }
        let mut from = 0;
        while let Some(at) = rest.get(from..).and_then(|rest| rest.find("--")).map(|at| from + at) {
            let after = rest.get(at + 2..).unwrap_or_default();
            if let Some(end) = [">", "!>"].into_iter().find(|end| after.starts_with(end)) {
                let taken = self.take(at);
                self.take(2 + end.len());
                return taken;
            }
            from = at + 1;
        }
        self.take(usize::MAX)
    }

    /// Takes the rest of a tag, after its name: attributes, whose values between quotes may contain `>`.
    fn take_attributes(&mut self) -> &'h str {
        let mut state = TagState::BeforeName;
        let length = self.rest().bytes().position(|byte| {
            let is_end = byte == b'>' && !matches!(state, TagState::Quoted(_));
            state = state.after(byte);
            is_end
        });
        let taken = self.take(length.unwrap_or(usize::MAX));
        self.take(usize::from(length.is_some()));
        taken
    }

    fn take_name(&mut self) -> &'h str {
        let length = self.rest().bytes().position(ends_name);
        self.take(length.unwrap_or(usize::MAX))
    }

    /// Takes all before the end tag of an element.
    fn take_to_end_of(&mut self, name: &str) -> &'h str {
        let length = self.rest().char_indices().find_map(|(at, char)| {
            let end = (char == '<').then(|| self.rest().get(at + 1..))??.strip_prefix('/')?;
            let is_it = end.get(..name.len())?.eq_ignore_ascii_case(name);
            (is_it && end.as_bytes().get(name.len()).copied().is_none_or(ends_name)).then_some(at)
        });
        self.take(length.unwrap_or(usize::MAX))
    }
}

impl<'h> Iterator for Pieces<'h> {
    type Item = Piece<'h>;

    fn next(&mut self) -> Option<Piece<'h>> {
        if let Some(name) = self.text_alone.take() {
            // Nothing ends it.
            if name.eq_ignore_ascii_case("plaintext") {
                return Some(Piece::Text(self.take(usize::MAX)));
            }
            let text = self.take_to_end_of(name);
            return Some(if role(name) == Role::Hidden { Piece::Hidden } else { Piece::Text(text) });
        }
        let rest = self.rest();
        Some(match rest.as_bytes() {
            [] => return None,
            [b'<', b'!', b'-', b'-', ..] => {
                self.take(4);
                Piece::Comment(self.take_comment())
            }
            [b'<', b'!' | b'?', ..] => {
                self.take_until(2, ">");
                Piece::Hidden
            }
            [b'<', b'/', first, ..] if first.is_ascii_alphabetic() => {
                self.take(2);
                let name = self.take_name();
                self.take_attributes();
                Piece::Close(name)
            }
            [b'<', first, ..] if first.is_ascii_alphabetic() => {
                self.take(1);
                let name = self.take_name();
                let attributes = self.take_attributes();
                if has_text_alone(name) {
                    self.text_alone = Some(name);
                }
                Piece::Open(Tag { name, attributes })
            }
            [first, ..] => {
                let skipped = usize::from(*first == b'<');
                let length = rest.get(skipped..).and_then(|rest| rest.find('<')).map(|at| at + skipped);
                Piece::Text(self.take(length.unwrap_or(usize::MAX)))
            }
        })
    }
}

impl<'h> Tag<'h> {
    /// Returns the value of an attribute, with its references resolved.
    pub(crate) fn attribute(&self, wanted: &str) -> Option<Cow<'h, str>> {
        let mut rest = self.attributes;
        loop {
            rest = rest.trim_start_matches(|char: char| char.is_ascii_whitespace() || matches!(char, '/' | '='));
            if rest.is_empty() {
                return None;
            }
            let end = rest.find(|char: char| char.is_ascii_whitespace() || matches!(char, '=' | '/'));
            let (name, tail) = rest.split_at(end.unwrap_or(rest.len()));
            let (value, tail) = split_value(tail.trim_ascii_start());
            if name.eq_ignore_ascii_case(wanted) {
                return value.map(decode);
            }
            rest = tail;
        }
    }
}

/// Splits `=value` and what follows it.
fn split_value(text: &str) -> (Option<&str>, &str) {
    let Some(text) = text.strip_prefix('=') else { return (None, text) };
    let text = text.trim_ascii_start();
    for quote in ['"', '\''] {
        if let Some(inside) = text.strip_prefix(quote) {
            return match inside.split_once(quote) {
                Some((value, tail)) => (Some(value), tail),
                None => (Some(inside), ""),
            };
        }
    }
    let (value, tail) = text.split_at(text.find(|char: char| char.is_ascii_whitespace()).unwrap_or(text.len()));
    (Some(value), tail)
}

/// The named references that texts in European languages use. Others stay as they are written.
const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("shy", "\u{ad}"),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("bull", "•"),
    ("middot", "·"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("sbquo", "‚"),
    ("bdquo", "„"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("lsaquo", "‹"),
    ("rsaquo", "›"),
    ("euro", "€"),
    ("pound", "£"),
    ("yen", "¥"),
    ("cent", "¢"),
    ("sect", "§"),
    ("para", "¶"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("deg", "°"),
    ("times", "×"),
    ("divide", "÷"),
    ("plusmn", "±"),
    ("frac12", "½"),
    ("frac14", "¼"),
    ("iexcl", "¡"),
    ("iquest", "¿"),
    ("larr", "←"),
    ("rarr", "→"),
    ("szlig", "ß"),
    ("Auml", "Ä"),
    ("auml", "ä"),
    ("Ouml", "Ö"),
    ("ouml", "ö"),
    ("Uuml", "Ü"),
    ("uuml", "ü"),
    ("euml", "ë"),
    ("iuml", "ï"),
    ("Agrave", "À"),
    ("agrave", "à"),
    ("aacute", "á"),
    ("acirc", "â"),
    ("atilde", "ã"),
    ("aring", "å"),
    ("Aring", "Å"),
    ("aelig", "æ"),
    ("AElig", "Æ"),
    ("ccedil", "ç"),
    ("Ccedil", "Ç"),
    ("egrave", "è"),
    ("Egrave", "È"),
    ("eacute", "é"),
    ("Eacute", "É"),
    ("ecirc", "ê"),
    ("igrave", "ì"),
    ("iacute", "í"),
    ("icirc", "î"),
    ("ntilde", "ñ"),
    ("Ntilde", "Ñ"),
    ("ograve", "ò"),
    ("oacute", "ó"),
    ("ocirc", "ô"),
    ("otilde", "õ"),
    ("oslash", "ø"),
    ("Oslash", "Ø"),
    ("oelig", "œ"),
    ("OElig", "Œ"),
    ("ugrave", "ù"),
    ("uacute", "ú"),
    ("ucirc", "û"),
];

/// Resolves the references to characters in a text.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut pieces = text.split('&');
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        // No reference is longer than `&#x0010FFFF;`.
        let end = piece.bytes().take(12).position(|byte| byte == b';');
        let found = end.and_then(|end| Some((piece.get(..end)?, piece.get(end + 1..)?)));
        match found.and_then(|(name, tail)| Some((resolve(name)?, tail))) {
            Some((char, tail)) => {
                out.push_str(&char);
                out.push_str(tail);
            }
            None => {
                out.push('&');
                out.push_str(piece);
            }
        }
    }
    Cow::Owned(out)
}

fn resolve(name: &str) -> Option<Cow<'static, str>> {
    let Some(number) = name.strip_prefix('#') else {
        return NAMED.iter().find(|(known, _)| *known == name).map(|(_, char)| Cow::Borrowed(*char));
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    let char = code.ok().and_then(char::from_u32).filter(|char| *char != '\0').unwrap_or('\u{fffd}');
    Some(Cow::Owned(char.to_string()))
}

#[cfg(test)]
mod tests;
