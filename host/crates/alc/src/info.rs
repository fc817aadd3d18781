//! The tool `alc_info`: the setup of this server.
//!
//! Never: names a path of the machine; folders are named as in the documentation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grants::{PackageMount, PathGrants};
use super::logs::{LOGS_DIR, LogStore};
use super::packages::project_files::VARIANTS_FILE;
use super::tool::{AlcTool, ToolCall};
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ToolBehavior, ToolOutput};

/// The version of the original's catalogue that has the presets of `alc_hub_dist`.
pub(super) const PRESET_CATALOG_VERSION: &str = "preset-catalog@2026-04-23";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InfoArgs {}

#[derive(Serialize, JsonSchema)]
struct InfoOutput {
    version: &'static str,
    preset_catalog_version: &'static str,
    log_dir: LogDir,
    /// Whether the transcripts of runs are kept.
    log_enabled: bool,
    /// Where this server writes its own log.
    tracing: &'static str,
    /// The places that are searched for packages, in this order.
    search_paths: Vec<SearchPath>,
    /// The AppDir's folder of packages, if it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    packages_dir: Option<&'static str>,
    /// Whether this server is read-only.
    read_only: bool,
}

#[derive(Serialize, JsonSchema)]
struct LogDir {
    /// The folder of transcripts: below the AppDir, or the variable that names it.
    resolved: &'static str,
    source: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct SearchPath {
    path: String,
    source: &'static str,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_info",
    title: "Server information",
    description: "Describes this server: its version, its setup, and where it keeps logs and packages (folders, \
                  paths).",
    behavior: ToolBehavior::READ_ONLY,
    is_on_demand: true,
    input: input_schema::<InfoArgs>,
    output: output_schema::<InfoOutput>,
    call: ToolCall::Worker(|alc, arguments, _| {
        let InfoArgs {} = parse_arguments(arguments)?;
        serialize_output(&server_info(&alc.grants, &alc.logs)).map(ToolOutput::from)
    }),
}];

fn server_info(grants: &PathGrants, logs: &LogStore) -> InfoOutput {
    let log_dir = if logs.separate_folder().is_some() {
        LogDir { resolved: "$ALC_LOG_DIR", source: "ALC_LOG_DIR" }
    } else {
        LogDir { resolved: LOGS_DIR, source: "AppDir" }
    };
    InfoOutput {
        version: env!("CARGO_PKG_VERSION"),
        preset_catalog_version: PRESET_CATALOG_VERSION,
        log_dir,
        log_enabled: logs.keeps_transcripts(),
        tracing: "stderr, or the file of --log-file",
        search_paths: info_search_paths(grants),
        packages_dir: grants.app().open_folder("packages").is_ok().then_some("packages"),
        read_only: grants.app().is_read_only(),
    }
}

fn info_search_paths(grants: &PathGrants) -> Vec<SearchPath> {
    let mut paths = Vec::new();
    if grants.project().is_some() {
        paths.push(SearchPath { path: VARIANTS_FILE.to_owned(), source: "project" });
    }
    let mut number = 0;
    for mount in grants.package_mounts() {
        paths.push(match mount {
            PackageMount::Single { name, .. } => SearchPath { path: name.to_string(), source: "mount" },
            PackageMount::Collection { .. } => {
                number += 1;
                SearchPath { path: format!("folder of packages {number}"), source: "mount or ALC_PACKAGES_PATH" }
            }
        });
    }
    paths.push(SearchPath { path: "packages".to_owned(), source: "default" });
    paths
}
