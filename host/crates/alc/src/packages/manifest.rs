//! `installed.json`: the origin and the times of each installation. `hub_registries.json`: the sources that were used.
//!
//! Owns: both formats. Both files lie in `packages/`, so that recording an installation writes nowhere else. Those that
//! the original left in the AppDir itself are read until the first change, and stay unchanged.
//! Never: states what is installed; the folders do.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{PACKAGES_DIR, PackageStore, now_rfc3339};
use crate::error_code as code;
use crate::limits::MAX_MANIFEST_BYTES;
use crate::storage_error::write_error;
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::payload::Payload;
use wardroom_service::ServiceError;

pub(crate) const MANIFEST_FILE: &str = "installed.json";
pub(crate) const REGISTRIES_FILE: &str = "hub_registries.json";
/// The newest known version of the format.
const MANIFEST_VERSION: u64 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct InstallManifest {
    /// The original writes no version.
    #[serde(default = "default_manifest_version")]
    version: u64,
    #[serde(default)]
    pub(crate) packages: BTreeMap<String, InstallRecord>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

const fn default_manifest_version() -> u64 {
    MANIFEST_VERSION
}

impl Default for InstallManifest {
    fn default() -> Self {
        Self { version: MANIFEST_VERSION, packages: BTreeMap::new(), rest: Map::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct InstallRecord {
    #[serde(default)]
    pub(crate) version: Option<String>,
    #[serde(default)]
    pub(crate) source: PackageOrigin,
    #[serde(default)]
    pub(crate) installed_at: String,
    #[serde(default)]
    pub(crate) updated_at: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The origin of a package.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", from = "StoredOrigin")]
pub enum PackageOrigin {
    #[default]
    Unknown,
    Installed,
    Path {
        path: String,
    },
    Git {
        url: String,
        rev: Option<String>,
    },
    Bundled {
        collection: Option<String>,
    },
}

/// The stored forms of an origin: older manifests have a single string.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredOrigin {
    Word(String),
    Tagged {
        r#type: String,
        path: Option<String>,
        url: Option<String>,
        rev: Option<String>,
        collection: Option<String>,
    },
}

impl From<StoredOrigin> for PackageOrigin {
    fn from(written: StoredOrigin) -> Self {
        match written {
            StoredOrigin::Word(word) => match word.as_str() {
                "" => Self::Unknown,
                "bundled" => Self::Bundled { collection: None },
                path if path.starts_with('/') => Self::Installed,
                _ => Self::Git { url: word, rev: None },
            },
            StoredOrigin::Tagged { r#type, path, url, rev, collection } => match (r#type.as_str(), path, url) {
                ("installed", ..) => Self::Installed,
                ("path" | "local_dir", Some(path), _) => Self::Path { path },
                ("git", _, Some(url)) => Self::Git { url, rev },
                ("bundled", ..) => Self::Bundled { collection },
                _ => Self::Unknown,
            },
        }
    }
}

impl PackageOrigin {
    /// Returns the type tag of the origin.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Installed => "installed",
            Self::Path { .. } => "path",
            Self::Git { .. } => "git",
            Self::Bundled { .. } => "bundled",
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
struct HubRegistries {
    #[serde(default)]
    registries: Vec<HubRegistry>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Serialize, Deserialize)]
struct HubRegistry {
    source: String,
    #[serde(default)]
    origin: String,
    #[serde(default)]
    added_at: String,
}

impl PackageStore {
    /// Returns the recorded installations.
    pub(crate) fn read_install_manifest(&self) -> Result<InstallManifest, ServiceError> {
        self.read_packages_json(MANIFEST_FILE)
    }

    /// Returns the origin of each recorded package.
    pub(crate) fn package_origins(&self) -> Result<BTreeMap<String, PackageOrigin>, ServiceError> {
        Ok(self
            .read_install_manifest()?
            .packages
            .into_iter()
            .map(|(name, installed)| (name, installed.source))
            .collect())
    }

    /// Records that packages were installed or updated. A known package keeps its time of installation.
    pub(crate) fn record_packages(
        &self,
        names: &[(String, Option<String>)],
        source: &PackageOrigin,
    ) -> Result<(), ServiceError> {
        self.update_manifest(|manifest| {
            let now = now_rfc3339();
            for (name, version) in names {
                let known = manifest.packages.remove(name);
                let installed_at = known.as_ref().map_or_else(|| now.clone(), |known| known.installed_at.clone());
                let installed = InstallRecord {
                    version: version.clone(),
                    source: source.clone(),
                    installed_at,
                    updated_at: now.clone(),
                    rest: known.map(|known| known.rest).unwrap_or_default(),
                };
                manifest.packages.insert(name.clone(), installed);
            }
            true
        })
        .map(drop)
    }

    /// Changes the manifest under its file lock, and returns whether `change` changed anything.
    pub(crate) fn update_manifest(
        &self,
        change: impl FnOnce(&mut InstallManifest) -> bool,
    ) -> Result<bool, ServiceError> {
        let failed = |error| write_error(MANIFEST_FILE, error);
        let packages = self.app.create_folder(PACKAGES_DIR).map_err(failed)?;
        let _lock = packages.lock(&format!("{MANIFEST_FILE}.lock")).map_err(failed)?;
        let mut manifest: InstallManifest = self.read_packages_json(MANIFEST_FILE)?;
        if manifest.version > MANIFEST_VERSION {
            let message = format!("a newer wardroom wrote {MANIFEST_FILE} in a form that this one does not know");
            return Err(ServiceError::tool(code::NEWER_FORMAT, message));
        }
        let changed = change(&mut manifest);
        if changed {
            write_json(&packages, MANIFEST_FILE, &manifest)?;
        }
        Ok(changed)
    }

    /// Records `source` as a remote source of packages.
    pub(crate) fn add_registry(&self, source: &str, origin: &str) -> Result<(), ServiceError> {
        let failed = |error| write_error(REGISTRIES_FILE, error);
        let source = source.trim_end_matches('/');
        let packages = self.app.create_folder(PACKAGES_DIR).map_err(failed)?;
        let _lock = packages.lock(&format!("{REGISTRIES_FILE}.lock")).map_err(failed)?;
        let mut known: HubRegistries = self.read_packages_json(REGISTRIES_FILE)?;
        if known.registries.iter().any(|registry| registry.source == source) {
            return Ok(());
        }
        known.registries.push(HubRegistry { source: source.into(), origin: origin.into(), added_at: now_rfc3339() });
        write_json(&packages, REGISTRIES_FILE, &known)
    }

    /// Returns the sources that packages and cards were fetched from.
    pub(crate) fn list_registries(&self) -> Result<Vec<String>, ServiceError> {
        let known: HubRegistries = self.read_packages_json(REGISTRIES_FILE)?;
        Ok(known.registries.into_iter().map(|registry| registry.source).collect())
    }

    /// Reads our file, or else the one that the original left.
    fn read_packages_json<T: Default + serde::de::DeserializeOwned>(&self, file: &str) -> Result<T, ServiceError> {
        for name in [format!("{PACKAGES_DIR}/{file}"), file.to_owned()] {
            let text = match self.app.read_text(&name, MAX_MANIFEST_BYTES) {
                Ok((text, _)) => text,
                Err(AppDirError::NotFound(_)) => continue,
                // A folder that an earlier version let take this name (see `reserved_names.rs`).
                Err(AppDirError::NotRegularFile(_)) => {
                    tracing::warn!(name, "is no file of this server: run `wardroom doctor`");
                    continue;
                }
                Err(error) => return Err(ServiceError::from_read_error(file, error)),
            };
            let parsed = Payload::parse(&text, text.len()).and_then(Payload::into_typed);
            return parsed.map_err(|error| {
                tracing::warn!(%error, name, "cannot parse a manifest");
                let message = format!("{name} cannot be parsed: fix it, or move it away to start a new one");
                ServiceError::tool(code::MANIFEST_UNREADABLE, message)
            });
        }
        Ok(T::default())
    }
}

fn write_json(packages: &Folder, file: &str, value: &impl Serialize) -> Result<(), ServiceError> {
    let text = serde_json::to_string_pretty(value);
    let mut text = text.map_err(|error| ServiceError::internal(format!("cannot write {file}"), error))?;
    text.push('\n');
    packages.write(file, text.as_bytes(), Privacy::Shared).map_err(|error| write_error(file, error))
}
