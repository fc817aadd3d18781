//! `alc_hub_gendoc`: documentation of the packages in a folder, from their sources alone.
//!
//! Owns: the projections, and which of the original's are available: those that need no package to run.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::reindex::entry;
use super::sources::{Described, Sources};
use super::{lint, narrative, outputs};
use crate::pkg::{refused, unwritten};
use crate::tools::Tool;
use crate::{Alc, places};
use wardroom_appdir::{Folder, Privacy};
use wardroom_base::limits::MAX_CONFIG_BYTES;
use wardroom_base::payload::Payload;
use wardroom_base::toml_text;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{CallContext, Hints, ServiceError, ToolAnswer, shown};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Gendoc {
    /// The folder of packages.
    source_dir: String,
    /// Where the pages are written (`docs` in the folder of packages; `_docs` in the AppDir's own). Only pages that were
    /// generated are replaced.
    out_dir: Option<String>,
    /// Of `hub`, `narrative`, `lint` and `lint_only` (`hub`, `narrative`).
    projections: Option<Vec<String>>,
    /// A TOML file with the options of projections; those that are available have none.
    config_path: Option<String>,
    /// Whether errors that lint finds make the call fail (false).
    lint_strict: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Generated {
    source_dir: String,
    out_dir: String,
    /// What was written and found, a line each.
    stdout: String,
    stderr: String,
    warnings: Vec<String>,
}

/// What is to be generated.
pub(super) struct Wanted<'w> {
    pub(super) source_dir: &'w str,
    pub(super) out_dir: Option<&'w str>,
    pub(super) projections: &'w [String],
    pub(super) config_path: Option<&'w str>,
    pub(super) lint_strict: bool,
}

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "alc_hub_gendoc",
    title: "Document packages",
    description: "Writes documentation of the packages in a folder, from their metadata and comments and without running \
                  them: hub/{name}.json, narrative/{name}.md, and what lint finds.",
    hints: Hints { idempotent: true, ..Hints::CHANGES },
    input: schema::<Gendoc>,
    output: answer_schema::<Generated>,
    call: |alc, arguments, context| {
        let Gendoc { source_dir, out_dir, projections, config_path, lint_strict } = parse(arguments)?;
        let wanted = Wanted {
            source_dir: &source_dir,
            out_dir: out_dir.as_deref(),
            projections: projections.as_deref().unwrap_or_default(),
            config_path: config_path.as_deref(),
            lint_strict: lint_strict.unwrap_or(false),
        };
        answer(&alc.gendoc(&wanted, context)?).map(ToolAnswer::from)
    },
}];

/// The original's, and whether its source alone is enough for it.
const PROJECTIONS: [(&str, bool); 8] = [
    ("hub", true),
    ("context7", false),
    ("devin", false),
    ("lint", true),
    ("lint_only", true),
    ("luacats", false),
    ("narrative", true),
    ("llms", false),
];

/// Looked at before anything is written.
fn check(projections: &[String]) -> Result<(), ServiceError> {
    for projection in projections {
        match PROJECTIONS.iter().find(|(name, _)| name == projection) {
            Some((_, true)) => {}
            Some((name, false)) => {
                let message = format!(
                    "gendoc: the projection '{name}' is not available: it needs packages to be run (available: hub, \
                     narrative, lint, lint_only)"
                );
                return Err(refused("PROJECTION_UNAVAILABLE", message));
            }
            None => {
                let names: Vec<_> = PROJECTIONS.iter().map(|(name, _)| *name).collect();
                let (unknown, allowed) = (shown(projection), names.join(", "));
                let message = format!("gendoc: unknown projection '{unknown}' (allowed: {allowed})");
                return Err(refused("UNKNOWN_PROJECTION", message));
            }
        }
    }
    Ok(())
}

fn file_name(projection: &str, package: &Described) -> String {
    format!("{}.{}", package.name, if projection == "hub" { "json" } else { "md" })
}

