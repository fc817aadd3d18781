//! `alc_pkg_link` and `alc_pkg_unlink`: packages that stay where they are.
//!
//! Owns: the links of `packages/links.toml`, and the entries of variants. A link leads nowhere new: it is followed only
//! into what the operator granted.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edit::{self, Missing};
use super::import::{is_package, packages_in};
use super::{PACKAGES, package_name, refused, unwritten};
use crate::packages::LINKS;
use crate::project_files::VARIANTS;
use crate::tools::Tool;
use crate::{Alc, Project, places};
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::limits::MAX_CONFIG_BYTES;
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{Hints, ServiceError, ToolAnswer, shown};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Link {
    /// A package, or a folder of packages.
    path: String,
    /// What the package is called, where it is one.
    name: Option<String>,
    /// Whether an installed package of that name is removed, in the scope `global`.
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
        // By force it replaces what is installed.
        hints: Hints { idempotent: true, ..Hints::CHANGES },
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

/// The original links names that begin with a letter.
fn linked_name(name: &str) -> Result<PackageName, ServiceError> {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(good) {
        return package_name(name);
    }
    let message = format!(
        "invalid package name \"{}\": a package that is linked has a letter first, then letters, digits, _ and - (say \
         another one with `name`)",
        shown(name)
    );
    Err(refused("INVALID_NAME", message))
}

impl Alc {
    fn link(&self, arguments: Payload) -> Result<Payload, ServiceError> {
        let Link { path, name, force, scope, project_root } = parse(arguments)?;
        let (scope, force) = (scope.unwrap_or(Scope::Global), force.unwrap_or(false));
        let full =
            places::absolute(self, &path).ok_or_else(|| places::not_mounted(self, &path, places::Grant::Link))?;
        // What only one project may use is no package of all of them.
        if scope == Scope::Global && !places::is_granted_everywhere(self, &full) {
            return Err(places::not_mounted(self, &path, places::Grant::Link));
        }
        let folder = places::folder(self, &path, places::Grant::Link)?;
        let (mode, targets) = if is_package(&folder) {
            let last = full.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            ("single", vec![(linked_name(name.as_deref().unwrap_or(last))?, full)])
        } else {
            if name.is_some() {
                return Err(refused("NOT_A_PACKAGE", "name is for a single package, and this is a folder of packages"));
            }
            let (names, _) = packages_in(&folder)?;
            // What has another name is no package to link, like the folders around it.
            let names = names.into_iter().filter(|name| linked_name(name.as_str()).is_ok());
            ("collection", names.map(|name| (name.clone(), full.join(name.as_str()))).collect())
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
            Scope::Global => (self.link_globally(&targets, force)?, None),
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

    /// Notes the links, all in one step, and removes what they take the place of afterwards: whoever is killed in between
    /// leaves packages that the links stand before. Those that were not linked to the same place already.
    fn link_globally(&self, targets: &[(PackageName, PathBuf)], force: bool) -> Result<Vec<String>, ServiceError> {
        let packages = self.packages_folder()?;
        for (name, target) in targets {
            if *target == self.packages_path().join(name.as_str()) {
                return Err(refused("EXISTS", format!("{name} is installed there already")));
            }
            match packages.kind(name.as_str()) {
                Ok(EntryKind::Folder) if !force => {
                    let message = format!("a package called {name} is installed: force replaces it by the link");
                    return Err(refused("EXISTS", message));
                }
                Ok(EntryKind::File | EntryKind::Other) => {
                    return Err(refused("EXISTS", format!("something else than a link is called {name}")));
                }
                Ok(EntryKind::Folder | EntryKind::Link) | Err(_) => {}
            }
        }
        let mut linked = Vec::new();
        edit::packages(&self.of_all_projects(packages.clone()), LINKS, Missing::Made, |table| {
            for (name, target) in targets {
                // Inside the AppDir a link says the way, so that it holds wherever the AppDir is.
                let own = self.operator.app.as_ref().and_then(|app| target.strip_prefix(app).ok());
                let path =
                    own.map_or_else(|| target.clone(), |below| Path::new("..").join(below)).display().to_string();
                let known = table.get(name.as_str()).and_then(|entry| entry.get("path")?.as_str());
                if known != Some(&path) {
                    table.insert(name.as_str(), edit::path_entry(&path));
                    linked.push(name.to_string());
                }
            }
            !linked.is_empty()
        })?;
        for (name, _) in targets {
            let removed = match packages.kind(name.as_str()) {
                Ok(EntryKind::Folder) if force => packages.remove_tree(name.as_str()),
                // As the original makes them: ours stands before it.
                Ok(EntryKind::Link) => packages.remove(name.as_str()),
                Ok(EntryKind::Folder | EntryKind::File | EntryKind::Other) | Err(_) => Ok(()),
            };
            removed.map_err(|error| unwritten(name.as_str(), error))?;
        }
        Ok(linked)
    }

    /// The folder of packages, whose links are edited as a project's variants are.
    fn of_all_projects(&self, folder: Folder) -> Project {
        Project { folder, path: self.packages_path() }
    }

    /// Takes a link back that is noted for every project; whether there was one.
    pub(super) fn unlink_globally(&self, name: &PackageName) -> Result<bool, ServiceError> {
        if !self.links(PACKAGES, MAX_CONFIG_BYTES)?.contains_key(name.as_str()) {
            return Ok(false);
        }
        let packages = self.of_all_projects(self.packages_folder()?);
        edit::packages(&packages, LINKS, Missing::Left, |table| table.remove(name.as_str()).is_some())
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
        if self.unlink_globally(&name)? {
            return done(Scope::Global);
        }
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
