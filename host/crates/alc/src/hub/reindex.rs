//! `alc_hub_reindex`: an index of the packages in a folder, from their sources alone.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::describe::{PackageDescription, describe_packages, open_source_dir};
use super::index::INDEX_SCHEMA_VERSION;
use super::outputs;
use crate::cards::{CardStore, PackageCardStats};
use crate::packages::{PackageOrigin, PackageStore, now_rfc3339};
use crate::storage_error::write_error;
use crate::tool::{AlcTool, ToolCall};
use wardroom_appdir::Privacy;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{RequestInfo, ServiceError, ToolBehavior, ToolOutput, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HubReindexArgs {
    /// The .json file for the index; an existing file is replaced only if it is an index. When absent, `hub_index.json`
    /// in the folder of packages.
    output_path: Option<String>,
    /// The folder of packages; the AppDir's when absent.
    source_dir: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct HubReindexOutput {
    package_count: usize,
    updated_at: String,
    output_path: String,
    source_dir: String,
    /// The packages that the index leaves out, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) const TOOLS: &[AlcTool] = &[AlcTool {
    name: "alc_hub_reindex",
    title: "Index packages",
    description: "Rebuilds the index (catalogue, hub_index.json) of a collection folder, so that packages that were \
                  added or changed are found.",
    behavior: ToolBehavior { is_idempotent: true, ..ToolBehavior::DESTRUCTIVE },
    is_on_demand: true,
    input: input_schema::<HubReindexArgs>,
    output: output_schema::<HubReindexOutput>,
    call: ToolCall::Large(|alc, arguments, info| {
        let HubReindexArgs { output_path, source_dir } = parse_arguments(arguments)?;
        let done = reindex_packages(&alc.packages, &alc.cards, source_dir.as_deref(), output_path.as_deref(), info)?;
        serialize_output(&done).map(ToolOutput::from)
    }),
}];

pub(super) fn reindex_packages(
    packages: &PackageStore,
    cards: &CardStore,
    source_dir: Option<&str>,
    output_path: Option<&str>,
    info: &RequestInfo,
) -> Result<HubReindexOutput, ServiceError> {
    let (folder, source) = open_source_dir(packages, source_dir)?;
    // The index of a named folder is written as if its path were named.
    let named = source_dir.map(|dir| format!("{}/{}", dir.trim_end_matches('/'), outputs::HUB_INDEX_FILE));
    let output_path = output_path.or(named.as_deref());
    // Checked before the work, so that an invalid path fails at once.
    let output = output_path.map(|path| outputs::resolve_index_path(packages.grants(), path)).transpose()?;
    match &output {
        Some((root, below)) => outputs::ensure_absent_or_index(root, below)?,
        None => outputs::ensure_absent_or_index(&folder, outputs::HUB_INDEX_FILE)?,
    }
    let sources = describe_packages(packages, &folder, info)?;
    let recorded = if source_dir.is_none() { packages.package_origins()? } else { BTreeMap::new() };
    let cards = cards.card_stats_by_package(&|| info.cancellation.is_cancelled())?;
    let (mut entries, mut warnings) = (Vec::new(), sources.warnings);
    for package in &sources.packages {
        match package.meta_text("name") {
            Some(_) => {
                let name = package.name.as_str();
                entries.push(build_index_entry(package, recorded.get(name), cards.get(name)));
            }
            None => warnings.push(format!("{}: the metadata has no name", package.name)),
        }
    }
    let updated_at = now_rfc3339();
    let index = json!({"schema_version": INDEX_SCHEMA_VERSION, "updated_at": updated_at, "packages": entries});
    let text = format!("{index:#}\n");
    let (output_path, written) = match &output {
        Some((root, below)) => {
            let path = output_path.unwrap_or_default();
            if let Some((parent, _)) = below.rsplit_once('/') {
                root.create_folder(parent).map_err(|error| write_error(&escape_and_truncate(path), error))?;
            }
            (packages.grants().display_path(path), root.write(below, text.as_bytes(), Privacy::Preserve))
        }
        None => (
            format!("{source}/{}", outputs::HUB_INDEX_FILE),
            folder.write(outputs::HUB_INDEX_FILE, text.as_bytes(), Privacy::Shared),
        ),
    };
    written.map_err(|error| write_error(outputs::HUB_INDEX_FILE, error))?;
    Ok(HubReindexOutput { package_count: entries.len(), updated_at, output_path, source_dir: source, warnings })
}

/// Builds the entry of a package in an index.
pub(super) fn build_index_entry(
    package: &PackageDescription,
    source: Option<&PackageOrigin>,
    cards: Option<&PackageCardStats>,
) -> Value {
    let doc = Some(package.doc()).filter(|doc| !doc.is_empty());
    let mut entry = json!({
        "name": package.meta_text("name").unwrap_or(package.name.as_str()),
        "version": package.meta_text("version"),
        "description": package.meta_text("description"),
        "category": package.meta_text("category"),
        "docstring": doc,
        "source": source.cloned().unwrap_or_default(),
        "card_count": cards.map_or(0, |cards| cards.count),
        "best_card": cards.and_then(PackageCardStats::best_card),
    });
    if let (Some(tags), Some(fields)) = (package.meta_field("tags"), entry.as_object_mut()) {
        fields.insert("tags".into(), tags.clone());
    }
    entry
}
