//! `alc://hub/index`: the index of the AppDir's packages and the fetched ones in `hub_cache`, merged into one.
//!
//! Owns: the validation of an index, and the precedence: a package is taken from the AppDir's own index, or else from the first
//! fetched one, by file name, that lists it.
//! Never: fetches anything, trusts a cached file, or lets an invalid file hide the others.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use wardroom_base::byte_size::ByteSize;
use wardroom_rules::id::check_alphabet;

use super::HubIndex;
use super::outputs::HUB_INDEX_FILE;
use crate::limits::{MAX_HUB_PACKAGES, MAX_HUB_RESPONSE_BYTES, MAX_HUB_SOURCE_BYTES, MAX_HUB_SOURCES};
use crate::packages::PACKAGES_DIR;
use crate::truncate::strip_whitespace;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, DirEntry, EntryKind, Folder};
use wardroom_base::payload;
use wardroom_service::{Cost, Dependencies, ResourceContent, ServiceError, Step, Work, mime};

/// The only supported format of an index.
pub(super) const INDEX_SCHEMA_VERSION: &str = "hub_index/v0";
pub(super) const HUB_CACHE_DIR: &str = "hub_cache";

/// Returns the path of the index that `alc_hub_reindex` writes for the AppDir's packages.
fn own_index() -> String {
    format!("{PACKAGES_DIR}/{HUB_INDEX_FILE}")
}

/// Checks that a fetched text is an index within the limits.
pub(super) fn validate_index(text: &str) -> Result<(), ServiceError> {
    const WHAT: &str = "the index";
    let most = usize::try_from(MAX_HUB_SOURCE_BYTES).unwrap_or(usize::MAX);
    payload::check_json_text(text, most).map_err(|error| ServiceError::from_parse_error(WHAT, error))?;
    IndexDocument::parse(text, WHAT).map(drop)
}

/// Returns whether a file of the cache is an index, by its name.
fn is_cached_index(entry: &DirEntry) -> bool {
    let is_file = matches!(entry.kind, EntryKind::File | EntryKind::Symlink);
    is_file && entry.name.ends_with(".json") && check_alphabet(&entry.name).is_ok()
}

impl HubIndex {
    /// Resolves the read of the merged index, which may be large.
    pub fn resolve_hub_index(self: &Arc<Self>, uri: &str) -> Work<ResourceContent> {
        let (hub, uri) = (Arc::clone(self), uri.to_owned());
        Work::in_steps(Cost::Worker, move |_| {
            let is_absent = |found: Option<AppDirError>| matches!(found, Some(AppDirError::NotFound(_)));
            if is_absent(hub.app.stat(&own_index()).err()) && is_absent(hub.app.open_folder(HUB_CACHE_DIR).err()) {
                return Ok(Step::Done(MergedHubIndex::default().into_content()));
            }
            Ok(Step::Next(Work::new(Cost::Large, move |info| {
                let mut merged = MergedHubIndex::default();
                merged.add_or_warn(&hub.app, &own_index());
                hub.merge_cached_indices(merged, &uri, &info.cancellation).map(MergedHubIndex::into_content)
            })))
        })
    }

    /// Adds the AppDir's own index, the cached indices, and the names of the latter.
    pub(crate) fn add_dependencies(&self, dependencies: &mut Dependencies) {
        dependencies.add_file(&self.app, &own_index());
        let Some(cache) = dependencies.add_dir_listing(&self.app, HUB_CACHE_DIR) else { return };
        let entries = cache.entries(MAX_NAMES_SCANNED).unwrap_or_default();
        let sources = entries.iter().filter(|entry| is_cached_index(entry)).take(MAX_HUB_SOURCES + 1);
        sources.for_each(|entry| {
            dependencies.add_file(&self.app, &format!("{}/{}", HUB_CACHE_DIR, entry.name));
        });
    }

    /// Merges the cached indices with what is there already.
    pub(super) fn merge_cached_indices(
        &self,
        mut merged: MergedHubIndex,
        uri: &str,
        token: &CancellationToken,
    ) -> Result<MergedHubIndex, ServiceError> {
        let failed = |error| ServiceError::from_read_error(uri, error);
        let cache = match self.app.open_folder(HUB_CACHE_DIR) {
            Ok(cache) => cache,
            Err(AppDirError::NotFound(_)) => return Ok(merged),
            Err(error) => return Err(failed(error)),
        };
        let entries = cache.entries(MAX_NAMES_SCANNED).map_err(failed)?;
        for (at, source) in entries.iter().filter(|entry| is_cached_index(entry)).enumerate() {
            if token.is_cancelled() {
                return Err(failed(AppDirError::Cancelled(HUB_CACHE_DIR.into())));
            }
            if at == MAX_HUB_SOURCES {
                merged.warnings.push(format!("only the first {MAX_HUB_SOURCES} files of {HUB_CACHE_DIR} are used"));
                break;
            }
            merged.add_or_warn(&self.app, &format!("{HUB_CACHE_DIR}/{}", source.name));
        }
        Ok(merged)
    }
}

