//! The configuration of the learning log.
//!
//! Owns: where its files are, and what an update of the playbook may do.
//! Never: opens a folder.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ConfigError, schema};

/// Bullets that one update may add at most. An agent reads each of them in every later task.
const MAX_CONFIGURED_DELTAS: usize = 100;

/// Lines of all bullets together that may be configured at most, and tokens.
const MAX_CONFIGURED_LINES: usize = 10_000;
const MAX_CONFIGURED_TOKENS: usize = 1_000_000;

/// The learning log.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub struct AceConfig {
    /// The folder with `AGENTS.md` and `logs`, an absolute path; the project that is found by default, else `ace` in the
    /// AppDir.
    #[schemars(regex(pattern = schema::ABSOLUTE_PATTERN))]
    pub root: Option<PathBuf>,
    /// The playbook, if it is not `AGENTS.md` in `root`. A relative path begins at `root`.
    pub knowledge_base: Option<PathBuf>,
    /// The log of traces, if it is not `logs/execution_traces.jsonl` in `root`.
    pub traces_path: Option<PathBuf>,
    /// The log of insights, if it is not `logs/insights.jsonl` in `root`.
    pub insights_path: Option<PathBuf>,
    /// Bullets that one update adds.
    #[schemars(range(min = 1, max = MAX_CONFIGURED_DELTAS), extend("default" = 3))]
    pub max_deltas: Option<usize>,
    /// The confidence from which on an insight becomes a bullet.
    #[schemars(range(min = 0.0, max = 1.0), extend("default" = 0.8))]
    pub min_confidence: Option<ConfidenceThreshold>,
    /// Whether a section that is missing in `AGENTS.md` is added.
    pub create_sections: bool,
    /// Lines that all bullets together may have before the least helpful ones are archived.
    #[schemars(range(min = 1, max = MAX_CONFIGURED_LINES), extend("default" = 300))]
    pub max_bullet_lines: Option<usize>,
    /// Tokens that all bullets together may have, of four characters each.
    #[schemars(range(min = 1, max = MAX_CONFIGURED_TOKENS), extend("default" = 20_000))]
    pub max_bullet_tokens: Option<usize>,
    /// Which tags lead to which section, instead of the table of the program.
    pub routes: Option<Vec<RouteConfig>>,
}

/// The section of insights with one of these tags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct RouteConfig {
    /// Tags of which an insight has one.
    #[schemars(length(min = 1))]
    pub tags: Vec<String>,
    /// The section, on one line.
    #[schemars(regex(pattern = r"\S"))]
    pub section: String,
}

/// A number of 0 to 1, in hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64", into = "f64")]
pub struct ConfidenceThreshold(u8);

impl ConfidenceThreshold {
    #[must_use]
    pub const fn hundredths(self) -> u8 {
        self.0
    }
}

impl TryFrom<f64> for ConfidenceThreshold {
    type Error = &'static str;

    fn try_from(fraction: f64) -> Result<Self, Self::Error> {
        if !(0.0..=1.0).contains(&fraction) {
            return Err("expected a number between 0.0 and 1.0");
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 100")]
        Ok(Self((fraction * 100.0).round() as u8))
    }
}

impl From<ConfidenceThreshold> for f64 {
    fn from(threshold: ConfidenceThreshold) -> Self {
        Self::from(threshold.0) / 100.0
    }
}

impl AceConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if let Some(root) = self.root.as_ref().filter(|root| !root.is_absolute()) {
            return Err(ConfigError::RelativeLearningLog(root.clone()));
        }
        let files = [&self.knowledge_base, &self.traces_path, &self.insights_path].into_iter().flatten();
        if let Some(path) = files.filter(|_| self.root.is_none()).find(|path| !path.is_absolute()) {
            return Err(ConfigError::RelativeLearningLog(path.clone()));
        }
        if let Some(n) = self.max_deltas.filter(|n| !(1..=MAX_CONFIGURED_DELTAS).contains(n)) {
            return Err(ConfigError::MaxDeltas(n));
        }
        for (name, given, most) in [
            ("max_bullet_lines", self.max_bullet_lines, MAX_CONFIGURED_LINES),
            ("max_bullet_tokens", self.max_bullet_tokens, MAX_CONFIGURED_TOKENS),
        ] {
            if let Some(given) = given.filter(|n| !(1..=most).contains(n)) {
                return Err(ConfigError::BulletBudget { name, given, most });
            }
        }
        let is_section = |section: &str| !section.trim().is_empty() && !section.chars().any(char::is_control);
        let is_route = |route: &RouteConfig| !route.tags.is_empty() && is_section(&route.section);
        if !self.routes.iter().flatten().all(is_route) {
            return Err(ConfigError::LearningRoute);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;

    #[test]
    fn learning_log_is_configured() {
        let text = "[ace]\nroot = '/p'\ninsights_path = 'log/i.jsonl'\nmax_deltas = 5\nmin_confidence = 0.85\ncreate_sections = true\n\
                    routes = [{ tags = ['go'], section = 'Go' }]\n";
        let config = Config::parse(text).unwrap().ace;
        assert_eq!(config.min_confidence.map(super::ConfidenceThreshold::hundredths), Some(85));
        assert_eq!(
            (config.max_deltas, config.create_sections, config.routes.map(|routes| routes.len())),
            (Some(5), true, Some(1))
        );
        for wrong in [
            "root = 'p'",
            "traces_path = 'traces.jsonl'",
            "max_deltas = 0",
            "max_deltas = 101",
            "max_bullet_lines = 0",
            "max_bullet_lines = 10001",
            "max_bullet_tokens = 1000001",
            "min_confidence = 1.5",
            "min_confidence = '1'",
            "routes = [{ tags = [], section = 'Go' }]",
            "routes = [{ tags = ['go'], section = ' ' }]",
            "rooot = '/p'",
        ] {
            assert!(Config::parse(&format!("[ace]\n{wrong}\n")).is_err(), "{wrong}");
        }
    }
}
