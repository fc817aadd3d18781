//! Which values of an agent's file are secrets, and the text without them: what a diff shows.
//!
//! Owns: the names that keys of secrets have.
//! Never: changes what is written to a file.

use std::ops::Range;

use super::agent::ConfigFormat;
use super::text::{Splice, apply_splices, split_style};
use super::{json, toml_file};

/// What is shown in the place of a secret: a string in each format.
const MASK: &str = "\"***\"";
/// What is shown in the place of a text that cannot be read.
const HIDDEN_TEXT: &str = "***\n";

/// Keys whose values are all secrets, whatever their names: programs keep keys of other services there.
const SECRET_TABLES: [&str; 8] =
    ["env", "environment", "envvars", "headers", "httpheaders", "envhttpheaders", "requestinit", "oauth"];
/// Parts of the names of secrets.
const SECRET_WORDS: [&str; 16] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "credential",
    "cookie",
    "signature",
    "pgpass",
    "accountkey",
    "secretkey",
    "signingkey",
];
/// Words of the names of secrets that are parts of harmless words, too.
const SHORT_SECRET_WORDS: [&str; 7] = ["pwd", "pass", "auth", "bearer", "jwt", "sig", "pat"];
/// Beginnings of secrets that services give out.
const TOKEN_BEGINNINGS: [&str; 17] = [
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_",
    "rk_",
    "xox",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "hf_",
    "eyJ",
];
/// Length from which a part of a path with digits in it is a secret.
const MIN_PATH_KEY_LENGTH: usize = 24;
/// Length from which a word with such a beginning is a secret.
const MIN_TOKEN_LENGTH: usize = 16;

/// Returns a text with a mask in the place of each secret. A text that cannot be read is masked whole.
pub(super) fn mask_secrets(text: &str, format: ConfigFormat) -> String {
    let (style, body) = split_style(text);
    let found = match format {
        ConfigFormat::Json | ConfigFormat::JsonWithComments | ConfigFormat::Jsonc => {
            json::secret_ranges(body, style, format)
        }
        ConfigFormat::Toml => toml_file::secret_ranges(body),
    };
    let Ok(mut found) = found else { return HIDDEN_TEXT.to_owned() };
    found.sort_by_key(|range| (range.start, range.end));
    found.dedup_by(|next, kept| next.start < kept.end);
    let masked = apply_splices(body, found.into_iter().map(mask).collect());
    masked.map_or_else(|| HIDDEN_TEXT.to_owned(), |masked| format!("{}{masked}", style.bom))
}

fn mask(range: Range<usize>) -> Splice {
    Splice::replacement(range.start, range.end, MASK)
}

/// Whether the values of a key are secrets.
pub(super) fn is_secret_key(key: &str) -> bool {
    let letters: String = key.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    SECRET_TABLES.contains(&letters.as_str())
        || letters.contains("header")
        || words(key).any(|word| matches!(word.as_str(), "env" | "envs" | "environ" | "environment"))
        || SECRET_WORDS.iter().any(|word| letters.contains(word))
        || words(key).any(|word| SHORT_SECRET_WORDS.contains(&word.as_str()))
}

/// Returns the words of a name, in lower case: those of `dbPwd`, `DB_PWD` and `db-pwd` are the same.
fn words(name: &str) -> impl Iterator<Item = String> {
    name.split(|c: char| !c.is_ascii_alphanumeric()).flat_map(|part| {
        let mut words = vec![String::new()];
        let mut before = None;
        let mut chars = part.chars().peekable();
        while let Some(c) = chars.next() {
            // `dbPwd`, and `HTTPAuth`, in which a word begins before the last capital.
            let begins = c.is_ascii_uppercase()
                && before.is_some_and(|before: char| {
                    before.is_ascii_lowercase()
                        || before.is_ascii_uppercase() && chars.peek().is_some_and(char::is_ascii_lowercase)
                });
            if begins {
                words.push(String::new());
            }
            before = Some(c);
            words.last_mut().into_iter().for_each(|word| word.push(c.to_ascii_lowercase()));
        }
        words
    })
}

/// Whether a word of a text begins as the tokens of a known service do.
fn has_known_token(text: &str) -> bool {
    let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')));
    words.any(|word| {
        word.len() >= MIN_TOKEN_LENGTH && TOKEN_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
    })
}

