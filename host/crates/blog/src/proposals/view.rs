//! Proposals as clients see them.
//!
//! Owns: the names of the fields, which are the seed's where it has them.
//! Never: decides.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::decided_cache::KnownDecision;
use super::new::store_error;
use super::pending_cache::PendingEntry;
use super::plan::Conflict;
use super::store::{ProposalStore, StoreError};
use super::{Proposal, ProposalKind, ProposalState};
use crate::content::time::format_time;
use crate::index::BlogSource;
use crate::limits::{MAX_CONFLICT_TEXT_BYTES, MAX_VISITED_PROPOSAL_BYTES, MAX_VISITED_PROPOSALS};
use wardroom_service::ServiceError;
use wardroom_service::proposal::ProposalStatus;

/// A proposal in lists and answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProposalItem {
    pub(crate) id: String,
    kind: ProposalKind,
    status: ProposalStatus,
    entity_id: String,
    title: String,
    /// The change of metadata as JSON, else empty.
    data: String,
    created_at: String,
    expires_at: String,
    is_expired: bool,
    proposed_by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    draft_post: Option<NamedEntity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_script: Option<NamedEntity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_template: Option<NamedEntity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_media: Option<NamedEntity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_post: Option<NamedEntity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Why files are not as the decision says.
    #[serde(skip_serializing_if = "Option::is_none")]
    unwritten: Option<String>,
}

/// What a proposal is about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct NamedEntity {
    id: String,
    title: String,
    /// The file, below the folder of the blog.
    path: String,
}

/// The texts of a file that changed since a change of it was proposed, each cut where it is long.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConflictTexts {
    /// The fields that both changed.
    fields: Vec<String>,
    /// When the change was proposed.
    base: String,
    /// Now.
    theirs: String,
    /// As proposed.
    ours: String,
    /// Both changes together, where they go together: merge accepts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: Option<String>,
}

impl ConflictTexts {
    pub(crate) fn new(conflict: &Conflict) -> Self {
        let shown = |text: &String| cut_lines(text.clone(), MAX_CONFLICT_TEXT_BYTES);
        let Conflict { path: _, message: _, base, theirs, ours, merged, fields } = conflict;
        Self {
            fields: fields.clone(),
            base: shown(base),
            theirs: shown(theirs),
            ours: shown(ours),
            merged: merged.as_ref().map(shown),
        }
    }
}

/// Returns a text, cut at the end of a line where it is long.
pub(crate) fn cut_lines(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        text.truncate(text.floor_char_boundary(limit));
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        text.push_str("… (the rest is in the review)\n");
    }
    text
}

impl ProposalItem {
    /// Describes a proposal at a time, in milliseconds since 1970.
    pub(crate) fn new(state: &ProposalState, now: i64) -> Self {
        let ProposalState { proposal, decision, left_alone: _, is_carried_out: _ } = state;
        let entity = NamedEntity {
            id: proposal.entity_id.clone(),
            title: proposal.title.clone(),
            path: proposal.change.path.clone(),
        };
        let of = |kinds: &[ProposalKind]| kinds.contains(&proposal.kind).then(|| entity.clone());
        use ProposalKind as Kind;
        Self {
            id: proposal.id.clone(),
            kind: proposal.kind,
            status: state.status(now),
            entity_id: proposal.entity_id.clone(),
            title: proposal.title.clone(),
            data: proposal.data(),
            created_at: format_time(proposal.created_at),
            expires_at: format_time(proposal.expires_at),
            is_expired: proposal.expires_at <= now,
            proposed_by: proposal.proposer.who.clone(),
            draft_post: of(&[Kind::DraftPost]),
            proposed_script: of(&[Kind::ProposeScript]),
            proposed_template: of(&[Kind::ProposeTemplate]),
            target_media: of(&[Kind::ProposeMediaMetadata, Kind::ProposeMediaTranslation]),
            target_post: of(&[Kind::ProposePostMetadata, Kind::ProposePostTranslation, Kind::ProposePostEdit]),
            decided_at: decision.as_ref().map(|decision| format_time(decision.at)),
            decided_by: decision.as_ref().map(|decision| format!("{} ({})", decision.who, decision.through)),
            reason: decision.as_ref().and_then(|decision| decision.reason.clone()),
            unwritten: state.unwritten(),
        }
    }
}

impl ProposalItem {
    pub(super) fn proposed_by(&self) -> &str {
        &self.proposed_by
    }

    pub(super) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn unwritten(&self) -> Option<&str> {
        self.unwritten.as_deref()
    }

    pub(super) const fn kind(&self) -> &'static str {
        self.kind.as_str()
    }

    pub(super) const fn status(&self) -> &'static str {
        self.status.as_str()
    }
}

/// Returns the newest proposals with a status after a cursor, and the cursor of the next page. A page may have fewer than
/// there are: it ends after a number of files, or of bytes.
pub(crate) fn proposals_with(
    source: &BlogSource,
    status: ProposalStatus,
    cursor: Option<&str>,
    limit: usize,
    now: i64,
) -> Result<(Vec<ProposalItem>, Option<String>), ServiceError> {
    let (found, next) = find_proposals(source, &[status], cursor, limit, now)?;
    Ok((found.iter().map(|found| ProposalItem::new(found, now)).collect(), next))
}

