//! The modules that `require` loads (first a project's variant, then a linked package, then the AppDir), and scenarios.
//!
//! Owns: the mapping from a module's name to a file of a package.
//! Never: makes a path of a name that was not validated, or reads outside the folders that were granted.

use serde_json::{Value, json};

use crate::grants::{DeclaredFolders, PackageMount};
use crate::limits::{MAX_CONFIG_BYTES, MAX_MODULE_NAME_SEGMENTS};
use crate::packages::PackageStore;
use crate::scenarios::ScenarioStore;
use wardroom_appdir::{AppDirError, Folder};
use wardroom_base::uri::{PackageName, ScenarioName};
use wardroom_lua::builtin_module;
use wardroom_service::limits::MAX_SOURCE_BYTES;
use wardroom_service::{ServiceError, escape_and_truncate};

/// Returns the source of a module and the name that error messages show, or why there is no such module.
pub(super) fn load_module(packages: &PackageStore, name: &str) -> Result<Value, String> {
    let segments: Vec<&str> = name.split('.').collect();
    let is_name = |segment: &&str| {
        !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    if segments.len() > MAX_MODULE_NAME_SEGMENTS || !segments.iter().all(is_name) {
        return Err(format!(
            "{} is not a module name: use letters, digits, _ and - between dots",
            escape_and_truncate(name)
        ));
    }
    let Some((first, below)) = segments.split_first() else { return Err(not_found_message("")) };
    let package = PackageName::parse(first).map_err(|error| format!("the package name {first} {error}"))?;
    let mut failure = match find_in_package(packages, &package, below) {
        Ok(Some(found)) => return Ok(found),
        Ok(None) => None,
        Err(error) => Some(error),
    };
    // Dots may also be part of a package's name, such as that of a repository `cot.lua`.
    for length in 2..=segments.len() {
        let (named, below) = segments.split_at_checked(length).unwrap_or((&segments, &[]));
        let Ok(dotted) = PackageName::parse(&named.join(".")) else { continue };
        match find_in_package(packages, &dotted, below) {
            Ok(Some(found)) => return Ok(found),
            Ok(None) => {}
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    // Another package that is broken hides none whose name begins with its name.
    if let Some(failure) = failure {
        return Err(failure);
    }
    if let Some(source) = builtin_module(name) {
        return Ok(json!({"name": format!("{name}.lua"), "source": source}));
    }
    let closest = packages.closest_package(name).or_else(|| packages.closest_package(package.as_str()));
    let meant = closest.map(|meant| format!("; did you mean '{meant}'?"));
    Err(not_found_message(&meant.unwrap_or_default()))
}

fn find_in_package(packages: &PackageStore, package: &PackageName, below: &[&str]) -> Result<Option<Value>, String> {
    let declared = packages.grants().declared_folders();
    for search_dir in search_dirs(packages, package)? {
        if let Some(found) = search_dir.find_module(&declared, package, below)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Returns the message without the module's name, which the caller adds.
fn not_found_message(suggestion: &str) -> String {
    format!(
        "neither the AppDir, nor the project, nor a mount has such a package or file (alc_pkg_list lists the packages)\
         {suggestion}"
    )
}

/// A folder in which a package's files may be.
enum ModuleSearchDir {
    /// The folder is the package.
    Package(Folder),
    /// The folder holds packages.
    Root(Folder),
}

fn search_dirs(packages: &PackageStore, package: &PackageName) -> Result<Vec<ModuleSearchDir>, String> {
    let mut dirs = Vec::new();
    for (root, below) in packages
        .project_package_paths(package, MAX_CONFIG_BYTES, package.as_str())
        .map_err(|error| error.to_string())?
    {
        match if below.is_empty() { Ok(root.clone()) } else { root.open_folder(&below) } {
            Ok(folder) => dirs.push(ModuleSearchDir::Package(folder)),
            Err(AppDirError::NotFound(_)) => {}
            Err(_) => return Err(format!("package {package} of the project leads outside its folder")),
        }
    }
    for linked in packages.grants().package_mounts() {
        match linked {
            PackageMount::Single { name, folder, .. } if name == package => {
                dirs.push(ModuleSearchDir::Package(folder.clone()));
            }
            PackageMount::Single { .. } => {}
            PackageMount::Collection { folder, .. } => dirs.push(ModuleSearchDir::Root(folder.clone())),
        }
    }
    match packages.open_installed_package(package) {
        Ok(folder) => dirs.push(ModuleSearchDir::Package(folder)),
        Err(AppDirError::OutsideRoot(_)) => return Err(format!("package {package} leads outside its folder")),
        Err(_) => {}
    }
    match packages.open_packages_folder() {
        // A module can be a single file.
        Ok(folder) => dirs.push(ModuleSearchDir::Root(folder)),
        Err(error @ AppDirError::FolderRemoved(_)) => {
            return Err(ServiceError::from_read_error(package.as_str(), error).to_string());
        }
        Err(_) => {}
    }
    Ok(dirs)
}

impl ModuleSearchDir {
    fn find_module(
        &self,
        declared: &DeclaredFolders<'_>,
        package: &PackageName,
        below: &[&str],
    ) -> Result<Option<Value>, String> {
        let (folder, stem) = match (self, below) {
            (Self::Package(folder), []) if declared.contain(folder, "init.lua") => return Ok(None),
            (Self::Package(folder), []) => return read_source(folder, "init.lua", &format!("{package}/init.lua")),
            (Self::Package(folder), below) => (folder, below.join("/")),
            (Self::Root(folder), []) => (folder, package.to_string()),
            (Self::Root(folder), below) => (folder, format!("{package}/{}", below.join("/"))),
        };
        let shown = |file: &str| match self {
            Self::Package(_) => format!("{package}/{file}"),
            Self::Root(_) => file.to_owned(),
        };
        for file in [format!("{stem}.lua"), format!("{stem}/init.lua")] {
            // A folder of packages may contain one of declared entries.
            if declared.contain(folder, &file) {
                continue;
            }
            if let Some(found) = read_source(folder, &file, &shown(&file))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

fn read_source(folder: &Folder, file: &str, shown: &str) -> Result<Option<Value>, String> {
    found_source(folder.read_text(file, MAX_SOURCE_BYTES).map(|(source, _)| source), shown)
}

/// Returns what a script gets for a source that was read; `None` where there is none.
fn found_source(read: Result<String, AppDirError>, shown: &str) -> Result<Option<Value>, String> {
    match read {
        Ok(source) => Ok(Some(json!({"name": shown, "source": source}))),
        Err(AppDirError::NotFound(_)) => Ok(None),
        Err(error) => {
            tracing::warn!(%error, "cannot read a module");
            Err(ServiceError::from_read_error(shown, error).to_string())
        }
    }
}

/// Returns the source of a scenario of the AppDir; when there is none, the name that was probably meant.
pub(super) fn load_scenario(scenarios: &ScenarioStore, name: &str) -> Result<Value, String> {
    let Ok(name) = ScenarioName::parse(name) else { return Ok(Value::Null) };
    let read = scenarios.read_source(&name, MAX_SOURCE_BYTES);
    let found = found_source(read, &format!("scenarios/{name}.lua"))?;
    Ok(found.unwrap_or_else(|| json!({"meant": scenarios.closest_scenario(name.as_str())})))
}
