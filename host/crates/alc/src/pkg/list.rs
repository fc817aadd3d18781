//! `alc_pkg_list`: the packages that there are, with what they say about themselves.
//!
//! Never: runs one. What their metadata is wanted for decides which of them are read at all.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Found, refused};
use crate::packages::SOURCE;
use crate::project_files::REQUIREMENTS;
use crate::rows::{self, Row, Shape};
use crate::tools::Tool;
use crate::{Alc, Ask, Linked, loose, parallel};
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{CallContext, Hints, ServiceError, ToolAnswer};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    /// A project other than the server's own.
    project_root: Option<String>,
    /// How many at most; all of them for 0 or less (50).
    limit: Option<i32>,
    /// Keys with commas between them, a `-` before one turns it round (`-active,-installed_at`).
    sort: Option<String>,
    /// Only those whose values are equal to all of these.
    #[serde(default, deserialize_with = "loose::object")]
    #[schemars(with = "Option<Map<String, Value>>")]
    filter: Option<Map<String, Value>>,
    /// These keys instead of those of `verbose`; keys of the metadata too, such as `description`.
    fields: Option<Vec<String>>,
    /// `summary` or `full` (`summary`).
    verbose: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    packages: Vec<Row>,
    /// How many there are with this filter.
    total: usize,
    search_paths: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_root: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lockfile_path: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "alc_pkg_list",
    title: "List packages",
    description: "Lists the Lua packages that there are, in every scope (variant, project, global), with their metadata. \
                  No package is run for that. `fields` may name keys of the metadata, such as \
                  [\"name\", \"description\", \"category\"].",
    hints: Hints::READS,
    input: schema::<List>,
    output: answer_schema::<Listed>,
    call: |alc, arguments, context| alc.list_packages(arguments, context).map(ToolAnswer::from),
}];

const SHAPE: Shape = Shape {
    summary: &["name", "scope", "version", "active", "resolved_source_path", "resolved_source_kind"],
    full: &[
        "install_source",
        "installed_at",
        "updated_at",
        "override_paths",
        "overrides",
        "linked",
        "link_target",
        "broken",
        "path",
        "source",
        "source_type",
        "meta",
        "error",
    ],
    sort: "-active,-installed_at",
};

/// What is known without reading a package.
const KNOWN: [&str; 15] = [
    "name",
    "scope",
    "active",
    "resolved_source_path",
    "resolved_source_kind",
    "install_source",
    "installed_at",
    "updated_at",
    "override_paths",
    "overrides",
    "linked",
    "link_target",
    "broken",
    "path",
    "source",
];

impl Alc {
    fn list_packages(&self, arguments: Payload, context: &CallContext) -> Result<Payload, ServiceError> {
        let List { project_root, limit, sort, filter, fields, verbose } = parse(arguments)?;
        let project = self.project_if_any(project_root.as_deref())?;
        let wanted = SHAPE.wanted(fields, verbose.as_deref())?;
        let order = rows::order(sort.as_deref().unwrap_or(SHAPE.sort))?;
        let (found, mut warnings) = self.all_packages(project.as_ref())?;
        let manifest = self.manifest().unwrap_or_else(|error| {
            warnings.push(error.to_string());
            super::manifest::Manifest::default()
        });
        let mut all: Vec<(usize, Row)> = Vec::with_capacity(found.len());
        let mut paths: HashMap<&PackageName, Vec<&Path>> = HashMap::new();
        for package in &found {
            paths.entry(&package.name).or_default().push(&package.path);
        }
        for (at, package) in found.iter().enumerate() {
            let mut row = known(package, paths.get(&package.name).map(Vec::as_slice).unwrap_or_default());
            if let Some(installed) = manifest.packages.get(package.name.as_str()).filter(|_| package.scope == "global")
            {
                row.insert("install_source".into(), json!(installed.source));
                row.insert("source_type".into(), installed.source.kind().into());
                row.insert("installed_at".into(), installed.installed_at.clone().into());
                row.insert("updated_at".into(), installed.updated_at.clone().into());
                if let Some(version) = &installed.version {
                    row.insert("version".into(), version.clone().into());
                }
                if installed.source.kind() == "bundled" && package.kind == "installed" {
                    row.insert("resolved_source_kind".into(), "bundled".into());
                }
            }
            all.push((at, row));
        }
        let filter = filter.unwrap_or_default();
        let is_known = |key: &str| KNOWN.contains(&key);
        // Reading thousands of packages for fifty rows would be in vain.
        let early = filter.keys().all(|key| is_known(key)) && order.iter().all(|(key, _)| is_known(key));
        if !early {
            context.needs_large()?;
            // Of thousands of packages no more is kept than what is asked of them.
            let asked = filter.keys().chain(order.iter().map(|(key, _)| key)).map(String::as_str).collect();
            self.describe(&mut all, &found, Some(&asked), context);
        }
        all.retain(|(_, row)| rows::matches(row, &filter));
        all.sort_by(|(_, a), (_, b)| rows::compare(a, b, &order));
        let total = all.len();
        all.truncate(rows::limit(limit));
        self.describe(&mut all, &found, None, context);
        let packages = all.into_iter().map(|(_, row)| rows::project(row, &wanted)).collect();
        let root = project.as_ref().map(|project| &project.path);
        let lock = project.as_ref().filter(|project| project.folder.stat(super::lock::FILE).is_ok());
        answer(&Listed {
            packages,
            total,
            search_paths: self.search_paths(),
            project_root: root.map(|path| shown(path)),
            lockfile_path: lock.map(|project| shown(&project.path.join(super::lock::FILE))),
            warnings,
        })
    }

