//! The files of proposals, `logs/proposals/{id}.json`.
//!
//! Owns: their names, the lock below which proposals are made and decided, how many wait, and when one is removed.
//! Never: knows what a change is, or overwrites what a newer program wrote.

use chrono::TimeDelta;

use super::{BulletChangeKind, BulletProposal, PROPOSAL_VERSION};
use crate::error_code as code;
use crate::files::{LearningFiles, read_error, write_error};
use crate::limits::{
    DECIDED_BULLET_PROPOSAL_DAYS, MAX_BULLET_PROPOSAL_BYTES, MAX_BULLET_PROPOSAL_NAMES, MAX_WAITING_BULLET_PROPOSALS,
};
use crate::playbook::is_safe_content;
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, EntryKind, FileLock, Folder, Privacy};
use wardroom_service::proposal::{ProposalStatus, is_proposal_id, proposal_time_ms};
use wardroom_service::{ServiceError, escape_and_truncate};

const LOCK_FILE: &str = ".lock";

/// The proposals of a log, for one who makes or decides one. While it lives, no other process does.
pub(crate) struct LockedProposals {
    folder: Folder,
    _lock: FileLock,
}

impl LockedProposals {
    /// Takes the lock.
    ///
    /// # Errors
    /// `WRITE_ERROR`.
    pub(crate) fn new(files: &LearningFiles) -> Result<Self, ServiceError> {
        let folder = files.create_proposals()?;
        let lock = folder.lock(LOCK_FILE).map_err(|error| write_error(LOCK_FILE, error))?;
        Ok(Self { folder, _lock: lock })
    }

    /// Creates proposals: all of them, or none. What is old is removed first.
    ///
    /// # Errors
    /// `TOO_MANY_PROPOSALS` and `WRITE_ERROR`.
    pub(crate) fn create(&self, proposals: &[BulletProposal]) -> Result<(), ServiceError> {
        let now = proposal_time_ms();
        // Of writers that were killed. What stays takes no more than room.
        drop(self.folder.sweep_temp_files(STALE_TEMP_FILE_AGE));
        let known = read_all(&self.folder)?;
        let mut n_waiting = 0;
        for proposal in &known {
            let is_pending = proposal.status(now) == ProposalStatus::Pending;
            n_waiting += usize::from(is_pending);
            let ended = proposal.decision.as_ref().map_or(proposal.expires_at, |decision| decision.at);
            if !is_pending
                && now.saturating_sub(ended) > TimeDelta::days(DECIDED_BULLET_PROPOSAL_DAYS).num_milliseconds()
            {
                self.remove(&proposal.id);
            }
        }
        if n_waiting + proposals.len() > MAX_WAITING_BULLET_PROPOSALS {
            let message = format!(
                "{n_waiting} proposals wait for a person, the limit is {MAX_WAITING_BULLET_PROPOSALS}: a person decides with \
                 `wardroom ace proposals`"
            );
            return Err(ServiceError::tool(code::TOO_MANY_PROPOSALS, message));
        }
        for (at, proposal) in proposals.iter().enumerate() {
            let created = self.folder.create_file(&file_name(&proposal.id), &encode(proposal), Privacy::Owner);
            if let Err(error) = created {
                proposals.iter().take(at).for_each(|proposal| self.remove(&proposal.id));
                return Err(write_error("a proposal", error));
            }
        }
        Ok(())
    }

    /// Removes the file of a proposal. One that stays is only shown longer.
    pub(crate) fn remove(&self, id: &str) {
        if let Err(error) = self.folder.remove_file(&file_name(id)) {
            tracing::debug!(?error, "cannot remove a proposal");
        }
    }

    /// Replaces a proposal by one with its decision.
    ///
    /// # Errors
    /// `WRITE_ERROR`.
    pub(crate) fn replace(&self, proposal: &BulletProposal) -> Result<(), ServiceError> {
        let written = self.folder.write(&file_name(&proposal.id), &encode(proposal), Privacy::Owner);
        written.map_err(|error| write_error("the proposal", error))
    }

    /// Returns all proposals, the newest first.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn all(&self) -> Result<Vec<BulletProposal>, ServiceError> {
        read_all(&self.folder)
    }

    /// Returns a proposal.
    ///
    /// # Errors
    /// `PROPOSAL_NOT_FOUND`, and `PARSE_ERROR` where its file cannot be read.
    pub(crate) fn find(&self, id: &str) -> Result<BulletProposal, ServiceError> {
        find(Some(&self.folder), id)
    }
}

impl LearningFiles {
    /// Returns all proposals, the newest first. Files that cannot be read are left out.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn all_proposals(&self) -> Result<Vec<BulletProposal>, ServiceError> {
        self.proposals()?.map_or_else(|| Ok(Vec::new()), |folder| read_all(&folder))
    }

    /// Returns a proposal.
    ///
    /// # Errors
    /// As [`LockedProposals::find`].
    pub(crate) fn find_proposal(&self, id: &str) -> Result<BulletProposal, ServiceError> {
        find(self.proposals()?.as_ref(), id)
    }
}

fn find(folder: Option<&Folder>, id: &str) -> Result<BulletProposal, ServiceError> {
    let missing = || {
        let message = format!("no proposal has the id {}", escape_and_truncate(id));
        ServiceError::tool(code::PROPOSAL_NOT_FOUND, message)
    };
    let folder = folder.filter(|_| is_proposal_id(id)).ok_or_else(missing)?;
    match folder.read(&file_name(id), MAX_BULLET_PROPOSAL_BYTES) {
        Ok(content) => parse(&content.bytes).filter(|found| found.id == id).ok_or_else(|| {
            let message = format!("the file of the proposal {id} cannot be read: discard it by removing the file");
            ServiceError::tool(code::PARSE_ERROR, message)
        }),
        Err(AppDirError::NotFound(_)) => Err(missing()),
        Err(error) => Err(read_error("the proposal", error)),
    }
}

fn read_all(folder: &Folder) -> Result<Vec<BulletProposal>, ServiceError> {
    let mut ids = Vec::new();
    let visited = folder.visit_names(&mut { MAX_BULLET_PROPOSAL_NAMES }, |name, _, kind| {
        let id = name.strip_suffix(".json").filter(|id| kind == EntryKind::File && is_proposal_id(id));
        ids.extend(id.map(str::to_owned));
    });
    visited.map_err(|error| read_error("the folder of proposals", error))?;
    ids.sort_unstable_by(|a, b| b.cmp(a));
    Ok(ids.into_iter().filter_map(|id| find(Some(folder), &id).ok()).collect())
}

fn parse(bytes: &[u8]) -> Option<BulletProposal> {
    let found: BulletProposal = serde_json::from_slice(bytes).ok()?;
    // A file may have come with a project: its content is one that this program could have written.
    let is_safe = found.kind == BulletChangeKind::Remove || is_safe_content(&found.content);
    // Each kind needs a bullet.
    (found.version == PROPOSAL_VERSION && !found.bullets.is_empty() && is_safe).then_some(found)
}

fn encode(proposal: &BulletProposal) -> Vec<u8> {
    // The type has string keys alone.
    serde_json::to_vec(proposal).unwrap_or_default()
}

fn file_name(id: &str) -> String {
    format!("{id}.json")
}
