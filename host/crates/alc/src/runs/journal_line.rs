//! The form of a journal's lines: one JSON object each, of which only the fields of its kind are there.
//!
//! Owns: the names of the fields, on which journals of earlier servers depend.
//! Never: builds an answer that passes through: it stays text.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::journal::JournalLine;
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
    fn into_line(self) -> Option<JournalLine> {
        Some(match self.t {
            LineKind::Answer => {
                let got = match (self.ok, self.err) {
                    (Some(value), None) => Ok(value),
                    (None, Some(message)) => Err(message),
                    _ => return None,
                };
                JournalLine::Answer { s: self.s?, n: self.n?, op: self.op?, q: self.q?, got }
            }
            LineKind::Announced => {
                JournalLine::Announced { s: self.s?, n: self.n?, op: self.op?, q: self.q?, plan: self.plan? }
            }
            LineKind::Queries => {
                JournalLine::Queries { s: self.s?, n: self.n?, q: self.q?, ids: self.ids?, asked: self.asked? }
            }
            LineKind::Fork => JournalLine::Fork { s: self.s?, n: self.n?, q: self.q? },
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
            LineKind::Storing => JournalLine::Storing { posts: self.posts?, namespaces: self.namespaces? },
            LineKind::Stored => JournalLine::Stored { posts: self.posts? },
            LineKind::Report => JournalLine::Report { id: self.id?, digest: self.digest? },
            LineKind::End => JournalLine::End { failed: self.failed?, payload: self.payload? },
        })
    }
}

impl<'de> Deserialize<'de> for JournalLine {
    fn deserialize<D: Deserializer<'de>>(line: D) -> Result<Self, D::Error> {
        LineFields::deserialize(line)?.into_line().ok_or_else(|| D::Error::custom("a field of the line is missing"))
    }
}

impl Serialize for JournalLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        match self {
            Self::Answer { s, n, op, q, got } => {
                line.serialize_entry("t", "answer")?;
                line.serialize_entry("s", s)?;
                line.serialize_entry("n", n)?;
                line.serialize_entry("op", op)?;
                line.serialize_entry("q", q)?;
                match got {
                    Ok(value) => line.serialize_entry("ok", value)?,
                    Err(message) => line.serialize_entry("err", message)?,
                }
            }
            Self::Announced { s, n, op, q, plan } => {
                line.serialize_entry("t", "announced")?;
                line.serialize_entry("s", s)?;
                line.serialize_entry("n", n)?;
                line.serialize_entry("op", op)?;
                line.serialize_entry("q", q)?;
                line.serialize_entry("plan", plan)?;
            }
            Self::Queries { s, n, q, ids, asked } => {
                line.serialize_entry("t", "queries")?;
                line.serialize_entry("s", s)?;
                line.serialize_entry("n", n)?;
                line.serialize_entry("q", q)?;
                line.serialize_entry("ids", ids)?;
                line.serialize_entry("asked", asked)?;
            }
            Self::Fork { s, n, q } => {
                line.serialize_entry("t", "fork")?;
                line.serialize_entry("s", s)?;
                line.serialize_entry("n", n)?;
                line.serialize_entry("q", q)?;
            }
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
            Self::Storing { posts, namespaces } => {
                line.serialize_entry("t", "storing")?;
                line.serialize_entry("posts", posts)?;
                line.serialize_entry("namespaces", namespaces)?;
            }
            Self::Stored { posts } => {
                line.serialize_entry("t", "stored")?;
                line.serialize_entry("posts", posts)?;
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
