//! The files of an eval: `evals/{strategy}_{seconds}.json`, and its summary beside it.
//!
//! Owns: ids, `{strategy}_{seconds}` with the pattern `^[A-Za-z0-9-]+_\d+$`. Every other character of the strategy
//! becomes `-`. Where the id is taken, or would read another eval, the number is the next free one. The number is
//! therefore only approximately the time; `timestamp` in the summary is exact.
//! Never: stores a run that failed, or replaces an eval.

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{EVALS_DIR, EvalStore};
use crate::error_code as code;
use crate::limits::{MAX_EVAL_ATTEMPTS, MAX_EVAL_STRATEGY_BYTES};
use crate::stored_json::{JsonStyle, to_json, value_at};
use wardroom_appdir::{AppDirError, Privacy};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::hex::encode_hex;
use wardroom_base::payload::Payload;
use wardroom_service::ServiceError;
use wardroom_service::limits::MAX_DOCUMENT_BYTES;

/// The fields of `{id}.meta.json`, in their order.
#[derive(Serialize)]
pub(super) struct EvalSummary<'a> {
    eval_id: &'a str,
    strategy: &'a str,
    timestamp: u64,
    pass_rate: &'a Value,
    mean_score: &'a Value,
    total_cases: &'a Value,
    passed: &'a Value,
    llm_calls: &'a Value,
    elapsed_ms: &'a Value,
    summary: &'a Value,
}

impl<'a> EvalSummary<'a> {
    /// Extracts the summary from the response of an eval, with null for missing fields.
    pub(super) fn from_response(eval_id: &'a str, strategy: &'a str, timestamp: u64, response: &'a Value) -> Self {
        let of_result = |pointer: &str| value_at(response, &format!("/result/{pointer}"));
        Self {
            eval_id,
            strategy,
            timestamp,
            pass_rate: of_result("aggregated/pass_rate"),
            mean_score: of_result("aggregated/scores/mean"),
            total_cases: of_result("aggregated/total"),
            passed: of_result("aggregated/passed"),
            llm_calls: value_at(response, "/stats/auto/llm_calls"),
            elapsed_ms: value_at(response, "/stats/auto/elapsed_ms"),
            summary: of_result("summary"),
        }
    }
}

/// The id as which an eval is about to be stored, and the digest of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalTarget {
    pub id: String,
    pub digest: String,
}

impl EvalStore {
    /// Stores an eval as [`Self::write_journaled`] does, for callers without a journal.
    ///
    /// # Errors
    /// As [`Self::write_journaled`].
    pub fn write(&self, strategy: &str, response: &Value, now: u64) -> Result<String, ServiceError> {
        self.write_journaled(strategy, response, now, None, &mut |_| Ok(()))
    }

    /// Stores the response of a completed eval, at `now` in seconds since 1970, and returns its id. Each target is
    /// announced before its file is created. A process that died after its last announcement may have stored the eval
    /// there; then the eval is not stored again.
    ///
    /// # Errors
    /// When the response's status is not `completed`, when it is larger than an eval that can be read, and when it cannot
    /// be written.
    pub fn write_journaled(
        &self,
        strategy: &str,
        response: &Value,
        now: u64,
        announced: Option<&EvalTarget>,
        announce: &mut dyn FnMut(&EvalTarget) -> Result<(), ServiceError>,
    ) -> Result<String, ServiceError> {
        let status = value_at(response, "/status");
        if status != "completed" {
            let message = format!("only a completed eval can be stored, and the status of this one is {status}");
            return Err(ServiceError::tool(code::NOT_COMPLETED, message));
        }
        let text = response.to_string();
        if text.len() as u64 > MAX_DOCUMENT_BYTES {
            let message = format!(
                "the eval has {}, the limit is {}: it is not stored",
                ByteSize(text.len() as u64),
                ByteSize(MAX_DOCUMENT_BYTES)
            );
            return Err(ServiceError::tool(code::EVAL_TOO_LARGE, message));
        }
        let prefix = strategy_slug(strategy);
        let failed = |error| ServiceError::from_write_error("the evals", error);
        let folder = self.app.create_folder(EVALS_DIR).map_err(failed)?;
        if let Some(target) = announced {
            match folder.read_text(&format!("{}.json", target.id), MAX_DOCUMENT_BYTES) {
                Ok((stored, _)) if text_digest(&stored) == target.digest => return Ok(target.id.clone()),
                Ok(_) | Err(AppDirError::NotFound(_)) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        let digest = text_digest(&text);
        for number in (now..).take(MAX_EVAL_ATTEMPTS) {
            // The original uses this name, and the file would be read by the same id.
            if prefix != strategy && folder.stat(&format!("{strategy}_{number}.json")).is_ok() {
                continue;
            }
            let id = format!("{prefix}_{number}");
            // A target that is taken needs no announcement.
            if folder.stat(&format!("{id}.json")).is_ok() {
                continue;
            }
            announce(&EvalTarget { id: id.clone(), digest: digest.clone() })?;
            match folder.create_file(&format!("{id}.json"), text.as_bytes(), Privacy::Owner) {
                Ok(()) => {
                    let summary =
                        to_json(&EvalSummary::from_response(&id, strategy, now, response), JsonStyle::Compact)?;
                    let name = format!("{id}.meta.json");
                    // An eval without a summary is listed all the same.
                    if let Err(error) = folder.write(&name, summary.as_bytes(), Privacy::Owner) {
                        tracing::warn!(%error, "cannot write the summary of an eval");
                    }
                    return Ok(id);
                }
                Err(AppDirError::AlreadyExists(_)) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(ServiceError::tool(
            code::BUSY,
            format!("too many evals of '{prefix}' were stored in one second: try again"),
        ))
    }
}

fn text_digest(text: &str) -> String {
    encode_hex(&Sha256::digest(text.as_bytes()))
}

/// Converts a strategy's name to the first part of an eval's id.
pub(super) fn strategy_slug(strategy: &str) -> String {
    let dashed = strategy.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    let name: String = dashed.take(MAX_EVAL_STRATEGY_BYTES).collect();
    if name.is_empty() { "inline".to_owned() } else { name }
}

/// Parses the text of an eval, which may have at most `most` bytes.
pub(super) fn parse_eval_object(text: &str, eval: &str, most: usize) -> Result<Map<String, Value>, ServiceError> {
    if text.len() > most {
        let message = format!(
            "alc://eval/{eval} has {}, the limit for the answer of a tool is {}: read it with resources/read",
            ByteSize(text.len() as u64),
            ByteSize(most as u64)
        );
        return Err(ServiceError::tool(code::TOO_LARGE, message));
    }
    let what = format!("eval '{eval}'");
    match Payload::parse(text, text.len()).map(Payload::into_value) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(ServiceError::tool(code::MALFORMED, format!("{what} is not a JSON object"))),
        Err(error) => Err(ServiceError::from_parse_error(&what, error)),
    }
}
