//! `alc_init`, `alc_update` and `alc_migrate`: a project's `alc.toml` and `alc.lock`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml_edit::value;

use super::lock::{self, LockedPackage, PackageLock};
use crate::error_code as code;
use crate::grants::{Grant, Project, normalize};
use crate::limits::MAX_CONFIG_BYTES;
use crate::packages::project_edit::{self, MissingFile, TableFile, write_project_file};
use crate::packages::project_files::{self, PackageEntry, REQUIREMENTS_FILE, VARIANTS_FILE};
use crate::packages::{
    INSTALL_LOCK_FILE, ImportMode, PackageOrigin, PackageStore, SOURCE_FILE, install_budget, parse_package_name,
};
use crate::storage_error::write_error;
use crate::tool::{AlcTool, ToolCall};
use wardroom_appdir::{AppDirError, EntryKind, Privacy};
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{RequestInfo, ServiceError, ToolBehavior, ToolOutput, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProjectRootArgs {
    /// The folder of a project other than that of the server.
    project_root: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct InitOutput {
    created: String,
    gitignore_path: String,
    gitignore_updated: bool,
}

#[derive(Serialize, JsonSchema)]
struct UpdateOutput {
    resolved: Vec<ResolvedPackage>,
    errors: Vec<ResolveFailure>,
    alc_lock: String,
}

#[derive(Serialize, JsonSchema)]
struct ResolvedPackage {
    name: String,
    version: Option<String>,
    /// `installed`, `pinned` or `path`.
    source: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct ResolveFailure {
    name: String,
    error: String,
}

#[derive(Default, Serialize, JsonSchema)]
struct MigrateOutput {
    /// `migrated` or `nothing to migrate`.
    status: &'static str,
    migrated: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alc_toml: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub(super) const TOOLS: &[AlcTool] = &[
    AlcTool {
        name: "alc_init",
        title: "Begin a project",
        description: "Prepares a project or repository to use packages: initialize (set up) its configuration file \
                      alc.toml, and .gitignore entries.",
        behavior: ToolBehavior::IDEMPOTENT,
        is_on_demand: true,
        input: input_schema::<ProjectRootArgs>,
        output: output_schema::<InitOutput>,
        call: ToolCall::Worker(|alc, arguments, _| init_project(&alc.packages, arguments).map(ToolOutput::from)),
    },
    AlcTool {
        name: "alc_update",
        title: "Resolve a project's packages",
        description: "Brings the lock file alc.lock up to date with the packages that the project declares in \
                      alc.toml: resolve the versions (dependencies), upgrade to the newest that fit, and refresh the \
                      locked ones.",
        behavior: ToolBehavior { is_idempotent: true, ..ToolBehavior::DESTRUCTIVE },
        is_on_demand: true,
        input: input_schema::<ProjectRootArgs>,
        output: output_schema::<UpdateOutput>,
        call: ToolCall::Worker(|alc, arguments, info| {
            update_project(&alc.packages, arguments, info).map(ToolOutput::from)
        }),
    },
    AlcTool {
        name: "alc_migrate",
        title: "Migrate an old alc.lock",
        description: "Converts an alc.lock of an earlier format (version 0) to alc.toml, with a backup.",
        behavior: ToolBehavior { is_idempotent: true, ..ToolBehavior::DESTRUCTIVE },
        is_on_demand: true,
        input: input_schema::<ProjectRootArgs>,
        output: output_schema::<MigrateOutput>,
        call: ToolCall::Worker(|alc, arguments, _| migrate_project(&alc.packages, arguments).map(ToolOutput::from)),
    },
];

const GITIGNORE_LINES: [&str; 2] = [VARIANTS_FILE, INSTALL_LOCK_FILE];
const GITIGNORE_FILE: &str = ".gitignore";
const LOCK_BACKUP_FILE: &str = "alc.lock.bak";
const REQUIREMENTS_TEMPLATE: &str = "# The packages that this project uses: a version, \"*\" for whatever is installed, or\n\
                         # { path = \"…\" } for one of its own.\n[packages]\n";

fn init_project(packages: &PackageStore, arguments: Payload) -> Result<Payload, ServiceError> {
    let ProjectRootArgs { project_root } = parse_arguments(arguments)?;
    let project = packages.grants().open_project(project_root.as_deref())?;
    let at = |name: &str| project.path.join(name).display().to_string();
    project.folder.create_file(REQUIREMENTS_FILE, REQUIREMENTS_TEMPLATE.as_bytes(), Privacy::Shared).map_err(
        |error| match error {
            AppDirError::AlreadyExists(_) => ServiceError::tool(
                code::EXISTS,
                format!("{REQUIREMENTS_FILE} already exists at {}", at(REQUIREMENTS_FILE)),
            ),
            error => write_error(REQUIREMENTS_FILE, error),
        },
    )?;
    let updated = update_gitignore(&project)?;
    serialize_output(&InitOutput {
        created: at(REQUIREMENTS_FILE),
        gitignore_path: at(GITIGNORE_FILE),
        gitignore_updated: updated,
    })
}

fn update_project(packages: &PackageStore, arguments: Payload, info: &RequestInfo) -> Result<Payload, ServiceError> {
    let ProjectRootArgs { project_root } = parse_arguments(arguments)?;
    let project = packages.grants().open_project(project_root.as_deref())?;
    if project.folder.stat(REQUIREMENTS_FILE).is_err() {
        return Err(super::list::missing_requirements_error(&project.path.display().to_string()));
    }
    let entries =
        project_files::read_package_table(&project.folder, REQUIREMENTS_FILE, REQUIREMENTS_FILE, MAX_CONFIG_BYTES)?;
    let (mut resolved, mut errors, mut locked) = (Vec::new(), Vec::new(), Vec::new());
    for (name, entry) in &entries {
        if info.cancellation.is_cancelled() {
            return Err(ServiceError::tool(code::CANCELLED, "the update was cancelled"));
        }
        match resolve_package(packages, &project, name, entry, info) {
            Ok((how, package)) => {
                resolved.push(ResolvedPackage { name: name.clone(), version: package.version.clone(), source: how });
                locked.push(package);
            }
            Err(error) => errors.push(ResolveFailure { name: escape_and_truncate(name), error: error.to_string() }),
        }
    }
    // One that another version wrote has what this one cannot: `alc_migrate` keeps a copy of an older one.
    if let Err(error @ ServiceError::Tool { code: code::UNSUPPORTED_LOCK, .. }) = lock::read_lock(&project) {
        return Err(error);
    }
    PackageLock::new(locked).write(&project)?;
    serialize_output(&UpdateOutput {
        resolved,
        errors,
        alc_lock: project.path.join(lock::ALC_LOCK_FILE).display().to_string(),
    })
}

/// Resolves a package of `alc.toml`, and returns how it was found.
fn resolve_package(
    packages: &PackageStore,
    project: &Project,
    name: &str,
    entry: &PackageEntry,
    info: &RequestInfo,
) -> Result<(&'static str, LockedPackage), ServiceError> {
    let name = parse_package_name(name)?;
    let locked = |version: Option<String>, source| LockedPackage { name: name.to_string(), version, source };
    if let Some(path) = &entry.path {
        let full = normalize(&project.path.join(path));
        let folder = match full.strip_prefix(&project.path).ok().and_then(|below| below.to_str()) {
            Some("") => Ok(project.folder.clone()),
            Some(below) => project.folder.open_folder(below),
            None => {
                return packages
                    .grants()
                    .open_folder(&full.display().to_string(), Grant::Link)
                    .map(|_| ("path", locked(entry.version.clone(), PackageOrigin::Path { path: path.clone() })));
            }
        };
        let missing = || ServiceError::tool(code::NOT_FOUND, format!("{} holds no package", escape_and_truncate(path)));
        folder.and_then(|folder| folder.stat(SOURCE_FILE)).map_err(|_| missing())?;
        return Ok(("path", locked(entry.version.clone(), PackageOrigin::Path { path: path.clone() })));
    }
    if entry.git.is_some() {
        return Err(ServiceError::tool(code::NOT_SUPPORTED, "Git source not supported in Phase 1"));
    }
    let Some(pin) = entry.pinned_version() else {
        let installed = packages.installed_version(name.as_str());
        if installed.is_none() && packages.open_installed_package(&name).is_err() {
            return Err(ServiceError::tool(code::NOT_FOUND, format!("Package '{name}' is not installed")));
        }
        return Ok(("installed", locked(installed, PackageOrigin::Installed)));
    };
    ensure_pinned_copy(packages, &name, pin, info)?;
    Ok(("pinned", locked(Some(pin.to_owned()), PackageOrigin::Installed)))
}

/// Ensures that there is a copy of one version of a package.
fn ensure_pinned_copy(
    packages: &PackageStore,
    name: &PackageName,
    version: &str,
    info: &RequestInfo,
) -> Result<(), ServiceError> {
    let copy = format!("{name}@{version}");
    let folder = packages.create_packages_folder()?;
    if matches!(folder.entry_kind(&copy), Ok(EntryKind::Folder)) {
        return Ok(());
    }
    let Ok(from) = packages.open_installed_package(name) else {
        return Err(ServiceError::tool(code::NOT_FOUND, format!("Package '{name}' is not installed")));
    };
    match packages.installed_version(name.as_str()) {
        Some(installed) if installed == version => {}
        installed => {
            let installed = installed.map_or_else(|| "an unknown version".to_owned(), |v| escape_and_truncate(&v));
            let message = format!("the project requires {name} {version}, but {installed} is installed");
            return Err(ServiceError::tool(code::VERSION_MISSING, message));
        }
    }
    let stopped = || info.cancellation.is_cancelled();
    match packages.import_tree(&from, &copy, ImportMode::New, &mut install_budget(), &stopped) {
        // Another process made the same copy.
        Err(ServiceError::Tool { code: code::EXISTS, .. }) => Ok(()),
        made => made,
    }
}

fn migrate_project(packages: &PackageStore, arguments: Payload) -> Result<Payload, ServiceError> {
    let ProjectRootArgs { project_root } = parse_arguments(arguments)?;
    let project = packages.grants().open_project(project_root.as_deref())?;
    let nothing = |reason: &str| {
        serialize_output(&MigrateOutput {
            status: "nothing to migrate",
            reason: Some(reason.to_owned()),
            ..MigrateOutput::default()
        })
    };
    let Some(text) = lock::read_lock_text(&project)? else { return nothing("alc.lock not found") };
    let Some(packages) = lock::parse_legacy_packages(&text)? else { return nothing("alc.lock is of this version") };
    // The backup comes first, so that a later failure loses nothing.
    let backup = back_up_lock(&project, &text)?;
    let mut migrated = Vec::new();
    project_edit::edit_package_table(&project, &TableFile::new(REQUIREMENTS_FILE, MissingFile::Create), |table| {
        for package in &packages {
            if table.contains_key(&package.name) || PackageName::parse(&package.name).is_err() {
                continue;
            }
            let entry = match &package.source {
                PackageOrigin::Path { path } => project_edit::path_item(path),
                PackageOrigin::Unknown
                | PackageOrigin::Installed
                | PackageOrigin::Git { .. }
                | PackageOrigin::Bundled { .. } => value(package.version.clone().unwrap_or_else(|| "*".to_owned())),
            };
            table.insert(&package.name, entry);
            migrated.push(package.name.clone());
        }
        true
    })?;
    PackageLock::new(packages).write(&project)?;
    let at = |name: &str| Some(project.path.join(name).display().to_string());
    serialize_output(&MigrateOutput {
        status: "migrated",
        migrated,
        reason: None,
        alc_toml: at(REQUIREMENTS_FILE),
        backup: at(&backup),
        note: Some("call alc_update to resolve the packages again".to_owned()),
    })
}

/// Keeps the old lock under a name that is free or has the same text already, and returns the name.
fn back_up_lock(project: &Project, text: &str) -> Result<String, ServiceError> {
    const MAX_LOCK_BACKUPS: usize = 100;
    for number in 0..MAX_LOCK_BACKUPS {
        let name = if number == 0 { LOCK_BACKUP_FILE.to_owned() } else { format!("{LOCK_BACKUP_FILE}.{number}") };
        match project.folder.create_file(&name, text.as_bytes(), Privacy::Shared) {
            Ok(()) => return Ok(name),
            Err(AppDirError::AlreadyExists(_)) => {
                if project.folder.read_text(&name, MAX_CONFIG_BYTES).is_ok_and(|(kept, _)| kept == text) {
                    return Ok(name);
                }
            }
            Err(error) => return Err(write_error(&name, error)),
        }
    }
    Err(ServiceError::tool(
        code::EXISTS,
        format!(
            "there are {MAX_LOCK_BACKUPS} copies of old locks ({LOCK_BACKUP_FILE} and so on): move them away first"
        ),
    ))
}

/// Adds the files that are only for this machine to `.gitignore`, and returns whether any was missing.
fn update_gitignore(project: &Project) -> Result<bool, ServiceError> {
    let failed = |error| write_error(GITIGNORE_FILE, error);
    let _lock = project.folder.lock(INSTALL_LOCK_FILE).map_err(failed)?;
    let text = match project.folder.read_text(GITIGNORE_FILE, MAX_CONFIG_BYTES) {
        Ok((text, _)) => text,
        Err(AppDirError::NotFound(_)) => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let has = |line: &&str| text.lines().any(|known| known.trim() == *line);
    let missing: Vec<&str> = GITIGNORE_LINES.into_iter().filter(|line| !has(line)).collect();
    if missing.is_empty() {
        return Ok(false);
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let text = format!("{text}{end}{}\n", missing.join("\n"));
    write_project_file(&project.folder, GITIGNORE_FILE, &text).map(|()| true).map_err(failed)
}
