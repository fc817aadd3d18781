//! Sinks: folders that receive a copy of every card that is written (`ALC_CARD_SINKS`).
//!
//! Owns: the layout of a copy, which is that of the cards themselves, and the counts of copies and failures per sink.
//! Never: fails a write because its copy failed.

use crate::cards::file_names::{ALIASES_FILE, CARDS_DIR, card_file_name, samples_file_name};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::CancelCheck;
use crate::cards::CardStore;
use crate::error_code as code;
use crate::limits::{MAX_CARD_BYTES, MAX_COPIED_SAMPLES_BYTES, MAX_LISTED_CARD_IDS};
use crate::storage_error::access_error;
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::percent::percent_decode;
use wardroom_base::unix_time;
use wardroom_base::uri::CardId;
use wardroom_service::{ServiceError, escape_and_truncate};

/// A folder that mirrors the cards.
pub struct CardSink {
    /// As the operator wrote it.
    pub uri: String,
    pub folder: Folder,
}

impl CardSink {
    /// Returns the path that an entry of `ALC_CARD_SINKS` names.
    ///
    /// # Errors
    /// The reason why the entry is invalid.
    pub fn parse_uri(uri: &str) -> Result<PathBuf, &'static str> {
        let rest = uri.strip_prefix("file://").ok_or("is not a file:// URI")?;
        if !rest.starts_with('/') {
            return Err("names another machine: it must begin with file:///");
        }
        let bytes = percent_decode(rest.as_bytes()).ok_or("has a % without two hexadecimal digits")?;
        let path = String::from_utf8(bytes).map_err(|_| "is not UTF-8")?;
        if path.contains('\0') { Err("contains NUL") } else { Ok(Path::new(&path).to_path_buf()) }
    }
}

/// A write to the cards.
pub(super) enum CardEvent<'a> {
    Created { package: &'a str, card: &'a CardId, text: &'a str },
    Appended { package: &'a str, card: &'a CardId, text: &'a str },
    SamplesWritten { package: &'a str, card: &'a CardId, text: &'a str },
    AliasesWritten { text: &'a str },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CardEventKind {
    Created,
    Appended,
    SamplesWritten,
    AliasesWritten,
}

impl CardEventKind {
    const ALL: [Self; 4] = [Self::Created, Self::Appended, Self::SamplesWritten, Self::AliasesWritten];

    /// Returns the name in the statistics.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Appended => "appended",
            Self::SamplesWritten => "samples",
            Self::AliasesWritten => "aliases",
        }
    }
}

/// The number of events of each kind; none of a kind that is missing.
type CardEventCounts = BTreeMap<CardEventKind, u64>;

impl CardEvent<'_> {
    const fn kind(&self) -> CardEventKind {
        match self {
            Self::Created { .. } => CardEventKind::Created,
            Self::Appended { .. } => CardEventKind::Appended,
            Self::SamplesWritten { .. } => CardEventKind::SamplesWritten,
            Self::AliasesWritten { .. } => CardEventKind::AliasesWritten,
        }
    }

    fn write(&self, sink: &Folder) -> Result<(), AppDirError> {
        let (folder, name, text) = match self {
            Self::Created { package, card, text } | Self::Appended { package, card, text } => {
                (sink.create_folder(package)?, card_file_name(card), text)
            }
            Self::SamplesWritten { package, card, text } => {
                (sink.create_folder(package)?, samples_file_name(card), text)
            }
            Self::AliasesWritten { text } => (sink.clone(), ALIASES_FILE.to_owned(), text),
        };
        folder.write(&name, text.as_bytes(), Privacy::Preserve)
    }
}

/// All sinks, each with the outcome of its copies.
#[derive(Default)]
pub(crate) struct CardSinks(Vec<(CardSink, Mutex<SinkHealth>)>);

#[derive(Default)]
struct SinkHealth {
    successes: CardEventCounts,
    failures: CardEventCounts,
    last_failure: Option<SinkFailure>,
}

struct SinkFailure {
    kind: CardEventKind,
    message: String,
    at_ms: u64,
}

impl CardSinks {
    pub(crate) fn new(sinks: Vec<CardSink>) -> Self {
        Self(sinks.into_iter().map(|sink| (sink, Mutex::default())).collect())
    }

