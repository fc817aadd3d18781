//! `alc_pkg_install`: packages from a folder of this machine, or from a repository where the operator allows it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::import::{self, is_package, packages_in};
use super::{Source, edit, package_name, refused};
use crate::ids::TypesFile;
use crate::tools::Tool;
use crate::{Alc, Ask, places};
use wardroom_appdir::{Folder, Publish};
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{CallContext, Hints, ServiceError, ToolAnswer, shown};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Install {
    /// A folder of this machine: a package, or a folder of packages. Or the address of a git repository.
    url: String,
    /// What the package is called, where it is one.
    name: Option<String>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Installation {
    /// `local_single` or `local_collection`, `git_single` or `git_collection`.
    mode: String,
    installed: Vec<String>,
    /// Those that were there before, where they may be replaced.
    updated: Vec<String>,
    /// Those that were there before, where they may not.
    skipped: Vec<String>,
    skipped_symlinks: Vec<String>,
    /// Those that were refused, and why.
    failures: Vec<Failure>,
    cards_installed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cards_failures: Vec<String>,
    scenarios_installed: Vec<String>,
    scenarios_failures: Vec<String>,
    /// The type stubs of `alc.*`, and of `alc_shapes`, where they are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    types_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alc_shapes_types_path: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    project_files_warnings: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Failure {
    name: String,
    code: String,
    message: String,
}

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "alc_pkg_install",
    title: "Install packages",
    description: "Installs a Lua package, or every package of a folder, with all its files, its cards and its scenarios. \
                  `url` is a folder of this machine that the server may use; from a git repository only where the \
                  operator allows it.",
    hints: Hints { open_world: true, ..Hints::CHANGES },
    input: schema::<Install>,
    output: answer_schema::<Installation>,
    call: |alc, arguments, context| alc.install(arguments, context).map(ToolAnswer::from),
}];

/// What is installed from where.
pub struct Installing<'i> {
    pub from: &'i Folder,
    /// What a package is called that is alone.
    pub name: &'i str,
    pub source: Source,
}

/// A folder of packages has the names of all of them.
pub(crate) fn check_name(from: &Folder, name: Option<&str>) -> Result<(), ServiceError> {
    if name.is_none() || is_package(from) {
        return Ok(());
    }
    Err(refused("NOT_A_PACKAGE", "name is for a single package, and this is a folder of packages"))
}

/// Whether this names a repository rather than a folder.
#[must_use]
pub fn is_repository(url: &str) -> bool {
    !url.starts_with(['/', '.'])
}

impl Alc {
    fn install(&self, arguments: Payload, context: &CallContext) -> Result<Payload, ServiceError> {
        let Install { url, name } = parse(arguments)?;
        if is_repository(&url) {
            return self.install_fetched(&self.repository(&url, context)?, name.as_deref(), context);
        }
        let from = places::folder(self, &url, places::Grant::Read)?;
        let path = places::told(self, &url);
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let source = Source::Path { path: path.clone() };
        check_name(&from, name.as_deref())?;
        let installing = Installing { from: &from, name: name.as_deref().unwrap_or(last), source };
        self.install_from(&installing, context)
    }