/// Returns the newest proposals with one of several statuses after a cursor, and the cursor of the next page.
pub(crate) fn find_proposals(
    source: &BlogSource,
    statuses: &[ProposalStatus],
    cursor: Option<&str>,
    limit: usize,
    now: i64,
) -> Result<(Vec<ProposalState>, Option<String>), ServiceError> {
    let store = ProposalStore::new(&source.folder);
    let mut page = ProposalPage::new(statuses, limit, now);
    let is_after = |entry: &PendingEntry| cursor.is_none_or(|cursor| *entry.id < *cursor);
    // What has expired is where pending ones are until it is swept.
    let mut waiting = Vec::new();
    if statuses.iter().any(|status| matches!(status, ProposalStatus::Pending | ProposalStatus::Expired)) {
        waiting = store.pending(&source.pending).map_err(store_error)?;
        waiting.retain(|entry| {
            let is_shown = statuses.contains(&ProposalStatus::Pending) && entry.is_pending(now)
                || statuses.contains(&ProposalStatus::Expired) && entry.is_expired(now);
            is_shown && is_after(entry) && !store.is_decided(&entry.id)
        });
    }
    let mut waiting = waiting.iter().map(|entry| &*entry.id).peekable();
    let mut add_waiting = |page: &mut ProposalPage<'_>, until: Option<&str>| {
        while let Some(id) = waiting.next_if(|id| until.is_none_or(|until| *id > until)) {
            if !page.add(id, || store.find(id, now)) {
                return false;
            }
        }
        true
    };
    let has_decided = statuses.iter().any(|status| *status != ProposalStatus::Pending);
    if has_decided {
        let visited = store.visit_decided(&source.decided, cursor, |folder, entry| {
            // A decision does not change: the file of one that is not shown is read once.
            let is_shown = |known: KnownDecision| statuses.contains(&known.status) && known.still_answers(now);
            if entry.known().is_some_and(|known| !is_shown(known)) {
                return true;
            }
            if !add_waiting(&mut page, Some(entry.id())) {
                return false;
            }
            page.add(entry.id(), || {
                let decided = ProposalStore::read_decided_in(folder, entry.id())?;
                decided.iter().for_each(|decided| entry.remember(&decided.decision));
                Ok(decided.filter(|decided| decided.decision.still_answers(now)).map(ProposalState::from))
            })
        });
        visited.map_err(store_error)?;
    }
    if !page.has_more {
        add_waiting(&mut page, None);
    }
    let ProposalPage { found, last, has_more, .. } = page;
    Ok((found, last.filter(|_| has_more)))
}

/// A page of proposals while it is collected.
struct ProposalPage<'p> {
    statuses: &'p [ProposalStatus],
    limit: usize,
    now: i64,
    found: Vec<ProposalState>,
    n_read: usize,
    /// Bytes of text that were read.
    n_bytes: usize,
    /// The last one that was read.
    last: Option<String>,
    has_more: bool,
}

impl<'p> ProposalPage<'p> {
    const fn new(statuses: &'p [ProposalStatus], limit: usize, now: i64) -> Self {
        Self { statuses, limit, now, found: Vec::new(), n_read: 0, n_bytes: 0, last: None, has_more: false }
    }

    /// Reads a proposal, and adds it if it belongs to the page. Returns false if the page has no room for it.
    fn add(&mut self, id: &str, read: impl FnOnce() -> Result<Option<ProposalState>, StoreError>) -> bool {
        let is_full = self.found.len() == self.limit
            || self.n_read == MAX_VISITED_PROPOSALS
            || self.n_bytes >= MAX_VISITED_PROPOSAL_BYTES;
        if is_full {
            self.has_more = true;
            return false;
        }
        self.n_read += 1;
        self.last = Some(id.to_owned());
        match read() {
            Ok(Some(found)) => {
                self.n_bytes += found.proposal.change.text_len();
                // One that was swept meanwhile is there as a decision.
                let is_listed = self.found.last().is_some_and(|last| last.proposal.id == id);
                if self.statuses.contains(&found.status(self.now)) && !is_listed {
                    self.found.push(found);
                }
            }
            Ok(None) => {}
            // One that cannot be read hides no other one.
            Err(error) => tracing::warn!(id, %error, "a proposal is left out of a list"),
        }
        true
    }
}

impl Proposal {
    /// Returns the change of metadata as JSON; empty for the other kinds.
    pub(crate) fn data(&self) -> String {
        match self.kind {
            ProposalKind::ProposeMediaMetadata
            | ProposalKind::ProposePostMetadata
            | ProposalKind::ProposeMediaTranslation => self.proposed_fields().to_string(),
            _ => String::new(),
        }
    }

    /// Returns the proposed values of fields, by their names.
    pub(crate) fn proposed_fields(&self) -> Value {
        let fields = self.change.fields.iter().map(|field| (field.name.clone(), field.value.clone()));
        Value::Object(fields.collect::<Map<_, _>>())
    }
}
