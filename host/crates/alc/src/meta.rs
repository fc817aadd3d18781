//! `alc://packages/{name}/meta`: the package's metadata, extracted in the sandbox.
//!
//! Owns: the memory of what was extracted, as long as the file stays the same.
//! Never: runs the package, or believes a file that changed a moment ago to hold still.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::json;

use super::packages::SOURCE;
use super::{Alc, Ask, extract};
use wardroom_appdir::{Folder, Stat};
use wardroom_base::limits::{MAX_CACHED_METADATA, MAX_CACHED_METADATA_BYTES, MAX_SOURCE_BYTES};
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_sandbox::{Metadata, Refusal, SandboxError};
use wardroom_service::{Content, ServiceError, mime};

/// Extracted metadata by the file that it came from.
#[derive(Default)]
pub(super) struct MetaCache(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    by_file: HashMap<FileId, Known>,
    /// What they hold together.
    bytes: usize,
}

/// Device and inode.
type FileId = (u64, u64);

struct Known {
    stat: Stat,
    metadata: Arc<Metadata>,
}

impl MetaCache {
    fn find(&self, stat: Stat) -> Option<Arc<Metadata>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.by_file.get(&stat.identity).filter(|known| known.stat == stat).map(|known| Arc::clone(&known.metadata))
    }

    fn keep(&self, stat: Stat, metadata: &Arc<Metadata>) {
        if !stat.holds_still() {
            return;
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(Known { stat, metadata: Arc::clone(metadata) });
    }
}

impl Entries {
    /// Full is empty: what is asked for again is soon known again.
    fn insert(&mut self, known: Known) {
        let bytes = bytes_of(&known.metadata);
        if self.by_file.len() >= MAX_CACHED_METADATA || self.bytes + bytes > MAX_CACHED_METADATA_BYTES {
            *self = Self::default();
        }
        self.bytes += bytes;
        if let Some(replaced) = self.by_file.insert(known.stat.identity, known) {
            self.bytes = self.bytes.saturating_sub(bytes_of(&replaced.metadata));
        }
    }
}

fn bytes_of(metadata: &Metadata) -> usize {
    let unresolved = metadata.unresolved.iter().map(|u| size_of_val(u) + u.path.len() + u.reason.len());
    metadata.json.len() + metadata.doc.as_ref().map_or(0, String::len) + unresolved.sum::<usize>()
}

impl Alc {
    pub(super) fn package_meta(&self, name: &PackageName, ask: &Ask) -> Result<Content, ServiceError> {
        let read = |folder: &Folder| self.metadata_in(folder, name, ask);
        let (metadata, modified) = self.in_package(name, ask, read)?;
        let mut content = Content::new(mime::JSON, metadata.json.clone(), modified);
        content.notes = notes(&metadata)?;
        Ok(content)
    }

    /// The metadata of the package `name` whose folder this is, known or extracted now, and when its source changed.
    pub(super) fn metadata_in(
        &self,
        folder: &Folder,
        name: &PackageName,
        ask: &Ask,
    ) -> Result<(Arc<Metadata>, Option<SystemTime>), ServiceError> {
        let uri = ask.uri;
        let failed = |error| ServiceError::reading(uri, error);
        let stat = folder.stat(SOURCE).map_err(failed)?;
        if let Some(metadata) = self.metadata.find(stat) {
            return Ok((metadata, stat.modified));
        }
        ask.context.needs_full()?;
        let source = folder.read(SOURCE, MAX_SOURCE_BYTES).map_err(failed)?.bytes;
        let metadata = Arc::new(self.extracted(name, &source, uri)?);
        self.metadata.keep(stat, &metadata);
        Ok((metadata, stat.modified))
    }

    fn extracted(&self, name: &PackageName, source: &[u8], uri: &str) -> Result<Metadata, ServiceError> {
        match self.sandbox.extract(name.as_str(), source) {
            Ok(Ok(metadata)) => Ok(metadata),
            Ok(Err(refusal)) => Err(ServiceError::Internal { public: unreadable(uri, &refusal), cause: None }),
            Err(error) => Err(stopped(uri, error)),
        }
    }
}

fn unreadable(uri: &str, refusal: &Refusal) -> String {
    format!("cannot extract {uri}: {refusal}")
}

pub(super) fn stopped(what: &str, error: SandboxError) -> ServiceError {
    ServiceError::internal(format!("cannot extract {what}: {error}"), error)
}

/// What the metadata itself has no place for.
fn notes(metadata: &Metadata) -> Result<Vec<(&'static str, Payload)>, ServiceError> {
    let doc = metadata.doc.as_ref().map(|doc| ("doc", Payload::from_value(json!(doc))));
    let mut notes: Vec<_> = doc.into_iter().collect();
    if !metadata.unresolved.is_empty() {
        notes.push(("unresolved", extract::unresolved(&metadata.unresolved)?));
    }
    Ok(notes)
}