    /// Returns the folders of the sinks.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Folder> {
        self.0.iter().map(|(sink, _)| &sink.folder)
    }

    /// Sends one event to every sink, one after the other.
    pub(super) fn publish(&self, event: &CardEvent) {
        for (sink, health) in &self.0 {
            let written = event.write(&sink.folder);
            let mut health = health.lock().unwrap_or_else(PoisonError::into_inner);
            let counts = if written.is_ok() { &mut health.successes } else { &mut health.failures };
            *counts.entry(event.kind()).or_default() += 1;
            if let Err(error) = written {
                tracing::warn!(sink = sink.uri, %error, "cannot copy a card to a sink");
                let message = access_error("the copy", error).to_string();
                health.last_failure = Some(SinkFailure { kind: event.kind(), message, at_ms: unix_time::now_ms() });
            }
        }
    }

    fn find(&self, uri: &str) -> Option<&CardSink> {
        self.0.iter().map(|(sink, _)| sink).find(|sink| sink.uri == uri)
    }
}

/// The first ids of a list of cards, and the number of all.
#[derive(Default)]
struct CardIdSample(Vec<Value>, usize);

impl CardIdSample {
    fn add(&mut self, id: Value) {
        self.1 += 1;
        if self.0.len() < MAX_LISTED_CARD_IDS {
            self.0.push(id);
        }
    }
}

impl CardStore {
    /// Returns the counts and the last error of each sink, for the statistics.
    pub fn card_sink_stats(&self) -> Vec<Value> {
        let counted = |counts: &CardEventCounts| {
            let count = |kind: CardEventKind| (kind.as_str(), counts.get(&kind).copied().unwrap_or_default());
            Value::from_iter(CardEventKind::ALL.map(count))
        };
        let shown = |(sink, health): &(CardSink, Mutex<SinkHealth>)| {
            let health = health.lock().unwrap_or_else(PoisonError::into_inner);
            let last = health.last_failure.as_ref();
            let last = last.map(|last| json!({"kind": last.kind.as_str(), "msg": last.message, "ts_ms": last.at_ms}));
            json!({"sink": sink.uri, "ok": counted(&health.successes), "err": counted(&health.failures), "last_error": last})
        };
        self.sinks.0.iter().map(shown).collect()
    }

    /// Copies to a sink the cards and samples that it lacks.
    pub(super) fn backfill_sink(&self, sink: &str, dry_run: bool, stop: CancelCheck) -> Result<Value, ServiceError> {
        let target = self.sinks.find(sink);
        let target = target.ok_or_else(|| {
            ServiceError::tool(code::UNKNOWN_SINK, format!("unknown sink: {}", escape_and_truncate(sink)))
        })?;
        let cards = self.index.query(&self.app, stop, |view| {
            view.entries().map(|card| (card.package.to_owned(), card.id.to_owned())).collect::<Vec<_>>()
        });
        let cards = cards.map_err(|error| access_error("the cards", error))?;
        let (mut pushed, mut skipped, mut failed, mut samples) =
            (CardIdSample::default(), CardIdSample::default(), CardIdSample::default(), CardIdSample::default());
        for (package, id) in cards {
            if stop() {
                return Err(access_error(sink, AppDirError::Cancelled(id)));
            }
            let Ok(card) = CardId::parse(&id) else { continue };
            let own = format!("{CARDS_DIR}/{package}");
            let mut copy = |name: String, limit, copied: &mut CardIdSample| {
                match self.copy_to_sink(&own, &package, &name, &target.folder, limit, dry_run) {
                    Ok(true) => copied.add(id.clone().into()),
                    Ok(false) => return true,
                    Err(error) => failed.add(json!([id, access_error(&name, error).to_string()])),
                }
                false
            };
            if copy(card_file_name(&card), MAX_CARD_BYTES, &mut pushed) {
                skipped.add(id.clone().into());
            }
            let has_samples = self.app.stat(&format!("{own}/{}", samples_file_name(&card))).is_ok();
            if has_samples {
                copy(samples_file_name(&card), MAX_COPIED_SAMPLES_BYTES, &mut samples);
            }
        }
        Ok(json!({
            "sink": sink,
            "pushed": pushed.0,
            "skipped": skipped.0,
            "failed": failed.0,
            "pushed_samples": samples.0,
            "counts": {"pushed": pushed.1, "skipped": skipped.1, "failed": failed.1, "pushed_samples": samples.1},
        }))
    }

    /// Copies one file unless `dry_run`; returns false when the sink has it already.
    fn copy_to_sink(
        &self,
        own: &str,
        package: &str,
        name: &str,
        sink: &Folder,
        limit: u64,
        dry_run: bool,
    ) -> Result<bool, AppDirError> {
        match sink.stat(&format!("{package}/{name}")) {
            Ok(_) => return Ok(false),
            Err(AppDirError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
        if !dry_run {
            let bytes = self.app.read(&format!("{own}/{name}"), limit)?.bytes;
            match sink.create_folder(package)?.create_file(name, &bytes, Privacy::Shared) {
                Err(AppDirError::AlreadyExists(_)) => return Ok(false),
                created => created?,
            }
        }
        Ok(true)
    }
}
