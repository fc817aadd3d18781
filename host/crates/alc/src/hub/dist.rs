//! `alc_hub_dist`: an index and documentation in one call, by a preset.
//!
//! Owns: the presets and their precedence: the arguments, then the project's `alc.toml`, then the built-in presets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gendoc::{GendocOptions, HubGendocOutput, generate_docs};
use super::reindex::{HubReindexOutput, reindex_packages};
use crate::cards::CardStore;
use crate::error_code as code;
use crate::grants::PathGrants;
use crate::limits::MAX_CONFIG_BYTES;
use crate::packages::PackageStore;
use crate::packages::project_files::REQUIREMENTS_FILE;
use crate::tool::{AlcTool, ToolCall};
use wardroom_appdir::AppDirError;
use wardroom_base::payload::Payload;
use wardroom_base::toml_text;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{RequestInfo, ServiceError, ToolBehavior, ToolOutput, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HubDistArgs {
    /// The folder of packages.
    source_dir: String,
    /// The file for the index; `hub_index.json` in the folder of packages when absent.
    output_path: Option<String>,
    /// The folder for the pages. When absent, `docs` in the folder of packages, or `_docs` in the AppDir's own.
    out_dir: Option<String>,
    /// As for alc_hub_gendoc.
    projections: Option<Vec<String>>,
    config_path: Option<String>,
    lint_strict: Option<bool>,
    /// `publish`, or one of the project's `[hub.dist.presets]`.
    preset: Option<String>,
    /// The folder of a project other than that of the server.
    project_root: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct HubDistOutput {
    reindex: HubReindexOutput,
    gendoc: HubGendocOutput,
    preset_catalog_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<String>,
}

/// The options that a preset sets.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct DistPreset {
    projections: Option<Vec<String>>,
    config_path: Option<String>,
    lint_strict: Option<bool>,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_hub_dist",
    title: "Index and document packages",
    description: "Prepares a hub collection for release (distribution, publishing) in one step: index and \
                  documentation together. A preset supplies absent arguments.",
    behavior: ToolBehavior { is_idempotent: true, ..ToolBehavior::DESTRUCTIVE },
    is_on_demand: true,
    input: input_schema::<HubDistArgs>,
    output: output_schema::<HubDistOutput>,
    call: ToolCall::Large(|alc, arguments, info| {
        run_hub_dist(&alc.packages, &alc.cards, arguments, info).map(ToolOutput::from)
    }),
}];

/// The version of the built-in presets, as the original names it.
const PRESET_CATALOG_VERSION: &str = "preset-catalog@2026-04-23";

fn built_in_preset(name: &str) -> Option<DistPreset> {
    let projections = Some(vec!["hub".to_owned(), "lint".to_owned()]);
    (name == "publish").then_some(DistPreset { projections, config_path: None, lint_strict: Some(false) })
}

fn run_hub_dist(
    packages: &PackageStore,
    cards: &CardStore,
    arguments: Payload,
    info: &RequestInfo,
) -> Result<Payload, ServiceError> {
    let args: HubDistArgs = parse_arguments(arguments)?;
    let preset = load_dist_preset(packages.grants(), args.preset.as_deref(), args.project_root.as_deref())?;
    let projections = args.projections.or(preset.projections).unwrap_or_default();
    let config_path = args.config_path.or(preset.config_path);
    let failed = |step: &str, error: ServiceError| match error {
        ServiceError::Tool { code, message, details } => {
            ServiceError::Tool { code, message: format!("dist: {step} failed: {message}"), details }
        }
        other => other,
    };
    let reindex = reindex_packages(packages, cards, Some(&args.source_dir), args.output_path.as_deref(), info)
        .map_err(|error| failed("reindex", error))?;
    let options = GendocOptions {
        source_dir: &args.source_dir,
        out_dir: args.out_dir.as_deref(),
        projections: &projections,
        config_path: config_path.as_deref(),
        lint_strict: args.lint_strict.or(preset.lint_strict).unwrap_or(false),
    };
    let gendoc = generate_docs(packages, cards, &options, info).map_err(|error| match failed("gendoc", error) {
        // The index stays written, and the error reports it.
        ServiceError::Tool { code, message, details } => {
            let done = serialize_output(&reindex).map(Payload::into_value).unwrap_or_default();
            let lint = details.map(Payload::into_value);
            let details = serde_json::json!({"reindex": done, "gendoc": lint});
            ServiceError::Tool { code, message, details: Some(Payload::from_value(details)) }
        }
        other => other,
    })?;
    serialize_output(&HubDistOutput {
        reindex,
        gendoc,
        preset_catalog_version: PRESET_CATALOG_VERSION,
        preset: args.preset,
    })
}

/// Loads a preset by its name; the project's fields override the built-in ones.
fn load_dist_preset(grants: &PathGrants, name: Option<&str>, root: Option<&str>) -> Result<DistPreset, ServiceError> {
    let project = grants.open_project_if_any(root)?;
    let text = match project.map(|project| project.folder.read_text(REQUIREMENTS_FILE, MAX_CONFIG_BYTES)) {
        None | Some(Err(AppDirError::NotFound(_))) => String::new(),
        Some(Ok((text, _))) => text,
        Some(Err(error)) => return Err(ServiceError::internal(format!("cannot read {REQUIREMENTS_FILE}"), error)),
    };
    let malformed = |why: &str| ServiceError::tool(code::MALFORMED, format!("malformed {REQUIREMENTS_FILE}: {why}"));
    let table = toml_text::parse(&text).map_err(|error| malformed(&error.public_message()))?;
    let dist = table.get("hub").and_then(|hub| hub.get("dist"));
    let catalog = dist.and_then(|dist| dist.get("preset_catalog_version")).and_then(toml::Value::as_str);
    if let Some(other) = catalog.filter(|catalog| *catalog != PRESET_CATALOG_VERSION) {
        let message = format!(
            "dist: {REQUIREMENTS_FILE} asks for '{}', and this server has '{PRESET_CATALOG_VERSION}'",
            escape_and_truncate(other)
        );
        return Err(ServiceError::tool(code::PRESET_CATALOG, message));
    }
    let Some(name) = name else { return Ok(DistPreset::default()) };
    let own = dist.and_then(|dist| dist.get("presets")).and_then(|presets| presets.get(name));
    let own: Option<DistPreset> = match own {
        Some(own) => Some(own.clone().try_into().map_err(|_| malformed("a preset has an unknown key or type"))?),
        None => None,
    };
    let base = built_in_preset(name);
    if own.is_none() && base.is_none() {
        return Err(ServiceError::tool(
            code::UNKNOWN_PRESET,
            format!("dist: unknown preset '{}'", escape_and_truncate(name)),
        ));
    }
    let (own, base) = (own.unwrap_or_default(), base.unwrap_or_default());
    let merged = DistPreset {
        projections: own.projections.or(base.projections),
        config_path: own.config_path.or(base.config_path),
        lint_strict: own.lint_strict.or(base.lint_strict),
    };
    Ok(merged)
}
