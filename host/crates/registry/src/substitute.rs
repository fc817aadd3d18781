//! The substitution of `{{name}}` in texts, and the matching of `{name}` in URIs.
//!
//! Owns: a single literal pass: values are never substituted again, and names and values may contain any character.

use std::borrow::Borrow;
use std::collections::BTreeMap;

/// Replaces each `{{name}}` that has a value. Others stay as they are. Returns `None` where the result would have more
/// than `left` bytes, and reduces `left` by its length: values can be far longer than the text.
pub(super) fn substitute_placeholders<K: Borrow<str> + Ord, V: AsRef<str>>(
    text: &str,
    values: &BTreeMap<K, V>,
    left: &mut usize,
) -> Option<String> {
    const OPEN: &str = "{{";
    let longest = values.keys().map(|name| name.borrow().len()).max().unwrap_or(0);
    let mut out = String::new();
    let mut push = |out: &mut String, part: &str| {
        *left = left.checked_sub(part.len())?;
        out.push_str(part);
        Some(())
    };
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        let (before, placeholder) = rest.split_at(at);
        push(&mut out, before)?;
        let inner = placeholder.get(OPEN.len()..).unwrap_or_default();
        // The end is searched only as far as the longest name reaches, so that braces without an end cost nothing.
        let reach = inner.floor_char_boundary(longest.saturating_add(2));
        let end = inner.get(..reach).and_then(|near| near.find("}}"));
        let found = end.and_then(|end| Some((end, values.get(inner.get(..end)?)?)));
        match found {
            Some((end, value)) => {
                push(&mut out, value.as_ref())?;
                rest = inner.get(end + 2..).unwrap_or_default();
            }
            None => {
                push(&mut out, "{")?;
                rest = placeholder.get(1..).unwrap_or_default();
            }
        }
    }
    push(&mut out, rest)?;
    Some(out)
}

/// A URI template of level 1 in RFC 6570: texts, and variables between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UriTemplate {
    /// The text before each variable, with the variable's name.
    variables: Vec<(String, String)>,
    suffix: String,
}

impl UriTemplate {
    /// Parses a template.
    ///
    /// # Errors
    /// A message that says what is wrong.
    pub(super) fn parse(pattern: &str) -> Result<Self, String> {
        let (mut parts, mut rest): (Vec<(String, String)>, &str) = (Vec::new(), pattern);
        while let Some((head, after)) = rest.split_once('{') {
            let (name, tail) = after.split_once('}').ok_or("a brace is not closed")?;
            let is_name = |name: &str| {
                !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.')
            };
            if !is_name(name) {
                return Err(format!("{{{name}}} is not a variable: write {{name}}, with letters, digits, _ and ."));
            }
            if parts.iter().any(|(_, known)| known == name) {
                return Err(format!("{{{name}}} occurs twice"));
            }
            if head.is_empty() {
                return Err(format!("{{{name}}} needs some text before it"));
            }
            parts.push((head.to_owned(), name.to_owned()));
            rest = tail;
        }
        if parts.is_empty() {
            return Err("it has no {variable}".to_owned());
        }
        Ok(Self { variables: parts, suffix: rest.to_owned() })
    }

    /// Returns the decoded values of the variables in a URI; `None` if the URI does not match. A value contains `/`,
    /// `?` or `#` only as `%2F` and the like.
    pub(super) fn match_uri(&self, uri: &str) -> Option<BTreeMap<String, String>> {
        let mut rest = uri;
        let mut values = BTreeMap::new();
        let mut heads = self.variables.iter().map(|(head, _)| head.as_str()).skip(1).chain([self.suffix.as_str()]);
        rest = rest.strip_prefix(self.variables.first()?.0.as_str())?;
        for (at, (_, name)) in self.variables.iter().enumerate() {
            let next = heads.next()?;
            let is_last = at + 1 == self.variables.len();
            // The last variable takes everything up to the suffix, the others as little as they can.
            let end = if is_last { rest.len().checked_sub(next.len())? } else { rest.find(next)? };
            let (raw, after) = rest.split_at_checked(end)?;
            if raw.is_empty() || raw.contains(['/', '?', '#']) {
                return None;
            }
            values.insert(name.clone(), percent_decode(raw)?);
            rest = after.strip_prefix(next)?;
        }
        rest.is_empty().then_some(values)
    }
}

/// Decodes the percent-encoding of a URI; `None` if the text is no encoding of UTF-8.
fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let (digits, after) = after.split_first_chunk::<2>()?;
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let value = digit(digits[0])? * 16 + digit(digits[1])?;
            bytes.push(u8::try_from(value).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}