    /// Adds the metadata: its version, all of it under `meta`, and each key for those who ask for it by name; where `asked`
    /// says which, no more than those.
    fn describe(
        &self,
        rows: &mut [(usize, Row)],
        found: &[Found],
        asked: Option<&HashSet<&str>>,
        context: &CallContext,
    ) {
        let is_asked = |key: &str| asked.is_none_or(|asked| asked.contains(key));
        let described = parallel::each(rows, &context.cancelled, |(at, _)| {
            let package = found.get(*at).filter(|package| !package.broken)?;
            let mut row = Row::new();
            match self.metadata_of(package, context) {
                Ok(metadata) => {
                    for (key, value) in &metadata {
                        // What is known of a package is not for the package to say.
                        let is_known =
                            KNOWN.contains(&key.as_str()) || matches!(key.as_str(), "meta" | "error" | "source_type");
                        if !is_known && is_asked(key) {
                            row.insert(key.clone(), value.clone());
                        }
                    }
                    if is_asked("meta") {
                        row.insert("meta".into(), Value::Object(metadata));
                    }
                }
                Err(error) => drop(row.insert("error".into(), error.to_string().into())),
            }
            Some(row)
        });
        for ((_, row), described) in rows.iter_mut().zip(described) {
            row.extend(described.flatten().unwrap_or_default());
        }
    }

    /// The constant fields of a package's metadata.
    pub(crate) fn metadata_of(
        &self,
        package: &Found,
        context: &CallContext,
    ) -> Result<Map<String, Value>, ServiceError> {
        let name = &package.name;
        let folder = package.open().map_err(|error| ServiceError::reading(name.as_str(), error))?;
        let (metadata, _) = self.metadata_in(&folder, name, &Ask { uri: name.as_str(), context })?;
        serde_json::from_str(&metadata.json)
            .map_err(|error| ServiceError::internal(format!("the metadata of {name} is not an object"), error))
    }

    /// The folders of packages, in the order in which they are asked.
    fn search_paths(&self) -> Vec<Row> {
        let row = |path: &Path, source: &str| {
            Row::from_iter([("path".to_owned(), shown(path).into()), ("source".to_owned(), source.into())])
        };
        let linked = self.folders.linked.iter().filter_map(|linked| match linked {
            Linked::Packages { path, .. } => Some(row(path, "mount or ALC_PACKAGES_PATH")),
            Linked::Package { .. } => None,
        });
        linked.chain([row(&self.packages_path(), "default")]).collect()
    }
}

/// What is known of a package without reading it; `paths` are all places that have one of its name.
fn known(package: &Found, paths: &[&Path]) -> Row {
    let others = paths.iter().filter(|path| package.active && **path != package.path);
    let overridden: Vec<String> = others.map(|path| shown(path)).collect();
    let value = json!({
        "name": package.name.as_str(),
        "scope": package.scope,
        "active": package.active,
        "resolved_source_path": shown(&package.path),
        "resolved_source_kind": package.kind,
        "path": shown(&package.path),
        "source": shown(&package.root),
        "linked": package.kind == "linked",
        "broken": package.broken,
        "overrides": overridden.len(),
        "override_paths": overridden,
    });
    let mut row = match value {
        Value::Object(row) => row,
        _ => Row::new(),
    };
    if let Some(link) = &package.link {
        row.insert("link_target".into(), shown(link).into());
    }
    if package.broken {
        row.insert("error".into(), format!("no {SOURCE} that could be read").into());
    }
    row
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Whether a project says anything of its packages.
pub(super) fn no_requirements(root: &str) -> ServiceError {
    refused("NOT_FOUND", format!("there is no {REQUIREMENTS} in {root}"))
}
