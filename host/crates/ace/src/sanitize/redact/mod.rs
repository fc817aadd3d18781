//! Secrets in the output of tools: keys, tokens, passwords, and the home folders that tell who a person is.
//!
//! Owns: the forms that are recognised. What has no form, such as a password in a sentence, is not.
//! Never: keeps a part of a secret, or takes time that grows faster than the text.

mod names;
mod place;
mod token;
mod value;

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use self::names::{
    AMBIGUOUS_NAMES, COOKIE, Naming, SECRET_NAMES, has_secret_name, has_word_at_end, is_secret_flag, naming,
};
use self::place::{redact_addresses, redact_homes};
use self::token::push_without_tokens;
use self::value::Value;

const REDACTED: &str = "[REDACTED]";

/// Values of `credentials` in programs for browsers, which are no secrets.
const FETCH_MODES: &[&str] = &["include", "omit", "same-origin"];

/// What every text with something to redact has in it. Most texts have none of it, and are looked through once.
static SIGNS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let mut signs: Vec<String> = token::signs().chain(place::signs()).map(str::to_owned).collect();
    signs.extend(SECRET_NAMES.iter().copied().chain([COOKIE, "bearer", PEM_BEGIN]).map(str::to_owned));
    // These name a value only before a quote or `=`; `auth` alone is in every other path.
    let after_name = ['=', '"', '\'', '\\', ']'];
    signs.extend(AMBIGUOUS_NAMES.iter().flat_map(|name| after_name.map(|after| format!("{name}{after}"))));
    signs.extend(["-pass", "pass ="].map(str::to_owned));
    #[expect(clippy::expect_used, reason = "a list of short words")]
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .build(signs)
        .expect("the signs of secrets")
});

/// Returns the text with `[REDACTED]` in place of secrets, and `~` in place of home folders.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    if SIGNS.is_match(text) { Cow::Owned(redact_all(text)) } else { Cow::Borrowed(text) }
}

fn redact_all(text: &str) -> String {
    redact_words(&redact_addresses(&redact_private_keys(text)))
}

fn redact_words(text: &str) -> String {
    let mut words = Words { redacted: String::with_capacity(text.len()), state: NameState::None, earlier: ["", ""] };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = if first.is_whitespace() {
            words.redacted.push(first);
            first.len_utf8()
        } else {
            words.push(rest)
        };
        rest = rest.get(len..).unwrap_or_default();
    }
    words.redacted
}

/// Whether the word before said that the next one is secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameState {
    None,
    /// `DB_PASSWORD`, after which ` = value` may follow.
    Named,
    /// `token:` or `password =`.
    Follows(Naming),
}

struct Words<'t> {
    redacted: String,
    state: NameState,
    /// The last two words, the last one first.
    earlier: [&'t str; 2],
}

impl<'t> Words<'t> {
    /// Adds the next word, value or part of one, and returns how many bytes of the text it takes.
    fn push(&mut self, text: &'t str) -> usize {
        if let NameState::Follows(naming) = self.state {
            let value = match naming {
                Naming::Value => Value::find(text),
                Naming::Authorization => Value::find_authorization(text),
                Naming::Element => Value::find_element(text),
                Naming::Cookies => Value::find_cookies(text),
            };
            let kept = text.get(..value.kept).unwrap_or_default();
            self.redacted.push_str(kept);
            let secret = text.get(value.kept..value.kept + value.secret).unwrap_or_default();
            if FETCH_MODES.contains(&secret) {
                self.redacted.push_str(secret);
            } else if value.secret > 0 {
                self.redacted.push_str(REDACTED);
            }
            if !value.is_ahead {
                self.state = NameState::None;
            } else if naming == Naming::Authorization && kept.ends_with(|c: char| c.is_ascii_alphanumeric()) {
                // The scheme is known, and one word follows.
                self.state = NameState::Follows(Naming::Value);
            }
            return value.kept + value.secret;
        }
        let (len, naming) = named_len(text);
        let (word, after) = text.split_at(len);
        if self.state == NameState::Named && matches!(word, "=" | ":" | ":=" | "=>") {
            self.redacted.push_str(word);
            self.state = NameState::Follows(Naming::Value);
            return len;
        }
        let mut shown = String::with_capacity(word.len());
        push_without_tokens(word, &mut shown);
        self.redacted.push_str(&redact_homes(&shown));
        // Parsers say `unexpected token: x`.
        let is_of_parser = word.eq_ignore_ascii_case("token:") && after.starts_with(char::is_whitespace);
        self.state = match naming {
            Some(naming) if !is_of_parser => NameState::Follows(naming),
            Some(_) => NameState::None,
            None if self.says_value_follows(word) => NameState::Follows(Naming::Value),
            None if has_word_at_end(word, "pass") && word.ends_with("PASS") && after.starts_with(" =") => {
                NameState::Named
            }
            None if has_secret_name(word.trim_end_matches(['"', '\'', '\\', ']'])) => NameState::Named,
            None => NameState::None,
        };
        let [last, _] = self.earlier;
        self.earlier = [word, last];
        len
    }

