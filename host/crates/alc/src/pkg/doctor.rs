//! `alc_pkg_doctor` and `alc_pkg_repair`: what of the packages is not as recorded, and what can be mended.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::import::budget;
use super::manifest::{Manifest, Source};
use super::{Found, package_name};
use crate::tools::Tool;
use crate::{Alc, places};
use wardroom_appdir::Publish;
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{CallContext, Hints, ServiceError, ToolAnswer, shown};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    /// Only this package.
    name: Option<String>,
    /// A project other than the server's own.
    project_root: Option<String>,
}

#[derive(Default, Serialize, JsonSchema)]
struct Report {
    healthy: Vec<String>,
    /// A folder without an `init.lua`.
    incomplete_pkg: Vec<Finding>,
    /// Recorded as installed, and not there.
    installed_missing: Vec<Finding>,
    /// Named by the project, and not there.
    path_missing: Vec<Finding>,
    /// A link that leads nowhere, or to where nothing was granted.
    symlink_dangling: Vec<Finding>,
    /// There, and not recorded.
    unrecorded: Vec<String>,
    /// Its metadata cannot be read.
    unreadable: Vec<Finding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Finding {
    name: String,
    scope: &'static str,
    detail: String,
}

#[derive(Default, Serialize, JsonSchema)]
struct Repaired {
    repaired: Vec<String>,
    /// Those that need none.
    skipped: Vec<String>,
    unrepairable: Vec<Outcome>,
    failed: Vec<Outcome>,
}

#[derive(Serialize, JsonSchema)]
struct Outcome {
    name: String,
    reason: String,
}

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "alc_pkg_doctor",
        title: "Check packages",
        description: "Compares the packages that are there with what is recorded and what the project names, and says what \
                      is missing, incomplete or leads nowhere.",
        hints: Hints::READS,
        input: schema::<Which>,
        output: answer_schema::<Report>,
        call: |alc, arguments, context| alc.examine(arguments, context).map(ToolAnswer::from),
    },
    Tool {
        name: "alc_pkg_repair",
        title: "Repair packages",
        description: "Installs packages that are missing or incomplete again, from where they came.",
        hints: Hints { open_world: true, ..Hints::CHANGES },
        input: schema::<Which>,
        output: answer_schema::<Repaired>,
        call: |alc, arguments, context| alc.repair(arguments, context).map(ToolAnswer::from),
    },
];

impl Alc {
    fn examine(&self, arguments: Payload, context: &CallContext) -> Result<Payload, ServiceError> {
        let Which { name, project_root } = parse(arguments)?;
        let only = name.as_deref().map(package_name).transpose()?;
        let project = self.project_if_any(project_root.as_deref())?;
        let (found, warnings) = self.all_packages(project.as_ref())?;
        let manifest = self.manifest()?;
        let mut report = Report { warnings, ..Report::default() };
        let wanted = |name: &str| only.as_ref().is_none_or(|only| only.as_str() == name);
        let mut sound = BTreeSet::new();
        let (mut whole, mut there) = (Vec::new(), BTreeSet::new());
        for package in found.iter().filter(|package| wanted(package.name.as_str())) {
            let name = package.name.to_string();
            if package.scope == "global" {
                there.insert(name.clone());
            }
            if !package.broken {
                whole.push(package);
                if package.scope == "global" && package.kind == "installed" && !manifest.packages.contains_key(&name) {
                    report.unrecorded.push(name);
                }
                continue;
            }
            let finding =
                |detail: &str| Finding { name: name.clone(), scope: package.scope, detail: detail.to_owned() };
            if package.link.is_some() {
                let detail = "the link leads nowhere, or to a folder that was not granted (wardroom mount add)";
                report.symlink_dangling.push(finding(detail));
            } else if package.scope == "global" {
                report.incomplete_pkg.push(finding("its folder has no init.lua"));
            } else {
                report.path_missing.push(finding("the project names a folder that is not there, or was not granted"));
            }
        }
        for name in manifest.packages.keys().filter(|name| wanted(name) && !there.contains(*name)) {
            let detail = "recorded as installed, and not there (alc_pkg_repair)".to_owned();
            report.installed_missing.push(Finding { name: name.clone(), scope: "global", detail });
        }
        let read = crate::parallel::each(&whole, &context.cancelled, |package| self.metadata_of(package, context));
        for (package, metadata) in whole.iter().zip(read) {
            let (name, scope) = (package.name.to_string(), package.scope);
            match metadata {
                Some(Err(error)) => report.unreadable.push(Finding { name, scope, detail: error.to_string() }),
                Some(Ok(_)) => {
                    sound.insert(name);
                }
                None => {}
            }
        }
        report.healthy = sound.into_iter().collect();
        if let Some(only) = only.filter(|only| !there.contains(only.as_str()) && !is_named(&found, &manifest, only)) {
            return Err(super::refused("NOT_FOUND", format!("no package is called {only}")));
        }
        answer(&report)
    }

