//! `alc_pkg_link` and `alc_pkg_unlink`: link packages that stay in their own folders.
//!
//! Owns: the links of `packages/links.toml`, and the entries of variants. A link grants no access: it is followed only
//! into granted folders.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::import::{find_packages_in, is_package};
use super::project_edit::{self, MissingFile};
use super::{PACKAGES_DIR, parse_package_name, write_error};
use crate::error_code as code;
use crate::grants::Grant;
use crate::limits::MAX_CONFIG_BYTES;
use crate::package_lookup::LINKS_FILE;
use crate::project_files::VARIANTS_FILE;
use crate::tool::{AlcTool, ToolCall};
use crate::{Alc, Project};
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior, ToolOutput, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PackageLinkArgs {
    /// A package, or a folder of packages.
    path: String,
    /// The name of the package, for a single package.
    name: Option<String>,
    /// Whether the link replaces an installed package of that name, in the scope `global`.
    force: Option<bool>,
    /// `global`: for every project. `variant`: in the project's `alc.local.toml`. `global` when absent.
    scope: Option<LinkScope>,
    /// The folder of a project other than that of the server.
    project_root: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum LinkScope {
    Global,
    Variant,
}

#[derive(Serialize, JsonSchema)]
struct PackageLinkOutput {
    /// Packages that were not linked before.
    linked: Vec<String>,
    /// `single` or `collection`.
    mode: &'static str,
    targets: Vec<String>,
    scope: LinkScope,
    #[serde(skip_serializing_if = "Option::is_none")]
    alc_local_toml: Option<String>,
    /// Whether only servers that start from now on are certain to see the link.
    restart_required: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PackageUnlinkArgs {
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct PackageUnlinkOutput {
    unlinked: String,
    scope: LinkScope,
    restart_required: bool,
}

pub(super) const TOOLS: &[AlcTool] = &[
    AlcTool {
        name: "alc_pkg_link",
        title: "Link packages",
        description: "Links a package, or every package of a folder, so that it is used in place. The operator must \
                      have granted the folder; if not, the error names the command to grant it.",
        // With `force` it replaces an installed package.
        behavior: ToolBehavior { is_idempotent: true, ..ToolBehavior::DESTRUCTIVE },
        input: input_schema::<PackageLinkArgs>,
        output: output_schema::<PackageLinkOutput>,
        call: ToolCall::Worker(|alc, arguments, _| alc.link_packages(arguments).map(ToolOutput::from)),
    },
    AlcTool {
        name: "alc_pkg_unlink",
        title: "Unlink a package",
        description: "Removes a link, and keeps the folder that it led to. Refuses installed packages.",
        behavior: ToolBehavior::DESTRUCTIVE,
        input: input_schema::<PackageUnlinkArgs>,
        output: output_schema::<PackageUnlinkOutput>,
        call: ToolCall::Worker(|alc, arguments, _| alc.unlink_package(arguments).map(ToolOutput::from)),
    },
];

/// Parses the name of a linked package. As in the original, it begins with a letter.
fn parse_link_name(name: &str) -> Result<PackageName, ServiceError> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(good) {
        return parse_package_name(name);
    }
    let message = format!(
        "invalid package name \"{}\": the name of a linked package has a letter first, then letters, digits, _ and - \
         (choose another one with `name`)",
        escape_and_truncate(name)
    );
    Err(ServiceError::tool(code::INVALID_NAME, message))
}

impl Alc {
    fn link_packages(&self, arguments: Payload) -> Result<Payload, ServiceError> {
        let PackageLinkArgs { path, name, force, scope, project_root } = parse_arguments(arguments)?;
        let (scope, force) = (scope.unwrap_or(LinkScope::Global), force.unwrap_or(false));
        let full = self.grants.absolute_path(&path).ok_or_else(|| self.grants.not_mounted_error(&path, Grant::Link))?;
        // A folder granted to one project only must not become a package of all projects.
        if scope == LinkScope::Global && !self.grants.is_granted_globally(&full) {
            return Err(self.grants.not_mounted_error(&path, Grant::Link));
        }
        let folder = self.grants.open_folder(&path, Grant::Link)?;
        let (mode, targets) = if is_package(&folder) {
            let last = full.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            ("single", vec![(parse_link_name(name.as_deref().unwrap_or(last))?, full)])
        } else {
            if name.is_some() {
                return Err(ServiceError::tool(
                    code::NOT_A_PACKAGE,
                    "name is for a single package, and this is a folder of packages",
                ));
            }
            let (names, _) = find_packages_in(&folder)?;
            // A package with another name is skipped, like the other folders.
            let names = names.into_iter().filter(|name| parse_link_name(name.as_str()).is_ok());
            ("collection", names.map(|name| (name.clone(), full.join(name.as_str()))).collect())
        };
        if targets.is_empty() {
            return Err(ServiceError::tool(
                code::NOT_A_PACKAGE,
                "the folder has no init.lua, and no package in it has one",
            ));
        }
        let (linked, file) = match scope {
            LinkScope::Variant if force => {
                return Err(ServiceError::tool(
                    code::INVALID_SCOPE,
                    "force works only in the scope global, because a variant replaces nothing",
                ));
            }
            LinkScope::Variant => {
                let project = self.grants.open_project(project_root.as_deref())?;
                let mut linked = Vec::new();
                project_edit::edit_package_table(&project, VARIANTS_FILE, MissingFile::Create, |table| {
                    for (name, target) in &targets {
                        if !table.contains_key(name.as_str()) {
                            let own = target.strip_prefix(&project.path).unwrap_or(target);
                            table.insert(name.as_str(), project_edit::path_item(&own.display().to_string()));
                            linked.push(name.to_string());
                        }
                    }
                    !linked.is_empty()
                })?;
                (linked, Some(project.path.join(VARIANTS_FILE).display().to_string()))
            }
            LinkScope::Global => (self.link_globally(&targets, force)?, None),
        };
        serialize_output(&PackageLinkOutput {
            linked,
            mode,
            targets: targets.iter().map(|(_, target)| target.display().to_string()).collect(),
            scope,
            alc_local_toml: file,
            restart_required: true,
        })
    }

    /// Writes all links in one step, and then removes the packages that they replace: a process killed in between
    /// leaves packages that the links shadow. Returns the names that were not linked to the same target before.
    fn link_globally(&self, targets: &[(PackageName, PathBuf)], force: bool) -> Result<Vec<String>, ServiceError> {
        let packages = self.open_packages_folder()?;
        for (name, target) in targets {
            if *target == self.packages_path().join(name.as_str()) {
                return Err(ServiceError::tool(code::EXISTS, format!("{name} is already installed there")));
            }
            match packages.entry_kind(name.as_str()) {
                Ok(EntryKind::Folder) if !force => {
                    let message = format!("the package {name} is installed: set force to replace it by the link");
                    return Err(ServiceError::tool(code::EXISTS, message));
                }
                Ok(EntryKind::File | EntryKind::Other) => {
                    return Err(ServiceError::tool(code::EXISTS, format!("{name} exists and is not a link")));
                }
                Ok(EntryKind::Folder | EntryKind::Symlink) | Err(_) => {}
            }
        }
        let mut linked = Vec::new();
        project_edit::edit_package_table(
            &self.packages_as_project(packages.clone()),
            LINKS_FILE,
            MissingFile::Create,
            |table| {
                for (name, target) in targets {
                    // A link inside the AppDir is relative, so that it holds wherever the AppDir is.
                    let own = self.grants.app_path().and_then(|app| target.strip_prefix(app).ok());
                    let path =
                        own.map_or_else(|| target.clone(), |below| Path::new("..").join(below)).display().to_string();
                    let known = table.get(name.as_str()).and_then(|entry| entry.get("path")?.as_str());
                    if known != Some(&path) {
                        table.insert(name.as_str(), project_edit::path_item(&path));
                        linked.push(name.to_string());
                    }
                }
                !linked.is_empty()
            },
        )?;
        for (name, _) in targets {
            let removed = match packages.entry_kind(name.as_str()) {
                Ok(EntryKind::Folder) if force => packages.remove_tree(name.as_str()),
                // A symbolic link of the original, which the entry in `links.toml` shadows.
                Ok(EntryKind::Symlink) => packages.remove_file(name.as_str()),
                Ok(EntryKind::Folder | EntryKind::File | EntryKind::Other) | Err(_) => Ok(()),
            };
            removed.map_err(|error| write_error(name.as_str(), error))?;
        }
        Ok(linked)
    }

    /// Returns the folder of packages as a project, since its links are edited like a project's variants.
    fn packages_as_project(&self, folder: Folder) -> Project {
        Project { folder, path: self.packages_path() }
    }

    /// Removes a link for every project, and returns whether there was one.
    pub(super) fn unlink_globally(&self, name: &PackageName) -> Result<bool, ServiceError> {
        if !self.read_links(PACKAGES_DIR, MAX_CONFIG_BYTES)?.contains_key(name.as_str()) {
            return Ok(false);
        }
        let packages = self.packages_as_project(self.open_packages_folder()?);
        project_edit::edit_package_table(&packages, LINKS_FILE, MissingFile::Ignore, |table| {
            table.remove(name.as_str()).is_some()
        })
    }

    fn unlink_package(&self, arguments: Payload) -> Result<Payload, ServiceError> {
        let PackageUnlinkArgs { name } = parse_arguments(arguments)?;
        let name = parse_package_name(&name)?;
        let done = |scope| {
            serialize_output(&PackageUnlinkOutput { unlinked: name.to_string(), scope, restart_required: true })
        };
        let packages = match self.app.open_folder(PACKAGES_DIR) {
            Ok(packages) => Some(packages),
            Err(AppDirError::NotFound(_)) => None,
            Err(error) => return Err(write_error(PACKAGES_DIR, error)),
        };
        if self.unlink_globally(&name)? {
            return done(LinkScope::Global);
        }
        let kind = packages.as_ref().and_then(|packages| packages.entry_kind(name.as_str()).ok());
        if let (Some(packages), Some(EntryKind::Symlink)) = (&packages, kind) {
            packages.remove_file(name.as_str()).map_err(|error| write_error(name.as_str(), error))?;
            return done(LinkScope::Global);
        }
        if let Some(project) = self.grants.project().filter(|project| !project.folder.is_read_only()) {
            let remove = |table: &mut toml_edit::Table| table.remove(name.as_str()).is_some();
            if project_edit::edit_package_table(project, VARIANTS_FILE, MissingFile::Ignore, remove)? {
                return done(LinkScope::Variant);
            }
        }
        match kind {
            Some(_) => Err(ServiceError::tool(
                code::NOT_LINKED,
                format!("{name} is installed, not linked: nothing was removed"),
            )),
            None => Err(ServiceError::tool(
                code::NOT_FOUND,
                format!("no package is linked as {}", escape_and_truncate(name.as_str())),
            )),
        }
    }
}
