//! Descriptions of the packages in a folder, for an index or for documentation.

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::error_code as code;
use crate::grants::Grant;
use crate::json_fields::LeasedFields;
use crate::packages::{PackageStore, find_packages_in};
use crate::parallel;
use wardroom_appdir::Folder;
use wardroom_base::uri::PackageName;
use wardroom_sandbox::PackageMetadata;
use wardroom_service::{RequestInfo, RequestMemory, ServiceError};

/// A package as its source describes it.
pub(super) struct PackageDescription {
    pub(super) name: PackageName,
    meta: LeasedFields,
    pub(super) metadata: Arc<PackageMetadata>,
}

/// The metadata that an index, a page or a finding names.
const DESCRIBED_KEYS: [&str; 6] = ["name", "version", "description", "category", "tags", "alc_shapes_compat"];

impl PackageDescription {
    pub(super) fn meta_text(&self, key: &str) -> Option<&str> {
        self.meta_field(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    pub(super) fn meta_field(&self, key: &str) -> Option<&Value> {
        self.meta.fields.get(key)
    }

    pub(super) fn doc(&self) -> &str {
        self.metadata.doc.as_deref().unwrap_or_default()
    }
}

/// The packages of a folder, and a warning for each one that could not be read.
pub(super) struct PackageDescriptions {
    pub(super) packages: Vec<PackageDescription>,
    pub(super) warnings: Vec<String>,
}

/// Describes every package of a folder, in the order of their names; several guest instances work in parallel.
pub(super) fn describe_packages(
    packages: &PackageStore,
    folder: &Folder,
    info: &RequestInfo,
) -> Result<PackageDescriptions, ServiceError> {
    let (mut names, links) = find_packages_in(folder)?;
    let declared = packages.grants().declared_folders();
    names.retain(|name| !declared.contain(folder, name.as_str()));
    let read = parallel::map_items(&names, &|| info.cancellation.is_cancelled(), |name| {
        describe_package(packages, folder, name, &info.memory)
    });
    let mut sources = PackageDescriptions { packages: Vec::new(), warnings: Vec::new() };
    for (name, read) in names.iter().zip(read) {
        match read {
            Some(Ok(described)) => sources.packages.push(described),
            Some(Err(error)) => sources.warnings.push(format!("{name}: {error}")),
            None => return Err(cancelled_error(&info.cancellation)),
        }
    }
    sources.warnings.extend(links.into_iter().map(|link| format!("{link}: a link, not followed")));
    Ok(sources)
}

fn describe_package(
    packages: &PackageStore,
    folder: &Folder,
    name: &PackageName,
    memory: &RequestMemory,
) -> Result<PackageDescription, ServiceError> {
    let package =
        folder.open_folder(name.as_str()).map_err(|error| ServiceError::from_read_error(name.as_str(), error))?;
    let (metadata, _) = packages.load_metadata(&package, name, name.as_str())?;
    let is_wanted = |key: &str| DESCRIBED_KEYS.contains(&key);
    let meta = LeasedFields::read(&metadata.json, &format!("the metadata of {name}"), memory, is_wanted)?;
    Ok(PackageDescription { name: name.clone(), meta, metadata })
}

/// Opens the folder that a tool reads packages from; returns its path for display too.
pub(super) fn open_source_dir(packages: &PackageStore, path: Option<&str>) -> Result<(Folder, String), ServiceError> {
    match path {
        Some(path) => Ok((packages.grants().open_folder(path, Grant::Read)?, packages.grants().display_path(path))),
        None => {
            let folder = packages.open_packages_folder().map_err(|error| {
                tracing::warn!(%error, "cannot open the folder of packages");
                ServiceError::tool(code::NOT_FOUND, "the AppDir has no packages")
            })?;
            Ok((folder, packages.packages_path().display().to_string()))
        }
    }
}

/// Returns the error for a package whose thread ended without a result.
fn cancelled_error(token: &CancellationToken) -> ServiceError {
    let message = if token.is_cancelled() { "the call was cancelled" } else { "a package could not be examined" };
    ServiceError::tool(code::CANCELLED, message)
}
