//! Changes of bullets that an agent proposes and a person decides on: other words, a merge, or a removal.
//!
//! Owns: what a proposal is, and that it is decided once, on what was shown.
//! Gives: the files (`store`), what accepting does (`plan`), new bullets and proposals of one call (`batch`), and
//! [`BulletReview`] for the command line and pages.
//! Never: changes a bullet that is there before a person decides.

pub(crate) mod batch;
pub(crate) mod plan;
pub(crate) mod review;
pub(crate) mod store;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::trace::or_default;
use wardroom_service::proposal::ProposalStatus;

pub use self::review::{BulletDecisionOutcome, BulletReview, ReviewedBullets};

/// The version of the files. An older program leaves newer ones alone.
const PROPOSAL_VERSION: u32 = 1;

/// What is proposed for bullets that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BulletChangeKind {
    /// One bullet has another content.
    Update,
    /// The first bullet has another content and the counters of all, and the others are removed.
    Merge,
    Remove,
}

/// A proposal as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BulletProposal {
    pub(crate) version: u32,
    /// A UUID (version 7), so that the names of files are in the order of time.
    pub(crate) id: String,
    pub(crate) kind: BulletChangeKind,
    /// The bullets as they were when it was made.
    pub(crate) bullets: Vec<SeenBullet>,
    /// The new content; empty where bullets are removed.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub(crate) content: String,
    pub(crate) reason: String,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub(crate) bead_id: String,
    pub(crate) proposed_by: String,
    /// In milliseconds since 1970, as the others.
    pub(crate) created_at: i64,
    pub(crate) expires_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<BulletDecision>,
}

/// A bullet without its counters, which move by themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenBullet {
    pub(crate) id: String,
    pub(crate) section: String,
    pub(crate) content: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BulletDecision {
    /// Accepted or discarded.
    pub(crate) status: ProposalStatus,
    pub(crate) at: i64,
    pub(crate) who: String,
    pub(crate) through: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

impl BulletProposal {
    /// Returns the status at a time, in milliseconds since 1970: a proposal expires by itself.
    pub(crate) fn status(&self, now: i64) -> ProposalStatus {
        ProposalStatus::at(now, self.expires_at, self.decision.as_ref().map(|decision| decision.status))
    }

    /// Whether it proposes the same as another one.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        (self.kind, &self.bullets, &self.content) == (other.kind, &other.bullets, &other.content)
    }
}
