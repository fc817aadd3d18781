//! `alc_pkg_list`: lists the packages with their metadata.
//!
//! Never: runs a package, or reads more packages than the filter, the order and the output need.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::lock::ALC_LOCK_FILE;
use crate::error_code as code;
use crate::grants::PackageMount;
use crate::packages::inputs::{INPUTS_KEY, code_inputs_bytes, merge_inputs};
use crate::packages::project_files::REQUIREMENTS_FILE;
use crate::packages::{InstallManifest, LocationKind, PackageLocation, PackageScope, PackageStore, SOURCE_FILE};
use crate::parallel;
use crate::rows::{self, JsonRow, RowFields};
use crate::tool::{AlcTool, ToolCall, continue_large};
use wardroom_base::memory::MemoryLease;
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_service::error_code as common_code;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{RequestInfo, ServiceError, Step, ToolBehavior, ToolOutput};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PackageListArgs {
    /// The folder of a project other than that of the server.
    project_root: Option<String>,
    /// The most packages to return: 50 when absent, all for 0 or less.
    limit: Option<i32>,
    /// Keys to sort by, separated by commas; `-` before a key sorts in descending order. `-active,-installed_at` when
    /// absent.
    sort: Option<String>,
    /// Only packages that have all of these values.
    #[serde(default, deserialize_with = "wardroom_service::lenient_args::deserialize_object")]
    #[schemars(with = "Option<Map<String, Value>>")]
    filter: Option<Map<String, Value>>,
    /// The keys to return, instead of those that `verbose` selects; also keys of the metadata, such as `tags`.
    fields: Option<Vec<String>>,
    /// `summary` or `full`; `summary` when absent.
    verbose: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct PackageListOutput {
    packages: Vec<JsonRow>,
    /// The number of packages that match the filter.
    total: usize,
    search_paths: Vec<JsonRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_root: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lockfile_path: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_pkg_list",
    title: "List packages",
    description: "Lists the installed packages: which strategies are available, at what version, what each is for, \
                  which inputs it takes, category and source.",
    behavior: ToolBehavior::READ_ONLY,
    is_on_demand: false,
    input: input_schema::<PackageListArgs>,
    output: output_schema::<PackageListOutput>,
    call: ToolCall::Steps(|alc, arguments, info| {
        let args: PackageListArgs = parse_arguments(arguments)?;
        if args.reads_all_metadata()? {
            return Ok(continue_large(&alc.packages, |packages, info| {
                list_packages(packages, args, info).map(ToolOutput::from)
            }));
        }
        list_packages(&alc.packages, args, info).map(ToolOutput::from).map(Step::Done)
    }),
}];

const PACKAGE_FIELDS: RowFields = RowFields {
    summary: &[
        "name",
        "scope",
        "version",
        "active",
        "description",
        "inputs",
        "resolved_source_path",
        "resolved_source_kind",
    ],
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
    default_sort: "-active,-installed_at",
};