    fn repair(&self, arguments: Payload, context: &CallContext) -> Result<Payload, ServiceError> {
        let Which { name, project_root } = parse(arguments)?;
        let only = name.as_deref().map(package_name).transpose()?;
        let project = self.project_if_any(project_root.as_deref())?;
        let (found, _) = self.all_packages(project.as_ref())?;
        let manifest = self.manifest()?;
        if let Some(only) = only.as_ref().filter(|only| !is_named(&found, &manifest, only)) {
            return Err(super::refused("NOT_FOUND", format!("no package is called {only}")));
        }
        let recorded = manifest.packages.keys().filter_map(|name| PackageName::parse(name).ok());
        let broken = found.iter().filter(|package| package.scope == "global" && package.broken);
        let names: BTreeSet<PackageName> = recorded.chain(broken.map(|package| package.name.clone())).collect();
        let mut report = Repaired::default();
        for name in names.into_iter().filter(|name| only.as_ref().is_none_or(|only| only == name)) {
            let whole = |package: &&Found| package.name == name && package.scope == "global" && !package.broken;
            if found.iter().find(whole).is_some() {
                report.skipped.push(name.to_string());
                continue;
            }
            match manifest.packages.get(name.as_str()).map(|installed| &installed.source) {
                Some(source @ Source::Path { path }) => match self.install_again(&name, path, source, context) {
                    Ok(()) => report.repaired.push(name.to_string()),
                    Err(error) => report.failed.push(Outcome { name: name.to_string(), reason: error.to_string() }),
                },
                source => {
                    let reason = unrepairable(source, &self.operator.command);
                    report.unrepairable.push(Outcome { name: name.to_string(), reason });
                }
            }
        }
        answer(&report)
    }

    fn install_again(
        &self,
        name: &PackageName,
        path: &str,
        source: &Source,
        context: &CallContext,
    ) -> Result<(), ServiceError> {
        let from = places::folder(self, path, places::Grant::Read)?;
        // What was installed as one of a folder of packages lies below what is recorded.
        let from = if super::import::is_package(&from) {
            from
        } else {
            let below = from.folder(name.as_str());
            below.map_err(|_| super::refused("NOT_FOUND", format!("{name} is no longer where it came from")))?
        };
        let stopped = || context.cancelled.is_cancelled();
        self.import(&from, name.as_str(), Publish::Replace, &mut budget(), &stopped)?;
        self.record(&[(name.to_string(), self.version_of(name.as_str(), context))], source)
    }
}

/// Whether anything knows a package of this name.
fn is_named(found: &[Found], manifest: &Manifest, name: &PackageName) -> bool {
    manifest.packages.contains_key(name.as_str()) || found.iter().any(|package| package.name == *name)
}

fn unrepairable(source: Option<&Source>, command: &str) -> String {
    match source {
        Some(Source::Git { url, .. }) => {
            format!("it came from a repository: `{command} pkg install {}` installs it again", shown(url))
        }
        Some(Source::Bundled { .. }) => "it came with the original, which is not here".to_owned(),
        Some(Source::Path { .. } | Source::Unknown | Source::Installed) | None => {
            "where it came from is not recorded".to_owned()
        }
    }
}
