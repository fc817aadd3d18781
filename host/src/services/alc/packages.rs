//! Where a package is: among the project's variants, what the operator linked, or the AppDir.
//!
//! Owns: the order of those places, and the meaning of `alc.local.toml`.
//! Never: follows a link or a path out of a folder that was granted.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use toml::Value;

use super::{Alc, Ask};
use crate::appdir::{AppDirError, EntryKind, Folder, Stat};
use crate::limits::{LIGHT_BYTES, LIGHT_CARD_BYTES, MAX_CONFIG_BYTES, MAX_NARRATIVE_BYTES, MAX_SOURCE_BYTES};
use crate::services::{Content, ServiceError, mime};
use crate::toml_text;
use crate::uri::PackageName;

/// The file that makes a folder a package.
pub(super) const SOURCE: &str = "init.lua";
pub(super) const NARRATIVE: &str = "narrative.md";
pub(super) const VARIANTS: &str = "alc.local.toml";

/// What the operator granted beside the AppDir.
pub enum Linked {
    /// One package under a name of its own.
    Package { name: PackageName, folder: Folder, path: PathBuf },
    /// A folder of packages.
    Packages { folder: Folder, path: PathBuf },
}

impl Alc {
    pub(super) fn package_source(&self, name: &PackageName, ask: &Ask) -> Result<Content, ServiceError> {
        self.package_file(name, (SOURCE, mime::LUA, MAX_SOURCE_BYTES), ask)
    }

    pub(super) fn package_narrative(&self, name: &PackageName, ask: &Ask) -> Result<Content, ServiceError> {
        self.package_file(name, (NARRATIVE, mime::MARKDOWN, MAX_NARRATIVE_BYTES), ask)
    }

