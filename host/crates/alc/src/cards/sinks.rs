//! Sinks: folders that get a copy of every card that is written (`ALC_CARD_SINKS`).
//!
//! Owns: the layout of a copy, which is that of the cards themselves, and what went well and wrong with each sink.
//! Never: fails a write because its copy did not work.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::store::samples_name;
use super::{CARDS, Stop, aliases, failed, file_name, refused};
use crate::Alc;
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::limits::{MAX_CARD_BYTES, MAX_COPIED_SAMPLES_BYTES, MAX_IDS_LISTED};
use wardroom_base::uri::CardId;
use wardroom_service::{ServiceError, shown};

/// A folder that mirrors the cards.
pub struct Sink {
    /// As the operator wrote it.
    pub uri: String,
    pub folder: Folder,
}

impl Sink {
    /// The path that an entry of `ALC_CARD_SINKS` names.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn path(uri: &str) -> Result<PathBuf, &'static str> {
        let rest = uri.strip_prefix("file://").ok_or("is no file:// URI")?;
        if !rest.starts_with('/') {
            return Err("names another machine: it must begin with file:///");
        }
        let bytes = percent_decoded(rest).ok_or("has a % without two hexadecimal digits")?;
        let path = String::from_utf8(bytes).map_err(|_| "is not UTF-8")?;
        if path.contains('\0') { Err("holds a NUL") } else { Ok(Path::new(&path).to_path_buf()) }
    }
}

fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let mut digit = || (bytes.next()? as char).to_digit(16);
        decoded.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    Some(decoded)
}

/// What happened to the cards.
pub(super) enum Event<'a> {
    Created { package: &'a str, card: &'a CardId, text: &'a str },
    Appended { package: &'a str, card: &'a CardId, text: &'a str },
    Samples { package: &'a str, card: &'a CardId, text: &'a str },
    Aliases { text: &'a str },
}

/// How often something went well or wrong, by what it was.
type Counts = [u64; 4];
const KINDS: [&str; 4] = ["created", "appended", "samples", "aliases"];

impl Event<'_> {
    fn kind(&self) -> usize {
        match self {
            Self::Created { .. } => 0,
            Self::Appended { .. } => 1,
            Self::Samples { .. } => 2,
            Self::Aliases { .. } => 3,
        }
    }

    fn write(&self, sink: &Folder) -> Result<(), AppDirError> {
        let (folder, name, text) = match self {
            Self::Created { package, card, text } | Self::Appended { package, card, text } => {
                (sink.create_folder(package)?, file_name(card), text)
            }
            Self::Samples { package, card, text } => (sink.create_folder(package)?, samples_name(card), text),
            Self::Aliases { text } => (sink.clone(), aliases::FILE.to_owned(), text),
        };
        folder.write(&name, text.as_bytes(), Privacy::Shared)
    }
}

/// All sinks, with what became of what was sent there.
#[derive(Default)]
pub(crate) struct Sinks(Vec<(Sink, Mutex<Health>)>);

#[derive(Default)]
struct Health {
    good: Counts,
    bad: Counts,
    last: Option<(&'static str, String, u128)>,
}

impl Sinks {
    pub(crate) fn new(sinks: Vec<Sink>) -> Self {
        Self(sinks.into_iter().map(|sink| (sink, Mutex::default())).collect())
    }

    /// Sends one event to every sink, one after the other.
    pub(super) fn publish(&self, event: &Event) {
        for (sink, health) in &self.0 {
            let written = event.write(&sink.folder);
            let mut health = health.lock().unwrap_or_else(PoisonError::into_inner);
            let counts = if written.is_ok() { &mut health.good } else { &mut health.bad };
            if let Some(count) = counts.get_mut(event.kind()) {
                *count += 1;
            }
            if let Err(error) = written {
                tracing::warn!(sink = sink.uri, %error, "a card was not copied");
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
                let kind = KINDS.get(event.kind()).copied().unwrap_or_default();
                health.last = Some((kind, failed("the copy", error).to_string(), now));
            }
        }
    }

    fn find(&self, uri: &str) -> Option<&Sink> {
        self.0.iter().map(|(sink, _)| sink).find(|sink| sink.uri == uri)
    }
}

/// Ids of cards: some of them, and how many they are.
#[derive(Default)]
struct Ids(Vec<Value>, usize);

impl Ids {
    fn add(&mut self, id: Value) {
        self.1 += 1;
        if self.0.len() < MAX_IDS_LISTED {
            self.0.push(id);
        }
    }
}

impl Alc {
    /// How each sink does, for the statistics.
    pub fn card_sinks(&self) -> Vec<Value> {
        let counted = |counts: &Counts| Value::from_iter(KINDS.into_iter().zip(counts.iter().copied()));
        let shown = |(sink, health): &(Sink, Mutex<Health>)| {
            let health = health.lock().unwrap_or_else(PoisonError::into_inner);
            let last = health.last.as_ref().map(|(kind, message, at)| json!({"kind": kind, "msg": message, "ts_ms": u64::try_from(*at).unwrap_or(u64::MAX)}));
            json!({"sink": sink.uri, "ok": counted(&health.good), "err": counted(&health.bad), "last_error": last})
        };
        self.sinks.0.iter().map(shown).collect()
    }

    /// Copies to a sink what it has not.
    pub(super) fn backfill(&self, sink: &str, dry_run: bool, stop: Stop) -> Result<Value, ServiceError> {
        let target = self.sinks.find(sink);
        let target = target.ok_or_else(|| refused("UNKNOWN_SINK", format!("unknown sink: {}", shown(sink))))?;
        let cards = self.cards.ask(&self.folders.app, stop, |view| {
            view.entries().map(|card| (card.package.to_owned(), card.id.to_owned())).collect::<Vec<_>>()
        });
        let cards = cards.map_err(|error| failed("the cards", error))?;
        let (mut pushed, mut skipped, mut bad, mut samples) =
            (Ids::default(), Ids::default(), Ids::default(), Ids::default());
        for (package, id) in cards {
            if stop() {
                return Err(failed(sink, AppDirError::Stopped(id)));
            }
            let Ok(card) = CardId::parse(&id) else { continue };
            let own = format!("{CARDS}/{package}");
            let mut copy = |name: String, limit, done: &mut Ids| {
                match self.copy(&own, &package, &name, &target.folder, limit, dry_run) {
                    Ok(true) => done.add(id.clone().into()),
                    Ok(false) => return true,
                    Err(error) => bad.add(json!([id, failed(&name, error).to_string()])),
                }
                false
            };
            if copy(file_name(&card), MAX_CARD_BYTES, &mut pushed) {
                skipped.add(id.clone().into());
            }
            let has_samples = self.folders.app.stat(&format!("{own}/{}", samples_name(&card))).is_ok();
            if has_samples {
                copy(samples_name(&card), MAX_COPIED_SAMPLES_BYTES, &mut samples);
            }
        }
        Ok(json!({
            "sink": sink,
            "pushed": pushed.0,
            "skipped": skipped.0,
            "failed": bad.0,
            "pushed_samples": samples.0,
            "counts": {"pushed": pushed.1, "skipped": skipped.1, "failed": bad.1, "pushed_samples": samples.1},
        }))
    }

    /// Copies one file that the sink has not; false when it has it.
    fn copy(
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
            let bytes = self.folders.app.read(&format!("{own}/{name}"), limit)?.bytes;
            match sink.create_folder(package)?.create(name, &bytes, Privacy::Shared) {
                Err(AppDirError::Exists(_)) => return Ok(false),
                created => created?,
            }
        }
        Ok(true)
    }
}
