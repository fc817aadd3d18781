//! `alc_pkg_doctor` and `alc_pkg_repair`: report packages that differ from the record, and reinstall them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::install::check_contains_nothing_private;
use crate::error_code as code;
use crate::grants::Grant;
use crate::packages::{
    ImportMode, InstallManifest, LocationKind, PackageLocation, PackageOrigin, PackageScope, PackageStore,
    install_budget, is_package, parse_package_name,
};
use crate::parallel;
use crate::reserved_names::find_name_conflicts;
use crate::tool::{AlcTool, ToolCall};
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{RequestInfo, ServiceError, ToolBehavior, ToolOutput, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PackageDoctorArgs {
    /// Only this package.
    name: Option<String>,
    /// The folder of a project other than that of the server.
    project_root: Option<String>,
}

#[derive(Default, Serialize, JsonSchema)]
struct PackageDoctorOutput {
    healthy: Vec<String>,
    /// A folder without an `init.lua`.
    incomplete_pkg: Vec<PackageFinding>,
    /// Recorded as installed, but missing.
    installed_missing: Vec<PackageFinding>,
    /// Named by the project, but missing.
    path_missing: Vec<PackageFinding>,
    /// A link to a folder that is missing or was not granted.
    symlink_dangling: Vec<PackageFinding>,
    /// Present, but not recorded.
    unrecorded: Vec<String>,
    /// Its metadata cannot be read.
    unreadable: Vec<PackageFinding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct PackageFinding {
    name: String,
    scope: &'static str,
    detail: String,
}

#[derive(Default, Serialize, JsonSchema)]
struct PackageRepairOutput {
    repaired: Vec<String>,
    /// Packages that need no repair.
    skipped: Vec<String>,
    unrepairable: Vec<RepairFailure>,
    failed: Vec<RepairFailure>,
}

#[derive(Serialize, JsonSchema)]
struct RepairFailure {
    name: String,
    reason: String,
}

pub(super) const TOOLS: &[AlcTool] = &[
    AlcTool {
        name: "alc_pkg_doctor",
        title: "Check packages",
        description: "Diagnoses packages, changing nothing: check the health of all installed strategies, what is \
                      wrong or feels off (broken, missing, incomplete), with a remedy for each problem.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: true,
        input: input_schema::<PackageDoctorArgs>,
        output: output_schema::<PackageDoctorOutput>,
        call: ToolCall::Worker(|alc, arguments, info| {
            diagnose_packages(&alc.packages, arguments, info).map(ToolOutput::from)
        }),
    },
    AlcTool {
        name: "alc_pkg_repair",
        title: "Repair packages",
        description: "Fixes broken packages: repair, restore or reinstall those that are missing, deleted or \
                      incomplete, or have dangling links to paths (folders) that no longer exist.",
        behavior: ToolBehavior { is_open_world: true, ..ToolBehavior::DESTRUCTIVE },
        is_on_demand: true,
        input: input_schema::<PackageDoctorArgs>,
        output: output_schema::<PackageRepairOutput>,
        call: ToolCall::Worker(|alc, arguments, info| {
            repair_packages(&alc.packages, arguments, info).map(ToolOutput::from)
        }),
    },
];

fn diagnose_packages(packages: &PackageStore, arguments: Payload, info: &RequestInfo) -> Result<Payload, ServiceError> {
    let PackageDoctorArgs { name, project_root } = parse_arguments(arguments)?;
    let only = name.as_deref().map(parse_package_name).transpose()?;
    let project = packages.grants().open_project_if_any(project_root.as_deref())?;
    let (found, mut warnings) = packages.list_package_locations(project.as_ref())?;
    let conflicts = find_name_conflicts(packages.app()).into_iter();
    warnings.extend(conflicts.map(|path| format!("{path} is a folder where the server has a file of its own")));
    let manifest = packages.read_install_manifest()?;
    let mut report = PackageDoctorOutput { warnings, ..PackageDoctorOutput::default() };
    let is_selected = |name: &str| only.as_ref().is_none_or(|only| only.as_str() == name);
    let mut healthy = BTreeSet::new();
    let (mut intact, mut present) = (Vec::new(), BTreeSet::new());
    for package in found.iter().filter(|package| is_selected(package.name.as_str())) {
        let name = package.name.to_string();
        if package.scope == PackageScope::Global {
            present.insert(name.clone());
        }
        if !package.is_broken {
            intact.push(package);
            if package.scope == PackageScope::Global
                && package.kind == LocationKind::Installed
                && !manifest.packages.contains_key(&name)
            {
                report.unrecorded.push(name);
            }
            continue;
        }
        let finding = |detail: &str| PackageFinding {
            name: name.clone(),
            scope: package.scope.as_str(),
            detail: detail.to_owned(),
        };
        if package.link.is_some() {
            let detail = "the link leads to a folder that is missing or was not granted (wardroom mount add)";
            report.symlink_dangling.push(finding(detail));
        } else if package.scope == PackageScope::Global {
            report.incomplete_pkg.push(finding("its folder has no init.lua"));
        } else {
            report.path_missing.push(finding("the project names a folder that is missing or was not granted"));
        }
    }
    // What a long list leaves out is not missing.
    let is_missing = |name: &str| PackageName::parse(name).is_ok_and(|name| !packages.has_source(&name));
    for name in
        manifest.packages.keys().filter(|name| is_selected(name) && !present.contains(*name) && is_missing(name))
    {
        let detail = "recorded as installed, but missing (alc_pkg_repair)".to_owned();
        report.installed_missing.push(PackageFinding {
            name: name.clone(),
            scope: PackageScope::Global.as_str(),
            detail,
        });
    }
    // Only whether it can be read.
    let read = parallel::map_items(&intact, &|| info.cancellation.is_cancelled(), |package| {
        packages.metadata_fields(package, &info.memory, |_| false).map(drop)
    });
    for (package, metadata) in intact.iter().zip(read) {
        let (name, scope) = (package.name.to_string(), package.scope.as_str());
        match metadata {
            Some(Err(error)) => report.unreadable.push(PackageFinding { name, scope, detail: error.to_string() }),
            Some(Ok(())) => {
                healthy.insert(name);
            }
            None => {}
        }
    }
    report.healthy = healthy.into_iter().collect();
    if let Some(only) =
        only.filter(|only| !present.contains(only.as_str()) && !is_known_package(&found, &manifest, only))
    {
        return Err(ServiceError::tool(code::NOT_FOUND, format!("the package {only} does not exist")));
    }
    serialize_output(&report)
}

fn repair_packages(packages: &PackageStore, arguments: Payload, info: &RequestInfo) -> Result<Payload, ServiceError> {
    let PackageDoctorArgs { name, project_root } = parse_arguments(arguments)?;
    let only = name.as_deref().map(parse_package_name).transpose()?;
    let project = packages.grants().open_project_if_any(project_root.as_deref())?;
    let (found, _) = packages.list_package_locations(project.as_ref())?;
    let manifest = packages.read_install_manifest()?;
    if let Some(only) = only.as_ref().filter(|only| !is_known_package(&found, &manifest, only)) {
        return Err(ServiceError::tool(code::NOT_FOUND, format!("the package {only} does not exist")));
    }
    let recorded = manifest.packages.keys().filter_map(|name| PackageName::parse(name).ok());
    let broken = found.iter().filter(|package| package.scope == PackageScope::Global && package.is_broken);
    let names: BTreeSet<PackageName> = recorded.chain(broken.map(|package| package.name.clone())).collect();
    let mut report = PackageRepairOutput::default();
    for name in names.into_iter().filter(|name| only.as_ref().is_none_or(|only| only == name)) {
        let intact = |package: &&PackageLocation| {
            package.name == name && package.scope == PackageScope::Global && !package.is_broken
        };
        // A long list leaves some out.
        if found.iter().find(intact).is_some() || packages.has_source(&name) {
            report.skipped.push(name.to_string());
            continue;
        }
        match manifest.packages.get(name.as_str()).map(|installed| &installed.source) {
            Some(source @ PackageOrigin::Path { path }) => {
                match reinstall_package(packages, &name, path, source, info) {
                    Ok(()) => report.repaired.push(name.to_string()),
                    Err(error) => {
                        report.failed.push(RepairFailure { name: name.to_string(), reason: error.to_string() });
                    }
                }
            }
            source => {
                let reason = unrepairable_reason(source, packages.grants().command());
                report.unrepairable.push(RepairFailure { name: name.to_string(), reason });
            }
        }
    }
    serialize_output(&report)
}

fn reinstall_package(
    packages: &PackageStore,
    name: &PackageName,
    path: &str,
    source: &PackageOrigin,
    info: &RequestInfo,
) -> Result<(), ServiceError> {
    let from = packages.grants().open_folder(path, Grant::Read)?;
    check_contains_nothing_private(packages.grants(), &from, path)?;
    // For a package of a collection, the folder of the whole collection is recorded.
    let from = if is_package(&from) {
        from
    } else {
        let below = from.open_folder(name.as_str());
        below.map_err(|_| ServiceError::tool(code::NOT_FOUND, format!("{name} is no longer at its source")))?
    };
    let stopped = || info.cancellation.is_cancelled();
    packages.import_tree(&from, name.as_str(), ImportMode::Replace, &mut install_budget(), &stopped)?;
    packages.record_packages(&[(name.to_string(), packages.installed_version(name.as_str()))], source)
}

/// Returns whether a package of this name exists or is recorded.
fn is_known_package(found: &[PackageLocation], manifest: &InstallManifest, name: &PackageName) -> bool {
    manifest.packages.contains_key(name.as_str()) || found.iter().any(|package| package.name == *name)
}

fn unrepairable_reason(source: Option<&PackageOrigin>, command: &str) -> String {
    match source {
        Some(PackageOrigin::Git { url, .. }) => {
            format!("it came from a repository: `{command} pkg install {}` installs it again", escape_and_truncate(url))
        }
        Some(PackageOrigin::Bundled { .. }) => "it came with the original system, which is not included".to_owned(),
        Some(PackageOrigin::Path { .. } | PackageOrigin::Unknown | PackageOrigin::Installed) | None => {
            "its source is not recorded".to_owned()
        }
    }
}
