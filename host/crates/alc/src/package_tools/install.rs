//! `alc_pkg_install`: installs packages from a folder of this machine or, if the operator allows it, a repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PackageInstaller, requirements};
use crate::alc_uri::TypesFile;
use crate::error_code as code;
use crate::git_source::Repository;
use crate::grants::{Grant, PathGrants};
use crate::packages::{ImportMode, PackageOrigin, find_packages_in, install_budget, is_package, parse_package_name};
use crate::storage_error::{is_obstacle, write_error};
use crate::tool::{AlcTool, ToolCall};
use crate::type_stubs;
use wardroom_appdir::Folder;
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_net::GitFetcher;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{RequestInfo, ServiceError, ToolBehavior, ToolOutput, escape_and_truncate, with_noun};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PackageInstallArgs {
    /// A folder of this machine: a package, or a folder of packages. Or the address of a git repository.
    url: String,
    /// The name of the package, for a single package.
    name: Option<String>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct PackageInstallOutput {
    /// `local_single` or `local_collection`, `git_single` or `git_collection`.
    mode: String,
    installed: Vec<String>,
    /// Packages that existed before, and were replaced.
    updated: Vec<String>,
    /// Packages that existed before, and were kept.
    skipped: Vec<String>,
    skipped_symlinks: Vec<String>,
    /// Packages that were refused, each with the reason.
    failures: Vec<InstallFailure>,
    cards_installed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cards_failures: Vec<String>,
    scenarios_installed: Vec<String>,
    scenarios_failures: Vec<String>,
    /// The type stubs of `alc.*`, if they exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    types_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alc_shapes_types_path: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    project_files_warnings: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct InstallFailure {
    name: String,
    code: String,
    message: String,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_pkg_install",
    title: "Install packages",
    description: "Installs a new package, strategy or whole collection, with cards and scenarios: get, download or \
                  add it to this machine from a folder, or a git repository (URL, link, github.com) if the operator \
                  allows it.",
    behavior: ToolBehavior { is_open_world: true, ..ToolBehavior::DESTRUCTIVE },
    is_on_demand: false,
    input: input_schema::<PackageInstallArgs>,
    output: output_schema::<PackageInstallOutput>,
    call: ToolCall::Worker(|alc, arguments, info| {
        alc.package_installer().install_packages(arguments, info).map(ToolOutput::from)
    }),
}];

/// The folder to install from, and its origin.
pub struct PackageInstallRequest<'i> {
    pub from: &'i Folder,
    /// The name of a single package; unused for a folder of packages.
    pub name: &'i str,
    pub source: PackageOrigin,
    pub mode: ImportMode,
}

/// Refuses a folder that contains data of the services: a package with it would show them.
///
/// # Errors
/// `PROTECTED`.
pub(super) fn check_contains_nothing_private(
    grants: &PathGrants,
    folder: &Folder,
    path: &str,
) -> Result<(), ServiceError> {
    if grants.contains_private(folder) {
        let message =
            format!("{} contains data of this server: name the folder of a package", escape_and_truncate(path));
        return Err(ServiceError::tool(code::PROTECTED, message));
    }
    Ok(())
}

/// Refuses a name for a folder of packages, which have names of their own.
pub(super) fn check_name(from: &Folder, name: Option<&str>) -> Result<(), ServiceError> {
    if name.is_none() || is_package(from) {
        return Ok(());
    }
    Err(ServiceError::tool(code::NOT_A_PACKAGE, "name is for a single package, and this is a folder of packages"))
}

/// Returns whether a URL names a repository rather than a folder.
#[must_use]
pub fn is_repository_url(url: &str) -> bool {
    !url.starts_with(['/', '.'])
}

