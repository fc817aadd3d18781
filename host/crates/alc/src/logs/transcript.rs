//! The transcript of a run, in `logs/{session}.json`, and its summary beside it.
//!
//! Owns: the fields and their order, the token counts and their reliability, and the rule that a log is written once.
//! Never: overwrites an existing log: notes may have been added to it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LogEntry, LogStore};
use crate::error_code as code;
use crate::limits::MAX_LOG_BYTES;
use crate::stored_json::{JsonStyle, to_json};
use wardroom_appdir::{AppDirError, Privacy};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::uri::SessionId;
use wardroom_service::ServiceError;

/// The source of a token count, the least reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenCountSource {
    /// Estimated from the text.
    Estimated,
    /// Reported by the client.
    Provided,
    Definite,
}

/// A number of tokens, with its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenCount {
    pub tokens: u64,
    pub source: TokenCountSource,
}

impl TokenCount {
    /// The count of no text, which is certain.
    pub const ZERO: Self = Self { tokens: 0, source: TokenCountSource::Definite };

    /// Estimates the tokens of a text: a quarter of its ASCII characters plus two thirds of the others.
    #[must_use]
    pub fn estimate(text: &str) -> Self {
        let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
        let other = text.chars().filter(|c| !c.is_ascii()).count() as u64;
        Self { tokens: ascii.div_ceil(4) + (other * 2).div_ceil(3), source: TokenCountSource::Estimated }
    }

    /// Estimates the tokens of a prompt and its system prompt.
    #[must_use]
    pub fn estimate_prompt(prompt: &str, system: Option<&str>) -> Self {
        let whole = Self::estimate(prompt);
        system.map_or(whole, |system| whole.saturating_add(Self::estimate(system)))
    }

    /// Creates a count that the client reported.
    #[must_use]
    pub fn from_client(tokens: u64) -> Self {
        Self { tokens, source: TokenCountSource::Provided }
    }

    /// Adds two counts. The sum has the less reliable source.
    #[must_use]
    pub fn saturating_add(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_add(other.tokens), source: self.source.min(other.source) }
    }
}

/// The statistics of a run: `stats.auto` of its result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunStats {
    pub elapsed_ms: u64,
    pub llm_calls: u64,
    pub pauses: u64,
    pub rounds: u64,
    pub total_prompt_chars: u64,
    pub total_response_chars: u64,
    pub prompt_tokens: TokenCount,
    pub response_tokens: TokenCount,
    pub total_tokens: TokenCount,
    /// The limits set for the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Value>,
}

impl Default for RunStats {
    fn default() -> Self {
        Self {
            elapsed_ms: 0,
            llm_calls: 0,
            pauses: 0,
            rounds: 0,
            total_prompt_chars: 0,
            total_response_chars: 0,
            prompt_tokens: TokenCount::ZERO,
            response_tokens: TokenCount::ZERO,
            total_tokens: TokenCount::ZERO,
            budget: None,
        }
    }
}

/// One prompt and its response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TranscriptRound {
    pub query_id: String,
    pub prompt: String,
    pub system: Option<String>,
    pub response: String,
}

/// The transcript of a finished run.
#[derive(Debug, Clone, PartialEq)]
pub struct Transcript {
    pub session: SessionId,
    pub strategy: Option<String>,
    pub stats: RunStats,
    /// Why the run failed.
    pub error: Option<String>,
    /// The last lines that its scripts wrote.
    pub logs: Vec<LogEntry>,
    pub rounds: Vec<TranscriptRound>,
}

/// `{session}.json`, in the order of its fields.
#[derive(Serialize)]
struct LogDocument<'a> {
    session_id: &'a str,
    strategy: Option<&'a str>,
    task_hint: Option<&'a str>,
    stats: &'a RunStats,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    logs: &'a [LogEntry],
    transcript: &'a [TranscriptRound],
}

/// `{session}.meta.json`.
#[derive(Serialize)]
struct LogSummary<'a> {
    session_id: &'a str,
    strategy: Option<&'a str>,
    task_hint: Option<&'a str>,
    elapsed_ms: u64,
    rounds: u64,
    llm_calls: u64,
    total_prompt_chars: u64,
    total_response_chars: u64,
    prompt_tokens: TokenCount,
    response_tokens: TokenCount,
    total_tokens: TokenCount,
    notes_count: u64,
}

impl LogStore {
    /// Writes the transcript of a finished run, unless logs are off or there is nothing to tell: no model was called, nothing
    /// was logged and nothing failed. An existing log is kept: a run
    /// that finishes twice, because the process died in between, ends the same.
    ///
    /// # Errors
    /// When the log cannot be written, or is larger than a log that can be read.
    pub fn write(&self, transcript: &Transcript) -> Result<(), ServiceError> {
        let Transcript { session, strategy, stats, error, logs, rounds } = transcript;
        if !self.keeps_transcripts || rounds.is_empty() && logs.is_empty() && error.is_none() {
            return Ok(());
        }
        let what = format!("the log of session '{session}'");
        let failed = |error| ServiceError::from_write_error(&what, error);
        let hint = rounds.first().map(|round| task_hint(&round.prompt));
        let (session_id, strategy, task_hint) = (session.as_str(), strategy.as_deref(), hint.as_deref());
        let log = to_json(
            &LogDocument { session_id, strategy, task_hint, stats, error: error.as_deref(), logs, transcript: rounds },
            JsonStyle::Pretty,
        )?;
        if log.len() as u64 > MAX_LOG_BYTES {
            let message = format!(
                "{what} would have {}, the limit is {}: it is not stored",
                ByteSize(log.len() as u64),
                ByteSize(MAX_LOG_BYTES)
            );
            return Err(ServiceError::tool(code::LOG_TOO_LARGE, message));
        }
        let summary = LogSummary {
            session_id,
            strategy,
            task_hint,
            elapsed_ms: stats.elapsed_ms,
            rounds: stats.rounds,
            llm_calls: stats.llm_calls,
            total_prompt_chars: stats.total_prompt_chars,
            total_response_chars: stats.total_response_chars,
            prompt_tokens: stats.prompt_tokens,
            response_tokens: stats.response_tokens,
            total_tokens: stats.total_tokens,
            notes_count: 0,
        };
        let summary = to_json(&summary, JsonStyle::Compact)?;
        let folder = self.create_folder().map_err(failed)?;
        let is_there = |created| match created {
            Ok(()) | Err(AppDirError::AlreadyExists(_)) => Ok(()),
            Err(error) => Err(failed(error)),
        };
        is_there(folder.create_file(&format!("{session}.json"), log.as_bytes(), Privacy::Owner))?;
        // The summary spares a listing from reading the log, which has the same facts.
        is_there(folder.create_unflushed(&format!("{session}.meta.json"), summary.as_bytes(), Privacy::Owner))
    }
}

/// Returns the beginning of the first prompt: at most 100 bytes, and `...` if more follows.
fn task_hint(prompt: &str) -> String {
    const MAX_HINT_BYTES: usize = 100;
    if prompt.len() <= MAX_HINT_BYTES {
        return prompt.to_owned();
    }
    let end = prompt.floor_char_boundary(MAX_HINT_BYTES);
    format!("{}...", prompt.get(..end).unwrap_or_default())
}
