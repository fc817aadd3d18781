//! Paths in the arguments of tools: resolves each to a name below a granted folder, or refuses it.
//!
//! Owns: the mapping from a path to its granted folder, and the advice on how to grant another one.
//! Never: opens a path by its full text; the folder handle resolves links.

use std::iter;
use std::path::{Component, Path, PathBuf};

use super::{Alc, PackageMount};
use crate::error_code as code;
use wardroom_appdir::{AppDirError, Folder};
use wardroom_config::NetworkConfig;
use wardroom_service::{ServiceError, escape_and_truncate};

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
    pub network: NetworkConfig,
}

impl Default for OperatorSettings {
    fn default() -> Self {
        Self {
            app_path: None,
            aliases: Vec::new(),
            command: String::from("wardroom"),
            network: NetworkConfig::default(),
        }
    }
}

/// The use of a path, which decides how it would be granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grant {
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
    /// Returns the options of `mount add` besides the name and the path. A mount of packages hides those of the AppDir,
    /// so a path that need not hold packages is mounted as files.
    const fn mount_flags(self) -> &'static str {
        match self {
            Self::Read => " --as files --read-only",
            Self::Write => " --as files",
            Self::Link => " --read-only",
            Self::CreatePackages => "",
        }
    }
}

/// Returns the granted folder that contains a path, and the path relative to it: empty for the folder itself. A
/// relative path starts at the project or, without a project, at the AppDir.
///
/// # Errors
/// `INVALID_PATH`, or `NOT_MOUNTED` with the command that would grant the path.
pub(super) fn resolve_path(alc: &Alc, path: &str, grant: Grant) -> Result<(Folder, String), ServiceError> {
    if path.is_empty() || path.contains('\0') {
        let message = String::from("the path is empty, or contains NUL");
        return Err(ServiceError::Tool { code: code::INVALID_PATH, message, details: None });
    }
    let files = alc.file_mounts.iter().filter(|_| grant != Grant::Link).map(|(folder, root)| (folder, root.as_path()));
    if let Some((folder, below)) =
        absolute_path(alc, path).as_deref().and_then(|full| find_innermost_folder(alc, full, files))
    {
        return Ok((folder.clone(), below));
    }
    // This needs no path of the AppDir.
    if alc.folders.project.is_none() && Path::new(path).is_relative() {
        let normalized = normalize(&Path::new("/").join(path));
        let below = normalized.strip_prefix("/").ok().and_then(Path::to_str);
        if let Some(below) = below.filter(|_| stays_below(Path::new(path))) {
            return Ok((alc.folders.app.clone(), below.to_owned()));
        }
    }
    Err(not_mounted_error(alc, path, grant))
}

/// Resolves the path of a file like [`resolve_path`]. The advice for a path in no granted folder names the file's
/// folder.
///
/// # Errors
/// As for [`resolve_path`].
pub(super) fn resolve_file_path(alc: &Alc, path: &str, grant: Grant) -> Result<(Folder, String), ServiceError> {
    resolve_path(alc, path, grant).map_err(|error| match error {
        ServiceError::Tool { code: code::NOT_MOUNTED, .. } => file_not_mounted_error(alc, path, grant),
        other => other,
    })
}

/// Resolves a path like [`resolve_path`] and opens the folder, which must exist.
///
/// # Errors
/// As for [`resolve_path`], and `NOT_FOUND`.
pub(super) fn open_folder(alc: &Alc, path: &str, grant: Grant) -> Result<Folder, ServiceError> {
    let (root, below) = resolve_path(alc, path, grant)?;
    let opened = if below.is_empty() { Ok(root) } else { root.open_folder(&below) };
    opened.map_err(|error| match error {
        AppDirError::NotFound(_) => ServiceError::Tool {
            code: code::NOT_FOUND,
            message: format!("the folder {} does not exist", escape_and_truncate(path)),
            details: None,
        },
        // A link leads out of the granted folders.
        AppDirError::OutsideRoot(_) => not_mounted_error(alc, path, grant),
        error => ServiceError::internal(format!("cannot open {}", escape_and_truncate(path)), error),
    })
}

/// Returns the absolute form of a path, if the path of its starting folder is known.
pub(super) fn absolute_path(alc: &Alc, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    if path.is_absolute() {
        return Some(canonical_path(alc, path));
    }
    let base = alc.folders.project.as_ref().map(|project| &project.path).or(alc.operator.app_path.as_ref())?;
    Some(normalize(&base.join(path)))
}

/// Returns a path as responses show it.
pub(super) fn display_path(alc: &Alc, path: &str) -> String {
    absolute_path(alc, path).map_or_else(|| path.to_owned(), |path| path.display().to_string())
}

