//! Owners: to whom a run, a log or a task belongs, on every server of the AppDir.
//!
//! Owns: who sees what, and the tag by which a name of a file or an id says its owner. An owner is the name of a token,
//! so that neither an edit of the endpoints nor a new secret changes it.
//! Never: opens anything.

use sha2::{Digest as _, Sha256};

use wardroom_base::hex::encode_hex;

/// Bytes of the digest in a tag.
const TAG_BYTES: usize = 8;
/// The length of a tag.
pub const OWNER_TAG_LEN: usize = 2 * TAG_BYTES;

/// Who calls, and owns what a call creates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Owner {
    /// The person who runs the server: over standard input, or at the command line.
    #[default]
    Operator,
    /// Everyone who calls over HTTP where no token is asked for.
    Anonymous,
    /// The bearer of the token with this name.
    Named(String),
}

impl Owner {
    /// Returns the tag of what this owner creates. What is without a tag belongs to no bearer of a token.
    #[must_use]
    pub fn tag(&self) -> Option<String> {
        match self {
            Self::Operator | Self::Anonymous => None,
            Self::Named(name) => Some(encode_hex(Sha256::digest(name.as_bytes()).iter().take(TAG_BYTES))),
        }
    }

    /// Returns the name of an owner who leaves a share of what is limited to others: of all but the operator.
    #[must_use]
    pub fn sharing_name(&self) -> Option<String> {
        (*self != Self::Operator).then(|| self.display_name())
    }

    /// Returns how records and limits name this owner. No two owners have the same.
    #[must_use]
    pub fn display_name(&self) -> String {
        match self {
            Self::Operator => "operator".to_owned(),
            Self::Anonymous => "anonymous".to_owned(),
            Self::Named(name) => format!("token {name}"),
        }
    }

    /// Whether this owner sees what has this tag.
    #[must_use]
    pub fn sees(&self, tag: Option<&str>) -> bool {
        match self {
            Self::Operator => true,
            Self::Anonymous => tag.is_none(),
            Self::Named(_) => tag.is_some() && self.tag().as_deref() == tag,
        }
    }
}
