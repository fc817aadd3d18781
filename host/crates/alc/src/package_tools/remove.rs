//! `alc_pkg_remove`: removes the references to a package and keeps its files. Also the removal of the command line,
//! which removes the files too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PackageInstaller, lock};
use crate::error_code as code;
use crate::packages::project_edit::{self, MissingFile, TableFile};
use crate::packages::project_files::REQUIREMENTS_FILE;
use crate::packages::{PACKAGES_DIR, PackageStore, not_recorded, parse_package_name};
use crate::reserved_names::is_package_conflict;
use crate::storage_error::write_error;
use crate::tool::{AlcTool, ToolCall};
use wardroom_appdir::{AppDirError, EntryKind};
use wardroom_base::payload::Payload;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior, ToolOutput};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PackageRemoveArgs {
    name: String,
    /// The folder of a project other than that of the server.
    project_root: Option<String>,
    /// Removes the package only where this version is required or recorded.
    version: Option<String>,
    /// `project`: from `alc.toml` and `alc.lock`. `global`: from the record of installed packages. `all`: from both.
    /// When absent, `project` if there is a project, else `global`.
    scope: Option<RemoveScope>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RemoveScope {
    Project,
    Global,
    All,
}

#[derive(Serialize, JsonSchema)]
struct PackageRemoveOutput {
    removed: String,
    scope: RemoveScope,
    /// Whether it was in the project's `alc.toml`.
    alc_toml: bool,
    /// Whether it was in the project's `alc.lock`.
    alc_lock: bool,
    /// Whether it was recorded as installed.
    installed_json: bool,
    /// Whether the files of the package were kept.
    files_kept: bool,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_pkg_remove",
    title: "Remove a package",
    description: "Uninstalls a package or strategy: remove, uninstall or get rid of one that is no longer needed, \
                  from the project (alc.toml, alc.lock) or the record of installed ones. Its files stay.",
    behavior: ToolBehavior::DESTRUCTIVE,
    is_on_demand: true,
    input: input_schema::<PackageRemoveArgs>,
    output: output_schema::<PackageRemoveOutput>,
    call: ToolCall::Worker(|alc, arguments, _| {
        remove_package_references(&alc.packages, arguments).map(ToolOutput::from)
    }),
}];

fn remove_package_references(packages: &PackageStore, arguments: Payload) -> Result<Payload, ServiceError> {
    let PackageRemoveArgs { name, project_root, version, scope } = parse_arguments(arguments)?;
    let name = parse_package_name(&name)?;
    let project = packages.grants().open_project_if_any(project_root.as_deref())?;
    let scope = scope.unwrap_or(if project.is_some() { RemoveScope::Project } else { RemoveScope::Global });
    let mut removed = PackageRemoveOutput {
        removed: name.to_string(),
        scope,
        alc_toml: false,
        alc_lock: false,
        installed_json: false,
        files_kept: true,
    };
    if scope != RemoveScope::Global {
        let project = match project {
            Some(project) => Some(project),
            None if scope == RemoveScope::All => None,
            None => Some(packages.grants().open_project(None)?),
        };
        if let Some(project) = project {
            removed.alc_toml = project_edit::edit_package_table(
                &project,
                &TableFile::new(REQUIREMENTS_FILE, MissingFile::Ignore),
                |table| {
                    let entry_version = table.get(name.as_str()).map(|entry| {
                        let version = entry.as_str().or_else(|| entry.get("version").and_then(toml_edit::Item::as_str));
                        version.map(str::to_owned)
                    });
                    let is_it =
                        entry_version.is_some_and(|entry_version| version.is_none() || version == entry_version);
                    is_it && table.remove(name.as_str()).is_some()
                },
            )?;
            removed.alc_lock = lock::remove_package(&project, name.as_str(), version.as_deref())?;
        }
    }
    if scope != RemoveScope::Project {
        removed.installed_json = packages.update_manifest(|manifest| {
            let found = manifest.packages.get(name.as_str());
            let is_it = found.is_some_and(|found| version.is_none() || found.version == version);
            is_it && manifest.packages.remove(name.as_str()).is_some()
        })?;
    }
    if !(removed.alc_toml || removed.alc_lock || removed.installed_json) {
        return Err(ServiceError::tool(code::NOT_FOUND, format!("Package '{name}' is not referred to in this scope")));
    }
    serialize_output(&removed)
}

impl PackageInstaller<'_> {
    /// Removes an installed package, or a link, with its record. Files that nothing records as installed are removed only
    /// with `removes_unrecorded`.
    ///
    /// # Errors
    /// When there is none, or it cannot be removed.
    pub fn uninstall(&self, name: &str, removes_unrecorded: bool) -> Result<(), ServiceError> {
        let folder = self.packages.create_packages_folder()?;
        if is_package_conflict(self.packages.app(), name) {
            // What stands there keeps a store from reading, so that neither links nor records are asked.
            let removed = match folder.entry_kind(name) {
                Ok(EntryKind::Folder) => {
                    self.packages.check_replaceable(&folder, name)?;
                    folder.remove_tree(name)
                }
                _ => folder.remove_file(name),
            };
            removed.map_err(|error| write_error(name, error))?;
            let recorded = self.packages.update_manifest(|manifest| manifest.packages.remove(name).is_some());
            recorded.map(drop).unwrap_or_else(|error| tracing::debug!(%error, "the record of the package stays"));
            return Ok(());
        }
        let name = parse_package_name(name)?;
        let failed = |error| write_error(name.as_str(), error);
        let standing = folder.entry_kind(name.as_str());
        if matches!(standing, Ok(EntryKind::Folder)) {
            self.packages.check_replaceable(&folder, name.as_str())?;
            if !removes_unrecorded && !self.packages.read_install_manifest()?.packages.contains_key(name.as_str()) {
                return Err(not_recorded(name.as_str()));
            }
        }
        let link = self.packages.unlink_globally(&name)?;
        let files = match standing {
            Ok(EntryKind::Symlink) => folder.remove_file(name.as_str()).map(|()| true).map_err(failed)?,
            Ok(EntryKind::Folder) => folder.remove_tree(name.as_str()).map(|()| true).map_err(failed)?,
            Ok(EntryKind::File | EntryKind::Other) | Err(AppDirError::NotFound(_)) => false,
            Err(error) => return Err(failed(error)),
        };
        let record = self.packages.update_manifest(|manifest| manifest.packages.remove(name.as_str()).is_some())?;
        if files || link || record {
            Ok(())
        } else {
            Err(ServiceError::tool(code::NOT_FOUND, format!("no package {name} is installed in {PACKAGES_DIR}")))
        }
    }
}
