//! Finds a package: among the project's variants and its own packages, the operator's mounts, or in the AppDir.
//!
//! Owns: the precedence of these locations.
//! Never: follows a link or a path out of the granted folders.

use std::sync::Arc;

use wardroom_rules::id;

use super::project_files::{PackageEntry, PackageTable, REQUIREMENTS_FILE, VARIANTS_FILE};
use super::{PACKAGES_DIR, PackageStore, is_package};
use crate::grants::{DeclaredFolders, PackageMount};
use crate::hub::outputs::DOCS_DIR;
use crate::limits::{MAX_COMPARED_NAMES, MAX_CONFIG_BYTES, MAX_INLINE_CARD_BYTES};
use wardroom_appdir::{AppDirError, EntryKind, Folder, OpenFile};
use wardroom_base::uri::PackageName;
use wardroom_ranking::closest_name;
use wardroom_service::limits::MAX_INLINE_READ_BYTES;
use wardroom_service::{Cost, DocumentLimits, ResourceContent, ServiceError, Step, Work};

/// The links for every project, below `packages/`, in the format of `alc.local.toml`. They are in a file because a
/// confined server cannot create links. An entry shadows a directory of the same name, so that linking is atomic. No
/// package can have a name that begins with a dot.
pub(crate) const LINKS_FILE: &str = ".links.toml";
/// The earlier place of the links, where they are read until they are changed for the first time.
pub(crate) const OLD_LINKS_FILE: &str = "links.toml";
/// The file that makes a folder a package.
pub(crate) const SOURCE_FILE: &str = "init.lua";
pub(crate) const NARRATIVE_FILE: &str = "narrative.md";

/// Returns the path in the AppDir of the page that `alc_hub_gendoc` generates for a package.
pub(super) fn generated_narrative(name: &PackageName) -> String {
    format!("{PACKAGES_DIR}/{DOCS_DIR}/narrative/{name}.md")
}