    /// Whether the next word is the value of this one without a separator.
    fn says_value_follows(&self, word: &str) -> bool {
        let bare = word.trim_end_matches([',', '"', '\'']);
        // `--password x`; `[Bearer x]`; `('Authorization', 'x')`; `login ada password x` in `.netrc`.
        is_secret_flag(bare.trim_end_matches('\\'))
            || has_word_at_end(word, "bearer")
            || bare.len() + 1 < word.len() && has_word_at_end(bare, "authorization")
            || matches!(word, "password" | "passwd") && matches!(self.earlier, [_, "login" | "machine" | "account"])
    }
}

/// Returns the length of a word, or of what comes before a value in it, and what a separator at its end says.
fn named_len(text: &str) -> (usize, Option<Naming>) {
    for (at, c) in text.char_indices() {
        if c.is_whitespace() {
            return (at, None);
        }
        if matches!(c, '=' | ':' | '>' | ',') {
            let (name, after) = text.split_at(at);
            let after = after.get(1..).unwrap_or_default();
            if let Some(naming) = naming(name, c, after) {
                return (at + 1, Some(naming));
            }
        }
    }
    (text.len(), None)
}

const PEM_BEGIN: &str = "-----begin ";

/// Replaces private keys in PEM form, which have many lines.
fn redact_private_keys(text: &str) -> String {
    const END: &str = "-----end ";
    let lower = text.to_ascii_lowercase();
    let mut redacted = String::with_capacity(text.len());
    let (mut shown, mut at) = (0, 0);
    while let Some(begin) = find_from(&lower, at, PEM_BEGIN) {
        at = begin + PEM_BEGIN.len();
        if !is_private_key(&lower, at) {
            continue;
        }
        redacted.push_str(text.get(shown..begin).unwrap_or_default());
        redacted.push_str(REDACTED);
        // The end of a certificate does not end it, and a key that is cut off is secret to the end of the text.
        loop {
            let Some(end) = find_from(&lower, at, END) else { return redacted };
            at = end + END.len();
            if is_private_key(&lower, at) {
                break;
            }
        }
        at = find_from(&lower, at, "-----").map_or(text.len(), |close| close + 5);
        shown = at;
    }
    redacted.push_str(text.get(shown..).unwrap_or_default());
    redacted
}

fn find_from(text: &str, start: usize, part: &str) -> Option<usize> {
    text.get(start..)?.find(part).map(|at| start + at)
}

/// Whether a private key is what a line of PEM names.
fn is_private_key(lower: &str, at: usize) -> bool {
    const MAX_LABEL_BYTES: usize = 64;
    let label = lower.as_bytes().get(at..).unwrap_or_default();
    let label = label.get(..MAX_LABEL_BYTES).unwrap_or(label);
    let label = label.split(|c| matches!(c, b'-' | b'\n')).next().unwrap_or_default();
    label.windows(11).any(|part| part == b"private key")
}

#[cfg(test)]
mod tests;
