//! What all proposals have in common, whatever they change: an id that names a file, and a status.
//!
//! Owns: the expiry of a proposal that was not decided.
//! Never: knows what is proposed, or touches a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use wardroom_base::unix_time;

/// The length of an id, in bytes.
pub const PROPOSAL_ID_LEN: usize = 36;

/// What became of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProposalStatus {
    Pending,
    Accepted,
    Discarded,
    Expired,
}

impl ProposalStatus {
    /// Returns the status at a time; `decided` is that of its decision, if there is one.
    #[must_use]
    pub const fn at(now_ms: i64, expires_at_ms: i64, decided: Option<Self>) -> Self {
        match decided {
            Some(decided) => decided,
            None if expires_at_ms <= now_ms => Self::Expired,
            None => Self::Pending,
        }
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Discarded => "discarded",
            Self::Expired => "expired",
        }
    }
}

/// Whether a text is the id of a proposal: a UUID in lower case.
#[must_use]
pub fn is_proposal_id(text: &str) -> bool {
    text.len() == PROPOSAL_ID_LEN
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

/// Returns the time in milliseconds, as the files of proposals have it.
#[must_use]
pub fn proposal_time_ms() -> i64 {
    i64::try_from(unix_time::now_ms()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ids_name_files() {
        assert!(is_proposal_id("0190d1a2-7c3b-7aaa-8bbb-0123456789ab"));
        for text in ["", "a", "../0d1a2-7c3b-7aaa-8bbb-0123456789ab", "0190D1A2-7c3b-7aaa-8bbb-0123456789ab"] {
            assert!(!is_proposal_id(text), "{text}");
        }
    }

    #[test]
    fn proposal_expires_unless_it_was_decided() {
        assert_eq!(ProposalStatus::at(9, 10, None), ProposalStatus::Pending);
        assert_eq!(ProposalStatus::at(10, 10, None), ProposalStatus::Expired);
        assert_eq!(ProposalStatus::at(11, 10, Some(ProposalStatus::Accepted)), ProposalStatus::Accepted);
    }
}