/// A place where a package may be.
enum PackageCandidate<'a> {
    /// A folder that is one package.
    Folder(&'a Folder),
    /// A path below a granted folder.
    Below(&'a Folder, String),
    /// A name in a folder of packages of the operator's own, which may hold other things than packages.
    Collected(&'a Folder, String),
    /// The folder of packages of the AppDir, with the links to packages elsewhere, which take precedence.
    Installed(Arc<PackageTable>),
}

impl PackageCandidate<'_> {
    /// Reads the links, which only the last location takes. A malformed links file could have shadowed any package, so
    /// it is an error for all.
    fn with_links(self, store: &PackageStore, limit: u64, uri: &str) -> Result<Self, ServiceError> {
        match self {
            Self::Installed(_) => store.read_links(uri, limit).map(Self::Installed),
            other => Ok(other),
        }
    }
}

impl PackageStore {
    /// Resolves a file of a package into work with that file, open.
    pub(crate) fn with_file<T: Send + 'static>(
        self: &Arc<Self>,
        name: &PackageName,
        file: &'static str,
        uri: &str,
        then: impl FnOnce(&Arc<Self>, OpenFile) -> Work<T> + Send + 'static,
    ) -> Result<Work<T>, ServiceError> {
        let open = move |store: &Self, name: &PackageName, limit: u64, uri: &str| match file {
            NARRATIVE_FILE => store.open_narrative(name, limit, uri),
            file => store.open_file(name, file, limit, uri),
        };
        match open(self, name, MAX_INLINE_CARD_BYTES, uri) {
            Ok(file) => Ok(then(self, file)),
            // A table of packages is so large that it is read where time allows.
            Err(ServiceError::TooLarge { .. }) => {
                let (store, name, uri) = (Arc::clone(self), name.clone(), uri.to_owned());
                Ok(Work::in_steps(Cost::Worker, move |_| {
                    let file = open(&store, &name, MAX_CONFIG_BYTES, &uri)?;
                    Ok(Step::Next(then(&store, file)))
                }))
            }
            Err(error) => Err(error),
        }
    }

    /// Resolves the read of a text file of a package, given its MIME type and its size limit in bytes.
    pub(crate) fn resolve_file(
        self: &Arc<Self>,
        name: &PackageName,
        (file, mime_type, limit): (&'static str, &'static str, u64),
        uri: &str,
    ) -> Result<Work<ResourceContent>, ServiceError> {
        let limits = DocumentLimits { inline: MAX_INLINE_READ_BYTES, worker: limit, large: limit };
        let named = uri.to_owned();
        self.with_file(name, file, uri, move |_, file| {
            limits.read_text(file, &named, move |text, modified| Ok(ResourceContent::new(mime_type, text, modified)))
        })
    }

    /// Opens the narrative of a package, or the page that `alc_hub_gendoc` generated for it in the AppDir. Each table of packages
    /// may have `limit` bytes.
    pub(crate) fn open_narrative(&self, name: &PackageName, limit: u64, uri: &str) -> Result<OpenFile, ServiceError> {
        match self.open_file(name, NARRATIVE_FILE, limit, uri) {
            Err(ServiceError::NotFound { .. }) => {
                // The page of a package that was removed may still be there.
                self.open_file(name, SOURCE_FILE, limit, uri)?;
                let generated = self.app.open(&generated_narrative(name));
                generated.map_err(|error| ServiceError::from_read_error(uri, error))
            }
            opened => opened,
        }
    }

    /// Opens a file of a package, in the first location that has the package. Each table of packages may have `limit`
    /// bytes. A folder that is replaced meanwhile loses its files, so the locations are tried again.
    pub(super) fn open_file(
        &self,
        name: &PackageName,
        file: &str,
        limit: u64,
        uri: &str,
    ) -> Result<OpenFile, ServiceError> {
        const MAX_OPEN_ATTEMPTS: usize = 3;
        let failed = |error| ServiceError::from_read_error(uri, error);
        let not_found = || ServiceError::NotFound { uri: uri.to_owned() };
        for _ in 0..MAX_OPEN_ATTEMPTS {
            let mut missing_in = None;
            for location in self.package_locations(name, limit, uri)? {
                let location = location.with_links(self, limit, uri)?;
                // One system call where no link is involved.
                let direct = match &location {
                    PackageCandidate::Folder(folder) => folder.open_without_links(file),
                    PackageCandidate::Below(root, path) | PackageCandidate::Collected(root, path) => {
                        root.open_without_links(&join(path, file))
                    }
                    PackageCandidate::Installed(links) if links.contains_key(name.as_str()) => None,
                    PackageCandidate::Installed(_) => self.app.open_without_links(&format!("packages/{name}/{file}")),
                };
                match direct {
                    Some(_) if self.is_declared(&location) => continue,
                    Some(found) => return Ok(found),
                    None => {}
                }
                let Some(folder) = self.open_location(name, &location).map_err(failed)? else { continue };
                match folder.open(file) {
                    Err(AppDirError::NotFound(_))
                        if matches!(location, PackageCandidate::Collected(..)) && !is_package(&folder) =>
                    {
                        continue;
                    }
                    Err(AppDirError::NotFound(_)) => missing_in = Some((folder, location)),
                    opened => return opened.map_err(failed),
                }
                break;
            }
            let (folder, location) = missing_in.ok_or_else(not_found)?;
            let identity = |folder: &Folder| folder.stat_self().ok().map(|stat| stat.file_id);
            let again = self.open_location(name, &location).map_err(failed)?;
            if again.is_some_and(|again| identity(&again) == identity(&folder)) {
                return Err(not_found());
            }
        }
        Err(not_found())
    }

    /// Returns the locations of a package, in order of precedence: a variant, the project's own, the version that the
    /// project pins, a mount, the AppDir.
    fn package_locations<'a>(
        &'a self,
        name: &PackageName,
        limit: u64,
        uri: &str,
    ) -> Result<Vec<PackageCandidate<'a>>, ServiceError> {
        let project = self.project_package_paths(name, limit, uri)?;
        let mut locations: Vec<_> =
            project.into_iter().map(|(root, path)| PackageCandidate::Below(root, path)).collect();
        for mount in self.grants.package_mounts() {
            match mount {
                PackageMount::Single { name: mounted, folder, .. } if mounted == name => {
                    locations.push(PackageCandidate::Folder(folder));
                }
                PackageMount::Single { .. } => {}
                PackageMount::Collection { folder, .. } => {
                    locations.push(PackageCandidate::Collected(folder, name.to_string()));
                }
            }
        }
        locations.push(PackageCandidate::Installed(Arc::default()));
        Ok(locations)
    }

    /// Opens the folder of a location; `None` where it does not exist.
    fn open_location(
        &self,
        name: &PackageName,
        location: &PackageCandidate<'_>,
    ) -> Result<Option<Folder>, AppDirError> {
        if self.is_declared(location) {
            return Ok(None);
        }
        let opened = match location {
            PackageCandidate::Folder(folder) => Ok((*folder).clone()),
            PackageCandidate::Below(root, path) if path.is_empty() => Ok((*root).clone()),
            PackageCandidate::Below(root, path) | PackageCandidate::Collected(root, path) => root.open_folder(path),
            PackageCandidate::Installed(links) => self.open_linked_or_installed(name, links),
        };
        match opened {
            Ok(folder) => Ok(Some(folder)),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a location has declared entries: those are no package, whatever their folder is called.
    fn is_declared(&self, location: &PackageCandidate<'_>) -> bool {
        match location {
            PackageCandidate::Folder(folder) => self.grants.declared_folders().contain(folder, ""),
            PackageCandidate::Below(root, path) | PackageCandidate::Collected(root, path) => {
                self.grants.declared_folders().contain(root, path)
            }
            PackageCandidate::Installed(_) => false,
        }
    }

    /// Whether the AppDir has a package of this name, unless that is a link.
    pub(crate) fn has_source(&self, name: &PackageName) -> bool {
        self.app.stat(&format!("packages/{name}/{SOURCE_FILE}")).is_ok()
    }

    /// Opens a package of the AppDir, as the current links say.
    pub(crate) fn open_installed_package(&self, name: &PackageName) -> Result<Folder, AppDirError> {
        let links = self.read_links("packages", MAX_CONFIG_BYTES).map_err(|error| AppDirError::Io {
            name: LINKS_FILE.to_owned(),
            source: std::io::Error::other(error.to_string()),
        })?;
        self.open_linked_or_installed(name, &links)
    }

    /// Opens a package of the AppDir. A link there may lead into any granted folder.
    fn open_linked_or_installed(&self, name: &PackageName, links: &PackageTable) -> Result<Folder, AppDirError> {
        let at = format!("packages/{name}");
        if let Some(path) = links.get(name.as_str()).and_then(|entry| entry.path.as_deref()) {
            let (folder, below) = self.resolve_link_path(path).ok_or(AppDirError::OutsideRoot(at))?;
            return if below.is_empty() { Ok(folder.clone()) } else { folder.open_folder(&below) };
        }
        match self.app.open_folder(&at) {
            Err(escapes @ AppDirError::OutsideRoot(_)) => {
                let text = self.app.read_link(&at).map_err(|_| AppDirError::OutsideRoot(at))?;
                let (folder, below) = self.grants.find_granted_folder(&text).ok_or(escapes)?;
                if below.is_empty() { Ok(folder.clone()) } else { folder.open_folder(&below) }
            }
            opened => opened,
        }
    }

    /// Returns the names of the packages that are wanted, unordered and possibly repeated. Each scanned name takes one from
    /// `budget`.
    ///
    /// # Errors
    /// When a folder of packages or a table of packages cannot be read.
    pub fn list_package_names(
        &self,
        budget: &mut usize,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, ServiceError> {
        let mut names = self.named_packages()?;
        names.retain(|name| is_wanted(name));
        let declared = self.grants.declared_folders();
        for folder in self.package_folders().map_err(not_listed)? {
            let listed = folder.visit_names(budget, |name, _, kind| {
                let is_folder = matches!(kind, EntryKind::Folder | EntryKind::Symlink);
                if is_folder && is_wanted(name) && is_listed(&declared, &folder, name) {
                    names.push(name.to_owned());
                }
            });
            match listed {
                // A granted folder may have been removed.
                Ok(()) | Err(AppDirError::NotFound(_)) => {}
                Err(error) => return Err(not_listed(error)),
            }
        }
        Ok(names)
    }

    /// Returns the names of packages after one, sorted, at most `most`. Of each folder it knows `max_names`.
    ///
    /// # Errors
    /// When a folder of packages or a table of packages cannot be read.
    pub(crate) fn package_names_after(
        &self,
        after: Option<&str>,
        most: usize,
        max_names: usize,
    ) -> Result<Vec<String>, ServiceError> {
        let folders = self.package_folders().map_err(not_listed)?;
        let mut names = self.named_packages()?;
        names.retain(|name| after.is_none_or(|after| name.as_str() > after) && id::check_alphabet(name).is_ok());
        let declared = self.grants.declared_folders();
        let is_listed = |folder: &Folder, name: &str| is_listed(&declared, folder, name);
        let in_folders = self.sorted_names.after(&folders, after, most, max_names, is_listed);
        names.extend(in_folders.map_err(not_listed)?);
        names.sort_unstable();
        names.dedup();
        names.truncate(most);
        Ok(names)
    }

    /// Returns the packages that a table or a grant names.
    fn named_packages(&self) -> Result<Vec<String>, ServiceError> {
        let mut names: Vec<String> = self.read_variants("packages", MAX_CONFIG_BYTES)?.keys().cloned().collect();
        names.extend(self.read_links("packages", MAX_CONFIG_BYTES)?.keys().cloned());
        let own = self.read_requirements("packages", MAX_CONFIG_BYTES)?;
        names.extend(own.iter().filter(|(_, entry)| entry.path.is_some()).map(|(name, _)| name.clone()));
        names.extend(self.grants.package_mounts().iter().filter_map(|mount| match mount {
            PackageMount::Single { name, .. } => Some(name.to_string()),
            PackageMount::Collection { .. } => None,
        }));
        // As in folders: no package has such a name.
        names.retain(|name| !name.starts_with('.'));
        Ok(names)
    }

    /// Opens the folders of packages. That of the AppDir need not exist.
    fn package_folders(&self) -> Result<Vec<Folder>, AppDirError> {
        let installed = match self.open_packages_folder() {
            Ok(folder) => Some(folder),
            Err(AppDirError::NotFound(_)) => None,
            Err(error) => return Err(error),
        };
        let granted = self.grants.package_mounts().iter().filter_map(|mount| match mount {
            PackageMount::Single { .. } => None,
            PackageMount::Collection { folder, .. } => Some(folder.clone()),
        });
        Ok(installed.into_iter().chain(granted).collect())
    }

    /// Returns the package whose name is most similar to one that does not exist; `None` if it exists. Of a very large number
    /// of packages none is compared.
    pub(crate) fn closest_package(&self, name: &str) -> Option<String> {
        let is_name = |name: &str| PackageName::parse(name).is_ok();
        let mut names_left = MAX_COMPARED_NAMES;
        let mut names = self.list_package_names(&mut names_left, &is_name).ok()?;
        if names_left == 0 || names.iter().any(|listed| listed == name) {
            return None;
        }
        // Of several that are as similar, the same one each time.
        names.sort_unstable();
        closest_name(name, names.iter().map(String::as_str)).map(str::to_owned)
    }

    /// Returns the packages that are linked for every project.
    pub(crate) fn read_links(&self, uri: &str, limit: u64) -> Result<Arc<PackageTable>, ServiceError> {
        let read = |file: &str| self.links_cache.read(&self.app, &format!("packages/{file}"), uri, limit);
        match read(LINKS_FILE)? {
            None if self.has_old_links => {
                match read(OLD_LINKS_FILE)? {
                    Some(old) => Ok(old),
                    // They were moved between the two reads.
                    None => Ok(read(LINKS_FILE)?.unwrap_or_default()),
                }
            }
            links => Ok(links.unwrap_or_default()),
        }
    }

    /// Returns the target of a link of [`LINKS_FILE`], if it lies in a granted folder.
    pub(crate) fn resolve_link_path(&self, path: &str) -> Option<(&Folder, String)> {
        self.grants.find_granted_folder(&self.packages_path().join(path))
    }

    /// Returns the paths that the project's files give for a package, in order of precedence: each below a granted
    /// folder, whether or not it exists.
    pub(crate) fn project_package_paths(
        &self,
        name: &PackageName,
        limit: u64,
        uri: &str,
    ) -> Result<Vec<(&Folder, String)>, ServiceError> {
        if self.grants.project().is_none() {
            return Ok(Vec::new());
        }
        let variants = self.read_variants(uri, limit)?;
        let mut found = Vec::new();
        if let Some(path) = variants.get(name.as_str()).and_then(|entry| entry.path.as_deref()) {
            found.push(self.resolve_project_path(path, &format!("variant package {name}"))?);
        }
        let requirements = self.read_requirements(uri, limit)?;
        let Some(entry) = requirements.get(name.as_str()) else { return Ok(found) };
        if let Some(path) = &entry.path {
            found.push(self.resolve_project_path(path, &format!("package {name} of {REQUIREMENTS_FILE}"))?);
        }
        if let Some(copy) = pinned_copy_path(name, entry) {
            found.push((&self.app, copy));
        }
        Ok(found)
    }

    /// Resolves a path in one of the project's files to a granted folder.
    pub(crate) fn resolve_project_path(&self, path: &str, what: &str) -> Result<(&Folder, String), ServiceError> {
        let outside = || ServiceError::Internal {
            public_message: format!("{what} is outside the project and every mount"),
            cause: None,
        };
        let project = self.grants.project().ok_or_else(outside)?;
        self.grants.find_granted_folder(&project.path.join(path)).ok_or_else(outside)
    }

    /// Returns the table `packages` of the project's `alc.local.toml`.
    pub(crate) fn read_variants(&self, uri: &str, limit: u64) -> Result<Arc<PackageTable>, ServiceError> {
        let Some(project) = self.grants.project() else { return Ok(Arc::default()) };
        self.variants_cache.read(&project.folder, VARIANTS_FILE, uri, limit).map(Option::unwrap_or_default)
    }

    /// Returns the table `packages` of the project's `alc.toml`.
    pub(crate) fn read_requirements(&self, uri: &str, limit: u64) -> Result<Arc<PackageTable>, ServiceError> {
        let Some(project) = self.grants.project() else { return Ok(Arc::default()) };
        self.requirements_cache.read(&project.folder, REQUIREMENTS_FILE, uri, limit).map(Option::unwrap_or_default)
    }
}

/// Returns whether a name in a folder of packages is listed: hidden names and declared entries are not, and names like `_docs`
/// only with an `init.lua`.
pub(super) fn is_listed(declared: &DeclaredFolders<'_>, folder: &Folder, name: &str) -> bool {
    let may_be_package = match name.as_bytes().first() {
        Some(b'.') => false,
        Some(b'_') => folder.stat(&format!("{name}/{SOURCE_FILE}")).is_ok(),
        _ => true,
    };
    may_be_package && !declared.contain(folder, name)
}

fn not_listed(error: AppDirError) -> ServiceError {
    ServiceError::from_list_error("packages", error)
}

/// Returns the path, below the AppDir, of the copy of the version that a project pins.
pub(crate) fn pinned_copy_path(name: &PackageName, entry: &PackageEntry) -> Option<String> {
    Some(format!("packages/{name}@{}", entry.pinned_version()?))
}

fn join(path: &str, file: &str) -> String {
    if path.is_empty() { file.to_owned() } else { format!("{path}/{file}") }
}
