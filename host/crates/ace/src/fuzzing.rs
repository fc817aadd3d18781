//! What the fuzz targets reach of the logs without a tool.
//!
//! Owns: nothing of its own; it is compiled for fuzz targets alone.
//! Never: is part of a server.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::files::{LearningFiles, LearningPlaces, LogFile};
use crate::insight::Insight;
use crate::insight_cache::{InsightCache, InsightIndexes};
use crate::trace::Trace;

/// The lines of a log that can be read, and the number of those that cannot.
#[derive(Debug, PartialEq)]
pub struct ReadLog {
    pub lines: Vec<Value>,
    pub n_skipped: usize,
}

/// Reads the log of traces, from its end or from its beginning; `None` where none of its lines can be read.
#[must_use]
pub fn read_traces(places: &LearningPlaces, is_backwards: bool) -> Option<ReadLog> {
    read::<Trace>(places, LogFile::Traces, is_backwards)
}

/// Reads the log of insights, as [`read_traces`] does.
#[must_use]
pub fn read_insights(places: &LearningPlaces, is_backwards: bool) -> Option<ReadLog> {
    read::<Insight>(places, LogFile::Insights, is_backwards)
}

/// Reads a trace, and writes it again.
#[must_use]
pub fn rewrite_trace(line: &[u8]) -> Option<Vec<u8>> {
    serde_json::to_vec(&crate::files::parse_row::<Trace>(line)?).ok()
}

fn read<T: Serialize + DeserializeOwned>(places: &LearningPlaces, log: LogFile, is_backwards: bool) -> Option<ReadLog> {
    let files = LearningFiles::new(places.clone());
    let mut lines = Vec::new();
    let push = |line: T| {
        lines.push(serde_json::to_value(line).unwrap_or_default());
        ControlFlow::Continue(())
    };
    let counts =
        if is_backwards { files.visit_backwards(log, &|| false, push) } else { files.visit(log, &|| false, push) };
    let n_skipped = counts.ok()?.skipped;
    Some(ReadLog { lines, n_skipped })
}

/// The insights in memory, which follow the log.
#[derive(Default)]
pub struct FollowedInsights(InsightCache);

impl FollowedInsights {
    /// Returns each insight with its number, and how many lines were read and skipped; `None` where none can be read.
    #[must_use]
    pub fn read(&self, places: &LearningPlaces) -> Option<(Vec<String>, usize, usize)> {
        let files = LearningFiles::new(places.clone());
        let known = self.0.read_fuzzed(&files, InsightIndexes::Words).ok()?;
        let known = Arc::clone(&known);
        let rows = known.iter().map(|insight| format!("{insight:?}")).collect();
        Some((rows, known.counts.read, known.counts.skipped))
    }
}
