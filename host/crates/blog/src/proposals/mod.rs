//! Changes of the blog that an agent proposes and a person decides on.
//!
//! Owns: what a proposal is, how it is stored, what accepting it writes, and that it is decided once.
//! Gives: the store, new proposals, and [`decide`] for decisions.
//! Never: changes a file that people see before a decision, or loses what other programs wrote meanwhile.

pub(crate) mod apply;
pub(crate) mod batch;
#[cfg(test)]
mod batch_tests;
pub(crate) mod change;
#[cfg(test)]
mod crash_tests;
pub(crate) mod decide;
pub(crate) mod decided_cache;
pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod expiry;
pub(crate) mod field_diff;
#[cfg(test)]
mod forged_tests;
pub(crate) mod line_diff;
pub(crate) mod new;
pub(crate) mod pending_cache;
#[cfg(test)]
mod pending_tests;
pub(crate) mod plan;
mod planned_post;
#[cfg(test)]
mod race_tests;
#[cfg(test)]
mod recovery_tests;
pub(crate) mod review;
#[cfg(test)]
mod save_tests;
pub(crate) mod slug_check;
pub(crate) mod source_check;
pub(crate) mod store;
#[cfg(test)]
mod test_cases;
pub(crate) mod validity;
pub(crate) mod view;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::change::Change;
use self::plan::{FileStep, digest_of};
use self::store::id_time;
use crate::limits::MAX_DECIDED_AGE;
use wardroom_appdir::user_id;
use wardroom_service::audit::{AuditChannel, AuditSource};
use wardroom_service::proposal::ProposalStatus;
use wardroom_service::{Caller, Transport};

/// The version of the files of proposals. An older program leaves newer ones alone.
pub(crate) const PROPOSAL_VERSION: u32 = 1;

/// [`MAX_DECIDED_AGE`] in milliseconds.
const MAX_DECIDED_AGE_MS: i64 = MAX_DECIDED_AGE.as_secs().cast_signed() * 1_000;

/// What is proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProposalKind {
    DraftPost,
    ProposeScript,
    ProposeTemplate,
    ProposeMediaMetadata,
    ProposePostMetadata,
    ProposeMediaTranslation,
    ProposePostTranslation,
    ProposePostEdit,
}

impl ProposalKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::DraftPost => "draft_post",
            Self::ProposeScript => "propose_script",
            Self::ProposeTemplate => "propose_template",
            Self::ProposeMediaMetadata => "propose_media_metadata",
            Self::ProposePostMetadata => "propose_post_metadata",
            Self::ProposeMediaTranslation => "propose_media_translation",
            Self::ProposePostTranslation => "propose_post_translation",
            Self::ProposePostEdit => "propose_post_edit",
        }
    }

    /// Returns the kind as a person reads it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::DraftPost => "New post",
            Self::ProposeScript => "New script",
            Self::ProposeTemplate => "New template",
            Self::ProposeMediaMetadata => "Texts of a media item",
            Self::ProposePostMetadata => "Fields of a post",
            Self::ProposeMediaTranslation => "Translated texts of a media item",
            Self::ProposePostTranslation => "Translation of a post",
            Self::ProposePostEdit => "Another text of a post",
        }
    }

    /// Whether the proposal is about a media item, whose picture a person needs for its texts.
    pub(crate) const fn is_of_media(self) -> bool {
        matches!(self, Self::ProposeMediaMetadata | Self::ProposeMediaTranslation)
    }
}

/// A proposal as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Proposal {
    pub(crate) version: u32,
    /// A UUID (version 7), so that the names of files are in the order of time.
    pub(crate) id: String,
    pub(crate) kind: ProposalKind,
    /// The id of the post, media item, script or template.
    pub(crate) entity_id: String,
    /// The title of what is changed, for lists.
    pub(crate) title: String,
    /// In milliseconds since 1970, as the others.
    pub(crate) created_at: i64,
    pub(crate) expires_at: i64,
    pub(crate) proposer: Proposer,
    pub(crate) change: Change,
    /// Set by a server that may not decide, when the proposer takes it back. The next process that decides ends it, as
    /// [`Self::withdrawal`] says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) withdrawn: Option<Decision>,
}

impl Proposal {
    /// Whether it changes fields alone, so that a row of a list shows all of it. Fields of a person's draft are not: the
    /// whole draft becomes public with them.
    pub(crate) const fn changes_fields_alone(&self) -> bool {
        use ProposalKind as Kind;
        let is_metadata =
            matches!(self.kind, Kind::ProposeMediaMetadata | Kind::ProposePostMetadata | Kind::ProposeMediaTranslation);
        is_metadata && self.change.draft.is_none() && self.change.body.is_none()
    }

