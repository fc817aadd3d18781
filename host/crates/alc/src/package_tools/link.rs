//! `alc_pkg_link` and `alc_pkg_unlink`: link packages that stay in their own folders.
//!
//! Owns: the entries of variants. The links for every project are the package store's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::install::{check_contains_nothing_private, check_name};
use crate::error_code as code;
use crate::grants::Grant;
use crate::packages::project_edit::{self, MissingFile, TableFile};
use crate::packages::project_files::VARIANTS_FILE;
use crate::packages::{PACKAGES_DIR, PackageStore, find_packages_in, is_package, parse_package_name};
use crate::storage_error::write_error;
use crate::tool::{AlcTool, ToolCall};
use wardroom_appdir::{AppDirError, EntryKind};
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
        description: "Hooks up a local folder (checkout) in which you develop a package: a symlink picks it up in \
                      place, and edits apply at once, without a copy or reinstalling. The folder has to be granted.",
        // With `force` it replaces an installed package.
        behavior: ToolBehavior { is_idempotent: true, ..ToolBehavior::DESTRUCTIVE },
        is_on_demand: true,
        input: input_schema::<PackageLinkArgs>,
        output: output_schema::<PackageLinkOutput>,
        call: ToolCall::Worker(|alc, arguments, _| link_packages(&alc.packages, arguments).map(ToolOutput::from)),
    },
    AlcTool {
        name: "alc_pkg_unlink",
        title: "Unlink a package",
        description: "Detaches a linked directory: drop the symlink of alc_pkg_link when developing is done, and \
                      leave the working folder (checkout) and its files alone.",
        behavior: ToolBehavior::DESTRUCTIVE,
        is_on_demand: true,
        input: input_schema::<PackageUnlinkArgs>,
        output: output_schema::<PackageUnlinkOutput>,
        call: ToolCall::Worker(|alc, arguments, _| unlink_package(&alc.packages, arguments).map(ToolOutput::from)),
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

fn link_packages(packages: &PackageStore, arguments: Payload) -> Result<Payload, ServiceError> {
    let PackageLinkArgs { path, name, force, scope, project_root } = parse_arguments(arguments)?;
    let (scope, force) = (scope.unwrap_or(LinkScope::Global), force.unwrap_or(false));
    let full = packages
        .grants()
        .absolute_path(&path)
        .ok_or_else(|| packages.grants().not_mounted_error(&path, Grant::Link))?;
    // A folder granted to one project only must not become a package of all projects.
    if scope == LinkScope::Global && !packages.grants().is_granted_globally(&full) {
        return Err(packages.grants().not_mounted_error(&path, Grant::Link));
    }
    let folder = packages.grants().open_folder(&path, Grant::Link)?;
    check_contains_nothing_private(packages.grants(), &folder, &path)?;
    let (mode, targets) = if is_package(&folder) {
        let last = full.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        ("single", vec![(parse_link_name(name.as_deref().unwrap_or(last))?, full)])
    } else {
        check_name(&folder, name.as_deref())?;
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
            let project = packages.grants().open_project(project_root.as_deref())?;
            let mut linked = Vec::new();
            project_edit::edit_package_table(&project, &TableFile::new(VARIANTS_FILE, MissingFile::Create), |table| {
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
        LinkScope::Global => (packages.link_globally(&targets, force)?, None),
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

fn unlink_package(packages: &PackageStore, arguments: Payload) -> Result<Payload, ServiceError> {
    let PackageUnlinkArgs { name } = parse_arguments(arguments)?;
    let name = parse_package_name(&name)?;
    let done =
        |scope| serialize_output(&PackageUnlinkOutput { unlinked: name.to_string(), scope, restart_required: true });
    let folder = match packages.open_packages_folder() {
        Ok(folder) => Some(folder),
        Err(AppDirError::NotFound(_)) => None,
        Err(error) => return Err(write_error(PACKAGES_DIR, error)),
    };
    if packages.unlink_globally(&name)? {
        return done(LinkScope::Global);
    }
    let kind = folder.as_ref().and_then(|folder| folder.entry_kind(name.as_str()).ok());
    if let (Some(folder), Some(EntryKind::Symlink)) = (&folder, kind) {
        folder.remove_file(name.as_str()).map_err(|error| write_error(name.as_str(), error))?;
        return done(LinkScope::Global);
    }
    if let Some(project) = packages.grants().project().filter(|project| !project.folder.is_read_only()) {
        let remove = |table: &mut toml_edit::Table| table.remove(name.as_str()).is_some();
        if project_edit::edit_package_table(project, &TableFile::new(VARIANTS_FILE, MissingFile::Ignore), remove)? {
            return done(LinkScope::Variant);
        }
    }
    match kind {
        Some(_) => {
            Err(ServiceError::tool(code::NOT_LINKED, format!("{name} is installed, not linked: nothing was removed")))
        }
        None => Err(ServiceError::tool(
            code::NOT_FOUND,
            format!("no package is linked as {}", escape_and_truncate(name.as_str())),
        )),
    }
}
