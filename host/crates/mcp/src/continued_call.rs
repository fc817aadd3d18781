//! Calls that a client repeats with its responses and a continuation token: each acts once.
//!
//! Owns: when a reply is kept, and what a second call with the same token gets.
//! Never: runs a call whose token was used with other responses, or whose first run was interrupted after it may have
//! acted.

use rmcp::model::{CallToolResponse, ErrorData, GetPromptResponse, ReadResourceResponse};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::task::spawn_blocking;

use super::client::CallIdentity;
use super::{McpServer, encode, error};
use wardroom_service::audit::AuditSource;
use wardroom_service::error_code as code;
use wardroom_service::limits::MAX_KEPT_REPLY_BYTES;
use wardroom_service::{ContinuationClaim, ContinuationError, ContinuationUse, HeldContinuation, Owner};

/// A reply that can be kept: its kind and the text of its value.
pub(super) trait KeptReply: Sized {
    /// Returns `None` for a reply that is too large.
    fn to_kept(&self) -> Option<(&'static str, String)>;
    fn from_kept(kind: &str, value: &str) -> Option<Self>;

    /// The token of a call that requires input once more.
    fn next_state(&self) -> Option<&str>;

    /// Whether the call was refused for want of a slot or of memory.
    fn is_refusal(&self) -> bool {
        false
    }
}

const COMPLETE: &str = "complete";
/// The structured value is the first text.
const COMPLETE_FROM_TEXT: &str = "complete_from_text";
const INPUT_REQUIRED: &str = "input_required";
const TASK: &str = "task";
const ERROR: &str = "error";

impl McpServer {
    /// Counts a refusal in the audit trail.
    pub(super) fn audit_refusal(&self, source: &AuditSource, subject: &str, reason: &str) {
        let trail = self.catalogue.audit();
        if trail.count_refusal(source, subject, reason) {
            let trail = trail.clone();
            // Not waited for: a count that is not written now is written with the next one.
            drop(spawn_blocking(move || trail.write_counts()));
        }
    }

    /// Counts that something does not exist for this caller, which may mean that it is another caller's.
    pub(super) fn audit_unseen(&self, method: &str, reason: &str) {
        if self.caller.owner != Owner::Operator {
            self.audit_refusal(&AuditSource::from_caller(&self.caller), method, reason);
        }
    }

