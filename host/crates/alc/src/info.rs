//! The tool `alc_info`: how this server is set up.
//!
//! Never: names a path of the machine: places are named as the documentation names them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Alc;
use super::logs::FOLDER;
use super::packages::Linked;
use super::project_files::VARIANTS;
use super::tools::Tool;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{Hints, ToolAnswer};

/// The presets of `alc_hub_dist`, by the version of the original's catalogue.
pub(super) const PRESET_CATALOG_VERSION: &str = "preset-catalog@2026-04-23";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
struct Info {
    version: &'static str,
    preset_catalog_version: &'static str,
    log_dir: LogDir,
    /// Whether the transcripts of runs are kept.
    log_enabled: bool,
    /// Where this server writes its own log.
    tracing: &'static str,
    /// Where packages are looked for, in this order.
    search_paths: Vec<SearchPath>,
    /// The AppDir's folder of packages, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    packages_dir: Option<&'static str>,
    /// Whether nothing can be written through this server.
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

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "alc_info",
    title: "Server information",
    description: "Tells how this server is set up: its version, where logs go, and where packages are looked for.",
    hints: Hints::READS,
    input: schema::<Nothing>,
    output: answer_schema::<Info>,
    call: |alc, arguments, _| {
        let Nothing {} = parse(arguments)?;
        answer(&alc.info()).map(ToolAnswer::from)
    },
}];

impl Alc {
    fn info(&self) -> Info {
        let log_dir = match self.folders.logs {
            Some(_) => LogDir { resolved: "$ALC_LOG_DIR", source: "ALC_LOG_DIR" },
            None => LogDir { resolved: FOLDER, source: "AppDir" },
        };
        Info {
            version: env!("CARGO_PKG_VERSION"),
            preset_catalog_version: PRESET_CATALOG_VERSION,
            log_dir,
            log_enabled: self.keeps_logs,
            tracing: "stderr, or the file of --log-file",
            search_paths: self.places_searched(),
            packages_dir: self.folders.app.folder("packages").is_ok().then_some("packages"),
            read_only: self.folders.app.is_read_only(),
        }
    }

    fn places_searched(&self) -> Vec<SearchPath> {
        let mut paths = Vec::new();
        if self.folders.project.is_some() {
            paths.push(SearchPath { path: VARIANTS.to_owned(), source: "project" });
        }
        let mut number = 0;
        for linked in &self.folders.linked {
            paths.push(match linked {
                Linked::Package { name, .. } => SearchPath { path: name.to_string(), source: "mount" },
                Linked::Packages { .. } => {
                    number += 1;
                    SearchPath { path: format!("folder of packages {number}"), source: "mount or ALC_PACKAGES_PATH" }
                }
            });
        }
        paths.push(SearchPath { path: "packages".to_owned(), source: "default" });
        paths
    }
}
