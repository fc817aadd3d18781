//! One line of the audit trail, and the hash that chains it to the one before.

use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{AuditEvent, AuditSource};
use crate::escape_and_truncate;
use crate::limits::MAX_AUDIT_SUBJECT_BYTES;
use wardroom_base::hex::encode_hex;

/// The hash before the first line.
pub(super) const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
    /// A tool that changes something was called, with these arguments.
    ToolCalled,
    /// A run began, of a script with this digest.
    RunBegun,
    /// A run finished, failed or was cancelled.
    RunEnded,
    /// A person signed in at the review page, with a session of this name.
    SignedIn,
    TokenCreated,
    TokenRemoved,
    MountAdded,
    MountRemoved,
    PackageInstalled,
    PackageRemoved,
    /// A change of the blog became public, with this digest of what was shown.
    ProposalAccepted,
    ProposalDiscarded,
    /// Requests or calls were refused.
    Refused,
    /// A file of the trail was begun; the outcome says where the other files ended.
    FileBegun,
    /// The oldest file of the trail was removed; the outcome says where it ended.
    FileRemoved,
}

impl AuditAction {
    /// Whether it is what becomes public, or who may do what: by people it has a line of its own in any case. Other limits bound how many
    /// there are.
    pub(super) const fn is_decision(self) -> bool {
        match self {
            Self::ProposalAccepted
            | Self::ProposalDiscarded
            | Self::SignedIn
            | Self::TokenCreated
            | Self::TokenRemoved
            | Self::MountAdded
            | Self::MountRemoved => true,
            Self::ToolCalled
            | Self::RunBegun
            | Self::RunEnded
            | Self::PackageInstalled
            | Self::PackageRemoved
            | Self::Refused
            | Self::FileBegun
            | Self::FileRemoved => false,
        }
    }
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// Its number in its file, from 1.
    pub n: u64,
    /// The time, in UTC.
    pub at: String,
    pub who: String,
    pub through: String,
    pub action: AuditAction,
    pub subject: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    pub outcome: String,
    /// How often it happened since the last record of this kind. 1 for what is recorded one by one.
    pub count: u64,
    /// SHA-256 of the line before, without its newline.
    pub previous: String,
}

impl AuditRecord {
    pub(super) fn new(n: u64, previous: &str, source: &AuditSource, event: &AuditEvent, count: u64) -> Self {
        let mut subject = escape_and_truncate(event.subject);
        subject.truncate(subject.floor_char_boundary(MAX_AUDIT_SUBJECT_BYTES));
        Self {
            n,
            at: DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Millis, true),
            who: source.who.clone(),
            through: source.through.as_str().to_owned(),
            action: event.action,
            subject,
            digest: event.digest.map(|digest| encode_hex(&digest)),
            outcome: event.outcome.to_owned(),
            count,
            previous: previous.to_owned(),
        }
    }
}

/// Returns the hash of a line without its newline.
pub(super) fn hash_line(line: &[u8]) -> String {
    encode_hex(&Sha256::digest(line))
}

/// Where a file ends: the number of its lines and the hash of the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) count: u64,
    pub(super) hash: String,
}

impl Head {
    /// Always as many bytes, since it is overwritten in place.
    pub(super) fn to_text(&self) -> String {
        format!("{:020} {}\n", self.count, self.hash)
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let (count, hash) = text.trim_end().split_once(' ')?;
        (hash.len() == NO_HASH.len()).then_some(Self { count: count.parse().ok()?, hash: hash.to_owned() })
    }
}
