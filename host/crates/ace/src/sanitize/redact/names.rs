//! Names of values that are secret.
//!
//! Never: looks at more of a name than its end, since a line of separators has a name before each.

/// Ends of the names of secret values.
pub(super) const SECRET_NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pgpass",
    "_pass",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "access-key",
    "accesskey",
    "accountkey",
    "account_key",
    "secret_key",
    "secret-key",
    "secretkey",
    "credential",
    "credentials",
    "creds",
    "authorization",
    "private_key",
    "private-key",
];

/// Words that name secrets and much else: `signature: x` may be a message of a compiler, `signature=x` is a value, and
/// `pass: 3` is a count.
pub(super) const AMBIGUOUS_NAMES: &[&str] = &["auth", "signature", "sig", "pass"];

/// Its value has a scheme before the secret.
pub(super) const AUTHORIZATION: &str = "authorization";

/// Has many values in one line.
pub(super) const COOKIE: &str = "cookie";

/// What a separator says about what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// A value is secret.
    Value,
    /// `Authorization: Scheme x`: both words, or the rest of the line.
    Authorization,
    /// `<password>`: the text up to the next element.
    Element,
    /// `Cookie: a=b; c=d`: the rest of the line, where it has that form.
    Cookies,
}

/// Returns what a separator says after a name, and before what follows.
pub(super) fn naming(name: &str, separator: char, after: &str) -> Option<Naming> {
    let bare = name.trim_end_matches(['"', '\'', '\\', ']']);
    match separator {
        // A path of Rust or C++.
        ':' if after.starts_with(':') || bare.ends_with(':') => None,
        // `["--token","x"]`.
        ',' => (bare.len() < name.len() && (is_secret_flag(bare) || has_word_at_end(bare, AUTHORIZATION)))
            .then_some(Naming::Value),
        '>' => is_element(name, after).then_some(Naming::Element),
        _ if has_word_at_end(bare, AUTHORIZATION) => Some(Naming::Authorization),
        _ if has_secret_name(bare) => Some(Naming::Value),
        _ => {
            let is_value = bare.len() < name.len() || separator == '=' && !after.starts_with(['=', '>']);
            if has_word_at_end(bare, COOKIE) {
                return Some(if is_value { Naming::Value } else { Naming::Cookies });
            }
            (is_value && AMBIGUOUS_NAMES.iter().any(|word| has_word_at_end(bare, word))).then_some(Naming::Value)
        }
    }
}

/// Whether a name ends as secret names do, with or without a number.
pub(super) fn has_secret_name(name: &str) -> bool {
    let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let unnumbered = if unnumbered.len() < name.len() { unnumbered.trim_end_matches(['_', '-']) } else { name };
    SECRET_NAMES.iter().any(|secret| before_end(unnumbered, secret).is_some())
}

/// Whether a text ends with a flag of a command line whose value is secret: `["--token`.
pub(super) fn is_secret_flag(text: &str) -> bool {
    const MAX_FLAG_BYTES: usize = 64;
    if !has_secret_name(text) && !has_word_at_end(text, "pass") {
        return false;
    }
    let start = text.len().saturating_sub(MAX_FLAG_BYTES);
    let flag = text.as_bytes().get(start..).unwrap_or_default();
    let is_end = |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'_' | b'.');
    flag.rsplit(is_end).next().is_some_and(|flag| flag.starts_with(b"-"))
}

/// Whether a name ends with a word that nothing but punctuation is before.
pub(super) fn has_word_at_end(name: &str, word: &str) -> bool {
    before_end(name, word).is_some_and(|before| !before.last().is_some_and(u8::is_ascii_alphanumeric))
}

/// Whether `<name` is an element of XML: not the `Vec<Token>` of a compiler, and with text after it.
fn is_element(name: &str, after: &str) -> bool {
    let is_opened = |secret: &str| {
        before_end(name, secret).is_some_and(|before| match before {
            [.., other, b'<'] => !other.is_ascii_alphanumeric(),
            [b'<'] => true,
            _ => false,
        })
    };
    let is_text =
        |c: char| !c.is_whitespace() && !matches!(c, '<' | '>' | ':' | ',' | ';' | ')' | '(' | '"' | '\'' | '`');
    after.starts_with(is_text) && SECRET_NAMES.iter().any(|secret| is_opened(secret))
}

/// Returns what is before `end`, in whatever case it is.
fn before_end<'n>(name: &'n str, end: &str) -> Option<&'n [u8]> {
    let (before, tail) = name.as_bytes().split_at_checked(name.len().checked_sub(end.len())?)?;
    tail.eq_ignore_ascii_case(end.as_bytes()).then_some(before)
}
