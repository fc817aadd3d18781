//! Making proposals.
//!
//! Owns: what every new proposal has in common: its id, its time, its draft, and that it changes something.
//! Never: decides, or changes a file that people see.

use std::collections::HashSet;

use serde_json::Value;
use uuid::Uuid;

use super::apply::remove;
use super::change::{Change, Draft, FieldChange};
use super::pending_cache::{PendingEntry, path_hash};
use super::plan::{PlanError, digest_of};
use super::store::{ProposalStore, StoreError};
use super::validity::own_draft_path;
use super::view::ConflictTexts;
use super::{PROPOSAL_VERSION, Proposal, ProposalKind, Proposer};
use crate::content::BlogLayout;
use crate::content::layout::DRAFTS_DIR;
use crate::error_code as code;
use crate::index::BlogSource;
use crate::limits::{MAX_BLOG_DOCUMENT_BYTES, MAX_OWN_PROPOSAL_BYTES, MAX_OWN_PROPOSALS, MAX_PENDING_PROPOSALS};
use crate::pages::proposal_address;
use crate::{AcceptMode, BlogState};
use wardroom_appdir::{AppDirError, FileLock, Privacy};
use wardroom_base::payload::Payload;
use wardroom_service::proposal::proposal_time_ms;
use wardroom_service::{RequestInfo, ServiceError, Transport};

/// What is proposed, before it has an id.
pub(crate) struct NewProposal {
    pub(crate) kind: ProposalKind,
    pub(crate) entity_id: String,
    pub(crate) title: String,
    pub(crate) change: Change,
}

/// A proposal that was made.
pub(crate) struct MadeProposal {
    pub(crate) proposal: Proposal,
    /// The text of the file before and after.
    pub(crate) before: String,
    pub(crate) after: String,
    /// Where a person decides on it, if this server shows that.
    pub(crate) review_uri: Option<String>,
}

/// The files that pending proposals make. No process proposes a new file while this is held.
pub(crate) struct ProposedPlaces {
    _lock: FileLock,
    paths: HashSet<u64>,
}

impl ProposedPlaces {
    /// Whether a pending proposal makes or changes this file.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.paths.contains(&path_hash(path))
    }
}

impl BlogState {
    /// Takes the lock below which the place of a new file is chosen and proposed: the index need not know the newest drafts yet.
    ///
    /// # Errors
    /// When the blog cannot be written, or another process has the lock for long.
    pub(crate) fn lock_places(&self) -> Result<ProposedPlaces, ServiceError> {
        self.check_writable()?;
        let store = ProposalStore::new(&self.source.folder);
        let lock = store.lock_places().map_err(store_error)?;
        let pending = store.pending(&self.source.pending).map_err(store_error)?;
        let now = proposal_time_ms();
        let paths = pending.iter().filter(|entry| entry.is_pending(now)).filter_map(PendingEntry::path_hash).collect();
        Ok(ProposedPlaces { _lock: lock, paths })
    }

    fn check_writable(&self) -> Result<(), ServiceError> {
        if self.source.folder.is_read_only() {
            return Err(ServiceError::tool(code::READ_ONLY, "this server may not write to the blog"));
        }
        Ok(())
    }

    /// Writes a proposal down, with its draft.
    ///
    /// # Errors
    /// When it changes nothing, or the blog cannot be written.
    pub(crate) fn propose(&self, info: &RequestInfo, new: NewProposal) -> Result<MadeProposal, ServiceError> {
        let NewProposal { kind, entity_id, title, mut change } = new;
        let source = &self.source;
        self.check_writable()?;
        let id = Uuid::now_v7().to_string();
        let before = change.base.clone().unwrap_or_default();
        let after = change.apply_to(source, &before).map_err(service_error)?;
        // A draft that is published as it is moves.
        if after == before && change.draft.is_none() {
            let message = "the proposal changes nothing: the blog says the same already";
            return Err(ServiceError::tool(code::INVALID_ARGUMENTS, message));
        }
        if after.len() as u64 > MAX_BLOG_DOCUMENT_BYTES {
            return Err(ServiceError::tool(
                code::INVALID_ARGUMENTS,
                "the file would be larger than 1 MiB: propose less",
            ));
        }
        let draft = match kind.draft_extension() {
            Some(extension) => {
                let path = own_draft_path(&entity_id, extension);
                let mut owner = vec![FieldChange::new("proposal", id.as_str())];
                // Where the name of a file is its slug, that of the draft is another one.
                owner.extend(path_slug(source.layout, &change.path).map(|slug| FieldChange::new("slug", slug)));
                let text = source.set_fields(&path, &after, &owner).map_err(service_error)?;
                change.draft = Some(Draft { path: path.clone(), digest: Some(digest_of(&text)) });
                Some((path, text))
            }
            None => None,
        };
        let now = proposal_time_ms();
        let ttl = match info.caller.transport {
            Transport::Http { .. } => self.options.ttl_http,
            Transport::Stdio | Transport::CommandLine => self.options.ttl_stdio,
        };
        let proposal = Proposal {
            version: PROPOSAL_VERSION,
            id,
            kind,
            entity_id,
            title,
            created_at: now,
            expires_at: now.saturating_add(i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)),
            proposer: Proposer::from_caller(&info.caller),
            change,
            withdrawn: None,
        };
        write_proposal(source, &proposal, draft.as_ref().map(|(path, text)| (path.as_str(), text.as_str())))?;
        self.index.update_files(draft.map(|(path, _)| path));
        // A strict server shows proposals, and decides on none.
        let pages = info.catalogue.review_address().filter(|_| self.options.accept != AcceptMode::HumanStrict);
        let review_uri = pages.map(|pages| proposal_address(pages, &proposal.id));
        Ok(MadeProposal { proposal, before, after, review_uri })
    }
}

