//! Paths in the arguments of tools: each becomes a name below a folder that was granted, or is refused.
//!
//! Owns: which folder a path belongs to, and the words that tell who can grant another one.
//! Never: opens a path; what links make of a name is the folder handle's concern.

use std::iter;
use std::path::{Component, Path, PathBuf};

use super::{Alc, PackageMount};
use crate::error_code as code;
use wardroom_appdir::{AppDirError, Folder};
use wardroom_config::NetworkConfig;
use wardroom_service::{ServiceError, escape_and_truncate};

/// What the operator said beside the folders.
#[derive(Debug, Clone)]
pub struct OperatorSettings {
    /// Where the AppDir is, to recognise paths that lead into it.
    pub app_path: Option<PathBuf>,
    /// Other names of folders that were granted, as somebody wrote them (`~/project` that is a link), each with the
    /// folder's own.
    pub aliases: Vec<(PathBuf, PathBuf)>,
    /// How wardroom is called with this configuration, for advice.
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

/// What a path is for: how it would be granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grant {
    /// To be read, once.
    Read,
    /// To be written.
    Write,
    /// To be linked as a package, or as packages.
    Link,
    /// To hold packages that are made there.
    CreatePackages,
}

impl Grant {
    /// What `mount add` needs beside the name and the path. A folder of packages is one that hides those of the AppDir: what
    /// need not be one is none.
    const fn mount_flags(self) -> &'static str {
        match self {
            Self::Read => " --as files --read-only",
            Self::Write => " --as files",
            Self::Link => " --read-only",
            Self::CreatePackages => "",
        }
    }
}

/// The folder that a path lies in, and its name there: empty for the folder itself. A path that is not absolute begins at
/// the project, or where there is none, at the AppDir.
///
/// # Errors
/// `NOT_MOUNTED`, with the command that would grant it.
pub(super) fn resolve_path(alc: &Alc, path: &str, grant: Grant) -> Result<(Folder, String), ServiceError> {
    if path.is_empty() || path.contains('\0') {
        let message = String::from("the path is empty, or no path at all");
        return Err(ServiceError::Tool { code: code::INVALID_PATH, message, details: None });
    }
    let files = alc.file_mounts.iter().filter(|_| grant != Grant::Link).map(|(folder, root)| (folder, root.as_path()));
    if let Some((folder, below)) =
        absolute_path(alc, path).as_deref().and_then(|full| find_innermost_folder(alc, full, files))
    {
        return Ok((folder.clone(), below));
    }
    // Without knowing where the AppDir is.
    if alc.folders.project.is_none() && Path::new(path).is_relative() {
        let tidied = normalize(&Path::new("/").join(path));
        let below = tidied.strip_prefix("/").ok().and_then(Path::to_str);
        if let Some(below) = below.filter(|_| stays_below(Path::new(path))) {
            return Ok((alc.folders.app.clone(), below.to_owned()));
        }
    }
    Err(not_mounted_error(alc, path, grant))
}

/// As [`place`], for a file: of one that lies nowhere, its folder would be granted.
///
/// # Errors
/// As [`place`].
pub(super) fn resolve_file_path(alc: &Alc, path: &str, grant: Grant) -> Result<(Folder, String), ServiceError> {
    resolve_path(alc, path, grant).map_err(|error| match error {
        ServiceError::Tool { code: code::NOT_MOUNTED, .. } => file_not_mounted_error(alc, path, grant),
        other => other,
    })
}

/// As [`place`], for a folder that must be there.
///
/// # Errors
/// As [`place`], and `NOT_FOUND`.
pub(super) fn open_folder(alc: &Alc, path: &str, grant: Grant) -> Result<Folder, ServiceError> {
    let (root, below) = resolve_path(alc, path, grant)?;
    let opened = if below.is_empty() { Ok(root) } else { root.open_folder(&below) };
    opened.map_err(|error| match error {
        AppDirError::NotFound(_) => ServiceError::Tool {
            code: code::NOT_FOUND,
            message: format!("there is no folder {}", escape_and_truncate(path)),
            details: None,
        },
        // A link leads on to where nothing was granted.
        AppDirError::OutsideRoot(_) => not_mounted_error(alc, path, grant),
        error => ServiceError::internal(format!("cannot open {}", escape_and_truncate(path)), error),
    })
}

/// A path as it is from the root, where that is known.
pub(super) fn absolute_path(alc: &Alc, path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    if path.is_absolute() {
        return Some(canonical_path(alc, path));
    }
    let base = alc.folders.project.as_ref().map(|project| &project.path).or(alc.operator.app_path.as_ref())?;
    Some(normalize(&base.join(path)))
}

/// How an answer names a path.
pub(super) fn display_path(alc: &Alc, path: &str) -> String {
    absolute_path(alc, path).map_or_else(|| path.to_owned(), |path| path.display().to_string())
}

/// The innermost folder that was granted around a path, and the path's name in it. Folders of files hold no packages.
pub(super) fn find_granted_folder<'a>(alc: &'a Alc, full: &Path) -> Option<(&'a Folder, String)> {
    find_innermost_folder(alc, full, iter::empty())
}

/// The same, with more folders.
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
    // Of two that are the same folder, the first: a mount says what may be done with it.
    let inner = around.reduce(|best, other| if other.0 > best.0 { other } else { best });
    inner.map(|(_, folder, below)| (folder, below))
}

/// A path without `.` and `..`, by the own name of the folder that was granted around it.
fn canonical_path(alc: &Alc, path: &Path) -> PathBuf {
    let path = normalize(path);
    let below = |(given, own): &(PathBuf, PathBuf)| {
        Some((given.components().count(), own.join(path.strip_prefix(given).ok()?)))
    };
    let own = alc.operator.aliases.iter().filter_map(below).max_by_key(|(depth, _)| *depth);
    own.map_or_else(|| path.clone(), |(_, own)| normalize(&own))
}

/// Whether a path lies in what the operator granted for every project: the AppDir or a mount.
pub(super) fn is_granted_globally(alc: &Alc, full: &Path) -> bool {
    let mut roots = package_mounts(alc).map(|(_, root)| root).chain(alc.operator.app_path.as_deref());
    roots.any(|root| full.starts_with(root))
}

fn package_mounts(alc: &Alc) -> impl Iterator<Item = (&Folder, &Path)> {
    alc.folders.package_mounts.iter().map(|linked| match linked {
        PackageMount::Single { folder, path, .. } | PackageMount::Collection { folder, path } => {
            (folder, path.as_path())
        }
    })
}

/// What nobody granted, and how it would be.
pub(super) fn not_mounted_error(alc: &Alc, path: &str, grant: Grant) -> ServiceError {
    let full = absolute_path(alc, path).unwrap_or_else(|| PathBuf::from(path));
    // What is granted is a folder.
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
    let nowhere = format!("{} lies in no folder that this server may use", escape_and_truncate(path));
    // No command is shown that somebody could paste and that does not say what it does.
    let message = match granted.to_str().filter(|path| !path.contains(char::is_control)) {
        None => format!("{nowhere}, and its name has characters that no command should have"),
        Some(text) => format!(
            "{nowhere}; whoever runs it can grant it with `{} mount add {} {}{}` and a restart (a folder that is not there \
             has to be made before)",
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

/// A path as a shell takes it.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Resolves `.` and `..` in the text of a path.
pub(super) fn normalize(path: &Path) -> PathBuf {
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

/// Whether no beginning of a relative path leads above where it starts.
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
