//! `list_proposals` and `get_proposal`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::BlogTool;
use super::proposed::{invalid, shown_diff};
use crate::BlogState;
use crate::apps::{AppPage, AppUse};
use crate::limits::BLOG_PAGE_SIZE;
use crate::proposals::ProposalState;
use crate::proposals::new::{service_error, store_error};
use crate::proposals::plan::{AcceptPlan, PlanError, digest_of};
use crate::proposals::review::not_found;
use crate::proposals::store::ProposalStore;
use crate::proposals::view::{ConflictTexts, ProposalItem, proposals_with};
use crate::resources::to_value;
use wardroom_service::proposal::{ProposalStatus, is_proposal_id, proposal_time_ms};
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListProposalsArgs {
    /// pending by default.
    status: Option<ProposalStatus>,
    /// nextCursor of the page before.
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListProposalsOutput {
    proposals: Vec<ProposalItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct GetProposalArgs {
    #[serde(alias = "proposal_id", alias = "id")]
    proposal_id: String,
}

/// A proposal with what it changes.
#[derive(Serialize, JsonSchema)]
struct ProposalDetails {
    #[serde(flatten)]
    item: ProposalItem,
    /// SHA-256 of the target's file when the change of it was proposed, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    target_digest: Option<String>,
    /// Unified, while it is pending. Where both changes go together, that of the merge.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// Why it cannot be accepted as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<String>,
    /// What to merge, where the file changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict_texts: Option<ConflictTexts>,
}

pub(super) const LIST_TOOL: BlogTool = BlogTool {
    name: "list_proposals",
    title: "List Proposals",
    description: "Lists the queue of suggested changes of the blog (proposals): pending edits and drafts still \
                  waiting for review or approval, or accepted, discarded, expired ones, newest first.",
    input: input_schema::<ListProposalsArgs>,
    output: output_schema::<ListProposalsOutput>,
    behavior: ToolBehavior::READ_ONLY,
    app: AppUse::None,
    call: |state, _, arguments| {
        let args: ListProposalsArgs = parse_arguments(arguments)?;
        let status = args.status.unwrap_or(ProposalStatus::Pending);
        let cursor = args.cursor.as_deref();
        if cursor.is_some_and(|cursor| !is_proposal_id(cursor)) {
            return Err(invalid("cursor: expected the nextCursor of the page before".to_owned()));
        }
        let (proposals, next_cursor) =
            proposals_with(&state.source, status, cursor, BLOG_PAGE_SIZE, proposal_time_ms())?;
        serialize_output(&ListProposalsOutput { proposals, next_cursor })
    },
};

pub(super) const GET_TOOL: BlogTool = BlogTool {
    name: "get_proposal",
    title: "Get Proposal",
    description: "Shows the exact contents of one proposal: what this suggested change (edit) alters, with its diff, \
                  for review before deciding, or what was decided and why.",
    input: input_schema::<GetProposalArgs>,
    output: output_schema::<ProposalDetails>,
    behavior: ToolBehavior::READ_ONLY,
    app: AppUse::Shown(AppPage::Post),
    call: |state, _, arguments| {
        let GetProposalArgs { proposal_id } = parse_arguments(arguments)?;
        let found = state.find_proposal(proposal_id.trim())?.ok_or_else(|| not_found(&proposal_id))?;
        serialize_output(&state.proposal_details(&found)?)
    },
};

impl BlogState {
    pub(crate) fn find_proposal(&self, id: &str) -> Result<Option<ProposalState>, ServiceError> {
        ProposalStore::new(&self.source.folder).find(id, proposal_time_ms()).map_err(store_error)
    }

    /// Returns the pending proposals, for the resource.
    pub(crate) fn pending_proposals(&self) -> Result<Value, ServiceError> {
        let (proposals, next) =
            proposals_with(&self.source, ProposalStatus::Pending, None, BLOG_PAGE_SIZE, proposal_time_ms())?;
        Ok(serde_json::json!({"items": to_value(&proposals)?, "hasMore": next.is_some()}))
    }

    /// Returns a proposal, for the resource.
    pub(crate) fn proposal(&self, id: &str) -> Result<Option<Value>, ServiceError> {
        match self.find_proposal(id)? {
            Some(found) => to_value(&self.proposal_details(&found)?).map(Some),
            None => Ok(None),
        }
    }

    fn proposal_details(&self, found: &ProposalState) -> Result<ProposalDetails, ServiceError> {
        let now = proposal_time_ms();
        let item = ProposalItem::new(found, now);
        let target_digest = found.proposal.change.base.as_deref().map(digest_of);
        let mut details = ProposalDetails { item, target_digest, diff: None, conflict: None, conflict_texts: None };
        if found.status(now) != ProposalStatus::Pending {
            return Ok(details);
        }
        match AcceptPlan::new(&self.source, &found.proposal, false, now) {
            Ok(AcceptPlan { shown, mistakes, .. }) => {
                details.diff = Some(shown_diff(&shown.path, &shown.before, &shown.after));
                details.conflict = mistakes.map(|mistakes| service_error(PlanError::Mistakes(mistakes)).to_string());
            }
            Err(PlanError::Conflict(conflict)) => {
                let merged = conflict.merged.as_ref();
                details.diff = merged.map(|merged| shown_diff(&conflict.path, &conflict.theirs, merged));
                details.conflict_texts = Some(ConflictTexts::new(&conflict));
                details.conflict = Some(service_error(PlanError::Conflict(conflict)).to_string());
            }
            Err(error @ (PlanError::Gone(_) | PlanError::Unreadable(_))) => {
                details.conflict = Some(service_error(error).to_string());
            }
            Err(error) => return Err(service_error(error)),
        }
        Ok(details)
    }
}
