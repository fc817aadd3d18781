//! Identifiers: the names of packages, cards, scenarios, evals and sessions in a URI.
//!
//! Owns: the alphabet, the length and the two forms of eval ids.
//! Never: knows where an object with that name would be stored.

use core::fmt;

/// The longest identifier, in bytes. File names end at 255 bytes on every system; the longest added suffix has 16
/// bytes.
pub const MAX_ID_BYTES: usize = 200;

/// Characters with a meaning in a URI, refused with a message of their own.
const RESERVED: [char; 6] = ['&', '=', '?', '/', '%', ' '];

/// The kind of object that an identifier names. It decides the wording of a refusal; `EvalResult` adds its own pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdKind {
    PackageName,
    CardId,
    ScenarioName,
    EvalResult,
    SessionId,
}

impl IdKind {
    /// Returns the words for this kind in messages.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::PackageName => "package name",
            Self::CardId => "card_id",
            Self::ScenarioName => "scenario name",
            Self::EvalResult => "eval result_id",
            Self::SessionId => "session_id",
        }
    }
}

/// Why an identifier is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdError {
    Empty,
    /// Longer than [`MAX_ID_BYTES`]; carries its length.
    TooLong(usize),
    /// One of `& = ? / % SPACE`.
    Reserved(char),
    /// Any other character outside `[A-Za-z0-9_.-]`.
    Forbidden(char),
    /// `.` or `..`.
    DotSegment,
    /// Neither `{strategy}_{timestamp}` nor a UUID.
    NotAnEvalId,
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "is empty"),
            Self::TooLong(len) => write!(f, "is {len} bytes long, the limit is {MAX_ID_BYTES}"),
            Self::Reserved(c) => write!(f, "contains reserved character '{c}'"),
            Self::Forbidden(c) => {
                write!(f, "contains forbidden character '{}' (allowed: A-Z a-z 0-9 _ . -)", c.escape_default())
            }
            Self::DotSegment => write!(f, "is a path segment, not a name"),
            Self::NotAnEvalId => write!(f, "must be {{strategy}}_{{timestamp}} or a UUID"),
        }
    }
}

/// Checks an identifier of any kind against the alphabet and the length; an eval id also against its two forms.
///
/// # Errors
/// The first rule that it breaks. Reserved characters come first, so that the message for `a b` names the space.
pub fn check(kind: IdKind, id: &str) -> Result<(), IdError> {
    check_alphabet(id)?;
    match kind {
        IdKind::EvalResult if !is_eval_id(id) => Err(IdError::NotAnEvalId),
        IdKind::PackageName | IdKind::CardId | IdKind::ScenarioName | IdKind::EvalResult | IdKind::SessionId => Ok(()),
    }
}

/// Checks the rules that all kinds share.
///
/// # Errors
/// As [`check`], without the pattern of eval ids.
pub fn check_alphabet(id: &str) -> Result<(), IdError> {
    if id.is_empty() {
        return Err(IdError::Empty);
    }
    if let Some(c) = id.chars().find(|c| RESERVED.contains(c)) {
        return Err(IdError::Reserved(c));
    }
    if let Some(c) = id.chars().find(|c| !is_allowed(*c)) {
        return Err(IdError::Forbidden(c));
    }
    if id.len() > MAX_ID_BYTES {
        return Err(IdError::TooLong(id.len()));
    }
    if id == "." || id == ".." {
        return Err(IdError::DotSegment);
    }
    Ok(())
}

const fn is_allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// Whether `id` matches `^[A-Za-z0-9-]+_\d+$`, or is a UUID in its 8-4-4-4-12 form: the specification has both.
#[must_use]
pub fn is_eval_id(id: &str) -> bool {
    let strategy_and_time = id.rsplit_once('_').is_some_and(|(strategy, time)| {
        !strategy.is_empty()
            && strategy.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !time.is_empty()
            && time.bytes().all(|b| b.is_ascii_digit())
    });
    strategy_and_time || is_uuid(id)
}

fn is_uuid(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}
