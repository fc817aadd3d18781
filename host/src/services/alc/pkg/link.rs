//! `alc_pkg_link` and `alc_pkg_unlink`: packages that stay where they are.
//!
//! Owns: the links in `packages/`, and the entries of variants. A link in the AppDir leads nowhere new: it is followed
//! only into what the operator granted.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edit::{self, Missing};
use super::import::{is_package, packages_in};
use super::{PACKAGES, package_name, refused, unwritten};
use crate::appdir::{AppDirError, EntryKind};
use crate::payload::Payload;
use crate::services::alc::project_files::VARIANTS;
use crate::services::alc::tools::Tool;
use crate::services::alc::{Alc, places};
use crate::services::schema::{answer, answer_schema, parse, schema};
use crate::services::{Hints, ServiceError, ToolAnswer, shown};
use crate::uri::PackageName;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Link {
    /// A package, or a folder of packages.
    path: String,
    /// What the package is called, where it is one.
    name: Option<String>,
    /// Whether an installed package of that name is replaced, in the scope `global`.
    force: Option<bool>,
    /// `global`: for every project. `variant`: in the project's `alc.local.toml` (`global`).
    scope: Option<Scope>,
    /// A project other than the server's own.
    project_root: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Scope {
    Global,
    Variant,
}

#[derive(Serialize, JsonSchema)]
struct LinkedAnswer {
    /// Those that were not linked before.
    linked: Vec<String>,
    /// `single` or `collection`.
    mode: &'static str,
    targets: Vec<String>,
    scope: Scope,
    #[serde(skip_serializing_if = "Option::is_none")]
    alc_local_toml: Option<String>,
    /// Only servers that are started from now on have it for certain.
    restart_required: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Unlink {
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Unlinked {
    unlinked: String,
    scope: Scope,
    restart_required: bool,
}

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "alc_pkg_link",
        title: "Link packages",
        description: "Links a package, or every package of a folder, so that it is used from where it lies. Works for \
                      folders that the operator granted; other ones have to be granted first, and the answer says how.",
        hints: Hints::SETS,
        input: schema::<Link>,
        output: answer_schema::<LinkedAnswer>,
        call: |alc, arguments, _| alc.link(arguments).map(ToolAnswer::from),
    },
    Tool {
        name: "alc_pkg_unlink",
        title: "Unlink a package",
        description: "Takes a link back, and leaves what it led to as it is. Refuses packages that are installed.",
        hints: Hints::CHANGES,
        input: schema::<Unlink>,
        output: answer_schema::<Unlinked>,
        call: |alc, arguments, _| alc.unlink(arguments).map(ToolAnswer::from),
    },
];

impl Alc {
    fn link(&self, arguments: Payload) -> Result<Payload, ServiceError> {
        let Link { path, name, force, scope, project_root } = parse(arguments)?;
        let (scope, force) = (scope.unwrap_or(Scope::Global), force.unwrap_or(false));
        let full = places::absolute(self, &path).ok_or_else(|| places::not_mounted(self, &path))?;
        // What only one project may use is no package of all of them.
        if scope == Scope::Global && !places::is_granted_everywhere(self, &full) {
            return Err(places::not_mounted(self, &path));
        }
        let folder = places::folder(self, &path)?;
        let (mode, targets) = if is_package(&folder) {
            let last = full.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            ("single", vec![(package_name(name.as_deref().unwrap_or(last))?, full)])
        } else {
            if name.is_some() {
                return Err(refused("NOT_A_PACKAGE", "name is for a single package, and this is a folder of packages"));
            }
            let (names, _) = packages_in(&folder)?;
            let targets = names.into_iter().map(|name| (name.clone(), full.join(name.as_str())));
            ("collection", targets.collect())
        };
        if targets.is_empty() {
            return Err(refused("NOT_A_PACKAGE", "the folder has no init.lua, and no package in it has one"));
        }
        let (linked, file) = match scope {
            Scope::Variant if force => {
                return Err(refused("INVALID_SCOPE", "force is for the scope global: a variant replaces nothing"));
            }
            Scope::Variant => {
                let project = self.project_at(project_root.as_deref())?;
                let mut linked = Vec::new();
                edit::packages(&project, VARIANTS, Missing::Made, |table| {
                    for (name, target) in &targets {
                        if !table.contains_key(name.as_str()) {
                            let own = target.strip_prefix(&project.path).unwrap_or(target);
                            table.insert(name.as_str(), edit::path_entry(&own.display().to_string()));
                            linked.push(name.to_string());
                        }
                    }
                    !linked.is_empty()
                })?;
                (linked, Some(project.path.join(VARIANTS).display().to_string()))
            }
            Scope::Global => {
                let mut linked = Vec::new();
                for (name, target) in &targets {
                    self.link_globally(name, target, force)?;
                    linked.push(name.to_string());
                }
                (linked, None)
            }
        };
        answer(&LinkedAnswer {
            linked,
            mode,
            targets: targets.iter().map(|(_, target)| target.display().to_string()).collect(),
            scope,
            alc_local_toml: file,
            restart_required: true,
        })
    }

    fn link_globally(&self, name: &PackageName, target: &Path, force: bool) -> Result<(), ServiceError> {
        let packages = self.packages_folder()?;
        let failed = |error| unwritten(name.as_str(), error);
        let at = self.packages_path().join(name.as_str());
        if target == at {
            return Err(refused("EXISTS", format!("{name} is installed there already")));
        }
        if matches!(packages.kind(name.as_str()), Ok(EntryKind::Folder)) {
            if !force {
                let message = format!("a package called {name} is installed: force replaces it by the link");
                return Err(refused("EXISTS", message));
            }
            packages.remove_tree(name.as_str()).map_err(failed)?;
        }
        // Inside the AppDir a link says the way, so that it holds wherever the AppDir is.
        let own = self.operator.app.as_ref().and_then(|app| target.strip_prefix(app).ok());
        let text = own.map_or_else(|| target.to_path_buf(), |below| Path::new("..").join(below));
        packages.link(name.as_str(), &text).map_err(|error| match error {
            AppDirError::Exists(_) => refused("EXISTS", format!("something else than a link is called {name}")),
            error => failed(error),
        })
    }

    fn unlink(&self, arguments: Payload) -> Result<Payload, ServiceError> {
        let Unlink { name } = parse(arguments)?;
        let name = package_name(&name)?;
        let done = |scope| answer(&Unlinked { unlinked: name.to_string(), scope, restart_required: true });
        let packages = match self.folders.app.folder(PACKAGES) {
            Ok(packages) => Some(packages),
            Err(AppDirError::NotFound(_)) => None,
            Err(error) => return Err(unwritten(PACKAGES, error)),
        };
        let kind = packages.as_ref().and_then(|packages| packages.kind(name.as_str()).ok());
        if let (Some(packages), Some(EntryKind::Link)) = (&packages, kind) {
            packages.remove(name.as_str()).map_err(|error| unwritten(name.as_str(), error))?;
            return done(Scope::Global);
        }
        if let Some(project) = self.folders.project.as_ref().filter(|project| !project.folder.is_read_only()) {
            let remove = |table: &mut toml_edit::Table| table.remove(name.as_str()).is_some();
            if edit::packages(project, VARIANTS, Missing::Left, remove)? {
                return done(Scope::Variant);
            }
        }
        match kind {
            Some(_) => Err(refused("NOT_LINKED", format!("{name} is installed, not linked: nothing was removed"))),
            None => Err(refused("NOT_FOUND", format!("no package is linked as {}", shown(name.as_str())))),
        }
    }
}
