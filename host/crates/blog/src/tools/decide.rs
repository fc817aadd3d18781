//! `accept_proposal` and `discard_proposal`.
//!
//! Owns: who may decide: a person, unless the operator lets agents.
//! Never: accepts anything on the word of a model alone, unless the operator lets agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BlogTool;
use crate::apps::AppUse;
use crate::apps::token::DISCARD;
use crate::error_code as code;
use crate::limits::MAX_SHOWN_DIFF_BYTES;
use crate::proposals::decide::{DecideError, DecisionRequest, Outcome, Verdict, accept, discard, show, withdraw};
use crate::proposals::diff::unified_diff;
use crate::proposals::new::service_error;
use crate::proposals::plan::ShownChange;
use crate::proposals::review::{decide_error, decided_otherwise, not_found};
use crate::proposals::slug_check::check_slug;
use crate::proposals::{Proposal, ProposalState, Proposer};
use crate::{AcceptMode, BlogState};
use wardroom_base::hidden_chars::reveal;
use wardroom_base::payload::Payload;
use wardroom_service::audit::AuditSource;
use wardroom_service::proposal::{ProposalStatus, proposal_time_ms};
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{
    ConsentError, ConsentRequest, RequestInfo, ServiceError, ToolBehavior, escape_and_truncate, request_consent,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AcceptArgs {
    #[serde(alias = "proposal_id")]
    proposal_id: String,
    /// Takes both changes where the file changed since and they do not touch.
    #[serde(default)]
    merge: bool,
    /// For pages of MCP Apps.
    review_token: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DiscardArgs {
    #[serde(alias = "proposal_id")]
    proposal_id: String,
    reason: Option<String>,
    review_token: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DecidedOutput {
    success: bool,
    message: String,
    status: ProposalStatus,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    already_accepted: bool,
    /// Files that other programs changed at the same moment, and that stay as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_alone: Vec<String>,
}

pub(super) const ACCEPT_TOOL: BlogTool = BlogTool {
    name: "accept_proposal",
    title: "Accept Proposal",
    description: "Approves a suggested change (pending edit, draft, proposal) that was reviewed and is good: applies \
                  and publishes it live. A person is asked first.",
    input: input_schema::<AcceptArgs>,
    output: output_schema::<DecidedOutput>,
    behavior: ToolBehavior::IDEMPOTENT,
    app: AppUse::PagesOnly,
    call: |state, info, arguments| {
        let AcceptArgs { proposal_id: id, merge, review_token } = parse_arguments(arguments)?;
        let now = proposal_time_ms();
        let found = state.find_proposal(&id)?.ok_or_else(|| not_found(&id))?;
        if found.status(now) != ProposalStatus::Pending {
            return already_decided(&found, now, Verdict::Accept);
        }
        let (shown, digest) = show(&state.source, &found.proposal, merge, now).map_err(service_error)?;
        check_slug(&state.source, Ok(state.stored.clone()), &found.proposal, &shown)?;
        let by = match (state.options.accept, review_token) {
            (AcceptMode::Human, Some(token)) if state.tokens.is_valid(&token, &id, &digest, &info.caller) => {
                AuditSource::from_app(&info.caller)
            }
            (AcceptMode::Human, Some(_)) => return Err(wrong_token()),
            (AcceptMode::Human | AcceptMode::HumanStrict, _) => {
                confirm(state, info, &found, &shown, &digest)?;
                AuditSource::from_elicitation(&info.caller)
            }
            (AcceptMode::Agent, _) => AuditSource::from_caller(&info.caller),
        };
        let request = DecisionRequest {
            id: &id,
            by: &by,
            trail: info.catalogue.audit(),
            digest: Some(&digest),
            merges: merge,
            reason: None,
            // The person may have taken a while.
            now: proposal_time_ms(),
        };
        let outcome = accept(&state.source, &request);
        finish(state, &id, outcome, now, Verdict::Accept)
    },
};

pub(super) const DISCARD_TOOL: BlogTool = BlogTool {
    name: "discard_proposal",
    title: "Discard Proposal",
    description: "Rejects, withdraws or deletes a suggested change of the blog (pending edit, draft in the review \
                  queue, proposal): take back, throw away or forget what is not wanted, with a reason.",
    input: input_schema::<DiscardArgs>,
    output: output_schema::<DecidedOutput>,
    behavior: ToolBehavior { is_idempotent: true, ..ToolBehavior::DESTRUCTIVE },
    app: AppUse::PagesOnly,
    call: |state, info, arguments| {
        let DiscardArgs { proposal_id: id, reason, review_token } = parse_arguments(arguments)?;
        let now = proposal_time_ms();
        let found = state.find_proposal(&id)?.ok_or_else(|| not_found(&id))?;
        if found.status(now) != ProposalStatus::Pending {
            return already_decided(&found, now, Verdict::Discard);
        }
        let mut by = AuditSource::from_caller(&info.caller);
        let is_own = found.proposal.proposer.is_same_principal(&Proposer::from_caller(&info.caller));
        if let Some(token) = review_token.filter(|_| state.options.accept == AcceptMode::Human) {
            if !state.tokens.is_valid(&token, &id, DISCARD, &info.caller) {
                return Err(wrong_token());
            }
            by = AuditSource::from_app(&info.caller);
        } else if !is_own && state.options.accept != AcceptMode::Agent {
            let message = "this proposal is another caller's: its proposer or a person discards it";
            return Err(ServiceError::tool(code::HUMAN_DECIDES, message));
        }
        let reason = reason.map(|reason| super::proposed::check_text("reason", &reason)).transpose()?;
        let request = DecisionRequest {
            id: &id,
            by: &by,
            trail: info.catalogue.audit(),
            digest: None,
            merges: false,
            reason: reason.as_deref(),
            now,
        };
        let outcome = if state.options.accept == AcceptMode::HumanStrict {
            withdraw(&state.source, &request)
        } else {
            discard(&state.source, &request)
        };
        finish(state, &id, outcome, now, Verdict::Discard)
    },
};

/// Whether a tool decides, and writes its decision into the audit trail itself.
pub(super) fn is_decision(name: &str) -> bool {
    name == ACCEPT_TOOL.name || name == DISCARD_TOOL.name
}

fn wrong_token() -> ServiceError {
    let message = "reviewToken is not for what this proposal changes now: show it again with get_proposal";
    ServiceError::tool(code::HUMAN_DECIDES, message)
}

/// Asks the person behind the client.
fn confirm(
    state: &BlogState,
    info: &RequestInfo,
    found: &ProposalState,
    shown: &ShownChange,
    digest: &str,
) -> Result<(), ServiceError> {
    let by_hand = || {
        let id = &found.proposal.id;
        let page = match info.catalogue.review_address() {
            // A strict server shows proposals, and decides on none.
            Some(address) if state.options.accept != AcceptMode::HumanStrict => format!("open {address}, run"),
            _ => "run".to_owned(),
        };
        let message =
            format!("a person decides on this: have one {page} `wardroom review`, or `wardroom proposals accept {id}`");
        ServiceError::tool(code::HUMAN_DECIDES, message)
    };
    let diff = unified_diff(&shown.path, &shown.before, &shown.after);
    // What does not fit in a form was not shown.
    if state.options.accept == AcceptMode::HumanStrict || diff.len() > MAX_SHOWN_DIFF_BYTES {
        return Err(by_hand());
    }
    let Proposal { kind, title, proposer, .. } = &found.proposal;
    let removes = shown.removes.as_ref().map(|draft| format!(", removes {draft}")).unwrap_or_default();
    // On one line: what follows is the difference, and nothing before it looks like one.
    let (title, who) = (escape_and_truncate(title), escape_and_truncate(&proposer.who));
    let what = format!("{}, {}{removes}, proposed by {who}: {title}", kind.as_str(), shown.path);
    let message = format!("Accept this change of the blog?\n{}\n\n{}", reveal(&what), reveal(&diff));
    let request = ConsentRequest { key: "publish", title: "Make it public", message: &message, digest };
    match request_consent(info, &request) {
        Ok(true) => Ok(()),
        Ok(false) => Err(ServiceError::tool(code::HUMAN_DECIDES, "the person did not agree; nothing was published")),
        Err(ConsentError::CannotAsk(_)) => Err(by_hand()),
        Err(ConsentError::Deferred(error)) => Err(error),
    }
}

fn finish(
    state: &BlogState,
    id: &str,
    outcome: Result<Outcome, DecideError>,
    now: i64,
    verdict: Verdict,
) -> Result<Payload, ServiceError> {
    match outcome {
        Ok(Outcome::Done { decided, applied }) => {
            state.index.update_files(applied.files);
            let status = decided.decision.status;
            serialize_output(&DecidedOutput {
                success: applied.left_alone.is_empty(),
                message: format!("Proposal {id} {}{}.", status.as_str(), not_written(&applied.left_alone)),
                status,
                already_accepted: false,
                left_alone: applied.left_alone,
            })
        }
        Ok(Outcome::Already(found)) => already_decided(&found, now, verdict),
        Err(error) => Err(decide_error(id, error)),
    }
}

/// Says which files stay as someone else wrote them.
fn not_written(left_alone: &[String]) -> String {
    if left_alone.is_empty() {
        return String::new();
    }
    format!(", but {} changed at the same moment and stays as it is: propose the change again", left_alone.join(", "))
}

fn already_decided(found: &ProposalState, now: i64, verdict: Verdict) -> Result<Payload, ServiceError> {
    let (id, status) = (&found.proposal.id, found.status(now));
    if status != verdict.status() {
        return Err(decided_otherwise(id, status));
    }
    serialize_output(&DecidedOutput {
        success: found.unwritten().is_none(),
        message: match found.unwritten() {
            Some(reason) => format!("Proposal {id} was already {}, but {reason}.", status.as_str()),
            None => format!("Proposal {id} was already {}.", status.as_str()),
        },
        status,
        already_accepted: verdict == Verdict::Accept,
        left_alone: found.left_alone.clone(),
    })
}