/// Returns the innermost granted folder that contains a path, and the path relative to it. Mounts of files are
/// excluded: they hold no packages.
pub(super) fn find_granted_folder<'a>(alc: &'a Alc, full: &Path) -> Option<(&'a Folder, String)> {
    find_innermost_folder(alc, full, iter::empty())
}

/// Searches like [`find_granted_folder`], with more candidate folders.
fn find_innermost_folder<'a>(
    alc: &'a Alc,
    full: &Path,
    more: impl Iterator<Item = (&'a Folder, &'a Path)>,
) -> Option<(&'a Folder, String)> {
    let full = canonical_path(alc, full);
    let project = alc.folders.project.iter().map(|project| (&project.folder, project.path.as_path()));
    let app = alc.operator.app_path.iter().map(|path| (&alc.folders.app, path.as_path()));
    let roots = package_mounts(alc).chain(project).chain(app).chain(more);
    let around = roots.filter_map(|(folder, root)| {
        let below = full.strip_prefix(root).ok()?.to_str()?.to_owned();
        Some((root.components().count(), folder, below))
    });
    // Of two grants of the same folder the first counts: a mount states what may be done with the folder.
    let inner = around.reduce(|best, other| if other.0 > best.0 { other } else { best });
    inner.map(|(_, folder, below)| (folder, below))
}

/// Returns a path without `.` and `..`, and with an alias of a granted folder replaced by the folder's own path.
fn canonical_path(alc: &Alc, path: &Path) -> PathBuf {
    let path = normalize(path);
    let below = |(given, own): &(PathBuf, PathBuf)| {
        Some((given.components().count(), own.join(path.strip_prefix(given).ok()?)))
    };
    let own = alc.operator.aliases.iter().filter_map(below).max_by_key(|(depth, _)| *depth);
    own.map_or_else(|| path.clone(), |(_, own)| normalize(&own))
}

/// Returns whether a path lies in a folder granted for every project: the AppDir or a mount of packages.
pub(super) fn is_granted_globally(alc: &Alc, full: &Path) -> bool {
    let mut roots = package_mounts(alc).map(|(_, root)| root).chain(alc.operator.app_path.as_deref());
    roots.any(|root| full.starts_with(root))
}

fn package_mounts(alc: &Alc) -> impl Iterator<Item = (&Folder, &Path)> {
    alc.folders.package_mounts.iter().map(|mount| match mount {
        PackageMount::Single { folder, path, .. } | PackageMount::Collection { folder, path } => {
            (folder, path.as_path())
        }
    })
}

/// Returns the error for a path in no granted folder, with the command that would grant it.
pub(super) fn not_mounted_error(alc: &Alc, path: &str, grant: Grant) -> ServiceError {
    let full = absolute_path(alc, path).unwrap_or_else(|| PathBuf::from(path));
    // Only folders are granted.
    let is_file = full
        .extension()
        .is_some_and(|extension| ["lua", "toml", "json", "jsonl", "md", "txt"].iter().any(|known| extension == *known));
    mount_advice_error(alc, path, full.parent().filter(|_| is_file).unwrap_or(&full), grant)
}

fn file_not_mounted_error(alc: &Alc, path: &str, grant: Grant) -> ServiceError {
    let full = absolute_path(alc, path).unwrap_or_else(|| PathBuf::from(path));
    mount_advice_error(alc, path, full.parent().unwrap_or(&full), grant)
}

fn mount_advice_error(alc: &Alc, path: &str, granted: &Path, grant: Grant) -> ServiceError {
    let nowhere = format!("{} is in no folder that this server may use", escape_and_truncate(path));
    // Control characters could make the pasted command differ from the one that is shown.
    let message = match granted.to_str().filter(|path| !path.contains(char::is_control)) {
        None => format!("{nowhere}, and its name has control characters, so no command to grant it is shown"),
        Some(text) => format!(
            "{nowhere}; the operator can grant it with `{} mount add {} {}{}` and a restart (create a missing folder \
             first)",
            alc.operator.command,
            suggested_mount_name(granted),
            shell_quote(text),
            grant.mount_flags()
        ),
    };
    ServiceError::Tool { code: code::NOT_MOUNTED, message, details: None }
}

fn suggested_mount_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let good = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '-' };
    let name: String = name.chars().map(good).take(100).collect();
    if matches!(name.as_str(), "" | "." | "..") || name.starts_with('-') { format!("m{name}") } else { name }
}

/// Quotes a text for a shell.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Resolves `.` and `..` in the text of a path.
pub(super) fn normalize(path: &Path) -> PathBuf {
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
