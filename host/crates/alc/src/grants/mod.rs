//! Paths in the arguments of tools: resolves each to a name below a granted folder, or refuses it.
//!
//! Owns: the granted folders, and the mapping from a path to its granted folder.
//! Gives: the folders themselves to the stores above it.
//! Never: opens a path by its full text; the folder handle resolves links.

mod advice;
mod folder_way;
mod project;
mod protection;

use std::iter;
use std::path::{Component, Path, PathBuf};

use self::folder_way::{FolderOnWay, folder_id, folders_on_way};
use self::protection::{DECLARATIONS_DIR, PRIVATE_DIRS, check_app_part, check_written_names, protected_error};
pub use self::protection::{ProtectedFolder, Protection, is_private_dir};
use crate::error_code as code;
use crate::limits::MAX_PATH_BYTES;
use wardroom_appdir::{AppDirError, FileId, Folder};
use wardroom_base::uri::PackageName;
use wardroom_service::{ServiceError, escape_and_truncate};

/// A project's folder. The path serves only to recognise paths that lead into the folder.
#[derive(Clone)]
pub struct Project {
    pub folder: Folder,
    pub path: PathBuf,
}

/// A mount of packages that the operator granted besides the AppDir.
pub enum PackageMount {
    /// One package under a name of its own.
    Single { name: PackageName, folder: Folder, path: PathBuf },
    /// A folder of packages.
    Collection { folder: Folder, path: PathBuf },
}

/// The operator's settings besides the granted folders.
#[derive(Debug, Clone)]
pub struct OperatorSettings {
    /// The path of the AppDir, to recognise paths that lead into it.
    pub app_path: Option<PathBuf>,
    /// Other paths of granted folders, as the operator wrote them (`~/project` that is a link), each with the folder's
    /// own path.
    pub aliases: Vec<(PathBuf, PathBuf)>,
    /// The command that starts wardroom with this configuration, for advice.
    pub command: String,
}

impl Default for OperatorSettings {
    fn default() -> Self {
        Self { app_path: None, aliases: Vec::new(), command: String::from("wardroom") }
    }
}

/// The use of a path, which decides how it would be granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// The path is read, once.
    Read,
    /// The path is written.
    Write,
    /// The path is linked as a package, or as a folder of packages.
    Link,
    /// Packages are created in the folder.
    CreatePackages,
}

impl Grant {
    const fn is_write(self) -> bool {
        matches!(self, Self::Write | Self::CreatePackages)
    }
}

/// The folders that this service may use, and the paths by which they are recognised.
pub struct PathGrants {
    app: Folder,
    project: Option<Project>,
    package_mounts: Vec<PackageMount>,
    /// Folders whose files tools may use and that hold no packages, each with its path.
    file_mounts: Vec<(Folder, PathBuf)>,
    protected: Vec<ProtectedFolder>,
    operator: OperatorSettings,
}

impl PathGrants {
    /// Grants the AppDir and, in order of precedence, the mounts of packages; but not the folders of other services in them.
    #[must_use]
    pub fn new(
        app: Folder,
        project: Option<Project>,
        package_mounts: Vec<PackageMount>,
        file_mounts: Vec<(Folder, PathBuf)>,
        protected: Vec<ProtectedFolder>,
        operator: OperatorSettings,
    ) -> Self {
        Self { app, project, package_mounts, file_mounts, protected, operator }
    }

    /// Returns the folder of the AppDir.
    pub(crate) fn app(&self) -> &Folder {
        &self.app
    }

    /// Returns the project that was chosen when the server started.
    pub(crate) fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    pub(crate) fn package_mounts(&self) -> &[PackageMount] {
        &self.package_mounts
    }

    /// Returns the path of the AppDir, if it is known.
    pub(crate) fn app_path(&self) -> Option<&Path> {
        self.operator.app_path.as_deref()
    }

    /// Returns the command that starts wardroom with this configuration.
    pub(crate) fn command(&self) -> &str {
        &self.operator.command
    }

    /// Returns the granted folder that contains a path, and the path relative to it: empty for the folder itself. A
    /// relative path starts at the project or, without a project, at the AppDir.
    ///
    /// # Errors
    /// `INVALID_PATH`, `PROTECTED` in a folder of the services or where a hidden one would be written, or `NOT_MOUNTED` with
    /// the command that would grant the path.
    pub(crate) fn resolve_path(&self, path: &str, grant: Grant) -> Result<(Folder, String), ServiceError> {
        let (folder, below) = self.find_path(path, grant)?;
        let way = folders_on_way(folder, &below);
        if let Some(inside) = self.part_in_app_on(&way) {
            check_app_part(path, &inside, grant)?;
        }
        self.check_protections(path, &way, grant)?;
        if grant.is_write() {
            check_written_names(path, &way)?;
        }
        Ok((folder.clone(), below))
    }