/// Whether a text is a secret wherever it stands: `--token=…`, `Authorization: …`, an address with a password or a key.
pub(super) fn is_secret_text(text: &str) -> bool {
    let has_password = text.split_once("://").is_some_and(|(_, rest)| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        host.contains('@')
    });
    // Some hosted servers have the key in the path of their address.
    let has_key_in_path = text.split_once("://").is_some_and(|(_, rest)| {
        let mut parts = rest.split(['/', '?', '#']).skip(1);
        parts.any(|part| part.len() >= MIN_PATH_KEY_LENGTH && part.contains(|c: char| c.is_ascii_digit()))
    });
    let names = text.split(['=', ':']).rev().skip(1);
    let mut names = names.map(|name| name.rsplit(['?', '&', ' ', ',', ';']).next().unwrap_or_default());
    has_password
        || has_key_in_path
        || has_known_token(text)
        || text.to_ascii_lowercase().contains("bearer ")
        || is_header_or_variable(text)
        || names.any(is_secret_key)
}

/// Whether an argument is a header or a variable of whatever name: `X-Team: abc`, `-HX-Team:abc`, `TEAM=abc`, `-eTEAM=abc`.
fn is_header_or_variable(text: &str) -> bool {
    let is_header = |text: &str, separator: &str| {
        text.split_once(separator).is_some_and(|(name, value)| {
            let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            is_name && !name.is_empty() && !value.is_empty()
        })
    };
    let is_variable = |text: &str| {
        text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        })
    };
    is_header(text, ": ")
        || is_variable(text)
        || text.strip_prefix("-H").is_some_and(|header| is_header(header.trim_start(), ":"))
        || text.strip_prefix("-e").is_some_and(|variable| variable.contains('='))
}

/// Whether an argument announces that the next one is a secret: `--api-key`.
pub(super) fn announces_secret(argument: &str) -> bool {
    // Of `curl` and `docker`: a header and a variable. Of many: a key and a password.
    matches!(argument, "-H" | "-e" | "-k" | "-p")
        || argument.starts_with('-') && !argument.contains('=') && is_secret_key(argument)
}

/// Whether a comment may hold a secret: all but a sentence, since an entry that was switched off may have any form and
/// several lines.
pub(super) fn is_secret_comment(comment: &str) -> bool {
    let text = comment.trim().trim_start_matches(['/', '*', '#']).trim_end_matches(['*', '/']);
    !text.split_whitespace().all(is_prose_word) || is_secret_key(text) || text.split_whitespace().nth(1).is_none()
}