/// Writes a proposal down, then its draft.
pub(super) fn write_proposal(
    source: &BlogSource,
    proposal: &Proposal,
    draft: Option<(&str, &str)>,
) -> Result<(), ServiceError> {
    let store = ProposalStore::new(&source.folder);
    if let Err(error) = store.create(&source.pending, proposal) {
        // It may be there all the same: the flush of its folder can fail.
        let _ = store.finish(&proposal.id);
        return Err(store_error(error));
    }
    let Some((path, text)) = draft else { return Ok(()) };
    let folder = source.folder.create_folder(DRAFTS_DIR);
    let created = folder.and_then(|_| source.folder.create_file(path, text.as_bytes(), Privacy::Shared));
    let Err(error) = created else { return Ok(()) };
    if !matches!(error, AppDirError::AlreadyExists(_)) {
        // As above. A draft that stays keeps its proposal.
        remove(source, path, &digest_of(text)).map_err(service_error)?;
    }
    // Without its draft it is none. After a crash here, accepting it makes the text again.
    store.finish(&proposal.id).map_err(write_error)?;
    Err(match error {
        AppDirError::AlreadyExists(_) => {
            let message = "a draft of this post is there already: wait for the decision, or choose another title";
            ServiceError::tool(code::CONFLICT, message)
        }
        error => write_error(error),
    })
}

/// Returns the slug that the path of a new post stands for, in a layout where it does.
pub(crate) fn path_slug(layout: BlogLayout, path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_jekyll = path.starts_with("_posts/");
    // Jekyll's names begin with a date.
    let slug = if is_jekyll { stem.get("2024-03-09-".len()..)? } else { stem };
    (layout == BlogLayout::Markdown).then_some(slug)
}

/// A value that removes a field, where a text is empty.
pub(crate) fn text_or_nothing(text: Option<String>) -> Value {
    text.filter(|text| !text.is_empty()).map_or(Value::Null, Value::String)
}

/// Converts an error for a client.
pub(crate) fn service_error(error: PlanError) -> ServiceError {
    match error {
        PlanError::Unreadable(message) => ServiceError::tool(code::UNREADABLE, message),
        PlanError::Conflict(conflict) => {
            let details = serde_json::to_value(ConflictTexts::new(&conflict)).ok().map(Payload::from_value);
            ServiceError::Tool { code: code::CONFLICT, message: conflict.message, details }
        }
        PlanError::Mistakes(mistakes) => {
            let message = format!("it has mistakes, and waits until they are corrected in the draft:\n{mistakes}");
            ServiceError::tool(code::INVALID_SOURCE, message)
        }
        PlanError::Gone(path) => {
            ServiceError::tool(code::TARGET_GONE, format!("{path} does not exist any more: discard the proposal"))
        }
        PlanError::Sandbox(error) => ServiceError::internal("the file cannot be read in the sandbox now", error),
        PlanError::Store(error) => write_error(error),
    }
}

pub(crate) fn store_error(error: StoreError) -> ServiceError {
    match error {
        StoreError::Full => {
            let message = format!("there are {MAX_PENDING_PROPOSALS} pending proposals: have some decided first");
            ServiceError::tool(code::TOO_MANY_PROPOSALS, message)
        }
        StoreError::OwnFull => {
            let message = format!("{MAX_OWN_PROPOSALS} proposals of this caller are pending: have some decided first");
            ServiceError::tool(code::TOO_MANY_PROPOSALS, message)
        }
        StoreError::OwnLarge => {
            let limit = MAX_OWN_PROPOSAL_BYTES / (1024 * 1024);
            let message = format!(
                "the pending proposals of this caller would have more than {limit} MiB: have some decided first"
            );
            ServiceError::tool(code::TOO_MANY_PROPOSALS, message)
        }
        StoreError::TooLarge => {
            ServiceError::tool(code::INVALID_ARGUMENTS, "the proposal is too large with the text that it changes")
        }
        StoreError::Newer(id) => {
            let message = format!("the proposal {id} was written by a newer version of this program: update this one");
            ServiceError::tool(code::UNREADABLE, message)
        }
        StoreError::Unreadable(id, error) => {
            ServiceError::internal(format!("the file of the proposal {id} cannot be read"), error)
        }
        StoreError::Invalid(id, reason) => {
            let message = format!("the file of the proposal {id} cannot be used, and is left as it is: {reason}");
            ServiceError::tool(code::UNREADABLE, message)
        }
        StoreError::Files(error) => write_error(error),
    }
}

fn write_error(error: AppDirError) -> ServiceError {
    ServiceError::from_write_error("the blog", error)
}
