//! Proposals as clients see them.
//!
//! Owns: the names of the fields, which are the seed's where it has them.
//! Never: decides.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::new::store_error;
use super::store::ProposalStore;
use super::{Proposal, ProposalKind, ProposalState, ProposalStatus};
use crate::content::time::format_time;
use crate::limits::MAX_VISITED_PROPOSALS;
use wardroom_appdir::Folder;
use wardroom_service::ServiceError;

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
}

/// What a proposal is about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct NamedEntity {
    id: String,
    title: String,
    /// The file, below the folder of the blog.
    path: String,
}

impl ProposalItem {
    /// Describes a proposal at a time, in milliseconds since 1970.
    pub(crate) fn new(state: &ProposalState, now: i64) -> Self {
        let ProposalState { proposal, decision, left_alone: _ } = state;
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
        }
    }
}

impl ProposalItem {
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    pub(super) const fn kind(&self) -> &'static str {
        self.kind.as_str()
    }

    pub(super) const fn status(&self) -> &'static str {
        self.status.as_str()
    }
}

/// Returns the newest proposals with a status after a cursor, and the cursor of the next page. A page may have fewer than
/// there are: it ends after a number of files.
pub(crate) fn proposals_with(
    blog: &Folder,
    status: ProposalStatus,
    cursor: Option<&str>,
    limit: usize,
    now: i64,
) -> Result<(Vec<ProposalItem>, Option<String>), ServiceError> {
    let (found, next) = find_proposals(blog, &[status], cursor, limit, now)?;
    Ok((found.iter().map(|found| ProposalItem::new(found, now)).collect(), next))
}

/// Returns the newest proposals with one of several statuses after a cursor, and the cursor of the next page.
pub(crate) fn find_proposals(
    blog: &Folder,
    statuses: &[ProposalStatus],
    cursor: Option<&str>,
    limit: usize,
    now: i64,
) -> Result<(Vec<ProposalState>, Option<String>), ServiceError> {
    let store = ProposalStore::new(blog);
    let mut page: Vec<ProposalState> = Vec::new();
    let (mut n_visited, mut last, mut has_more) = (0, None, false);
    let lists_pending = statuses.contains(&ProposalStatus::Pending);
    let mut add = |id: &str| {
        if page.len() == limit || n_visited == MAX_VISITED_PROPOSALS {
            has_more = true;
            return Ok(false);
        }
        n_visited += 1;
        last = Some(id.to_owned());
        // A decision needs no look at what is pending.
        let found = if lists_pending { store.find(id) } else { store.find_decided(id) };
        match found {
            Ok(Some(found)) if statuses.contains(&found.status(now)) => page.push(found),
            Ok(_) => {}
            // One that cannot be read hides no other one.
            Err(error) => tracing::warn!(id, %error, "a proposal is left out of a list"),
        }
        Ok(true)
    };
    if lists_pending {
        for id in store.pending_ids().map_err(store_error)? {
            if cursor.is_none_or(|cursor| *id < *cursor) && !add(&id).map_err(store_error)? {
                break;
            }
        }
    } else {
        store.visit_decided(cursor, &mut add).map_err(store_error)?;
    }
    // What has expired is where pending ones are until it is swept.
    if statuses.contains(&ProposalStatus::Expired) && cursor.is_none() {
        for id in store.pending_ids().map_err(store_error)? {
            let found = store.find(&id).ok().flatten();
            let is_known = page.iter().any(|state| state.proposal.id == id);
            page.extend(found.filter(|found| !is_known && found.status(now) == ProposalStatus::Expired));
        }
        page.sort_by(|a, b| b.proposal.id.cmp(&a.proposal.id));
    }
    Ok((page, last.filter(|_| has_more)))
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