    /// Returns the decision of a proposer who took it back, at a time, in milliseconds since 1970. A server that may not
    /// decide wrote the file: it is a withdrawal by the proposer, whatever principal, status or time the file names.
    pub(crate) fn withdrawal(&self, now: i64) -> Option<Decision> {
        let withdrawn = self.withdrawn.as_ref()?;
        let Proposer { who, through, .. } = &self.proposer;
        let channel = Some(AuditChannel::from_stored(through)).filter(|channel| channel.is_of_clients());
        let through = channel.unwrap_or(AuditChannel::Withdrawal).as_str();
        Some(Decision {
            status: ProposalStatus::Discarded,
            at: withdrawn.at.clamp(id_time(&self.id).unwrap_or(now).min(now), now),
            who: who.clone(),
            through: through.to_owned(),
            digest: self.digest(),
            reason: withdrawn.reason.clone(),
        })
    }

    /// Returns the digest of the proposal as it was made.
    pub(crate) fn digest(&self) -> String {
        let made = Self { withdrawn: None, ..self.clone() };
        // A proposal has string keys alone.
        digest_of(&serde_json::to_string(&made).unwrap_or_default())
    }

    /// Whether it changes a text for readers, which has a preview.
    pub(crate) const fn changes_text(&self) -> bool {
        use ProposalKind as Kind;
        match self.kind {
            Kind::DraftPost | Kind::ProposePostTranslation | Kind::ProposePostEdit => true,
            Kind::ProposePostMetadata => self.change.draft.is_some(),
            Kind::ProposeScript
            | Kind::ProposeTemplate
            | Kind::ProposeMediaMetadata
            | Kind::ProposeMediaTranslation => false,
        }
    }
}

/// Who proposed something, and through what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Proposer {
    pub(crate) who: String,
    /// The tag of the owner, who may discard it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
    /// The user of the system who runs a server over stdio or a command: several may share the folder of a blog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) user: Option<u32>,
    pub(crate) through: String,
}

impl Proposer {
    pub(crate) fn from_caller(caller: &Caller) -> Self {
        let AuditSource { who, through } = AuditSource::from_caller(caller);
        let user = match caller.transport {
            Transport::Stdio | Transport::CommandLine => user_id(),
            // Tokens name these callers; the user who runs the server does not matter.
            Transport::Http { .. } => None,
        };
        Self { who, owner: caller.owner.tag(), user, through: through.as_str().to_owned() }
    }

    /// Whether both are one principal, which may come through several ways.
    pub(crate) fn is_same_principal(&self, other: &Self) -> bool {
        (&self.who, &self.owner, self.user) == (&other.who, &other.owner, other.user)
    }

    /// Returns a hash of the principal, which is the same in this process alone.
    pub(crate) fn principal_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.who, &self.owner, self.user).hash(&mut hasher);
        hasher.finish()
    }
}

/// A decision as it is stored: with what it writes, so that another process can finish it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Decided {
    pub(crate) version: u32,
    pub(crate) proposal: Proposal,
    pub(crate) decision: Decision,
    pub(crate) steps: Vec<FileStep>,
    /// Files that other programs changed at the same moment, and that stayed as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_alone: Vec<String>,
    /// Whether its steps are taken, after which no process takes them again. `None` in a file of an earlier program, which
    /// did not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) is_carried_out: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Decision {
    /// Not pending.
    pub(crate) status: ProposalStatus,
    /// In milliseconds since 1970.
    pub(crate) at: i64,
    pub(crate) who: String,
    pub(crate) through: String,
    /// The digest of what was shown, in hexadecimal digits.
    pub(crate) digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

impl Decision {
    /// Whether it answers at a time, in milliseconds since 1970: for 30 days.
    pub(crate) const fn still_answers(&self, now: i64) -> bool {
        now.saturating_sub(self.at) < MAX_DECIDED_AGE_MS
    }
}

impl Decided {
    /// A decision that was just made.
    pub(crate) const fn new(proposal: Proposal, decision: Decision, steps: Vec<FileStep>) -> Self {
        Self {
            version: PROPOSAL_VERSION,
            proposal,
            decision,
            steps,
            left_alone: Vec::new(),
            is_carried_out: Some(false),
        }
    }
}

impl From<Decided> for ProposalState {
    fn from(Decided { proposal, decision, left_alone, is_carried_out, .. }: Decided) -> Self {
        Self { proposal, decision: Some(decision), left_alone, is_carried_out: is_carried_out != Some(false) }
    }
}

/// A proposal with what became of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ProposalState {
    pub(crate) proposal: Proposal,
    /// `None` while it is pending.
    pub(crate) decision: Option<Decision>,
    /// As of [`Decided`].
    pub(crate) left_alone: Vec<String>,
    /// Whether no step of a decision is left to take.
    pub(crate) is_carried_out: bool,
}

impl ProposalState {
    /// Returns the status at a time, in milliseconds since 1970: a proposal expires by itself.
    pub(crate) fn status(&self, now: i64) -> ProposalStatus {
        ProposalStatus::at(now, self.proposal.expires_at, self.decision.as_ref().map(|decision| decision.status))
    }

    /// Returns why files are not as the decision says; `None` where they are.
    pub(crate) fn unwritten(&self) -> Option<String> {
        if !self.is_carried_out {
            return Some("its files are not written yet: the next process that can writes them".to_owned());
        }
        let files = self.left_alone.join(", ");
        (!files.is_empty())
            .then(|| format!("{files} changed at the same moment and stays as it is: propose the change again"))
    }
}
