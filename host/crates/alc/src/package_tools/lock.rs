//! `alc.lock`: the resolved packages of a project.
//!
//! Owns: its format (`version = 1`, one `[[package]]` each), and the recognition of older formats.

use serde::{Deserialize, Serialize};

use crate::error_code as code;
use crate::grants::Project;
use crate::limits::MAX_CONFIG_BYTES;
use crate::packages::project_edit::write_project_file;
use crate::packages::{INSTALL_LOCK_FILE, PackageOrigin};
use crate::storage_error::write_error;
use wardroom_appdir::AppDirError;
use wardroom_base::toml_text;
use wardroom_service::ServiceError;

pub(super) const ALC_LOCK_FILE: &str = "alc.lock";
const LOCK_VERSION: i64 = 1;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PackageLock {
    version: i64,
    #[serde(default, rename = "package")]
    pub(super) packages: Vec<LockedPackage>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LockedPackage {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) version: Option<String>,
    #[serde(default)]
    pub(super) source: PackageOrigin,
}

impl PackageLock {
    pub(super) fn new(mut packages: Vec<LockedPackage>) -> Self {
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        Self { version: LOCK_VERSION, packages }
    }

    /// Writes the file, under the project's file lock.
    pub(super) fn write(&self, project: &Project) -> Result<(), ServiceError> {
        let failed = |error| write_error(ALC_LOCK_FILE, error);
        let _lock = project.folder.lock(INSTALL_LOCK_FILE).map_err(failed)?;
        self.write_while_locked(project)
    }

    fn write_while_locked(&self, project: &Project) -> Result<(), ServiceError> {
        let text = toml::to_string(self)
            .map_err(|error| ServiceError::internal(format!("cannot write {ALC_LOCK_FILE}"), error))?;
        write_project_file(&project.folder, ALC_LOCK_FILE, &text).map_err(|error| write_error(ALC_LOCK_FILE, error))
    }
}

/// Returns the text of a project's `alc.lock`, if it has one.
pub(super) fn read_lock_text(project: &Project) -> Result<Option<String>, ServiceError> {
    match project.folder.read_text(ALC_LOCK_FILE, MAX_CONFIG_BYTES) {
        Ok((text, _)) => Ok(Some(text)),
        Err(AppDirError::NotFound(_)) => Ok(None),
        Err(error) => Err(ServiceError::internal(format!("cannot read {ALC_LOCK_FILE}"), error)),
    }
}

/// Returns the content of a project's `alc.lock`, if it has one.
pub(super) fn read_lock(project: &Project) -> Result<Option<PackageLock>, ServiceError> {
    let Some(text) = read_lock_text(project)? else { return Ok(None) };
    let table = parse_table(&text)?;
    let version = table.get("version").and_then(toml::Value::as_integer).unwrap_or_default();
    if version != LOCK_VERSION {
        let message = format!("unsupported {ALC_LOCK_FILE} version {version}: expected {LOCK_VERSION}");
        return Err(ServiceError::tool(code::UNSUPPORTED_LOCK, message));
    }
    table.try_into().map(Some).map_err(|_| malformed_lock_error("not a list of packages"))
}

/// Returns the packages of an `alc.lock` older than version 1, which has the key `linked_at` or sources of the type
/// `local_dir`; `None` for any other.
pub(super) fn parse_legacy_packages(text: &str) -> Result<Option<Vec<LockedPackage>>, ServiceError> {
    let table = parse_table(text)?;
    let packages = table.get("package").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    let is_old = |package: &toml::Value| {
        let kind = package.get("source").and_then(|source| source.get("type")).and_then(toml::Value::as_str);
        package.get("linked_at").is_some() || kind == Some("local_dir")
    };
    if !table.contains_key("linked_at") && !packages.iter().any(is_old) {
        return Ok(None);
    }
    let packages =
        packages.into_iter().map(|package| package.try_into().map_err(|_| malformed_lock_error("not a package")));
    packages.collect::<Result<_, _>>().map(Some)
}

fn parse_table(text: &str) -> Result<toml::Table, ServiceError> {
    toml_text::parse(text).map_err(|error| malformed_lock_error(&error.public_message()))
}

fn malformed_lock_error(why: &str) -> ServiceError {
    ServiceError::tool(code::MALFORMED, format!("malformed {ALC_LOCK_FILE}: {why}"))
}

/// Puts packages into a project's `alc.lock`, in place of entries of the same names. Creates a missing file.
pub(super) fn upsert_packages(project: &Project, packages: Vec<LockedPackage>) -> Result<(), ServiceError> {
    let _lock = project.folder.lock(INSTALL_LOCK_FILE).map_err(|error| write_error(ALC_LOCK_FILE, error))?;
    let mut all = read_lock(project)?.map(|lock| lock.packages).unwrap_or_default();
    all.retain(|known| packages.iter().all(|package| package.name != known.name));
    all.extend(packages);
    PackageLock::new(all).write_while_locked(project)
}

/// Removes a package from a project's `alc.lock`, and returns whether it was there.
pub(super) fn remove_package(project: &Project, name: &str, version: Option<&str>) -> Result<bool, ServiceError> {
    let _lock = project.folder.lock(INSTALL_LOCK_FILE).map_err(|error| write_error(ALC_LOCK_FILE, error))?;
    let Some(mut lock) = read_lock(project)? else { return Ok(false) };
    let before = lock.packages.len();
    let is_it = |package: &LockedPackage| {
        package.name == name && version.is_none_or(|version| package.version.as_deref() == Some(version))
    };
    lock.packages.retain(|package| !is_it(package));
    if lock.packages.len() == before {
        return Ok(false);
    }
    lock.write_while_locked(project).map(|()| true)
}
