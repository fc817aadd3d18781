//! Calls that a client repeats with its responses and a continuation token: each acts once.
//!
//! Owns: when a reply is kept, and what a second call with the same token gets.
//! Never: runs a call whose token was used with other responses, or whose first run was interrupted after it may have
//! acted.

use rmcp::model::{CallToolResponse, ErrorData, GetPromptResponse, ReadResourceResponse};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::client::CallIdentity;
use super::{McpServer, encode, error};
use wardroom_service::audit::AuditSource;
use wardroom_service::error_code as code;
use wardroom_service::{ContinuationClaim, ContinuationError, ContinuationUse, HeldContinuation, Owner};

/// A reply that can be kept: its kind and its value.
pub(super) trait KeptReply: Sized {
    fn to_kept(&self) -> Option<(&'static str, Value)>;
    fn from_kept(kind: &str, value: Value) -> Option<Self>;

    /// The token of a call that requires input once more.
    fn next_state(&self) -> Option<&str>;

    /// Whether the call was refused for want of a slot or of memory.
    fn is_refusal(&self) -> bool {
        false
    }
}

const COMPLETE: &str = "complete";
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
        let claiming = spawn_blocking(move || {
            let responses = used.digest_of_responses;
            store.claim(&ContinuationUse { token: &token, responses, may_repeat: used.may_repeat })
        });
        let claimed = claiming.await.map_err(|_| error::internal_with_message("the claim of requestState panicked"))?;
        let held = match claimed.map_err(|why| claim_error(&why)).inspect_err(refused)? {
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
            Err(error) => serde_json::to_value(error).ok().map(|error| (ERROR, error)),
        };
        keep(held, kept.filter(|_| !did_nothing), did_nothing).await;
        reply
    }
}

async fn keep(held: HeldContinuation, kept: Option<(&'static str, Value)>, did_nothing: bool) {
    let keeping = spawn_blocking(move || match kept {
        Some((kind, value)) => held.keep(json!({"kind": kind, "value": value}).to_string()),
        None if did_nothing => held.release(),
        None => Ok(()),
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
    let mut kept: Value = serde_json::from_str(text).map_err(|_| lost())?;
    let value = kept.get_mut("value").map(Value::take).ok_or_else(lost)?;
    match kept.get("kind").and_then(Value::as_str) {
        Some(ERROR) => Err(serde_json::from_value(value).map_err(|_| lost())?),
        Some(kind) => R::from_kept(kind, value).ok_or_else(lost),
        None => Err(lost()),
    }
}

fn parse<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

impl KeptReply for CallToolResponse {
    fn to_kept(&self) -> Option<(&'static str, Value)> {
        Some(match self {
            Self::Complete(result) => {
                let mut result = result.clone();
                encode::build_structured_value(&mut result);
                (COMPLETE, serde_json::to_value(result).ok()?)
            }
            Self::InputRequired(result) => (INPUT_REQUIRED, serde_json::to_value(result).ok()?),
            Self::Task(result) => (TASK, serde_json::to_value(result).ok()?),
            _ => return None,
        })
    }

    fn from_kept(kind: &str, value: Value) -> Option<Self> {
        match kind {
            COMPLETE => parse(value).map(Self::Complete),
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
            fn to_kept(&self) -> Option<(&'static str, Value)> {
                Some(match self {
                    Self::Complete(result) => (COMPLETE, serde_json::to_value(result).ok()?),
                    Self::InputRequired(result) => (INPUT_REQUIRED, serde_json::to_value(result).ok()?),
                    _ => return None,
                })
            }

            fn from_kept(kind: &str, value: Value) -> Option<Self> {
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
