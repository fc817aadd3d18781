//! An insight: what the analysis of traces found, one line of `logs/insights.jsonl`.
//!
//! Owns: the format, in camel case.
//! Never: refuses a field that it does not know, or one that is `null`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hundredths::Hundredths;
use crate::trace::or_default;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Insight {
    pub(crate) id: String,
    /// When it was last seen.
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) timestamp: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) task_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) source: InsightSource,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) signal: InsightSignal,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) recommendation: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) scope: InsightScope,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) confidence: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) online_eligible: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) meta_tags: Vec<String>,
    /// How often it was seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) occurrences: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InsightSource {
    /// The tool that reported the errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) runner: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) bead_ids: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct InsightSignal {
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) pattern: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) evidence: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct InsightScope {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) files: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) glob: Option<String>,
}

impl Insight {
    /// The confidence; none where another program wrote no number between 0 and 1.
    pub(crate) fn hundredths(&self) -> Hundredths {
        Hundredths::from_fraction(self.confidence).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn historical_insights_are_read() {
        let insight: Insight = serde_json::from_str(
            r#"{"id":"i","timestamp":"2025-10-31T12:00:00.000Z","taskId":"b","source":{"runner":"tsc"},"signal":{"pattern":"p",
                "evidence":["e"]},"recommendation":"r","scope":{"glob":"**/*.ts"},"confidence":0.7999999999999999,
                "onlineEligible":false,"metaTags":["tsc"],"delta":"[Bullet #0a0b0c0d] p - r","thread_refs":null}"#,
        )
        .unwrap();
        assert_eq!(insight.hundredths(), Hundredths::new(80));
        let later: Insight =
            serde_json::from_str(r#"{"id":"i","signal":null,"delta":{"section":"s","operation":"add"}}"#).unwrap();
        assert_eq!(later.signal, InsightSignal::default());
        assert!(serde_json::from_str::<Insight>(r#"{"trace_id":"t"}"#).is_err());
    }
}
