//! The packages in a folder, read for an index or for documentation.

use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::pkg::{packages_in, refused};
use crate::{Alc, Ask, parallel, places};
use wardroom_appdir::Folder;
use wardroom_base::uri::PackageName;
use wardroom_sandbox::Metadata;
use wardroom_service::{CallContext, ServiceError};

/// A package as its source describes it.
pub(super) struct Described {
    pub(super) name: PackageName,
    pub(super) meta: Map<String, Value>,
    pub(super) metadata: Arc<Metadata>,
}

impl Described {
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.meta.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    pub(super) fn doc(&self) -> &str {
        self.metadata.doc.as_deref().unwrap_or_default()
    }
}

/// What is in a folder, and what of it could not be read.
pub(super) struct Sources {
    pub(super) packages: Vec<Described>,
    pub(super) warnings: Vec<String>,
}

impl Alc {
    /// Every package of a folder, in the order of their names; the guest reads several at a time.
    pub(super) fn described(&self, folder: &Folder, context: &CallContext) -> Result<Sources, ServiceError> {
        let (names, links) = packages_in(folder)?;
        let read = parallel::each(&names, &context.cancelled, |name| self.described_one(folder, name, context));
        let mut sources = Sources { packages: Vec::new(), warnings: Vec::new() };
        for (name, read) in names.iter().zip(read) {
            match read {
                Some(Ok(described)) => sources.packages.push(described),
                Some(Err(error)) => sources.warnings.push(format!("{name}: {error}")),
                None => return Err(cancelled(&context.cancelled)),
            }
        }
        sources.warnings.extend(links.into_iter().map(|link| format!("{link}: a link, not followed")));
        Ok(sources)
    }

    fn described_one(
        &self,
        folder: &Folder,
        name: &PackageName,
        context: &CallContext,
    ) -> Result<Described, ServiceError> {
        let package = folder.folder(name.as_str()).map_err(|error| ServiceError::reading(name.as_str(), error))?;
        let (metadata, _) = self.metadata_in(&package, name, &Ask { uri: name.as_str(), context })?;
        let meta = serde_json::from_str(&metadata.json)
            .map_err(|error| ServiceError::internal("its metadata is not an object", error))?;
        Ok(Described { name: name.clone(), meta, metadata })
    }

    /// The folder that a tool reads packages from, and how it is called.
    pub(super) fn source_dir(&self, path: Option<&str>) -> Result<(Folder, String), ServiceError> {
        match path {
            Some(path) => Ok((places::folder(self, path, places::Grant::Read)?, places::told(self, path))),
            None => {
                let folder = self.folders.app.folder("packages").map_err(|error| {
                    tracing::warn!(%error, "no packages");
                    refused("NOT_FOUND", "the AppDir has no packages")
                })?;
                Ok((folder, self.packages_path().display().to_string()))
            }
        }
    }
}

/// A thread that ended without an answer is as good as one that was stopped.
fn cancelled(token: &CancellationToken) -> ServiceError {
    let message = if token.is_cancelled() { "the call was cancelled" } else { "a package could not be looked at" };
    refused("CANCELLED", message)
}