    /// A text file of a package, by its name, its type and how long it may be.
    fn package_file(
        &self,
        name: &PackageName,
        (file, mime_type, limit): (&str, &'static str, u64),
        ask: &Ask,
    ) -> Result<Content, ServiceError> {
        let folder = self.package(name, ask)?;
        let read = folder.read_text(file, ask.context.at_most(LIGHT_BYTES, limit));
        let (text, modified) = read.map_err(|error| ServiceError::reading(ask.uri, error))?;
        Ok(Content::new(mime_type, text, modified))
    }

    /// The folder of a package: a variant before what was linked, before the AppDir.
    pub(super) fn package(&self, name: &PackageName, ask: &Ask) -> Result<Folder, ServiceError> {
        let uri = ask.uri;
        if let Some(variant) = self.variant(name, ask)? {
            return Ok(variant);
        }
        for linked in &self.folders.linked {
            match linked {
                Linked::Package { name: linked, folder, .. } if linked == name => return Ok(folder.clone()),
                Linked::Package { .. } => {}
                Linked::Packages { folder, .. } => match folder.folder(name.as_str()) {
                    Ok(folder) => return Ok(folder),
                    Err(AppDirError::NotFound(_)) => {}
                    Err(error) => return Err(ServiceError::reading(uri, error)),
                },
            }
        }
        self.folders.app.folder(&format!("packages/{name}")).map_err(|error| ServiceError::reading(uri, error))
    }

    /// The package names there are, in no order and perhaps twice; `left` goes down with each that is looked at.
    pub(super) fn package_names(&self, left: &mut usize) -> Result<Vec<String>, ServiceError> {
        let listed = |error| ServiceError::internal("cannot list packages", error);
        let mut names: Vec<String> = self.variants("packages", MAX_CONFIG_BYTES)?.keys().cloned().collect();
        let mut add_folder = |folder: Result<Folder, AppDirError>| match folder.and_then(|f| f.entries_within(left)) {
            Ok(entries) => {
                let folders = entries.into_iter().filter(|e| matches!(e.kind, EntryKind::Folder | EntryKind::Link));
                names.extend(folders.map(|entry| entry.name));
                Ok(())
            }
            Err(AppDirError::NotFound(_)) => Ok(()),
            Err(error) => Err(listed(error)),
        };
        add_folder(self.folders.app.folder("packages"))?;
        let mut single = Vec::new();
        for linked in &self.folders.linked {
            match linked {
                Linked::Package { name, .. } => single.push(name.to_string()),
                Linked::Packages { folder, .. } => add_folder(Ok(folder.clone()))?,
            }
        }
        names.extend(single);
        Ok(names)
    }

    fn variant(&self, name: &PackageName, ask: &Ask) -> Result<Option<Folder>, ServiceError> {
        let Some((root, below)) = self.variant_place(name, ask)? else { return Ok(None) };
        match if below.is_empty() { Ok(root.clone()) } else { root.folder(&below) } {
            Ok(folder) => Ok(Some(folder)),
            Err(AppDirError::NotFound(_)) => {
                tracing::warn!(package = %name, "variant package has no folder, skipped");
                Ok(None)
            }
            Err(error) => Err(ServiceError::reading(ask.uri, error)),
        }
    }

    /// Where a variant should be: below which granted folder, the project's or one that was linked.
    pub(super) fn variant_place(
        &self,
        name: &PackageName,
        ask: &Ask,
    ) -> Result<Option<(&Folder, String)>, ServiceError> {
        let Some(project) = &self.folders.project else { return Ok(None) };
        let variants = self.variants(ask.uri, ask.context.at_most(LIGHT_CARD_BYTES, MAX_CONFIG_BYTES))?;
        let Some(path) = variants.get(name.as_str()).and_then(Option::as_deref) else { return Ok(None) };
        let full = tidy(&project.path.join(path));
        let roots = self.folders.linked.iter().map(|linked| match linked {
            Linked::Package { folder, path, .. } | Linked::Packages { folder, path } => (folder, path.as_path()),
        });
        let found = std::iter::once((&project.folder, project.path.as_path()))
            .chain(roots)
            .find_map(|(folder, root)| Some((folder, full.strip_prefix(root).ok()?.to_str()?.to_owned())));
        found.map(Some).ok_or_else(|| ServiceError::Internal {
            public: format!("variant package {name} lies outside the project and every mount"),
            cause: None,
        })
    }

    /// The table `packages` of the project's `alc.local.toml`.
    fn variants(&self, uri: &str, limit: u64) -> Result<Arc<Variants>, ServiceError> {
        let Some(project) = &self.folders.project else { return Ok(Arc::default()) };
        let stat = match project.folder.stat(VARIANTS) {
            Err(AppDirError::NotFound(_)) => return Ok(Arc::default()),
            stat => stat.ok(),
        };
        if let Some(known) = stat.and_then(|stat| self.variants.find(stat)) {
            return Ok(known);
        }
        let text = match project.folder.read_text(VARIANTS, limit) {
            Ok((text, _)) => text,
            Err(AppDirError::NotFound(_)) => return Ok(Arc::default()),
            Err(cause @ AppDirError::TooLarge { .. }) => {
                return Err(ServiceError::TooLarge {
                    public: format!("{VARIANTS} is larger than {limit} bytes"),
                    cause,
                });
            }
            Err(error) => return Err(ServiceError::internal(format!("cannot read {VARIANTS} for {uri}"), error)),
        };
        let mut document = toml_text::parse(&text)
            .map_err(|error| ServiceError::internal(format!("malformed {VARIANTS}: {}", error.public()), error))?;
        let packages = match document.remove("packages") {
            Some(Value::Table(packages)) => Arc::new(packages.into_iter().map(|(n, v)| (n, path_of(&v))).collect()),
            Some(_) => {
                return Err(ServiceError::Internal {
                    public: format!("malformed {VARIANTS}: packages is not a table"),
                    cause: None,
                });
            }
            None => Arc::default(),
        };
        if let Some(stat) = stat {
            self.variants.keep(stat, &packages);
        }
        Ok(packages)
    }
}

/// The variants as they were read last: a client may subscribe to a thousand packages.
#[derive(Default)]
pub(super) struct VariantsCache(Mutex<Option<(Stat, Arc<Variants>)>>);

/// The path of each variant, as it is written.
type Variants = BTreeMap<String, Option<String>>;

/// A version or a repository is no place on this machine.
fn path_of(variant: &Value) -> Option<String> {
    Some(variant.get("path")?.as_str()?.to_owned())
}

impl VariantsCache {
    fn find(&self, stat: Stat) -> Option<Arc<Variants>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(known, _)| *known == stat).map(|(_, variants)| Arc::clone(variants))
    }

    /// `stat` is from before the file was read.
    fn keep(&self, stat: Stat, variants: &Arc<Variants>) {
        if stat.holds_still() {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((stat, Arc::clone(variants)));
        }
    }
}

/// Resolves `.` and `..` in the text of a path. What links make of it is the folder handle's concern.
pub(super) fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    tidy
}
