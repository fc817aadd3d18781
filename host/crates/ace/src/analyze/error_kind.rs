//! Kinds of errors: what two occurrences of one error have in common.
//!
//! Owns: the signature of a kind, and what is kept of its occurrences.
//! Never: keeps more occurrences than an insight shows.

use super::abstraction::abstract_message;
use super::confidence::{ELIGIBLE, ErrorFacts, ErrorFate};
use super::known_errors::{KnownError, find_known_error, is_code, split_code};
use super::{NewInsight, Seen};
use crate::insight::{Insight, InsightScope};
use crate::limits::{MAX_EVIDENCE_CHARS, MAX_FIELD_CHARS, MAX_INSIGHT_FILES, MAX_PATTERN_CHARS};
use crate::sanitize::{as_one_line, one_line, truncate};
use crate::trace::{ReportedError, Trace};

/// What all occurrences of a kind share.
#[derive(Debug, Clone)]
pub(super) struct ErrorSignature {
    pub(super) tool: String,
    pub(super) code: Option<String>,
    /// The abstracted message.
    pub(super) message: String,
    /// What is known of it; set for the first occurrence of a kind.
    known: Option<&'static KnownError>,
    /// The text by which kinds are told apart.
    key: String,
}

impl ErrorSignature {
    pub(super) fn new(error: &ReportedError) -> Self {
        let tool = one_line(&error.tool, 40).to_lowercase();
        let message = as_one_line(&error.message, MAX_FIELD_CHARS);
        let (in_message, rest) = split_code(&tool, &message);
        let own = Some(error.code.as_str()).filter(|code| is_code(code));
        let code = own.or(in_message).map(str::to_owned);
        // What is abstracted of a line is one, without a secret.
        let message = truncate(&abstract_message(rest), MAX_PATTERN_CHARS);
        let key = key_of(&tool, code.as_deref().unwrap_or_default(), &message);
        Self { tool, code, message, known: None, key }
    }

    /// Looks the error up among those that are known.
    pub(super) fn recognized(self, error: &ReportedError) -> Self {
        let message = as_one_line(&error.message, MAX_FIELD_CHARS);
        let (_, rest) = split_code(&self.tool, &message);
        Self { known: find_known_error(self.code.as_deref(), rest), ..self }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) fn pattern(&self) -> String {
        let text = match &self.code {
            Some(code) if !self.message.contains(code.as_str()) => format!("{code}: {}", self.message),
            _ => self.message.clone(),
        };
        one_line(&text, MAX_PATTERN_CHARS)
    }

    fn is_recognised(&self) -> bool {
        self.code.is_some() || self.known.is_some()
    }

    pub(super) fn tags(&self) -> Vec<String> {
        let known = self.known.into_iter().flat_map(|known| known.tags.iter().map(|tag| (*tag).to_owned()));
        let tool = Some(self.tool.clone()).filter(|tool| !tool.is_empty());
        tool.into_iter().chain(known).chain(self.code.iter().cloned()).collect()
    }
}

/// Returns the text by which kinds are told apart. Quotes and case are the tool's, and not the error's.
fn key_of(tool: &str, code: &str, message: &str) -> String {
    let mut key = String::with_capacity(tool.len() + code.len() + message.len() + 2);
    for part in [tool, "\n", code, "\n"] {
        key.push_str(part);
    }
    if message.is_ascii() {
        let start = key.len();
        let mut copied = 0;
        for at in memchr::memchr3_iter(b'"', b'\'', b'`', message.as_bytes()) {
            key.push_str(message.get(copied..at).unwrap_or_default());
            copied = at + 1;
        }
        key.push_str(message.get(copied..).unwrap_or_default());
        key.get_mut(start..).unwrap_or_default().make_ascii_lowercase();
        return key;
    }
    for c in message.chars() {
        match c {
            '"' | '\'' | '`' | '‘' | '’' | '“' | '”' => {}
            c if c.is_ascii() => key.push(c.to_ascii_lowercase()),
            c => key.extend(c.to_lowercase()),
        }
    }
    key
}