/// The packages merged so far, by name, each as the JSON of its index.
#[derive(Default)]
pub(super) struct MergedHubIndex {
    pub(super) packages: BTreeMap<String, String>,
    bytes: usize,
    pub(super) warnings: Vec<String>,
    modified: Option<SystemTime>,
}

impl MergedHubIndex {
    /// Adds one source. One that cannot be used is skipped with a warning, one that is not there without.
    fn add_or_warn(&mut self, app: &Folder, path: &str) {
        match self.add_source(app, path) {
            Ok(()) | Err(ServiceError::NotFound { .. }) => {}
            Err(error) => {
                tracing::warn!(?error, "cannot use an index, skipped");
                self.warnings.push(error.to_string());
            }
        }
    }

    /// Adds all of one source, or nothing of it.
    fn add_source(&mut self, app: &Folder, what: &str) -> Result<(), ServiceError> {
        let read = app.read_text(what, MAX_HUB_SOURCE_BYTES);
        let (text, modified) = read.map_err(|error| ServiceError::from_read_error(what, error))?;
        payload::check_json_text(&text, text.len()).map_err(|error| ServiceError::from_parse_error(what, error))?;
        let (mut new, mut bytes, mut nameless) = (BTreeMap::new(), 0, 0);
        for package in IndexDocument::parse(&text, what)?.packages {
            match parse_package_name(package) {
                Some(name) if self.packages.contains_key(&name) || new.contains_key(&name) => {}
                Some(name) => {
                    let package = strip_whitespace(package.get());
                    bytes += package.len();
                    new.insert(name, package);
                }
                None => nameless += 1,
            }
        }
        if self.bytes + bytes > MAX_HUB_RESPONSE_BYTES {
            let public = format!(
                "{what} is left out: the index would be larger than {}",
                ByteSize(MAX_HUB_RESPONSE_BYTES as u64)
            );
            return Err(ServiceError::Internal { public_message: public, cause: None });
        }
        if nameless > 0 {
            let (entries, are) = if nameless == 1 { ("entry", "is") } else { ("entries", "are") };
            self.warnings.push(format!("{what}: {nameless} {entries} without the name of a package {are} left out"));
        }
        self.packages.append(&mut new);
        self.bytes += bytes;
        self.modified = self.modified.max(modified);
        Ok(())
    }

    fn into_content(self) -> ResourceContent {
        let mut text = format!("{{\"schema_version\":\"{INDEX_SCHEMA_VERSION}\",\"packages\":[");
        text.reserve(self.bytes + self.packages.len());
        for (at, package) in self.packages.into_values().enumerate() {
            if at > 0 {
                text.push(',');
            }
            text.push_str(&package);
        }
        text.push(']');
        if !self.warnings.is_empty() {
            text.push_str(",\"warnings\":");
            text.push_str(&Value::from(self.warnings).to_string());
        }
        text.push('}');
        ResourceContent::new(mime::JSON, text, self.modified)
    }
}

/// The fields of an index that are parsed.
#[derive(Deserialize)]
struct IndexDocument<'a> {
    #[serde(borrow)]
    schema_version: Cow<'a, str>,
    /// Each as a slice of the text.
    #[serde(borrow, deserialize_with = "deserialize_packages")]
    packages: Vec<&'a RawValue>,
}

/// The field of a package that is parsed.
#[derive(Deserialize)]
struct IndexPackage<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

impl<'a> IndexDocument<'a> {
    /// Parses a text that is known to be JSON. Serde's error may quote the text and is only logged.
    fn parse(text: &'a str, what: &str) -> Result<Self, ServiceError> {
        let other = || format!("{what} is not an index of the form {INDEX_SCHEMA_VERSION}");
        match serde_json::from_str::<Self>(text) {
            Ok(index) if index.schema_version == INDEX_SCHEMA_VERSION && is_json_object(text) => Ok(index),
            Ok(_) => Err(ServiceError::Internal { public_message: other(), cause: None }),
            Err(error) => Err(ServiceError::internal(other(), error)),
        }
    }
}

/// Returns whether the JSON is an object: serde accepts an array for a struct too.
fn is_json_object(json: &str) -> bool {
    json.trim_start().starts_with('{')
}

fn parse_package_name(package: &RawValue) -> Option<String> {
    let IndexPackage { name } = serde_json::from_str(package.get()).ok().filter(|_| is_json_object(package.get()))?;
    check_alphabet(&name).is_ok().then(|| name.into_owned())
}

fn deserialize_packages<'de, D: Deserializer<'de>>(packages: D) -> Result<Vec<&'de RawValue>, D::Error> {
    struct HubPackagesVisitor;

    impl<'de> Visitor<'de> for HubPackagesVisitor {
        type Value = Vec<&'de RawValue>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("an array of packages")
        }

        fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
            let mut packages = Vec::new();
            while let Some(package) = seq.next_element()? {
                if packages.len() == MAX_HUB_PACKAGES {
                    return Err(S::Error::custom(format!("more than {MAX_HUB_PACKAGES} packages")));
                }
                packages.push(package);
            }
            Ok(packages)
        }
    }

    packages.deserialize_seq(HubPackagesVisitor)
}