    /// Checks a name that a tool makes below a path that was resolved.
    ///
    /// # Errors
    /// `PROTECTED` in a folder of another service.
    pub(crate) fn check_below(&self, root: &Folder, below: &str, name: &str, grant: Grant) -> Result<(), ServiceError> {
        let below = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        self.check_protections(&below, &folders_on_way(root, &below), grant)
    }

    fn check_protections(&self, path: &str, way: &[FolderOnWay], grant: Grant) -> Result<(), ServiceError> {
        match self.declared_folders().protections_on(way).find_map(|protection| protection.refusal(grant)) {
            Some(why) => Err(protected_error(path, why)),
            None => Ok(()),
        }
    }

    /// Looks up which folders have declared entries: that of the AppDir may be created or replaced at any time.
    pub(crate) fn declared_folders(&self) -> DeclaredFolders<'_> {
        let in_app = self.app.open_folder(DECLARATIONS_DIR).ok().as_ref().and_then(folder_id);
        DeclaredFolders { grants: self, in_app }
    }

    /// Returns the paths of the granted folders with an identity, besides the AppDir.
    fn paths_of(&self, id: Option<FileId>) -> impl Iterator<Item = &Path> {
        let is_it = move |(folder, _): &(&Folder, &Path)| id.is_some() && folder_id(folder) == id;
        self.roots().filter(is_it).map(|(_, path)| path)
    }

    /// Returns the granted folders besides the AppDir, each with its path.
    fn roots(&self) -> impl Iterator<Item = (&Folder, &Path)> {
        let project = self.project.iter().map(|project| (&project.folder, project.path.as_path()));
        let files = self.file_mounts.iter().map(|(folder, path)| (folder, path.as_path()));
        self.package_roots().chain(project).chain(files)
    }

    /// Whether a file in a granted folder is a link into a folder of the services.
    pub(crate) fn is_private(&self, folder: &Folder, file: &str) -> bool {
        if folder.read_link(file).is_err() {
            return false;
        }
        let way = folders_on_way(folder, file);
        let part = self.part_in_app_on(&way);
        part.is_some_and(|part| is_private_dir(part.split('/').next().unwrap_or_default()))
            || self.declared_folders().contain_any(&way)
    }

    /// Whether data of the services that no tool may read is below a granted folder: the AppDir, or declared entries.
    pub(crate) fn contains_private(&self, folder: &Folder) -> bool {
        let declared = |protected: &&ProtectedFolder| protected.protection == Protection::Declarations;
        let declared = self.protected.iter().filter(declared).map(|protected| protected.path.as_path());
        self.app_path().into_iter().chain(declared).any(|path| self.is_above(folder, path))
    }

    /// Whether a folder of another service is below a granted folder, so that nothing takes the place of that.
    pub(crate) fn contains_protected(&self, folder: &Folder) -> bool {
        self.contains_private(folder) || self.protected.iter().any(|protected| self.is_above(folder, &protected.path))
    }

    /// Whether a granted folder is a path, or above it. What counts is the identity of the folders on the way: a link may lead
    /// to one of them.
    fn is_above(&self, folder: &Folder, path: &Path) -> bool {
        let Some(own) = folder_id(folder) else { return false };
        let app = self.app_path().map(|path| (&self.app, path));
        self.roots().chain(app).any(|(root, root_path)| {
            let below = path.strip_prefix(root_path).ok();
            let Some(above) = below.and_then(Path::parent).and_then(Path::to_str) else { return false };
            let mut reached = String::new();
            let is_reached = |name: &str| {
                reached.push_str(if reached.is_empty() { "" } else { "/" });
                reached.push_str(name);
                root.open_folder(&reached).is_ok_and(|folder| folder_id(&folder) == Some(own))
            };
            folder_id(root) == Some(own) || above.split('/').filter(|name| !name.is_empty()).any(is_reached)
        })
    }

    /// Returns the part of a path that lies below the AppDir. What counts is the identity of the folders on the way:
    /// a mount, a project or a link may lead into the AppDir as well.
    pub(crate) fn part_in_app(&self, root: &Folder, below: &str) -> Option<String> {
        self.part_in_app_on(&folders_on_way(root, below))
    }

    fn part_in_app_on(&self, way: &[FolderOnWay]) -> Option<String> {
        let app = folder_id(&self.app);
        let private: Vec<(Option<FileId>, &str)> = PRIVATE_DIRS
            .iter()
            .filter_map(|name| Some((folder_id(&self.app.open_folder(name).ok()?), *name)))
            .collect();
        let part_of = |id: Option<FileId>| {
            if id.is_some() && id == app {
                return Some(String::new());
            }
            private.iter().find(|(known, _)| known.is_some() && *known == id).map(|(_, name)| (*name).to_owned())
        };
        // A granted folder that lies in the AppDir is known by its path: what is around it is not on the way.
        let root = way.first().and_then(|root| root.id);
        let below_app = |path: &Path| path.strip_prefix(self.app_path()?).ok()?.to_str().map(str::to_owned);
        let granted_in_app = self.paths_of(root).find_map(below_app);
        way.iter().fold(granted_in_app, |inside, FolderOnWay { name, id }| match (part_of(*id), inside) {
            (Some(part), _) => Some(part),
            (None, Some(part)) if name.is_empty() => Some(part),
            (None, Some(part)) if part.is_empty() => Some(name.clone()),
            (None, Some(part)) => Some(format!("{part}/{name}")),
            (None, None) => None,
        })
    }

    fn find_path(&self, path: &str, grant: Grant) -> Result<(&Folder, String), ServiceError> {
        if path.is_empty() || path.contains('\0') {
            return Err(ServiceError::tool(code::INVALID_PATH, "the path is empty, or contains NUL"));
        }
        // No system opens a longer one, and each of its folders is looked at.
        if path.len() > MAX_PATH_BYTES {
            let message = format!("the path is longer than {MAX_PATH_BYTES} bytes");
            return Err(ServiceError::tool(code::INVALID_PATH, message));
        }
        let files =
            self.file_mounts.iter().filter(|_| grant != Grant::Link).map(|(folder, root)| (folder, root.as_path()));
        if let Some((folder, below)) =
            self.absolute_path(path).as_deref().and_then(|full| self.find_innermost_folder(full, files))
        {
            return Ok((folder, below));
        }
        // This needs no path of the AppDir.
        if self.project.is_none() && Path::new(path).is_relative() {
            let normalized = normalize(&Path::new("/").join(path));
            let below = normalized.strip_prefix("/").ok().and_then(Path::to_str);
            if let Some(below) = below.filter(|_| stays_below(Path::new(path))) {
                return Ok((&self.app, below.to_owned()));
            }
        }
        Err(self.not_mounted_error(path, grant))
    }

    /// Resolves the path of a file like [`Self::resolve_path`]. The advice for a path in no granted folder names the file's
    /// folder.
    ///
    /// # Errors
    /// As for [`Self::resolve_path`].
    pub(crate) fn resolve_file_path(&self, path: &str, grant: Grant) -> Result<(Folder, String), ServiceError> {
        self.resolve_path(path, grant).map_err(|error| match error {
            ServiceError::Tool { code: code::NOT_MOUNTED, .. } => self.file_not_mounted_error(path, grant),
            other => other,
        })
    }

    /// Resolves a path like `resolve_path` and opens the folder, which must exist.
    ///
    /// # Errors
    /// As for `resolve_path`, and `NOT_FOUND`.
    pub fn open_folder(&self, path: &str, grant: Grant) -> Result<Folder, ServiceError> {
        let (root, below) = self.resolve_path(path, grant)?;
        let opened = if below.is_empty() { Ok(root) } else { root.open_folder(&below) };
        opened.map_err(|error| match error {
            AppDirError::NotFound(_) => {
                ServiceError::tool(code::NOT_FOUND, format!("the folder {} does not exist", escape_and_truncate(path)))
            }
            // A link leads out of the granted folders.
            AppDirError::OutsideRoot(_) => self.not_mounted_error(path, grant),
            error => ServiceError::internal(format!("cannot open {}", escape_and_truncate(path)), error),
        })
    }

    /// Returns the absolute form of a path, if the path of its starting folder is known.
    pub(crate) fn absolute_path(&self, path: &str) -> Option<PathBuf> {
        let path = Path::new(path);
        if path.is_absolute() {
            return Some(self.canonical_path(path));
        }
        let base = self.project.as_ref().map(|project| &project.path).or(self.operator.app_path.as_ref())?;
        Some(normalize(&base.join(path)))
    }

    /// Returns a path as responses show it.
    pub(crate) fn display_path(&self, path: &str) -> String {
        self.absolute_path(path).map_or_else(|| path.to_owned(), |path| path.display().to_string())
    }

    /// Returns the innermost granted folder that contains a path, and the path relative to it. Mounts of files are
    /// excluded: they hold no packages.
    pub(crate) fn find_granted_folder(&self, full: &Path) -> Option<(&Folder, String)> {
        self.find_innermost_folder(full, iter::empty()).filter(|_| !self.is_in_private_dir(full))
    }

    /// Searches like [`Self::find_granted_folder`], with more candidate folders.
    fn find_innermost_folder<'a>(
        &'a self,
        full: &Path,
        more: impl Iterator<Item = (&'a Folder, &'a Path)>,
    ) -> Option<(&'a Folder, String)> {
        let full = self.canonical_path(full);
        let project = self.project.iter().map(|project| (&project.folder, project.path.as_path()));
        let app = self.operator.app_path.iter().map(|path| (&self.app, path.as_path()));
        let roots = self.package_roots().chain(project).chain(app).chain(more);
        let around = roots.filter_map(|(folder, root)| {
            let below = full.strip_prefix(root).ok()?.to_str()?.to_owned();
            Some((root.components().count(), folder, below))
        });
        // Of two grants of the same folder the first counts: a mount states what may be done with the folder.
        let inner = around.reduce(|best, other| if other.0 > best.0 { other } else { best });
        inner.map(|(_, folder, below)| (folder, below))
    }

    /// Whether a path, as its text says, lies in a folder with data of the services alone.
    fn is_in_private_dir(&self, full: &Path) -> bool {
        let full = self.canonical_path(full);
        let is_declared = |protected: &ProtectedFolder| {
            protected.protection == Protection::Declarations && full.starts_with(&protected.path)
        };
        if self.protected.iter().any(is_declared) {
            return true;
        }
        let below = self.app_path().and_then(|app| full.strip_prefix(app).ok().map(Path::to_owned));
        below.is_some_and(|below| {
            let first = below.components().next();
            first.is_some_and(|first| first.as_os_str().to_str().is_some_and(is_private_dir))
        })
    }

    /// Returns a path without `.` and `..`, and with an alias of a granted folder replaced by the folder's own path.
    fn canonical_path(&self, path: &Path) -> PathBuf {
        let path = normalize(path);
        let below = |(given, own): &(PathBuf, PathBuf)| {
            Some((given.components().count(), own.join(path.strip_prefix(given).ok()?)))
        };
        let own = self.operator.aliases.iter().filter_map(below).max_by_key(|(depth, _)| *depth);
        own.map_or_else(|| path.clone(), |(_, own)| normalize(&own))
    }

    /// Returns whether a path lies in a folder granted for every project: the AppDir or a mount of packages.
    pub(crate) fn is_granted_globally(&self, full: &Path) -> bool {
        let mut roots = self.package_roots().map(|(_, root)| root).chain(self.operator.app_path.as_deref());
        roots.any(|root| full.starts_with(root))
    }

    fn package_roots(&self) -> impl Iterator<Item = (&Folder, &Path)> {
        self.package_mounts.iter().map(|mount| match mount {
            PackageMount::Single { folder, path, .. } | PackageMount::Collection { folder, path } => {
                (folder, path.as_path())
            }
        })
    }
}

