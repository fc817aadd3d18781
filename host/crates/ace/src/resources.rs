//! The resources of `ace`: their list, their template, and one of them by URI.
//!
//! Owns: what each resource contains, and which files it depends on.
//! Never: fails for a line of a log that cannot be read.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::ace_uri::{AceUri, SCHEME, is_trace_id};
use crate::error_code as code;
use crate::files::LogFile;
use crate::insight::Insight;
use crate::knowledge::BulletItem;
use crate::limits::MAX_RECENT_INSIGHTS;
use crate::playbook::Playbook;
use crate::sanitize::make_harmless;
use crate::trace::Trace;
use crate::{Ace, LearningLog};
use wardroom_base::payload::Payload;
use wardroom_service::{
    Caller, Cost, Dependencies, EntryExtras, ListPage, RequestInfo, ResourceContent, ResourceEntry, ResourceProvider,
    ServiceError, TemplateEntry, VariableCompletion, Work, escape_and_truncate, mime,
};

/// The name of the mark of content that comes from the output of tools.
pub(crate) const UNTRUSTED: &str = "wardroom/untrusted";

const TRACE_TEMPLATE: &str = "ace://traces/{trace_id}";
const TRACE_VARIABLE: &str = "trace_id";

const FIXED: [(&str, &str, &str); 5] = [
    ("knowledge/bullets", "Bullets", "All knowledge bullets from AGENTS.md"),
    ("knowledge/sections", "Sections", "Available sections in AGENTS.md"),
    ("logs/recent-insights", "Recent insights", "Last 20 insights from insights.jsonl, the newest first"),
    ("knowledge/stats", "Statistics", "Numbers of bullets, insights and traces, and what recurs"),
    ("proposals", "Proposals", "Changes of bullets that wait for a person, and what was decided in the last 30 days"),
];

impl ResourceProvider for Ace {
    fn list(
        &self,
        mark: Option<&str>,
        limit: usize,
        _info: &RequestInfo,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        let mut entries: Vec<ResourceEntry> =
            FIXED.iter().map(|entry| ResourceEntry::fixed_json(SCHEME, *entry)).collect();
        let start = match mark {
            None => 0,
            Some(mark) => {
                1 + entries.iter().position(|entry| entry.name == mark).ok_or_else(ServiceError::unknown_cursor)?
            }
        };
        let rest = entries.split_off(start);
        let next = rest.get(limit.wrapping_sub(1)).filter(|_| rest.len() > limit).map(|entry| entry.name.to_string());
        Ok(ListPage { items: rest.into_iter().take(limit).collect(), next_cursor: next })
    }

    fn templates(&self, _caller: &Caller) -> Vec<Arc<TemplateEntry>> {
        vec![Arc::new(TemplateEntry {
            pattern: TRACE_TEMPLATE.to_owned(),
            name: "trace".into(),
            title: Some("Trace".into()),
            description: "What happened in a task, as it was captured".into(),
            mime_type: mime::JSON.into(),
            extra: EntryExtras::default(),
        })]
    }

    fn resolve(
        self: Arc<Self>,
        uri: &str,
        _caller: &Arc<Caller>,
    ) -> Option<Result<Work<ResourceContent>, ServiceError>> {
        AceUri::is_of_scheme(uri).then(|| {
            let (parsed, uri) = (AceUri::parse(uri)?, uri.to_owned());
            let log = self.0.clone().ok_or_else(|| ServiceError::NotFound { uri: uri.clone() })?;
            Ok(Work::new(Cost::Worker, move |info| log.read(&parsed, &uri, info)))
        })
    }

    fn validate(&self, uri: &str, _caller: &Caller) -> Option<Result<(), ServiceError>> {
        AceUri::is_of_scheme(uri).then(|| AceUri::parse(uri).map(drop))
    }

    fn dependencies(&self, uri: &str, _caller: &Caller) -> Option<Result<Dependencies, ServiceError>> {
        AceUri::is_of_scheme(uri).then(|| {
            let mut dependencies = Dependencies::default();
            let parsed = AceUri::parse(uri)?;
            let (has_playbook, logs): (bool, &[LogFile]) = match parsed {
                AceUri::Bullets | AceUri::Sections => (true, &[]),
                AceUri::RecentInsights => (false, &[LogFile::Insights]),
                AceUri::Stats => (true, &[LogFile::Insights, LogFile::Traces, LogFile::Bullets]),
                AceUri::Proposals => (false, &[]),
                AceUri::Trace(_) => (false, &[LogFile::Traces]),
            };
            if let Some(log) = &self.0 {
                log.files.add_dependencies(&mut dependencies, has_playbook, logs);
                if parsed == AceUri::Proposals {
                    log.files.add_proposals(&mut dependencies);
                }
            }
            Ok(dependencies)
        })
    }

