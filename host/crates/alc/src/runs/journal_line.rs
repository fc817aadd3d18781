//! The form of a journal's lines: one JSON object each, of which only the fields of its kind are there.
//!
//! Owns: the names of the fields, on which journals of earlier servers depend.
//! Never: builds an answer that passes through: it stays text.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::journal::{CallEvent, CallLine, JournalLine, NewCallEvent, NewCallLine};
use crate::logs::LogEntry;
use wardroom_base::payload::Payload;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum LineKind {
    Answer,
    Announced,
    Queries,
    Fork,
    Reply,
    Paused,
    Spent,
    Log,
    Storing,
    Stored,
    Report,
    End,
}

/// The fields of all kinds of lines.
#[derive(Deserialize)]
struct LineFields {
    t: LineKind,
    s: Option<String>,
    n: Option<u64>,
    op: Option<String>,
    q: Option<String>,
    #[serde(default, deserialize_with = "present")]
    ok: Option<Payload>,
    err: Option<String>,
    #[serde(default, deserialize_with = "present")]
    plan: Option<Payload>,
    ids: Option<Vec<String>>,
    asked: Option<Vec<Payload>>,
    id: Option<String>,
    text: Option<String>,
    usage: Option<Value>,
    cpu_ms: Option<u64>,
    at_ms: Option<u64>,
    ms: Option<u64>,
    level: Option<String>,
    source: Option<String>,
    posts: Option<BTreeMap<String, u64>>,
    namespaces: Option<Vec<String>>,
    digest: Option<String>,
    failed: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    payload: Option<Payload>,
}

/// A field that may be null, which is not the same as missing.
fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Payload>, D::Error> {
    Payload::deserialize(field).map(Some)
}

impl LineFields {
    /// Returns the line; `None` when a field is missing.
    fn into_line(mut self) -> Option<JournalLine> {
        Some(match self.t {
            LineKind::Answer => {
                let answer = match (self.ok.take(), self.err.take()) {
                    (Some(value), None) => Ok(value),
                    (None, Some(message)) => Err(message),
                    _ => return None,
                };
                let operation = self.op.take()?;
                self.into_call(operation, CallEvent::Answer(answer))?
            }
            LineKind::Announced => {
                let (operation, plan) = (self.op.take()?, self.plan.take()?);
                self.into_call(operation, CallEvent::Announced(plan))?
            }
            LineKind::Queries => {
                let event = CallEvent::Queries { ids: self.ids.take()?, asked: self.asked.take()? };
                self.into_call("llm".to_owned(), event)?
            }
            LineKind::Fork => self.into_call("fork".to_owned(), CallEvent::Fork)?,
            LineKind::Reply => {
                JournalLine::Reply { id: self.id?, text: self.text?, usage: self.usage, at_ms: self.at_ms }
            }
            LineKind::Paused => {
                JournalLine::Paused { processor_ms: self.cpu_ms.unwrap_or_default(), at_ms: self.at_ms }
            }
            LineKind::Spent => JournalLine::Spent { processor_ms: self.cpu_ms? },
            LineKind::Log => JournalLine::Log(LogEntry {
                ts: self.ms?,
                level: self.level?,
                message: self.text?,
                source: self.source?,
                branch: self.s?,
            }),
            LineKind::Storing => JournalLine::Storing { write_counts: self.posts?, namespaces: self.namespaces? },
            LineKind::Stored => JournalLine::Stored { write_counts: self.posts? },
            LineKind::Report => JournalLine::Report { id: self.id?, digest: self.digest? },
            LineKind::End => JournalLine::End { failed: self.failed?, payload: self.payload? },
        })
    }

    fn into_call(self, operation: String, event: CallEvent) -> Option<JournalLine> {
        let (branch, number, digest) = (self.s?, self.n?, self.q?);
        Some(JournalLine::Call(CallLine { branch, number, operation, digest, event }))
    }
}

