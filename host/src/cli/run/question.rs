//! The questions of a run, as the tools of runs answer with them.
//!
//! Owns: the fields of those answers.

use serde_json::Value;

/// A question that a run asks a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) id: String,
    pub(super) prompt: String,
    pub(super) system: Option<String>,
    pub(super) max_tokens: u64,
}

/// What a run has become.
#[derive(Debug)]
pub(super) enum RunStep {
    Asks {
        session: String,
        questions: Vec<Question>,
    },
    /// An answer was taken, and others are missing.
    Accepted,
    Over,
}

impl RunStep {
    /// Reads the answer of a tool that starts or continues a run.
    pub(super) fn from_answer(answer: &Value) -> Self {
        match text(answer, "status").as_deref() {
            Some("needs_response") => {
                let questions = match answer.get("queries").and_then(Value::as_array) {
                    Some(queries) => queries.iter().filter_map(|query| Question::from_fields(query, "id")).collect(),
                    None => Question::from_fields(answer, "query_id").into_iter().collect(),
                };
                Self::Asks { session: text(answer, "session_id").unwrap_or_default(), questions }
            }
            Some("accepted") => Self::Accepted,
            _ => Self::Over,
        }
    }

    /// Reads what `alc_status` says of one run.
    pub(super) fn from_status(answer: &Value, session: &str) -> Self {
        let pending = answer.pointer("/sessions/0/pending").and_then(Value::as_array);
        let questions = pending.into_iter().flatten().filter_map(|query| Question::from_fields(query, "query_id"));
        Self::Asks { session: session.to_owned(), questions: questions.collect() }
    }
}

impl Question {
    fn from_fields(fields: &Value, id: &str) -> Option<Self> {
        Some(Self {
            id: text(fields, id)?,
            prompt: text(fields, "prompt")?,
            system: text(fields, "system"),
            max_tokens: fields.get("max_tokens").and_then(Value::as_u64).unwrap_or_default(),
        })
    }
}

fn text(fields: &Value, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::to_owned)
}
