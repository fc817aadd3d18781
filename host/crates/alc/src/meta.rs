//! `alc://packages/{name}/meta`: the package's metadata, extracted in the sandbox.
//!
//! Owns: the cache of extracted metadata, valid as long as the file is unchanged.
//! Never: runs the package, or caches the metadata of a file that changed too recently to be settled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::json;

use super::package_lookup::SOURCE_FILE;
use super::{Alc, ReadRequest, extract};
use crate::limits::{MAX_CACHED_METADATA_BYTES, MAX_CACHED_METADATA_ENTRIES};
use wardroom_appdir::{Folder, Stat};
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_net::limits::MAX_SOURCE_BYTES;
use wardroom_sandbox::{ExtractRefusal, PackageMetadata, SandboxError};
use wardroom_service::{ResourceContent, ServiceError, mime};

/// A cache of extracted metadata by source file.
#[derive(Default)]
pub(super) struct MetadataCache(Mutex<MetadataEntries>);

#[derive(Default)]
struct MetadataEntries {
    by_file: HashMap<FileId, CachedMetadata>,
    /// The total size of the entries.
    total_bytes: usize,
}

/// Device and inode.
type FileId = (u64, u64);

struct CachedMetadata {
    stat: Stat,
    metadata: Arc<PackageMetadata>,
}

impl MetadataCache {
    fn get(&self, stat: Stat) -> Option<Arc<PackageMetadata>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.by_file.get(&stat.file_id).filter(|known| known.stat == stat).map(|known| Arc::clone(&known.metadata))
    }

    fn insert(&self, stat: Stat, metadata: &Arc<PackageMetadata>) {
        if !stat.is_settled() {
            return;
        }
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(CachedMetadata { stat, metadata: Arc::clone(metadata) });
    }
}

impl MetadataEntries {
    /// Inserts an entry. A full cache is emptied first, since metadata in use is soon extracted again.
    fn insert(&mut self, known: CachedMetadata) {
        let bytes = metadata_bytes(&known.metadata);
        if self.by_file.len() >= MAX_CACHED_METADATA_ENTRIES || self.total_bytes + bytes > MAX_CACHED_METADATA_BYTES {
            *self = Self::default();
        }
        self.total_bytes += bytes;
        if let Some(replaced) = self.by_file.insert(known.stat.file_id, known) {
            self.total_bytes = self.total_bytes.saturating_sub(metadata_bytes(&replaced.metadata));
        }
    }
}

fn metadata_bytes(metadata: &PackageMetadata) -> usize {
    let unresolved = metadata.unresolved.iter().map(|u| size_of_val(u) + u.path.len() + u.reason.len());
    metadata.json.len() + metadata.doc.as_ref().map_or(0, String::len) + unresolved.sum::<usize>()
}

impl Alc {
    pub(super) fn read_package_meta(
        &self,
        name: &PackageName,
        request: &ReadRequest,
    ) -> Result<ResourceContent, ServiceError> {
        let read = |folder: &Folder| self.load_metadata(folder, name, request);
        let (metadata, modified) = self.read_in_package(name, request, read)?;
        let mut content = ResourceContent::new(mime::JSON, metadata.json.clone(), modified);
        content.meta_fields = metadata_annotations(&metadata)?;
        Ok(content)
    }

    /// Returns the metadata of the package `name` in `folder`, cached or newly extracted, and when its source changed.
    pub(super) fn load_metadata(
        &self,
        folder: &Folder,
        name: &PackageName,
        request: &ReadRequest,
    ) -> Result<(Arc<PackageMetadata>, Option<SystemTime>), ServiceError> {
        let uri = request.uri;
        let failed = |error| ServiceError::from_read_error(uri, error);
        let stat = folder.stat(SOURCE_FILE).map_err(failed)?;
        if let Some(metadata) = self.metadata_cache.get(stat) {
            return Ok((metadata, stat.modified));
        }
        request.context.require_full()?;
        let source = folder.read(SOURCE_FILE, MAX_SOURCE_BYTES).map_err(failed)?.bytes;
        let metadata = Arc::new(self.extract_metadata(name, &source, uri)?);
        self.metadata_cache.insert(stat, &metadata);
        Ok((metadata, stat.modified))
    }

    fn extract_metadata(&self, name: &PackageName, source: &[u8], uri: &str) -> Result<PackageMetadata, ServiceError> {
        match self.sandbox.extract(name.as_str(), source) {
            Ok(Ok(metadata)) => Ok(metadata),
            Ok(Err(refusal)) => {
                Err(ServiceError::Internal { public_message: refusal_message(uri, &refusal), cause: None })
            }
            Err(error) => Err(extraction_error(uri, error)),
        }
    }
}

fn refusal_message(uri: &str, refusal: &ExtractRefusal) -> String {
    format!("cannot extract {uri}: {refusal}")
}

pub(super) fn extraction_error(what: &str, error: SandboxError) -> ServiceError {
    ServiceError::internal(format!("cannot extract {what}: {error}"), error)
}

/// Returns the annotations that the metadata object has no field for.
fn metadata_annotations(metadata: &PackageMetadata) -> Result<Vec<(&'static str, Payload)>, ServiceError> {
    let doc = metadata.doc.as_ref().map(|doc| ("doc", Payload::from_value(json!(doc))));
    let mut notes: Vec<_> = doc.into_iter().collect();
    if !metadata.unresolved.is_empty() {
        notes.push(("unresolved", extract::render_unresolved(&metadata.unresolved)?));
    }
    Ok(notes)
}
