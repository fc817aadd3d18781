//! Secrets in the output of tools: keys, tokens, passwords, and the home folders that tell who a person is.
//!
//! Owns: the forms that are recognised. What has no form, such as a password in a sentence, is not.
//! Never: keeps a part of a secret.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

const REDACTED: &str = "[REDACTED]";

/// Beginnings of tokens, and how many characters of a token follow at least.
const TOKEN_PREFIXES: &[(&str, usize)] = &[
    ("sk-", 16),
    ("pk_live_", 8),
    ("sk_live_", 8),
    ("rk_live_", 8),
    ("sk_test_", 8),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxs-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("npm_", 20),
    ("hf_", 20),
    ("pypi-", 20),
    ("dop_v1_", 20),
    ("SG.", 20),
];

/// Words in the name of a value that is secret.
const SECRET_NAMES: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "access-key",
    "accesskey",
    "credential",
    "authorization",
    "private_key",
    "private-key",
];

/// Folders that hold the home folders of people.
const HOME_PARENTS: &[&str] = &["/home/", "/Users/", "\\Users\\", "/users/"];

/// What every text with something to redact has in it. Most texts have none of it, and are looked through once.
static SIGNS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let prefixes = TOKEN_PREFIXES.iter().map(|(prefix, _)| *prefix);
    let signs = prefixes.chain(SECRET_NAMES.iter().copied()).chain(HOME_PARENTS.iter().copied());
    let signs = signs.chain(["eyJ", "bearer", "://", "-----BEGIN "]);
    #[expect(clippy::expect_used, reason = "a list of short words")]
    AhoCorasick::builder().ascii_case_insensitive(true).build(signs).expect("the signs of secrets")
});

/// Returns the text with `[REDACTED]` in place of secrets, and `~` in place of home folders.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    if SIGNS.is_match(text) { Cow::Owned(redact_words(text)) } else { Cow::Borrowed(text) }
}

fn redact_words(text: &str) -> String {
    let text = redact_private_keys(text);
    let mut redacted = String::with_capacity(text.len());
    let mut state = NameState::None;
    let mut rest = text.as_str();
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            redacted.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        state = state.push_word(word, &mut redacted);
        rest = after;
    }
    redacted
}

/// Whether the word before said that the next one is secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameState {
    None,
    /// `DB_PASSWORD`, after which ` = value` may follow.
    Named,
    /// `token:` or `password =`.
    ValueFollows,
}

impl NameState {
    fn push_word(self, word: &str, redacted: &mut String) -> Self {
        if self == Self::ValueFollows {
            // `Authorization: Bearer x`, `password = x`.
            if matches!(word, "=" | ":" | "=>" | "Bearer" | "Basic" | "bearer" | "basic" | "token") {
                redacted.push_str(word);
                return Self::ValueFollows;
            }
            redacted.push_str(REDACTED);
            return Self::None;
        }
        if self == Self::Named && matches!(word, "=" | ":=" | "=>") {
            redacted.push_str(word);
            return Self::ValueFollows;
        }
        if let Some(at) = value_start(word) {
            let (name, value) = word.split_at(at);
            redacted.push_str(name);
            let value = value.trim_matches(['"', '\'', ',', ';']);
            if value.is_empty() {
                // Parsers say `unexpected token: x`.
                return if name.eq_ignore_ascii_case("token:") { Self::None } else { Self::ValueFollows };
            }
            redacted.push_str(REDACTED);
            // `Authorization:Bearer x` has the secret in the next word.
            return if value.eq_ignore_ascii_case("bearer") { Self::ValueFollows } else { Self::None };
        }
        redacted.push_str(&redact_word(word));
        match () {
            () if word.eq_ignore_ascii_case("bearer") || is_secret_flag(word) => Self::ValueFollows,
            () if has_secret_name(word) => Self::Named,
            () => Self::None,
        }
    }
}

/// Whether a word is an option whose value is the next word, such as `--password`.
fn is_secret_flag(word: &str) -> bool {
    word.starts_with("--") && has_secret_name(word)
}

fn has_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|secret| name.ends_with(secret))
}

/// Returns where the value begins in `name=value` or `name:value` with a secret name.
fn value_start(word: &str) -> Option<usize> {
    for (at, separator) in word.char_indices().filter(|(_, c)| matches!(c, '=' | ':')) {
        let name = word.get(..at)?;
        let name = name.trim_end_matches(['"', '\'']);
        if has_secret_name(name) {
            return Some(at + separator.len_utf8());
        }
    }
    None
}

/// Redacts what a word itself shows to be secret.
fn redact_word(word: &str) -> String {
    let word = redact_tokens(&redact_url_user(word));
    redact_homes(&word)
}

/// `scheme://user:password@host` keeps scheme and host.
fn redact_url_user(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{REDACTED}@{host}{path}"),
        None => word.to_owned(),
    }
}

