//! A trace: what happened in one task, one line of `logs/execution_traces.jsonl`.
//!
//! Owns: the format, in snake case, in both of its historical shapes: with `stdout` and `exitCode`, and with `runner`
//! and `command`.
//! Never: refuses a field that it does not know, or one that is `null`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Trace {
    pub(crate) trace_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) timestamp: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) bead_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) task_description: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) bullets_consulted: Vec<ConsultedBullet>,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) execution_results: Vec<Execution>,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) discovered_issues: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) completed: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) outcome: String,
    /// What fixed the failures of the task, as it was reported.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub(crate) fix: String,
}

/// A bullet that an agent used in the task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct ConsultedBullet {
    pub(crate) bullet_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) bullet_content: String,
    /// `helpful`, `harmful` or `ignored`.
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) feedback: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) reason: String,
}

/// A build, a test or another command that ran in the task. Earlier programs wrote neither `runner` nor `command`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Execution {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) runner: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) command: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) status: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) errors: Vec<ReportedError>,
    /// The files that changed between a failure of the command and this pass; `None` where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) changed_files: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct ReportedError {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) tool: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) severity: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) message: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) file: String,
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "as_whole_number")]
    pub(crate) line: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "as_whole_number")]
    pub(crate) column: Option<f64>,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub(crate) code: String,
}

impl Execution {
    /// Whether the command failed, in the words of all programs that wrote traces.
    pub(crate) fn has_failed(&self) -> bool {
        is_failure(&self.status)
    }

    pub(crate) fn has_passed(&self) -> bool {
        matches!(self.status.as_str(), "pass" | "passed" | "success" | "ok")
    }
}

/// Whether a status is that of a command that failed.
pub(crate) fn is_failure(status: &str) -> bool {
    matches!(status, "fail" | "failed" | "error" | "failure")
}

impl ReportedError {
    pub(crate) fn is_error(&self) -> bool {
        matches!(self.severity.as_str(), "" | "error")
    }
}

/// Reads `null` as the default.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Writes a place in a file without a fraction, as tools report it. JSON has one kind of number, and clients send any.
#[expect(clippy::ref_option, reason = "serde calls it with a reference")]
fn as_whole_number<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast saturates, and a place is no larger"
    )]
    number.map(|number| number as u64).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_historical_shapes_are_read() {
        let first: Trace = serde_json::from_str(
            r#"{"trace_id":"t","timestamp":"2025-10-31T12:00:00.000Z","bead_id":"b-1","task_description":"d",
                "bullets_consulted":[{"bullet_id":"x","bullet_content":"c","feedback":"harmful","reason":"r","applied_at":"n"}],
                "execution_results":[{"status":"fail","errors":[{"tool":"tsc","file":"a.ts","line":5,"code":"TS2307",
                "message":"m","severity":"error"}],"stdout":"","stderr":"","exitCode":1,"duration":0,"timestamp":"n"}],
                "discovered_issues":["b-2"],"completed":true,"outcome":"failure"}"#,
        )
        .unwrap();
        assert!(first.execution_results[0].has_failed());
        assert_eq!(first.execution_results[0].errors[0].code, "TS2307");
        assert_eq!(first.bullets_consulted[0].feedback, "harmful");
        let second: Trace = serde_json::from_str(
            r#"{"trace_id":"t","bead_id":null,"execution_results":[{"runner":"vitest","command":"npm test","status":"error",
                "errors":null,"metrics":{"tests_failed":2}}],"thread_refs":["T-1"],"amp_threads":{},"outcome":null}"#,
        )
        .unwrap();
        assert!(second.execution_results[0].has_failed());
        assert_eq!((second.bead_id.as_str(), second.execution_results[0].command.as_str()), ("", "npm test"));
        assert!(serde_json::from_str::<Trace>(r#"{"id":"an insight"}"#).is_err());
        // serde takes the fields of an array in their order.
        assert!(serde_json::from_str::<Trace>(r#"["an id"]"#).is_ok());
        assert!(crate::files::parse_row::<Trace>(br#"["an id"]"#).is_none());
    }
}