impl<'de> Deserialize<'de> for JournalLine {
    fn deserialize<D: Deserializer<'de>>(line: D) -> Result<Self, D::Error> {
        LineFields::deserialize(line)?.into_line().ok_or_else(|| D::Error::custom("a field of the line is missing"))
    }
}

impl NewCallLine<'_> {
    fn serialize_fields<M: SerializeMap>(&self, line: &mut M) -> Result<(), M::Error> {
        let Self { branch, number, operation, digest, event } = self;
        let kind = match event {
            NewCallEvent::Answer(_) => "answer",
            NewCallEvent::Announced(_) => "announced",
            NewCallEvent::Queries { .. } => "queries",
            NewCallEvent::Fork => "fork",
        };
        line.serialize_entry("t", kind)?;
        line.serialize_entry("s", branch)?;
        line.serialize_entry("n", number)?;
        // Of the others, the kind says it.
        if matches!(event, NewCallEvent::Answer(_) | NewCallEvent::Announced(_)) {
            line.serialize_entry("op", operation)?;
        }
        line.serialize_entry("q", digest)?;
        match event {
            NewCallEvent::Answer(Ok(value)) => line.serialize_entry("ok", value)?,
            NewCallEvent::Answer(Err(message)) => line.serialize_entry("err", message)?,
            NewCallEvent::Announced(plan) => line.serialize_entry("plan", plan)?,
            NewCallEvent::Queries { ids, asked } => {
                line.serialize_entry("ids", ids)?;
                line.serialize_entry("asked", asked)?;
            }
            NewCallEvent::Fork => {}
        }
        Ok(())
    }
}

impl Serialize for NewCallLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        self.serialize_fields(&mut line)?;
        line.end()
    }
}

impl Serialize for JournalLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        match self {
            Self::Call(call) => call.as_new().serialize_fields(&mut line)?,
            Self::Reply { id, text, usage, at_ms } => {
                line.serialize_entry("t", "reply")?;
                line.serialize_entry("id", id)?;
                line.serialize_entry("text", text)?;
                line.serialize_entry("usage", usage)?;
                serialize_time(&mut line, *at_ms)?;
            }
            Self::Paused { processor_ms, at_ms } => {
                line.serialize_entry("t", "paused")?;
                line.serialize_entry("cpu_ms", processor_ms)?;
                serialize_time(&mut line, *at_ms)?;
            }
            Self::Spent { processor_ms } => {
                line.serialize_entry("t", "spent")?;
                line.serialize_entry("cpu_ms", processor_ms)?;
            }
            Self::Log(LogEntry { ts, level, message, source, branch }) => {
                line.serialize_entry("t", "log")?;
                line.serialize_entry("s", branch)?;
                line.serialize_entry("ms", ts)?;
                line.serialize_entry("level", level)?;
                line.serialize_entry("source", source)?;
                line.serialize_entry("text", message)?;
            }
            Self::Storing { write_counts, namespaces } => {
                line.serialize_entry("t", "storing")?;
                line.serialize_entry("posts", write_counts)?;
                line.serialize_entry("namespaces", namespaces)?;
            }
            Self::Stored { write_counts } => {
                line.serialize_entry("t", "stored")?;
                line.serialize_entry("posts", write_counts)?;
            }
            Self::Report { id, digest } => {
                line.serialize_entry("t", "report")?;
                line.serialize_entry("id", id)?;
                line.serialize_entry("digest", digest)?;
            }
            Self::End { failed, payload } => {
                line.serialize_entry("t", "end")?;
                line.serialize_entry("failed", failed)?;
                line.serialize_entry("payload", payload)?;
            }
        }
        line.end()
    }
}

/// Writes when a line was written, if that is known.
fn serialize_time<M: SerializeMap>(line: &mut M, at_ms: Option<u64>) -> Result<(), M::Error> {
    at_ms.map_or(Ok(()), |at_ms| line.serialize_entry("at_ms", &at_ms))
}