    /// Installs what is in a folder that somebody had the right to name. Local packages replace what is there.
    ///
    /// # Errors
    /// For a single package why it is refused; of a folder of packages each failure is part of the answer.
    pub fn install_from(&self, installing: &Installing, context: &CallContext) -> Result<Payload, ServiceError> {
        let Installing { from, name, source } = installing;
        let word = if matches!(source, Source::Git { .. }) { "git" } else { "local" };
        let mut done = Installation {
            types_path: self.types_path(TypesFile::Alc),
            alc_shapes_types_path: self.types_path(TypesFile::Shapes),
            ..Installation::default()
        };
        let mut budget = import::budget();
        let stopped = || context.cancelled.is_cancelled();
        let mut halt = None;
        if is_package(from) {
            done.mode = format!("{word}_single");
            let name = package_name(name)?;
            let taken = self.install_one(from, &name, source, &mut budget, &stopped, &mut done);
            halt = taken.err();
        } else {
            done.mode = format!("{word}_collection");
            let (names, links) = packages_in(from)?;
            done.skipped_symlinks = links;
            if names.is_empty() {
                return Err(refused("NOT_A_PACKAGE", "the folder has no init.lua, and no package in it has one"));
            }
            for name in names {
                let taken = from
                    .folder(name.as_str())
                    .map_err(|error| super::unwritten(name.as_str(), error))
                    .and_then(|folder| self.install_one(&folder, &name, source, &mut budget, &stopped, &mut done));
                match taken {
                    Ok(()) => {}
                    Err(ServiceError::Tool { code: "EXISTS", .. }) => done.skipped.push(name.to_string()),
                    // The next one would fare no better.
                    Err(
                        error @ ServiceError::Tool {
                            code: "DISK_FULL" | "BUSY" | "READ_ONLY" | "NOT_PERMITTED", ..
                        },
                    ) => halt = Some(error),
                    Err(error) => done.failures.push(Failure::of(name.as_str(), &error)),
                }
                if stopped() {
                    halt = Some(refused("CANCELLED", "the installation was cancelled"));
                }
                if halt.is_some() {
                    break;
                }
            }
            if halt.is_none() {
                let brought = self.bring(from, None)?;
                done.scenarios_installed.extend(brought.scenarios);
                done.scenarios_failures.extend(brought.scenario_failures);
            }
        }
        // What is there is recorded, whatever became of the rest.
        let recorded = self.record_installed(source, &mut done, context);
        match halt {
            None => recorded.and_then(|()| answer(&done)),
            Some(error) if done.installed.is_empty() && done.updated.is_empty() => Err(error),
            Some(ServiceError::Tool { code, message, details: None }) => {
                let count = done.installed.len() + done.updated.len();
                let message = format!("{message}; {count} packages were installed before that");
                Err(ServiceError::Tool { code, message, details: Some(answer(&done)?) })
            }
            Some(error) => Err(error),
        }
    }

    fn record_installed(
        &self,
        source: &Source,
        done: &mut Installation,
        context: &CallContext,
    ) -> Result<(), ServiceError> {
        let mut names: Vec<(String, Option<String>)> = Vec::new();
        for name in done.installed.iter().chain(&done.updated) {
            names.push((name.clone(), self.version_of(name, context)));
        }
        if !names.is_empty() {
            self.record(&names, source)?;
            done.project_files_warnings = edit::require(self, &names);
            if let Source::Git { url, .. } = source {
                self.add_registry(url, "pkg_install")?;
            }
        }
        Ok(())
    }

    fn install_one(
        &self,
        from: &Folder,
        name: &PackageName,
        source: &Source,
        budget: &mut wardroom_appdir::TreeBudget,
        stopped: &dyn Fn() -> bool,
        done: &mut Installation,
    ) -> Result<(), ServiceError> {
        let how = if matches!(source, Source::Git { .. }) { Publish::New } else { Publish::Replace };
        let was_there = self.folders.app.stat(&format!("packages/{name}/init.lua")).is_ok();
        self.import(from, name.as_str(), how, budget, stopped)?;
        if was_there { &mut done.updated } else { &mut done.installed }.push(name.to_string());
        let brought = self.bring(from, Some(name))?;
        done.cards_installed.extend(brought.cards);
        done.cards_failures.extend(brought.card_failures);
        done.scenarios_installed.extend(brought.scenarios);
        done.scenarios_failures.extend(brought.scenario_failures);
        Ok(())
    }

    /// Where type stubs are, for an editor.
    fn types_path(&self, file: TypesFile) -> Option<String> {
        let below = format!("types/{}", file.file_name());
        self.folders.app.stat(&below).ok()?;
        let path = self.operator.app.as_ref().map_or_else(|| below.clone().into(), |app| app.join(&below));
        Some(path.display().to_string())
    }

    /// What a package in the AppDir says of its version.
    pub(super) fn version_of(&self, name: &str, context: &CallContext) -> Option<String> {
        let name = PackageName::parse(name).ok()?;
        let folder = self.installed(&name).ok()?;
        let (metadata, _) = self.metadata_in(&folder, &name, &Ask { uri: name.as_str(), context }).ok()?;
        let meta: Value = serde_json::from_str(&metadata.json).ok()?;
        Some(meta.get("version")?.as_str()?.to_owned())
    }
}

impl Failure {
    fn of(name: &str, error: &ServiceError) -> Self {
        let code = match error {
            ServiceError::Tool { code, .. } => code,
            _ => "INTERNAL",
        };
        Self { name: shown(name), code: code.to_owned(), message: error.to_string() }
    }
}