/// Which folders have declared entries, as of one look.
pub(crate) struct DeclaredFolders<'g> {
    grants: &'g PathGrants,
    in_app: Option<FileId>,
}

impl DeclaredFolders<'_> {
    /// Whether a file has the source of a declared entry.
    pub(crate) fn contain(&self, folder: &Folder, file: &str) -> bool {
        (!self.grants.protected.is_empty() || self.in_app.is_some()) && self.contain_any(&folders_on_way(folder, file))
    }

    fn contain_any(&self, way: &[FolderOnWay]) -> bool {
        self.protections_on(way).any(|protection| protection == Protection::Declarations)
    }

    /// Returns the protections of the folders that a path leads through, and of those around its granted folder.
    fn protections_on<'w>(&'w self, way: &'w [FolderOnWay]) -> impl Iterator<Item = Protection> + 'w {
        let root = way.first().and_then(|root| root.id);
        let is_on_way = move |protected: &&ProtectedFolder| {
            let own = folder_id(&protected.folder);
            own.is_some() && way.iter().any(|folder| folder.id == own)
                || self.grants.paths_of(root).any(|path| path.starts_with(&protected.path))
        };
        let declared = self.in_app.filter(|own| way.iter().any(|folder| folder.id == Some(*own)));
        let protected = self.grants.protected.iter().filter(is_on_way).map(|protected| protected.protection);
        protected.chain(declared.map(|_| Protection::Declarations))
    }
}

/// Resolves `.` and `..` in the text of a path.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normalized.pop();
            }
            other => normalized.push(other),
        }
    }
    normalized
}

/// Returns whether no prefix of a relative path leads above its starting folder.
fn stays_below(path: &Path) -> bool {
    let mut depth = 0usize;
    path.components().all(|component| match component {
        Component::ParentDir => depth.checked_sub(1).map(|less| depth = less).is_some(),
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::CurDir => true,
        Component::RootDir | Component::Prefix(_) => false,
    })
}