/// A kind of error, and its occurrences.
#[derive(Debug)]
pub(super) struct ErrorKind {
    pub(super) signature: ErrorSignature,
    pub(super) seen: Seen,
    files: Vec<String>,
    n_files: usize,
    endings: Vec<String>,
    is_severe: bool,
}

impl ErrorKind {
    pub(super) fn new(signature: ErrorSignature) -> Self {
        Self { signature, seen: Seen::default(), files: Vec::new(), n_files: 0, endings: Vec::new(), is_severe: true }
    }

    pub(super) fn add(&mut self, trace: &Trace, error: &ReportedError) {
        self.seen.add(trace);
        self.is_severe &= error.is_error();
        let takes_files = self.files.len() < MAX_INSIGHT_FILES;
        let takes_evidence = self.seen.takes_evidence();
        if !takes_files && !takes_evidence {
            return;
        }
        let file = one_line(&error.file, MAX_FIELD_CHARS);
        let known_file = file.is_empty() || self.files.contains(&file);
        if !known_file && takes_files {
            self.n_files += 1;
            let ending = file.rsplit_once(['/', '\\']).map_or(file.as_str(), |(_, name)| name).rsplit_once('.');
            let ending = ending.map_or("", |(_, ending)| ending);
            if !self.endings.iter().any(|known| known == ending) {
                self.endings.push(ending.to_owned());
            }
            self.files.push(file.clone());
        }
        if takes_evidence {
            let line = error.line.map_or_else(String::new, |line| format!(":{line}"));
            let place = if file.is_empty() { String::new() } else { format!("{file}{line} - ") };
            self.seen.add_evidence(one_line(&format!("{place}{}", error.message), MAX_EVIDENCE_CHARS));
        }
    }

    /// Returns the insight.
    pub(super) fn into_insight(self, fate: ErrorFate) -> Insight {
        let facts = ErrorFacts {
            is_recognised: self.signature.is_recognised(),
            is_severe: self.is_severe,
            fate,
            n_tasks: self.seen.beads.len(),
            n_files: self.n_files,
        };
        let confidence = facts.confidence();
        let kind = if self.seen.occurrences > 1 { "recurring-error" } else { "error-pattern" };
        let glob = match self.endings.as_slice() {
            [ending] if !ending.is_empty() => Some(format!("**/*.{ending}")),
            _ => None,
        };
        let mut tags = self.signature.tags();
        tags.push(kind.to_owned());
        if fate == ErrorFate::Flaky {
            tags.push("flaky".to_owned());
        }
        NewInsight {
            key: format!("error\n{}", self.signature.key()),
            pattern: self.signature.pattern(),
            recommendation: match fate {
                ErrorFate::Flaky => {
                    "It went without a change each time: run it again before you change code".to_owned()
                }
                ErrorFate::Open | ErrorFate::FixReported => self.recommendation(glob.as_deref()),
            },
            scope: InsightScope { files: Some(self.files).filter(|files| !files.is_empty()), glob },
            runner: Some(self.signature.tool).filter(|tool| !tool.is_empty()),
            confidence,
            is_eligible: confidence >= ELIGIBLE,
            tags,
        }
        .with(self.seen)
    }

    fn recommendation(&self, glob: Option<&str>) -> String {
        if let Some(known) = self.signature.known {
            return known.advice.to_owned();
        }
        let tool = if self.signature.tool.is_empty() { "the command" } else { self.signature.tool.as_str() };
        let place = glob.map_or_else(String::new, |glob| format!(" in {glob}"));
        match &self.signature.code {
            Some(code) => {
                format!("Look up {code} of {tool} before changing code{place}, and run {tool} after each change")
            }
            None => format!("Expect this from {tool}{place}: run {tool} early, and fix it before other failures"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Text that is ASCII takes a shorter way than other text.
        #[test]
        fn ascii_is_told_apart_as_any_text(text in "[ -~]{0,40}") {
            let (key, longer) = (key_of("tool", "code", &text), key_of("tool", "code", &format!("{text}é")));
            prop_assert_eq!(Some(key.as_str()), longer.strip_suffix('é'));
        }
    }
}