/// Whether a word is one of a sentence: letters in an ordinary case, or a short number.
fn is_prose_word(word: &str) -> bool {
    const MAX_WORD_CHARS: usize = 20;
    /// `GitHub`: longer words with capitals within may be base64.
    const MAX_MIXED_CHARS: usize = 10;
    let word = word.trim_start_matches('(').trim_end_matches(['.', ',', ';', '!', '?', ')']);
    if word.chars().all(|c| c.is_ascii_digit()) {
        return word.len() <= 4;
    }
    let is_letters =
        word.split(['-', '\'', '\u{2019}']).all(|part| !part.is_empty() && part.chars().all(char::is_alphabetic));
    let is_mixed = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    is_letters && word.chars().count() <= if is_mixed { MAX_MIXED_CHARS } else { MAX_WORD_CHARS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_by_their_keys_and_their_form() {
        let short = ["DB_PWD", "smtp-pass", "basicAuth", "x_sig", "webhookSignature", "DBPwd", "HTTPAuth", "bearer"];
        let long = ["env", "http_headers", "GITHUB_TOKEN", "apiKey", "x-api-key", "clientSecret", "Authorization"];
        for key in long.into_iter().chain(short) {
            assert!(is_secret_key(key), "{key}");
        }
        for key in
            ["command", "args", "url", "type", "author", "keymap", "environments_path", "path", "passthrough", "design"]
        {
            assert!(!is_secret_key(key), "{key}");
        }
        for text in [
            "--token=abc",
            "API_KEY=abc",
            "Authorization: Basic abc",
            "Bearer abc",
            "https://me:pw@example.org/x",
            "https://example.org/mcp?api_key=abc",
            "ghp_0123456789abcdef0123",
            "https://example.org/sk-0123456789abcdef/mcp",
            "https://example.org/mcp/a0123456789b0123456789c0123456789/sse",
        ] {
            assert!(is_secret_text(text), "{text}");
        }
        for text in
            ["npx", "--port=80", "https://example.org/mcp?team=x", "@scope/package@1.2", "/home/me/tokens", "sk-learn"]
        {
            assert!(!is_secret_text(text), "{text}");
        }
    }

    #[test]
    fn comments_show_sentences_only() {
        for comment in [
            "// \"X-Team\": \"SECRET\"",
            "# team = 'SECRET'",
            "//   \"SECRET\",",
            "# SECRET123abc",
            "# abcdefSECRET",
            "/* \"a\": {\n  \"command\": \"x\"\n} */",
            "# --team SECRET",
            "# the password hunter",
            "# aBcDeFgHiJkLmNoP and more",
        ] {
            assert!(is_secret_comment(comment), "{comment}");
        }
        for comment in
            ["// Servers of the team (2026), don't change.", "# used by GitHub, well-known", "/* a list of servers */"]
        {
            assert!(!is_secret_comment(comment), "{comment}");
        }
    }

    #[test]
    fn headers_and_variables_of_any_name_are_masked() {
        let json = "{\"a\": {\"extraHeaders\": {\"X-Team\": \"SECRET\"}, \"docker_env\": [\"A=SECRET\"], \"args\": [\"--header\", \
                    \"X-Team:SECRET\", \"-H\", \"SECRET\", \"-HX-Team:SECRET\", \"X-Team: SECRET\", \"-e\", \"a=SECRET\", \
                    \"-ea=SECRET\", \"TEAM=SECRET\", \"--port=80\"]}, // \"X-Team\": \"SECRET\"\n // and, \"SECRET\"\n}\n";
        let masked = mask_secrets(json, ConfigFormat::Jsonc);
        assert!(!masked.contains("SECRET") && masked.contains("--port=80"), "{masked}");
        let toml = "# X-Team = \"SECRET\"\n# list = [\n#   \"SECRET\",\n[a.custom_http_headers]\nX-Team = \"SECRET\"\n[b]\n\
                    extra_env.TEAM = \"SECRET\"\ncommand = \"npx\"\n";
        let masked = mask_secrets(toml, ConfigFormat::Toml);
        assert!(!masked.contains("SECRET") && masked.contains("command = \"npx\""), "{masked}");
    }

    #[test]
    fn masked_text_has_no_secret_and_everything_else() {
        let json = "{\n  // \"API_KEY\": \"s1\"\n  \"mcpServers\": {\"a\": {\"command\": \"npx\", \"env\": {\"X\": \"s2\", \"N\": 7}, \
                    \"args\": [\"-y\", \"--api-key\", \"s3\", \"--token=s4\", \"last\"]},\n  \"b\": {\"url\": \"https://h/?token=s5\", \
                    \"headers\": {\"A\": [\"s6\"]}}}}\n";
        let expected = "{\n  \"***\"\n  \"mcpServers\": {\"a\": {\"command\": \"npx\", \"env\": {\"X\": \"***\", \"N\": \"***\"}, \
                        \"args\": [\"-y\", \"--api-key\", \"***\", \"***\", \"last\"]},\n  \"b\": {\"url\": \"***\", \
                        \"headers\": {\"A\": [\"***\"]}}}}\n";
        assert_eq!(mask_secrets(json, ConfigFormat::Jsonc), expected);
        let toml = "[mcp_servers.a]\ncommand = \"npx\"\nargs = [\"--password\", 's1', \"x\"] # token = s2\nenv = { A = \"s3\" }\n\
                    [mcp_servers.a.http_headers]\nX = \"s4\"\n[[mcp_servers_b]]\nbearer_token = \"\"\"s5\"\"\"\nn = 1\n";
        let expected = "[mcp_servers.a]\ncommand = \"npx\"\nargs = [\"--password\", \"***\", \"x\"] \"***\"\nenv = { A = \"***\" }\n\
                        [mcp_servers.a.http_headers]\nX = \"***\"\n[[mcp_servers_b]]\nbearer_token = \"***\"\nn = 1\n";
        assert_eq!(mask_secrets(toml, ConfigFormat::Toml), expected);
        assert_eq!(mask_secrets("{\"env\": ", ConfigFormat::Json), HIDDEN_TEXT);
        assert_eq!(mask_secrets("\u{feff}{\"a\": 1}\r\n", ConfigFormat::Json), "\u{feff}{\"a\": 1}\r\n");
    }
}