impl Alc {
    pub(super) fn gendoc(&self, wanted: &Wanted, context: &CallContext) -> Result<Generated, ServiceError> {
        check(wanted.projections)?;
        if let Some(path) = wanted.config_path {
            self.check_config(path)?;
        }
        let (folder, source) = self.source_dir(Some(wanted.source_dir))?;
        let has = |name: &str| wanted.projections.iter().any(|projection| projection == name);
        let (none, only) = (wanted.projections.is_empty(), has("lint_only"));
        let writes = [("hub", (none || has("hub")) && !only), ("narrative", (none || has("narrative")) && !only)];
        let out = match wanted.out_dir {
            Some(path) => Some((outputs::for_pages(self, path)?, path)),
            None => None,
        };
        context.needs_large()?;
        let sources = self.described(&folder, context)?;
        let mut stdout = String::new();
        let mut errors = Vec::new();
        if has("lint") || only {
            for finding in sources.packages.iter().flat_map(lint::lint) {
                stdout.push_str(&finding.line());
                stdout.push('\n');
                if finding.is_error() {
                    errors.push(finding.line());
                }
            }
        }
        if wanted.lint_strict && !errors.is_empty() {
            return Err(ServiceError::Tool {
                code: "LINT_FAILED",
                message: format!("gendoc: lint found {} errors, and nothing was written", errors.len()),
                details: Some(Payload::from_value(json!({ "errors": errors }))),
            });
        }
        let docs = if self.is_packages(&folder) { outputs::DOCS } else { "docs" };
        let out_dir = out.as_ref().map_or_else(|| format!("{source}/{docs}"), |(_, path)| places::told(self, path));
        if writes.iter().any(|(_, writes)| *writes) {
            let made = match out {
                Some(((root, below), _)) if below.is_empty() => Ok(root),
                Some(((root, below), _)) => root.create_folder(&below),
                None => folder.create_folder(docs),
            };
            let target = made.map_err(|error| unwritten("the documentation", error))?;
            for (projection, _) in writes.iter().filter(|(_, writes)| *writes) {
                for package in &sources.packages {
                    let name = format!("{projection}/{}", file_name(projection, package));
                    outputs::check_page(&target, projection, &name)?;
                }
            }
            for (projection, _) in writes.iter().filter(|(_, writes)| *writes) {
                self.project_all(projection, &sources, &target, &mut stdout, context)?;
            }
        }
        Ok(Generated { source_dir: source, out_dir, stdout, stderr: String::new(), warnings: sources.warnings })
    }

    fn project_all(
        &self,
        projection: &str,
        sources: &Sources,
        target: &Folder,
        stdout: &mut String,
        context: &CallContext,
    ) -> Result<(), ServiceError> {
        let failed = |error| unwritten(projection, error);
        let folder = target.create_folder(projection).map_err(failed)?;
        let cards = match projection {
            "hub" => self.cards_of_packages(&|| context.cancelled.is_cancelled())?,
            _ => HashMap::new(),
        };
        for package in &sources.packages {
            if context.cancelled.is_cancelled() {
                return Err(refused("CANCELLED", "gendoc was cancelled"));
            }
            let name = file_name(projection, package);
            let text = match projection {
                "hub" => format!("{:#}\n", entry(package, None, cards.get(package.name.as_str()))),
                _ => narrative::page(package),
            };
            folder.write(&name, text.as_bytes(), Privacy::Shared).map_err(failed)?;
            stdout.push_str(&format!("wrote {projection}/{name}\n"));
        }
        Ok(())
    }

    /// Whether this is where packages are installed.
    fn is_packages(&self, folder: &Folder) -> bool {
        let identity = |folder: &Folder| folder.own_stat().ok().map(|stat| stat.identity);
        let own = self.folders.app.folder("packages").ok();
        own.as_ref().and_then(identity).is_some_and(|own| identity(folder) == Some(own))
    }

    /// That a file of options could be one: no projection that is available asks it for anything.
    fn check_config(&self, path: &str) -> Result<(), ServiceError> {
        let (root, below) = places::file(self, path, places::Grant::Read)?;
        if !below.ends_with(".toml") {
            return Err(refused("INVALID_CONFIG", format!("config_path must be a .toml file: {}", shown(path))));
        }
        let read = root.read_text(&below, MAX_CONFIG_BYTES).map_err(|error| {
            tracing::debug!(%error, "options not read");
            refused("NOT_FOUND", format!("cannot read {}", shown(path)))
        })?;
        toml_text::parse(&read.0)
            .map(drop)
            .map_err(|error| refused("INVALID_CONFIG", format!("malformed {}: {}", shown(path), error.public())))
    }
}
