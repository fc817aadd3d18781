//! Tokens that are known by how they begin.

/// Where a token may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Boundary {
    /// After anything: no word has the prefix.
    Anywhere,
    /// After anything but a letter or a digit.
    Word,
    /// After what no token has in it: `mask-` ends like a prefix.
    Token,
}

/// Beginnings of tokens, how many characters of a token follow at least, and where they may begin.
const TOKEN_PREFIXES: &[(&str, usize, Boundary)] = &[
    ("sk-", 16, Boundary::Token),
    ("pk_live_", 8, Boundary::Anywhere),
    ("sk_live_", 8, Boundary::Anywhere),
    ("rk_live_", 8, Boundary::Anywhere),
    ("sk_test_", 8, Boundary::Anywhere),
    ("rk_test_", 8, Boundary::Anywhere),
    ("whsec_", 20, Boundary::Anywhere),
    ("ghp_", 20, Boundary::Anywhere),
    ("gho_", 20, Boundary::Anywhere),
    ("ghu_", 20, Boundary::Anywhere),
    ("ghs_", 20, Boundary::Anywhere),
    ("ghr_", 20, Boundary::Anywhere),
    ("github_pat_", 20, Boundary::Anywhere),
    ("glpat-", 16, Boundary::Anywhere),
    ("glrt-", 16, Boundary::Anywhere),
    ("xoxb-", 10, Boundary::Anywhere),
    ("xoxp-", 10, Boundary::Anywhere),
    ("xoxa-", 10, Boundary::Anywhere),
    ("xoxs-", 10, Boundary::Anywhere),
    ("xoxe-", 10, Boundary::Anywhere),
    ("xoxe.", 10, Boundary::Anywhere),
    ("xapp-", 10, Boundary::Word),
    ("AKIA", 16, Boundary::Word),
    ("ASIA", 16, Boundary::Word),
    ("AIza", 30, Boundary::Word),
    ("ya29.", 20, Boundary::Word),
    ("GOCSPX-", 16, Boundary::Anywhere),
    ("npm_", 20, Boundary::Token),
    ("hf_", 20, Boundary::Token),
    ("hvs.", 20, Boundary::Token),
    ("pypi-", 20, Boundary::Token),
    ("dop_v1_", 20, Boundary::Anywhere),
    ("shpat_", 20, Boundary::Anywhere),
    ("dapi", 32, Boundary::Token),
    ("SG.", 20, Boundary::Token),
    ("glptt-", 20, Boundary::Anywhere),
    ("gldt-", 20, Boundary::Token),
    ("glcbt-", 20, Boundary::Token),
    ("glimt-", 20, Boundary::Token),
    ("glft-", 20, Boundary::Token),
    ("glsoat-", 20, Boundary::Token),
    ("xoxr-", 10, Boundary::Anywhere),
    ("ABIA", 16, Boundary::Word),
    ("ACCA", 16, Boundary::Word),
    ("doo_v1_", 20, Boundary::Anywhere),
    ("dor_v1_", 20, Boundary::Anywhere),
    ("shpca_", 20, Boundary::Anywhere),
    ("shppa_", 20, Boundary::Anywhere),
    ("shpss_", 20, Boundary::Anywhere),
    ("dckr_pat_", 20, Boundary::Anywhere),
    ("rubygems_", 40, Boundary::Token),
    ("lin_api_", 30, Boundary::Token),
    ("PMAK-", 30, Boundary::Token),
    ("NRAK-", 20, Boundary::Token),
    ("ATATT3", 40, Boundary::Token),
    ("figd_", 30, Boundary::Token),
    ("glsa_", 30, Boundary::Token),
    ("sntrys_", 30, Boundary::Token),
    ("sntryu_", 30, Boundary::Token),
    ("pscale_tkn_", 30, Boundary::Token),
    ("pscale_pw_", 30, Boundary::Token),
    ("dp.pt.", 30, Boundary::Token),
    ("sq0atp-", 20, Boundary::Token),
    ("sq0csp-", 20, Boundary::Token),
    ("xkeysib-", 30, Boundary::Token),
    ("nvapi-", 30, Boundary::Token),
    ("pplx-", 30, Boundary::Token),
    ("gsk_", 30, Boundary::Token),
    ("hvb.", 20, Boundary::Token),
    ("AGE-SECRET-KEY-", 20, Boundary::Anywhere),
];

/// Begins a JSON Web Token: an object in base64url.
const JWT_PREFIX: &str = "eyJ";

/// Returns what every text with a token has in it.
pub(super) fn signs() -> impl Iterator<Item = &'static str> {
    TOKEN_PREFIXES.iter().map(|(prefix, _, _)| *prefix).chain([JWT_PREFIX])
}

const fn is_token_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Adds a word without its tokens to a text.
pub(super) fn push_without_tokens(word: &str, redacted: &mut String) {
    let mut rest = word;
    let mut before = "";
    while !rest.is_empty() {
        let (other, tail) = rest.split_at(rest.find(is_token_char).unwrap_or(rest.len()));
        redacted.push_str(other);
        let (run, after) = tail.split_at(tail.find(|c| !is_token_char(c)).unwrap_or(tail.len()));
        before = if other.is_empty() { before } else { other };
        match token_start(run, before) {
            // A token lasts to the end of its run.
            Some(start) => {
                redacted.push_str(run.get(..start).unwrap_or_default());
                redacted.push_str(super::REDACTED);
            }
            None => redacted.push_str(run),
        }
        rest = after;
    }
}

/// Returns where a token begins in a run of characters of tokens.
fn token_start(run: &str, before: &str) -> Option<usize> {
    // A token of JWT has three parts, one of JWE five.
    let last_jwt = run.rmatch_indices('.').nth(1).map_or(0, |(at, _)| at);
    let escape = escape_len(run, before);
    let mut earlier = None;
    for (at, c) in run.char_indices() {
        let boundary = match earlier {
            None => Boundary::Token,
            Some(_) if at == escape => Boundary::Token,
            Some(c) if !char::is_ascii_alphanumeric(&c) => Boundary::Word,
            Some(_) => Boundary::Anywhere,
        };
        earlier = Some(c);
        let rest = run.get(at..)?;
        let is_token = TOKEN_PREFIXES.iter().any(|(prefix, least, needed)| {
            rest.starts_with(prefix) && rest.len() >= prefix.len() + least && needed.holds_at(boundary)
        });
        let is_jwt = at < last_jwt && rest.starts_with(JWT_PREFIX) && rest.len() >= 30;
        if is_token || is_jwt && Boundary::Word.holds_at(boundary) {
            return Some(at);
        }
    }
    None
}

impl Boundary {
    const fn holds_at(self, boundary: Self) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Word => !matches!(boundary, Self::Anywhere),
            Self::Token => matches!(boundary, Self::Token),
        }
    }
}

/// Returns the length of what an escape leaves at the start of a run: `\n` a letter, `%20` two digits, a colour of a
/// terminal its number and a letter.
fn escape_len(run: &str, before: &str) -> usize {
    match before.chars().next_back() {
        Some('\\') => usize::from(run.starts_with(['n', 'r', 't'])),
        Some('%') => 2,
        Some('[') => {
            run.find('m').filter(|at| run.bytes().take(*at).all(|c| c.is_ascii_digit())).map_or(0, |at| at + 1)
        }
        _ => 0,
    }
}