impl PackageInstaller<'_> {
    fn install_packages(&self, arguments: Payload, info: &RequestInfo) -> Result<Payload, ServiceError> {
        let PackageInstallArgs { url, name } = parse_arguments(arguments)?;
        if is_repository_url(&url) {
            return self.install_from_repository(&self.git.fetch(&url, info)?, name.as_deref(), info);
        }
        let from = self.packages.grants().open_folder(&url, Grant::Read)?;
        check_contains_nothing_private(self.packages.grants(), &from, &url)?;
        let path = self.packages.grants().display_path(&url);
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let source = PackageOrigin::Path { path: path.clone() };
        check_name(&from, name.as_deref())?;
        let name = name.as_deref().unwrap_or(last);
        let installing = PackageInstallRequest { from: &from, name, source, mode: ImportMode::Replace };
        self.install_folder(&installing, info)
    }

    /// Fetches and installs a repository with `git`, for a person, who may name any address.
    ///
    /// # Errors
    /// As for [`Self::install_folder`], and when the repository cannot be fetched.
    pub fn install_repository(
        &self,
        git: &GitFetcher,
        url: &str,
        name: Option<&str>,
        info: &RequestInfo,
    ) -> Result<Payload, ServiceError> {
        let repository = self.git.fetch_with(git, url, info)?;
        self.install_from_repository(&repository, name, info)
    }

    fn install_from_repository(
        &self,
        repository: &Repository,
        name: Option<&str>,
        info: &RequestInfo,
    ) -> Result<Payload, ServiceError> {
        let Repository { url, .. } = repository;
        let last = url.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let last = last.strip_suffix(".git").unwrap_or(last);
        check_name(repository.folder(), name)?;
        let source = PackageOrigin::Git { url: url.clone(), rev: None };
        let (from, name) = (repository.folder(), name.unwrap_or(last));
        let installing = PackageInstallRequest { from, name, source, mode: ImportMode::New };
        self.install_folder(&installing, info)
    }

    /// Installs the packages in a folder that the caller had the right to name. Local packages replace existing ones.
    ///
    /// # Errors
    /// For a single package, the reason of its refusal. For a folder of packages each failure is part of the output.
    pub fn install_folder(
        &self,
        installing: &PackageInstallRequest,
        info: &RequestInfo,
    ) -> Result<Payload, ServiceError> {
        let PackageInstallRequest { from, name, source, .. } = installing;
        let word = if matches!(source, PackageOrigin::Git { .. }) { "git" } else { "local" };
        let types_path = |file| type_stubs::display_path(self.packages.grants(), file);
        let mut done = PackageInstallOutput {
            types_path: types_path(TypesFile::Alc),
            alc_shapes_types_path: types_path(TypesFile::Shapes),
            ..PackageInstallOutput::default()
        };
        let mut budget = install_budget();
        let stopped = || info.cancellation.is_cancelled();
        let mut abort = None;
        if is_package(from) {
            done.mode = format!("{word}_single");
            let name = parse_package_name(name)?;
            let result = self.install_one_package(from, &name, installing, &mut budget, &stopped, &mut done);
            abort = result.err();
        } else {
            done.mode = format!("{word}_collection");
            let (names, links) = find_packages_in(from)?;
            done.skipped_symlinks = links;
            if names.is_empty() {
                return Err(ServiceError::tool(
                    code::NOT_A_PACKAGE,
                    "the folder has no init.lua, and no package in it has one",
                ));
            }
            for name in names {
                let result =
                    from.open_folder(name.as_str()).map_err(|error| write_error(name.as_str(), error)).and_then(
                        |folder| self.install_one_package(&folder, &name, installing, &mut budget, &stopped, &mut done),
                    );
                match result {
                    Ok(()) => {}
                    Err(ServiceError::Tool { code: code::EXISTS | code::NOT_REPLACED, .. }) => {
                        done.skipped.push(name.to_string());
                    }
                    // The next package would fail for the same reason.
                    Err(error) if is_obstacle(&error) => abort = Some(error),
                    Err(error) => done.failures.push(InstallFailure::from_error(name.as_str(), &error)),
                }
                if stopped() {
                    abort = Some(ServiceError::tool(code::CANCELLED, "the installation was cancelled"));
                }
                if abort.is_some() {
                    break;
                }
            }
            if abort.is_none() {
                match self.import_cards_and_scenarios(from, None, &stopped) {
                    Ok(imported) => {
                        done.scenarios_installed.extend(imported.scenarios);
                        done.scenarios_failures.extend(imported.scenario_failures);
                    }
                    Err(error) => abort = Some(error),
                }
            }
        }
        // Installed packages are recorded even if a later one failed.
        let recorded = self.record_installation(source, &mut done);
        match abort {
            None => recorded.and_then(|()| serialize_output(&done)),
            Some(error) if done.installed.is_empty() && done.updated.is_empty() => Err(error),
            Some(ServiceError::Tool { code, message, details: None }) => {
                let count = done.installed.len() + done.updated.len();
                let message = format!(
                    "{message}; {} installed before that: repeat the installation",
                    with_noun(count, "package was", "packages were")
                );
                Err(ServiceError::Tool { code, message, details: Some(serialize_output(&done)?) })
            }
            Some(error) => Err(error),
        }
    }

    fn record_installation(&self, source: &PackageOrigin, done: &mut PackageInstallOutput) -> Result<(), ServiceError> {
        let mut names: Vec<(String, Option<String>)> = Vec::new();
        for name in done.installed.iter().chain(&done.updated) {
            names.push((name.clone(), self.packages.installed_version(name)));
        }
        if !names.is_empty() {
            self.packages.record_packages(&names, source)?;
            done.project_files_warnings = requirements::add_requirements(self.packages.grants().project(), &names);
            if let PackageOrigin::Git { url, .. } = source {
                self.packages.add_registry(url, "pkg_install")?;
            }
        }
        Ok(())
    }

    fn install_one_package(
        &self,
        from: &Folder,
        name: &PackageName,
        installing: &PackageInstallRequest,
        budget: &mut wardroom_appdir::TreeBudget,
        stopped: &dyn Fn() -> bool,
        done: &mut PackageInstallOutput,
    ) -> Result<(), ServiceError> {
        let was_there = self.packages.has_source(name);
        self.packages.import_tree(from, name.as_str(), installing.mode, budget, stopped)?;
        // What has no record yet is completed by the next installation.
        let imported = self.import_cards_and_scenarios(from, Some(name), stopped)?;
        if was_there { &mut done.updated } else { &mut done.installed }.push(name.to_string());
        done.cards_installed.extend(imported.cards);
        done.cards_failures.extend(imported.card_failures);
        done.scenarios_installed.extend(imported.scenarios);
        done.scenarios_failures.extend(imported.scenario_failures);
        Ok(())
    }
}

impl InstallFailure {
    fn from_error(name: &str, error: &ServiceError) -> Self {
        let code = match error {
            ServiceError::Tool { code, .. } => *code,
            _ => code::INTERNAL,
        };
        Self { name: escape_and_truncate(name), code: code.as_str().to_owned(), message: error.to_string() }
    }
}