    /// Runs a call unless it continues one that ran before. Then its reply is the one that was kept.
    pub(super) async fn run_once<R: KeptReply>(
        &self,
        identity: &CallIdentity<'_>,
        run: impl Future<Output = Result<R, ErrorData>>,
    ) -> Result<R, ErrorData> {
        let (Some(state), Some(store)) = (identity.request_state(), self.continuations.clone()) else {
            return run.await;
        };
        let refused = |_: &ErrorData| {
            self.audit_refusal(&AuditSource::from_caller(&self.caller), "requestState", "invalid or used before");
        };
        let Some(used) = self.state_sealer.used_token(identity).inspect_err(refused)? else { return run.await };
        let (token, content, may_repeat) = (state.clone(), used.content, used.may_repeat);
        let owner = self.caller.owner.clone();
        let claiming = spawn_blocking(move || {
            let responses = used.digest_of_responses;
            store.claim(&ContinuationUse { token: &token, owner: &owner, responses, may_repeat: used.may_repeat })
        });
        let claimed = claiming.await.map_err(|_| error::internal_with_message("the claim of requestState panicked"))?;
        let claimed = claimed.map_err(|why| claim_error(&why)).inspect_err(|why| {
            // Who asks again too early is no attacker.
            if !error::is_busy(why) {
                refused(why);
            }
        });
        let held = match claimed? {
            ContinuationClaim::First(held) => held,
            ContinuationClaim::Kept(reply) => return parse_reply(&reply),
        };
        let reply = run.await;
        // A call that did nothing may be repeated with other responses. One that was refused may have acted before.
        let did_nothing = match &reply {
            Ok(reply) => {
                let repeats =
                    reply.next_state().is_some_and(|next| self.state_sealer.carries(next, &content, identity));
                repeats || may_repeat && reply.is_refusal()
            }
            Err(error) => may_repeat && error::is_busy(error),
        };
        let kept = match &reply {
            Ok(reply) => reply.to_kept(),
            // The work of a cancelled call may go on: what it did is not known.
            Err(error) if error::is_cancelled(error) => return reply,
            Err(error) => kept_value(ERROR, error),
        };
        keep(held, kept, did_nothing).await;
        reply
    }
}

async fn keep(held: HeldContinuation, kept: Option<(&'static str, String)>, did_nothing: bool) {
    let keeping = spawn_blocking(move || {
        if did_nothing {
            return held.release();
        }
        held.keep(kept.map(|(kind, value)| format!("{{\"kind\":\"{kind}\",\"value\":{value}}}")))
    });
    if let Ok(Err(error)) = keeping.await {
        tracing::warn!(%error, "cannot keep the reply to a continued call");
    }
}

fn claim_error(why: &ContinuationError) -> ErrorData {
    match why {
        ContinuationError::OtherResponses | ContinuationError::Interrupted | ContinuationError::NotKept => {
            error::invalid_params(why.to_string())
        }
        ContinuationError::Running | ContinuationError::Full => error::busy(why.to_string()),
        ContinuationError::AppDir(error) => {
            tracing::error!(%error, "cannot record the use of a requestState");
            error::internal_with_message("the use of requestState cannot be recorded: the log of the server says why")
        }
    }
}

fn parse_reply<R: KeptReply>(text: &str) -> Result<R, ErrorData> {
    let lost = || error::internal_with_message("the kept reply cannot be read: call again without requestState");
    let kept: KeptLine = serde_json::from_str(text).map_err(|_| lost())?;
    match kept.kind {
        ERROR => Err(parse(kept.value.get()).ok_or_else(lost)?),
        kind => R::from_kept(kind, kept.value.get()).ok_or_else(lost),
    }
}

#[derive(Deserialize)]
struct KeptLine<'l> {
    kind: &'l str,
    #[serde(borrow)]
    value: &'l RawValue,
}

fn parse<T: DeserializeOwned>(value: &str) -> Option<T> {
    serde_json::from_str(value).ok()
}

fn kept_value(kind: &'static str, value: &impl Serialize) -> Option<(&'static str, String)> {
    Some((kind, serde_json::to_string(value).ok()?))
}

impl KeptReply for CallToolResponse {
    fn to_kept(&self) -> Option<(&'static str, String)> {
        match self {
            Self::Complete(result) if encode::is_structured_from_text(result) => {
                let text = result.content.first().and_then(|block| block.as_text());
                if text.is_some_and(|text| text.text.len() > MAX_KEPT_REPLY_BYTES) {
                    return None;
                }
                let mut kept = result.clone();
                kept.structured_content = None;
                kept_value(COMPLETE_FROM_TEXT, &kept)
            }
            Self::Complete(result) => kept_value(COMPLETE, result),
            Self::InputRequired(result) => kept_value(INPUT_REQUIRED, result),
            Self::Task(result) => kept_value(TASK, result),
            _ => None,
        }
    }

    fn from_kept(kind: &str, value: &str) -> Option<Self> {
        match kind {
            COMPLETE => parse(value).map(Self::Complete),
            COMPLETE_FROM_TEXT => {
                let mut result = parse(value)?;
                encode::structure_first_text(&mut result);
                Some(Self::Complete(result))
            }
            INPUT_REQUIRED => parse(value).map(Self::InputRequired),
            TASK => parse(value).map(Self::Task),
            _ => None,
        }
    }

    fn next_state(&self) -> Option<&str> {
        match self {
            Self::InputRequired(result) => result.request_state.as_deref(),
            _ => None,
        }
    }

    fn is_refusal(&self) -> bool {
        let Self::Complete(result) = self else { return false };
        let error = result.structured_content.as_ref().and_then(|content| content.pointer("/error/code")?.as_str());
        error.is_some_and(|error| [code::BUSY.as_str(), code::OUT_OF_MEMORY.as_str()].contains(&error))
    }
}

/// Implements the trait for a response that is complete or requires input.
macro_rules! kept_reply {
    ($response:ty) => {
        impl KeptReply for $response {
            fn to_kept(&self) -> Option<(&'static str, String)> {
                match self {
                    Self::Complete(result) => kept_value(COMPLETE, result),
                    Self::InputRequired(result) => kept_value(INPUT_REQUIRED, result),
                    _ => None,
                }
            }

            fn from_kept(kind: &str, value: &str) -> Option<Self> {
                match kind {
                    COMPLETE => parse(value).map(Self::Complete),
                    INPUT_REQUIRED => parse(value).map(Self::InputRequired),
                    _ => None,
                }
            }

            fn next_state(&self) -> Option<&str> {
                match self {
                    Self::InputRequired(result) => result.request_state.as_deref(),
                    _ => None,
                }
            }
        }
    };
}

kept_reply!(GetPromptResponse);
kept_reply!(ReadResourceResponse);
