//! `alc://packages/{name}/meta`: the package's metadata, extracted in the sandbox.
//!
//! Owns: the cache of extracted metadata, valid as long as the file is unchanged.
//! Never: runs the package, or caches the metadata of a file that changed too recently to be settled.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::lookup::SOURCE_FILE;
use super::{PackageLocation, PackageStore};
use crate::extract;
use crate::json_fields::LeasedFields;
use crate::limits::{MAX_CACHED_METADATA_BYTES, MAX_CACHED_METADATA_ENTRIES, MAX_CONFIG_BYTES};
use wardroom_appdir::{FileCache, FileCacheLimits, Folder, OpenFile, Stat};
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_sandbox::{ExtractRefusal, PackageMetadata};
use wardroom_service::limits::MAX_SOURCE_BYTES;
use wardroom_service::{Cost, RequestMemory, ResourceContent, ServiceError, Work, mime};

/// Extracted metadata by source file.
pub(crate) struct MetadataCache(FileCache<PackageMetadata>);

impl Default for MetadataCache {
    fn default() -> Self {
        Self(FileCache::new(FileCacheLimits {
            max_entries: MAX_CACHED_METADATA_ENTRIES,
            max_bytes: MAX_CACHED_METADATA_BYTES,
            max_age: Duration::MAX,
        }))
    }
}

impl MetadataCache {
    fn get(&self, stat: Stat) -> Option<Arc<PackageMetadata>> {
        self.0.get(&stat)
    }

    fn insert(&self, stat: Stat, metadata: &Arc<PackageMetadata>) {
        self.0.insert(stat, metadata, metadata_bytes(metadata), Instant::now());
    }
}

fn metadata_bytes(metadata: &PackageMetadata) -> usize {
    let unresolved = metadata.unresolved.iter().map(|u| size_of_val(u) + u.path.len() + u.reason.len());
    metadata.json.len() + metadata.doc.as_ref().map_or(0, String::len) + unresolved.sum::<usize>()
}

impl PackageStore {
    /// Resolves the read of a package's metadata: cached, or extracted on a worker.
    pub(crate) fn resolve_metadata(
        self: &Arc<Self>,
        name: &PackageName,
        uri: &str,
    ) -> Result<Work<ResourceContent>, ServiceError> {
        let (package, named) = (name.clone(), uri.to_owned());
        self.with_file(name, SOURCE_FILE, uri, move |store, file| {
            let modified = file.stat().modified;
            if let Some(metadata) = store.metadata_cache.get(file.stat()) {
                return Work::new(Cost::Inline, move |_| metadata_content(&metadata, modified));
            }
            let store = Arc::clone(store);
            Work::new(Cost::Worker, move |_| {
                let (metadata, modified) = store.extract_file(file, &package, &named)?;
                metadata_content(&metadata, modified)
            })
        })
    }

    /// Returns the metadata of the package `name` in `folder`, cached or newly extracted, and when its source changed.
    pub(crate) fn load_metadata(
        &self,
        folder: &Folder,
        name: &PackageName,
        uri: &str,
    ) -> Result<(Arc<PackageMetadata>, Option<SystemTime>), ServiceError> {
        let file = folder.open(SOURCE_FILE).map_err(|error| ServiceError::from_read_error(uri, error))?;
        match self.metadata_cache.get(file.stat()) {
            Some(metadata) => Ok((metadata, file.stat().modified)),
            None => self.extract_file(file, name, uri),
        }
    }

    /// Returns the version in the metadata of a package of the AppDir.
    #[must_use]
    pub fn installed_version(&self, name: &str) -> Option<String> {
        let name = PackageName::parse(name).ok()?;
        let folder = self.open_installed_package(&name).ok()?;
        let (metadata, _) = self.load_metadata(&folder, &name, name.as_str()).ok()?;
        let meta: Value = serde_json::from_str(&metadata.json).ok()?;
        Some(meta.get("version")?.as_str()?.to_owned())
    }

    /// Returns those constant fields of a package's metadata that are wanted.
    pub(crate) fn metadata_fields(
        &self,
        package: &PackageLocation,
        memory: &RequestMemory,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<LeasedFields, ServiceError> {
        let name = &package.name;
        let folder = package.open_folder().map_err(|error| ServiceError::from_read_error(name.as_str(), error))?;
        let (metadata, _) = self.load_metadata(&folder, name, name.as_str())?;
        LeasedFields::read(&metadata.json, &format!("the metadata of {name}"), memory, is_wanted)
    }

    /// Returns those constant fields that are wanted, of the package of this name that a run would load.
    pub(crate) fn fields_of(
        &self,
        name: &PackageName,
        memory: &RequestMemory,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<LeasedFields, ServiceError> {
        let file = self.open_file(name, SOURCE_FILE, MAX_CONFIG_BYTES, name.as_str())?;
        let metadata = match self.metadata_cache.get(file.stat()) {
            Some(metadata) => metadata,
            None => self.extract_file(file, name, name.as_str())?.0,
        };
        LeasedFields::read(&metadata.json, &format!("the metadata of {name}"), memory, is_wanted)
    }

    fn extract_file(
        &self,
        file: OpenFile,
        name: &PackageName,
        uri: &str,
    ) -> Result<(Arc<PackageMetadata>, Option<SystemTime>), ServiceError> {
        let source = file.read(MAX_SOURCE_BYTES).map_err(|error| ServiceError::from_read_error(uri, error))?;
        let metadata = Arc::new(self.extract_metadata(name, &source.bytes, uri)?);
        self.metadata_cache.insert(source.stat, &metadata);
        Ok((metadata, source.stat.modified))
    }

    fn extract_metadata(&self, name: &PackageName, source: &[u8], uri: &str) -> Result<PackageMetadata, ServiceError> {
        match self.sandbox.extract(name.as_str(), source) {
            Ok(Ok(metadata)) => Ok(metadata),
            Ok(Err(refusal)) => {
                Err(ServiceError::Internal { public_message: refusal_message(uri, &refusal), cause: None })
            }
            Err(error) => Err(extract::extraction_error(uri, error)),
        }
    }
}

fn metadata_content(metadata: &PackageMetadata, modified: Option<SystemTime>) -> Result<ResourceContent, ServiceError> {
    let mut content = ResourceContent::new(mime::JSON, metadata.json.clone(), modified);
    content.meta_fields = metadata_annotations(metadata)?;
    Ok(content)
}

fn refusal_message(uri: &str, refusal: &ExtractRefusal) -> String {
    format!("cannot extract {uri}: {refusal}")
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
