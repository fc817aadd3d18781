//! `alc_hub_reindex`: an index of the packages in a folder, from their sources alone.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::index::VERSION;
use super::outputs;
use super::sources::Described;
use crate::cards::OfPackage;
use crate::pkg::{Source, now, unwritten};
use crate::tools::Tool;
use crate::{Alc, places};
use wardroom_appdir::Privacy;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{CallContext, Hints, ServiceError, ToolAnswer, shown};

pub(super) const INDEX: &str = "hub_index.json";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reindex {
    /// Where the index is written: a .json file, which if it is there must be an index (`hub_index.json` in the folder of
    /// packages).
    output_path: Option<String>,
    /// The folder of packages (the AppDir's).
    source_dir: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Reindexed {
    package_count: usize,
    updated_at: String,
    output_path: String,
    source_dir: String,
    /// Packages that are not in it, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

pub(super) const TOOLS: &[Tool] = &[Tool {
    name: "alc_hub_reindex",
    title: "Index packages",
    description: "Writes an index (hub_index/v0) of the packages in a folder, from their metadata and without running them.",
    hints: Hints { idempotent: true, ..Hints::CHANGES },
    input: schema::<Reindex>,
    output: answer_schema::<Reindexed>,
    call: |alc, arguments, context| {
        let Reindex { output_path, source_dir } = parse(arguments)?;
        let done = alc.reindex(source_dir.as_deref(), output_path.as_deref(), context)?;
        answer(&done).map(ToolAnswer::from)
    },
}];

impl Alc {
    pub(super) fn reindex(
        &self,
        source_dir: Option<&str>,
        output_path: Option<&str>,
        context: &CallContext,
    ) -> Result<Reindexed, ServiceError> {
        let (folder, source) = self.source_dir(source_dir)?;
        // Known before the work is done, and not after.
        let output = output_path.map(|path| outputs::for_index(self, path)).transpose()?;
        match &output {
            Some((root, below)) => outputs::check_index(root, below)?,
            None => outputs::check_index(&folder, INDEX)?,
        }
        context.needs_large()?;
        let sources = self.described(&folder, context)?;
        let recorded = if source_dir.is_none() { self.sources()? } else { BTreeMap::new() };
        let cards = self.cards_of_packages(&|| context.cancelled.is_cancelled())?;
        let (mut packages, mut warnings) = (Vec::new(), sources.warnings);
        for package in &sources.packages {
            match package.text("name") {
                Some(_) => {
                    let name = package.name.as_str();
                    packages.push(entry(package, recorded.get(name), cards.get(name)));
                }
                None => warnings.push(format!("{}: its metadata has no name", package.name)),
            }
        }
        let updated_at = now();
        let index = json!({"schema_version": VERSION, "updated_at": updated_at, "packages": packages});
        let text = format!("{index:#}\n");
        let (output_path, written) = match &output {
            Some((root, below)) => {
                let told = output_path.unwrap_or_default();
                if let Some((parent, _)) = below.rsplit_once('/') {
                    root.create_folder(parent).map_err(|error| unwritten(&shown(told), error))?;
                }
                (places::told(self, told), root.write(below, text.as_bytes(), Privacy::Shared))
            }
            None => (format!("{source}/{INDEX}"), folder.write(INDEX, text.as_bytes(), Privacy::Shared)),
        };
        written.map_err(|error| unwritten(INDEX, error))?;
        Ok(Reindexed { package_count: packages.len(), updated_at, output_path, source_dir: source, warnings })
    }
}

/// A package's line of an index.
pub(super) fn entry(package: &Described, source: Option<&Source>, cards: Option<&OfPackage>) -> Value {
    let doc = Some(package.doc()).filter(|doc| !doc.is_empty());
    let mut entry = json!({
        "name": package.text("name").unwrap_or(package.name.as_str()),
        "version": package.text("version"),
        "description": package.text("description"),
        "category": package.text("category"),
        "docstring": doc,
        "source": source.cloned().unwrap_or_default(),
        "card_count": cards.map_or(0, |cards| cards.count),
        "best_card": cards.and_then(OfPackage::best),
    });
    if let (Some(tags), Some(fields)) = (package.meta.get("tags"), entry.as_object_mut()) {
        fields.insert("tags".into(), tags.clone());
    }
    entry
}
