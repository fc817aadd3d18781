//! `alc_init`, `alc_update` and `alc_migrate`: a project's `alc.toml` and `alc.lock`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml_edit::value;

use super::edit::{self, Missing};
use super::import::budget;
use super::lock::{self, Lock, Locked};
use super::manifest::Source;
use super::{refused, unwritten};
use crate::packages::SOURCE;
use crate::project_files::{self, Entry, REQUIREMENTS, VARIANTS};
use crate::tools::Tool;
use crate::{Alc, Project, places};
use wardroom_appdir::{AppDirError, EntryKind, Privacy, Publish};
use wardroom_base::limits::MAX_CONFIG_BYTES;
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{CallContext, Hints, ServiceError, ToolAnswer, shown};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Root {
    /// A project other than the server's own.
    project_root: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Begun {
    created: String,
    gitignore_path: String,
    gitignore_updated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Updated {
    resolved: Vec<Resolved>,
    errors: Vec<Failure>,
    alc_lock: String,
}

#[derive(Serialize, JsonSchema)]
struct Resolved {
    name: String,
    version: Option<String>,
    /// `installed`, `pinned` or `path`.
    source: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Failure {
    name: String,
    error: String,
}

#[derive(Default, Serialize, JsonSchema)]
struct Migrated {
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

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "alc_init",
        title: "Begin a project",
        description: "Creates alc.toml in the project, and has git ignore what is only for this machine.",
        hints: Hints::SETS,
        input: schema::<Root>,
        output: answer_schema::<Begun>,
        call: |alc, arguments, _| alc.begin_project(arguments).map(ToolAnswer::from),
    },
    Tool {
        name: "alc_update",
        title: "Resolve a project's packages",
        description: "Resolves the packages of the project's alc.toml and writes alc.lock. A package with an exact version \
                      gets a copy of its own, which the project uses from then on.",
        hints: Hints { idempotent: true, ..Hints::CHANGES },
        input: schema::<Root>,
        output: answer_schema::<Updated>,
        call: |alc, arguments, context| alc.update_project(arguments, context).map(ToolAnswer::from),
    },
    Tool {
        name: "alc_migrate",
        title: "Migrate an old alc.lock",
        description: "Turns an alc.lock of the form before version 1 into entries of alc.toml, and keeps a copy of it.",
        hints: Hints { idempotent: true, ..Hints::CHANGES },
        input: schema::<Root>,
        output: answer_schema::<Migrated>,
        call: |alc, arguments, _| alc.migrate_project(arguments).map(ToolAnswer::from),
    },
];

const IGNORED: [&str; 2] = [VARIANTS, edit::LOCK];
const GITIGNORE: &str = ".gitignore";
const BACKUP: &str = "alc.lock.bak";
const BEGINNING: &str = "# The packages that this project uses: a version, \"*\" for whatever is installed, or\n\
                         # { path = \"…\" } for one of its own.\n[packages]\n";

impl Alc {
    fn begin_project(&self, arguments: Payload) -> Result<Payload, ServiceError> {
        let Root { project_root } = parse(arguments)?;
        let project = self.project_at(project_root.as_deref())?;
        let at = |name: &str| project.path.join(name).display().to_string();
        project.folder.create(REQUIREMENTS, BEGINNING.as_bytes(), Privacy::Shared).map_err(|error| match error {
            AppDirError::Exists(_) => {
                refused("EXISTS", format!("{REQUIREMENTS} already exists at {}", at(REQUIREMENTS)))
            }
            error => unwritten(REQUIREMENTS, error),
        })?;
        let updated = ignore(&project)?;
        answer(&Begun { created: at(REQUIREMENTS), gitignore_path: at(GITIGNORE), gitignore_updated: updated })
    }

    fn update_project(&self, arguments: Payload, context: &CallContext) -> Result<Payload, ServiceError> {
        let Root { project_root } = parse(arguments)?;
        let project = self.project_at(project_root.as_deref())?;
        if project.folder.stat(REQUIREMENTS).is_err() {
            return Err(super::list::no_requirements(&project.path.display().to_string()));
        }
        let entries = project_files::read(&project.folder, REQUIREMENTS, REQUIREMENTS, MAX_CONFIG_BYTES)?;
        let (mut resolved, mut errors, mut locked) = (Vec::new(), Vec::new(), Vec::new());
        for (name, entry) in &entries {
            if context.cancelled.is_cancelled() {
                return Err(refused("CANCELLED", "the update was cancelled"));
            }
            match self.resolve(&project, name, entry, context) {
                Ok((how, package)) => {
                    resolved.push(Resolved { name: name.clone(), version: package.version.clone(), source: how });
                    locked.push(package);
                }
                Err(error) => errors.push(Failure { name: shown(name), error: error.to_string() }),
            }
        }
        Lock::new(locked).write(&project)?;
        answer(&Updated { resolved, errors, alc_lock: project.path.join(lock::FILE).display().to_string() })
    }

    /// What a package of `alc.toml` is, and how it was found.
    fn resolve(
        &self,
        project: &Project,
        name: &str,
        entry: &Entry,
        context: &CallContext,
    ) -> Result<(&'static str, Locked), ServiceError> {
        let name = super::package_name(name)?;
        let locked = |version: Option<String>, source| Locked { name: name.to_string(), version, source };
        if let Some(path) = &entry.path {
            let full = places::tidy(&project.path.join(path));
            let folder = match full.strip_prefix(&project.path).ok().and_then(|below| below.to_str()) {
                Some("") => Ok(project.folder.clone()),
                Some(below) => project.folder.folder(below),
                None => {
                    return places::folder(self, &full.display().to_string(), places::Grant::Link)
                        .map(|_| ("path", locked(entry.version.clone(), Source::Path { path: path.clone() })));
                }
            };
            let missing = || refused("NOT_FOUND", format!("there is no package in {}", shown(path)));
            folder.and_then(|folder| folder.stat(SOURCE)).map_err(|_| missing())?;
            return Ok(("path", locked(entry.version.clone(), Source::Path { path: path.clone() })));
        }
        if entry.git.is_some() {
            return Err(refused("NOT_SUPPORTED", "Git source not supported in Phase 1"));
        }
        let Some(pin) = entry.pin() else {
            let installed = self.version_of(name.as_str(), context);
            if installed.is_none() && self.installed(&name).is_err() {
                return Err(refused("NOT_FOUND", format!("Package '{name}' is not installed")));
            }
            return Ok(("installed", locked(installed, Source::Installed)));
        };
        self.pin(&name, pin, context)?;
        Ok(("pinned", locked(Some(pin.to_owned()), Source::Installed)))
    }

    /// Sees to it that there is a copy of one version of a package.
    fn pin(&self, name: &PackageName, version: &str, context: &CallContext) -> Result<(), ServiceError> {
        let copy = format!("{name}@{version}");
        let packages = self.packages_folder()?;
        if matches!(packages.kind(&copy), Ok(EntryKind::Folder)) {
            return Ok(());
        }
        let Ok(from) = self.installed(name) else {
            return Err(refused("NOT_FOUND", format!("Package '{name}' is not installed")));
        };
        match self.version_of(name.as_str(), context) {
            Some(installed) if installed == version => {}
            installed => {
                let installed = installed.map_or_else(|| "a version it does not tell".to_owned(), |v| shown(&v));
                let message = format!("{name} is wanted in version {version}, and installed is {installed}");
                return Err(refused("VERSION_MISSING", message));
            }
        }
        let stopped = || context.cancelled.is_cancelled();
        match self.import(&from, &copy, Publish::New, &mut budget(), &stopped) {
            // Somebody else made the same one.
            Err(ServiceError::Tool { code: "EXISTS", .. }) => Ok(()),
            made => made,
        }
    }

    fn migrate_project(&self, arguments: Payload) -> Result<Payload, ServiceError> {
        let Root { project_root } = parse(arguments)?;
        let project = self.project_at(project_root.as_deref())?;
        let nothing = |reason: &str| {
            answer(&Migrated { status: "nothing to migrate", reason: Some(reason.to_owned()), ..Migrated::default() })
        };
        let Some(text) = lock::text(&project)? else { return nothing("alc.lock not found") };
        let Some(packages) = lock::legacy(&text)? else { return nothing("alc.lock is of this version") };
        // The copy first: whatever happens afterwards, nothing is lost.
        let backup = back_up(&project, &text)?;
        let mut migrated = Vec::new();
        edit::packages(&project, REQUIREMENTS, Missing::Made, |table| {
            for package in &packages {
                if table.contains_key(&package.name) || PackageName::parse(&package.name).is_err() {
                    continue;
                }
                let entry = match &package.source {
                    Source::Path { path } => edit::path_entry(path),
                    Source::Unknown | Source::Installed | Source::Git { .. } | Source::Bundled { .. } => {
                        value(package.version.clone().unwrap_or_else(|| "*".to_owned()))
                    }
                };
                table.insert(&package.name, entry);
                migrated.push(package.name.clone());
            }
            true
        })?;
        Lock::new(packages).write(&project)?;
        let at = |name: &str| Some(project.path.join(name).display().to_string());
        answer(&Migrated {
            status: "migrated",
            migrated,
            reason: None,
            alc_toml: at(REQUIREMENTS),
            backup: at(&backup),
            note: Some("alc_update resolves the packages anew".to_owned()),
        })
    }
}

/// Keeps the old lock under a name that is free, or has the same text already; its name.
fn back_up(project: &Project, text: &str) -> Result<String, ServiceError> {
    const ATTEMPTS: usize = 100;
    for number in 0..ATTEMPTS {
        let name = if number == 0 { BACKUP.to_owned() } else { format!("{BACKUP}.{number}") };
        match project.folder.create(&name, text.as_bytes(), Privacy::Shared) {
            Ok(()) => return Ok(name),
            Err(AppDirError::Exists(_)) => {
                if project.folder.read_text(&name, MAX_CONFIG_BYTES).is_ok_and(|(kept, _)| kept == text) {
                    return Ok(name);
                }
            }
            Err(error) => return Err(unwritten(&name, error)),
        }
    }
    Err(refused(
        "EXISTS",
        format!("there are {ATTEMPTS} copies of old locks ({BACKUP} and so on): move them away first"),
    ))
}

/// Has git ignore what is only for this machine; whether it did not already.
fn ignore(project: &Project) -> Result<bool, ServiceError> {
    let failed = |error| unwritten(GITIGNORE, error);
    let _lock = project.folder.lock(edit::LOCK).map_err(failed)?;
    let text = match project.folder.read_text(GITIGNORE, MAX_CONFIG_BYTES) {
        Ok((text, _)) => text,
        Err(AppDirError::NotFound(_)) => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let has = |line: &&str| text.lines().any(|known| known.trim() == *line);
    let missing: Vec<&str> = IGNORED.into_iter().filter(|line| !has(line)).collect();
    if missing.is_empty() {
        return Ok(false);
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let text = format!("{text}{end}{}\n", missing.join("\n"));
    project.folder.write(GITIGNORE, text.as_bytes(), Privacy::Shared).map(|()| true).map_err(failed)
}