const fn is_token_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn redact_tokens(word: &str) -> String {
    let mut redacted = String::with_capacity(word.len());
    let mut rest = word;
    let mut is_start = true;
    while let Some(first) = rest.chars().next() {
        let token_len = if is_start { secret_token_len(rest) } else { None };
        if let Some(len) = token_len {
            redacted.push_str(REDACTED);
            rest = rest.get(len..).unwrap_or_default();
            is_start = false;
            continue;
        }
        redacted.push(first);
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        is_start = !is_token_char(first);
    }
    redacted
}

/// Returns the length of the secret token at the start of a text.
fn secret_token_len(text: &str) -> Option<usize> {
    let len = text.find(|c| !is_token_char(c)).unwrap_or(text.len());
    let token = text.get(..len)?;
    let is_prefixed = TOKEN_PREFIXES
        .iter()
        .any(|(prefix, least)| token.strip_prefix(prefix).is_some_and(|rest| rest.len() >= *least));
    // A JSON Web Token: three parts in base64url, the first of which is an object.
    let is_jwt = token.starts_with("eyJ") && token.matches('.').count() == 2 && token.len() >= 30;
    (is_prefixed || is_jwt).then_some(len)
}

fn redact_homes(word: &str) -> String {
    let mut word = word.to_owned();
    for parent in HOME_PARENTS {
        while let Some(at) = word.find(parent) {
            let name_start = at + parent.len();
            let rest = word.get(name_start..).unwrap_or_default();
            let end = rest.find(['/', '\\', ':', '"', '\'', ')', '`', ',']).unwrap_or(rest.len());
            // `C:` before it belongs to the path.
            let drive = word.get(..at).filter(|before| before.ends_with(':')).map_or(at, |before| {
                let letter = before.chars().rev().nth(1).filter(char::is_ascii_alphabetic);
                letter.map_or(at, |_| at - 2)
            });
            word.replace_range(drive..name_start + end, "~");
        }
    }
    word
}

/// Replaces private keys in PEM form, which have many lines.
fn redact_private_keys(text: &str) -> String {
    const BEGIN: &str = "-----BEGIN ";
    const END: &str = "-----END ";
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(BEGIN) {
        let (before, block) = rest.split_at(at);
        redacted.push_str(before);
        let head = block.get(BEGIN.len()..).and_then(|head| head.split("-----").next()).unwrap_or_default();
        if !head.contains("PRIVATE KEY") {
            redacted.push_str(BEGIN);
            rest = block.get(BEGIN.len()..).unwrap_or_default();
            continue;
        }
        redacted.push_str(REDACTED);
        // A key that is cut off is secret to the end of the text.
        let after = block.find(END).and_then(|end| {
            let tail = block.get(end + END.len()..)?;
            let close = tail.find("-----")?;
            tail.get(close + 5..)
        });
        rest = after.unwrap_or_default();
    }
    redacted.push_str(rest);
    redacted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_and_homes_are_replaced() {
        let long = "a1B2".repeat(10);
        for (text, expected) in [
            (format!("key sk-{long} used"), "key [REDACTED] used".to_owned()),
            (format!("(ghp_{long})"), "([REDACTED])".to_owned()),
            (format!("AKIA{}", "ABCD".repeat(4)), "[REDACTED]".to_owned()),
            (format!("eyJ{long}.{long}.{long}"), "[REDACTED]".to_owned()),
            ("password=hunter2 ok".to_owned(), "password=[REDACTED] ok".to_owned()),
            ("DB_PASSWORD = hunter2 ok".to_owned(), "DB_PASSWORD = [REDACTED] ok".to_owned()),
            ("Authorization: Bearer abc.def next".to_owned(), "Authorization: Bearer [REDACTED] next".to_owned()),
            ("\"api_key\": \"xyz\", b".to_owned(), "\"api_key\": [REDACTED] b".to_owned()),
            ("--token abc run".to_owned(), "--token [REDACTED] run".to_owned()),
            ("https://ada:pw@example.org/x".to_owned(), "https://[REDACTED]@example.org/x".to_owned()),
            ("at /home/ada/src/a.ts:3".to_owned(), "at ~/src/a.ts:3".to_owned()),
            ("'/Users/ada' and C:\\Users\\ada\\x".to_owned(), "'~' and ~\\x".to_owned()),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b".to_owned(),
                "[REDACTED] b".to_owned(),
            ),
            ("-----BEGIN PRIVATE KEY-----\nMII".to_owned(), "[REDACTED]".to_owned()),
        ] {
            assert_eq!(redact(&text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn text_without_signs_has_nothing_to_redact(
            text in "(sk-|ghp_|AKIA|eyJ|passwor|password|tok|TOKEN|Bearer|://|@|/home/|/hom|=|: |--|[a-zA-Z0-9.]{1,24}| ){0,12}",
        ) {
            prop_assert_eq!(redact(&text).into_owned(), redact_words(&text));
        }
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "Cannot find module './auth.js'",
            "unexpected token: expected `;`",
            "src/index.ts:5:3 - error TS2307",
            "-----BEGIN CERTIFICATE----- x",
            "task-1 sk-short mask-abcdefghijklmnopqrstuvwxyz",
            "a = b: c",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