    fn complete(
        self: Arc<Self>,
        completing: &VariableCompletion,
        _caller: &Arc<Caller>,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        if completing.template != TRACE_TEMPLATE {
            return None;
        }
        if completing.variable != TRACE_VARIABLE {
            let given = escape_and_truncate(&completing.variable);
            return Some(Err(ServiceError::Invalid(format!("{TRACE_TEMPLATE} has no variable '{given}'"))));
        }
        let Some(log) = self.0.clone() else { return Some(Ok(Work::done(Vec::new()))) };
        let prefix = completing.prefix.clone();
        Some(Ok(Work::new(Cost::Worker, move |info| {
            let mut ids = log.newest_traces(&prefix, &|| info.cancellation.is_cancelled())?;
            // No URI names another.
            ids.retain(|id| is_trace_id(id));
            Ok(ids)
        })))
    }
}

impl LearningLog {
    fn read(&self, resource: &AceUri, uri: &str, info: &RequestInfo) -> Result<ResourceContent, ServiceError> {
        let stop = || info.cancellation.is_cancelled();
        let text = match resource {
            AceUri::Bullets => {
                let text = self.files.playbook().map_err(|error| missing(uri, error))?;
                to_json(&Playbook::parse(&text).bullets().iter().map(BulletItem::new).collect::<Vec<_>>())?
            }
            AceUri::Sections => {
                let text = self.files.playbook().map_err(|error| missing(uri, error))?;
                to_json(&Playbook::parse(&text).sections().iter().map(|section| &section.name).collect::<Vec<_>>())?
            }
            AceUri::RecentInsights => {
                let mut recent: Vec<Insight> = Vec::new();
                let visited = self.files.visit_backwards(LogFile::Insights, &stop, |insight: Insight| {
                    if recent.iter().all(|known| known.id != insight.id) {
                        recent.push(insight);
                    }
                    if recent.len() < MAX_RECENT_INSIGHTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                });
                visited.map_err(|error| missing(uri, error))?;
                to_harmless_json(&recent)?
            }
            AceUri::Stats => to_json(&self.stats(&stop)?)?,
            AceUri::Proposals => to_json(&self.proposal_items()?)?,
            AceUri::Trace(id) => {
                let found = self.find_trace(id, &stop).map_err(|error| missing(uri, error))?;
                to_harmless_json(&found.ok_or_else(|| ServiceError::NotFound { uri: uri.to_owned() })?)?
            }
        };
        let mut content = ResourceContent::new(mime::JSON, text, None);
        content.meta_fields = vec![(UNTRUSTED, Payload::from_value(Value::Bool(true)))];
        Ok(content)
    }

    /// Returns the last trace with an id.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND` and `PARSE_ERROR`.
    pub(crate) fn find_trace(&self, id: &str, stop: &dyn Fn() -> bool) -> Result<Option<Trace>, ServiceError> {
        let mut found = None;
        self.files.visit_backwards(LogFile::Traces, stop, |trace: Trace| {
            if trace.trace_id == id {
                found = Some(trace);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }
}

/// A resource whose file is missing is not found.
fn missing(uri: &str, error: ServiceError) -> ServiceError {
    match error {
        ServiceError::Tool { code: code::FILE_NOT_FOUND, .. } => ServiceError::NotFound { uri: uri.to_owned() },
        error => error,
    }
}

fn to_json(value: &impl Serialize) -> Result<String, ServiceError> {
    serde_json::to_string(value).map_err(|error| ServiceError::internal("cannot encode the answer as JSON", error))
}

/// Encodes a part of a log, whose texts another program may have written, as those that are captured.
fn to_harmless_json(value: &impl Serialize) -> Result<String, ServiceError> {
    let value = serde_json::to_value(value);
    let mut value = value.map_err(|error| ServiceError::internal("cannot encode the answer as JSON", error))?;
    make_harmless(&mut value);
    to_json(&value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Execution, ReportedError};

    #[test]
    fn every_text_of_a_trace_is_made_harmless() {
        let hostile = "a\u{202e}\u{e0049}\u{1b}[31m\npassword=hunter2";
        let error = ReportedError { message: hostile.to_owned(), line: Some(3.0), ..ReportedError::default() };
        let run = Execution { command: hostile.to_owned(), errors: vec![error], ..Execution::default() };
        let trace = Trace {
            trace_id: hostile.to_owned(),
            discovered_issues: vec![hostile.to_owned()],
            execution_results: vec![run],
            ..Trace::default()
        };
        let json = to_harmless_json(&trace).unwrap();
        assert!(
            !json.contains("hunter2") && !json.contains(['\u{202e}', '\u{e0049}']) && !json.contains("31m"),
            "{json}"
        );
        assert_eq!(json.matches("a\\npassword=[REDACTED]").count(), 4, "{json}");
        assert!(json.contains("\"line\":3,") || json.contains("\"line\":3}"), "{json}");
    }
}