/// The keys that are known without reading a package.
const LOCATION_KEYS: [&str; 15] = [
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

impl PackageListArgs {
    /// Whether rows are chosen by keys of the metadata, so that the metadata of every package is read, and not only that of
    /// the rows that are returned.
    fn reads_all_metadata(&self) -> Result<bool, ServiceError> {
        let order = rows::parse_sort(self.sort.as_deref().unwrap_or(PACKAGE_FIELDS.default_sort))?;
        let mut keys = self.filter.iter().flat_map(Map::keys).chain(order.iter().map(|(key, _)| key));
        Ok(keys.any(|key| !LOCATION_KEYS.contains(&key.as_str())))
    }
}

fn list_packages(packages: &PackageStore, args: PackageListArgs, info: &RequestInfo) -> Result<Payload, ServiceError> {
    let reads_all_metadata = args.reads_all_metadata()?;
    let PackageListArgs { project_root, limit, sort, filter, fields, verbose } = args;
    let project = packages.grants().open_project_if_any(project_root.as_deref())?;
    let selected = PACKAGE_FIELDS.select(fields, verbose.as_deref())?;
    let order = rows::parse_sort(sort.as_deref().unwrap_or(PACKAGE_FIELDS.default_sort))?;
    let (found, mut warnings) = packages.list_package_locations(project.as_ref())?;
    let manifest = packages.read_install_manifest().unwrap_or_else(|error| {
        warnings.push(error.to_string());
        InstallManifest::default()
    });
    let mut all: Vec<(usize, JsonRow)> = Vec::with_capacity(found.len());
    let mut paths: HashMap<&PackageName, Vec<&Path>> = HashMap::new();
    for package in &found {
        paths.entry(&package.name).or_default().push(&package.path);
    }
    for (at, package) in found.iter().enumerate() {
        let mut row = location_row(package, paths.get(&package.name).map(Vec::as_slice).unwrap_or_default());
        if let Some(installed) =
            manifest.packages.get(package.name.as_str()).filter(|_| package.scope == PackageScope::Global)
        {
            row.insert("install_source".into(), json!(installed.source));
            row.insert("source_type".into(), installed.source.kind().into());
            row.insert("installed_at".into(), installed.installed_at.clone().into());
            row.insert("updated_at".into(), installed.updated_at.clone().into());
            if let Some(version) = &installed.version {
                row.insert("version".into(), version.clone().into());
            }
            if installed.source.kind() == "bundled" && package.kind == LocationKind::Installed {
                row.insert("resolved_source_kind".into(), "bundled".into());
            }
        }
        all.push((at, row));
    }
    let filter = filter.unwrap_or_default();
    let mut held = Vec::new();
    if reads_all_metadata {
        // There may be thousands of packages, so only the keys of the filter and the order are kept.
        let keys = filter.keys().chain(order.iter().map(|(key, _)| key)).map(String::as_str).collect();
        held.extend(add_metadata(packages, &mut all, &found, &keys, info)?);
    }
    all.retain(|(_, row)| rows::matches_filter(row, &filter));
    all.sort_by(|(_, a), (_, b)| rows::compare_rows(a, b, &order));
    let total = all.len();
    all.truncate(rows::effective_limit(limit));
    let keys = selected.iter().map(String::as_str).collect();
    held.extend(add_metadata(packages, &mut all, &found, &keys, info)?);
    let rows = all.into_iter().map(|(_, row)| rows::pick_fields(row, &selected)).collect();
    let root = project.as_ref().map(|project| &project.path);
    let lock = project.as_ref().filter(|project| project.folder.stat(ALC_LOCK_FILE).is_ok());
    serialize_output(&PackageListOutput {
        packages: rows,
        total,
        search_paths: search_path_rows(packages),
        project_root: root.map(|path| path_text(path)),
        lockfile_path: lock.map(|project| path_text(&project.path.join(ALC_LOCK_FILE))),
        warnings,
    })
}

/// Adds the metadata to the rows: each of the `keys` that it has, such as the version, and all of it under `meta` if that is
/// one of them. Returns the memory that it takes, to be held as long as the rows.
fn add_metadata(
    packages: &PackageStore,
    rows: &mut [(usize, JsonRow)],
    found: &[PackageLocation],
    keys: &HashSet<&str>,
    info: &RequestInfo,
) -> Result<Vec<MemoryLease>, ServiceError> {
    // The package's own metadata must not override these keys.
    let is_own = |key: &str| LOCATION_KEYS.contains(&key) || matches!(key, "meta" | "error" | "source_type");
    let (has_whole, has_inputs) = (keys.contains("meta"), keys.contains(INPUTS_KEY));
    let described = parallel::map_items(rows, &|| info.cancellation.is_cancelled(), |(at, _)| {
        let package = found.get(*at).filter(|package| !package.is_broken)?;
        let is_wanted = |key: &str| has_whole || keys.contains(key) && !is_own(key);
        let metadata = packages.metadata_fields(package, &info.memory, is_wanted);
        let code = if has_inputs && metadata.is_ok() { packages.code_inputs(package) } else { None };
        Some(metadata.map(|metadata| (metadata, code)))
    });
    let mut held = Vec::new();
    for ((_, row), described) in rows.iter_mut().zip(described) {
        match described.flatten() {
            None => {}
            Some(Ok((metadata, code))) => {
                let (fields, memory) = metadata.into_parts();
                held.extend(memory);
                let shown = fields.iter().filter(|(key, _)| keys.contains(key.as_str()) && !is_own(key));
                row.extend(shown.map(|(key, value)| (key.clone(), value.clone())));
                if let Some(code) = code {
                    held.push(info.memory.lease(code_inputs_bytes(&code))?);
                    let inputs = merge_inputs(row.remove(INPUTS_KEY), &code);
                    row.extend(inputs.map(|inputs| (INPUTS_KEY.to_owned(), inputs)));
                }
                if has_whole {
                    row.insert("meta".into(), Value::Object(fields));
                }
            }
            Some(Err(error @ ServiceError::Tool { code: common_code::OUT_OF_MEMORY, .. })) => return Err(error),
            Some(Err(error)) => drop(row.insert("error".into(), error.to_string().into())),
        }
    }
    Ok(held)
}

/// Returns the folders of packages, in search order.
fn search_path_rows(packages: &PackageStore) -> Vec<JsonRow> {
    let row = |path: &Path, source: &str| {
        JsonRow::from_iter([("path".to_owned(), path_text(path).into()), ("source".to_owned(), source.into())])
    };
    let mounts = packages.grants().package_mounts().iter().filter_map(|mount| match mount {
        PackageMount::Collection { path, .. } => Some(row(path, "mount or ALC_PACKAGES_PATH")),
        PackageMount::Single { .. } => None,
    });
    mounts.chain([row(&packages.packages_path(), "default")]).collect()
}

/// Returns the row of a package without reading it. `paths` are all locations of its name.
fn location_row(package: &PackageLocation, paths: &[&Path]) -> JsonRow {
    let others = paths.iter().filter(|path| package.is_active && **path != package.path);
    let overridden: Vec<String> = others.map(|path| path_text(path)).collect();
    let value = json!({
        "name": package.name.as_str(),
        "scope": package.scope.as_str(),
        "active": package.is_active,
        "resolved_source_path": path_text(&package.path),
        "resolved_source_kind": package.kind.as_str(),
        "path": path_text(&package.path),
        "source": path_text(&package.root),
        "linked": package.kind == LocationKind::Linked,
        "broken": package.is_broken,
        "overrides": overridden.len(),
        "override_paths": overridden,
    });
    let mut row = match value {
        Value::Object(row) => row,
        _ => JsonRow::new(),
    };
    if let Some(link) = &package.link {
        row.insert("link_target".into(), path_text(link).into());
    }
    if package.is_broken {
        row.insert("error".into(), format!("{SOURCE_FILE} is missing or cannot be read").into());
    }
    row
}

fn path_text(path: &Path) -> String {
    path.display().to_string()
}

/// Returns the error for a project without an `alc.toml`.
pub(super) fn missing_requirements_error(root: &str) -> ServiceError {
    ServiceError::tool(code::NOT_FOUND, format!("{root} has no {REQUIREMENTS_FILE}"))
}
