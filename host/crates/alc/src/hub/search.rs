//! `alc_hub_search` and `alc_hub_info`: packages that are here, and those of the indices that were fetched.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::cards::OfPackage;
use crate::pkg::{Found, package_name, refused};
use crate::rows::{self, Row, Shape};
use crate::tools::Tool;
use crate::{Alc, Ask, loose, parallel};
use wardroom_base::payload::Payload;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{CallContext, Hints, ServiceError, ToolAnswer};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    /// Words that all have to occur in the name, the description, the category or the documentation.
    query: Option<String>,
    category: Option<String>,
    installed_only: Option<bool>,
    /// How many at most; all of them for 0 or less (50).
    limit: Option<i32>,
    /// Keys with commas between them, a `-` before one turns it round (`-installed,name`).
    sort: Option<String>,
    /// Only those whose values are equal to all of these.
    #[serde(default, deserialize_with = "loose::object")]
    #[schemars(with = "Option<Map<String, Value>>")]
    filter: Option<Map<String, Value>>,
    /// These keys instead of those of `verbose`.
    fields: Option<Vec<String>>,
    /// `summary` or `full` (`summary`).
    verbose: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Results {
    results: Vec<Row>,
    /// How many there are, before `limit`.
    total: usize,
    /// Where they come from: `local`, and `cache` for indices.
    sources: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct About {
    /// The package's name.
    pkg: String,
}

#[derive(Serialize, JsonSchema)]
struct Info {
    pkg: Row,
    /// Summaries of its cards here.
    cards: Vec<Row>,
    aliases: Vec<Row>,
    stats: Stats,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Stats {
    card_count: usize,
    eval_count: usize,
    best_pass_rate: Option<f64>,
}

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "alc_hub_search",
        title: "Search packages",
        description: "Searches the packages that are here, and those of the cached indices.",
        hints: Hints { open_world: true, ..Hints::READS },
        input: schema::<Search>,
        output: answer_schema::<Results>,
        call: |alc, arguments, context| alc.search(arguments, context).map(ToolAnswer::from),
    },
    Tool {
        name: "alc_hub_info",
        title: "Describe a package",
        description: "Says what a package is for, whether it is installed, and how its runs went here.",
        hints: Hints { open_world: true, ..Hints::READS },
        input: schema::<About>,
        output: answer_schema::<Info>,
        call: |alc, arguments, context| alc.about(arguments, context).map(ToolAnswer::from),
    },
];

const SHAPE: Shape = Shape {
    summary: &["name", "version", "description", "category", "installed", "docstring_matched"],
    full: &["source", "card_count", "best_card", "docstring", "tags"],
    sort: "-installed,name",
};

/// What is searched, by name: what is here before what an index says.
struct Known {
    rows: BTreeMap<String, Row>,
    sources: Vec<&'static str>,
    warnings: Vec<String>,
}

impl Alc {
    fn search(&self, arguments: Payload, context: &CallContext) -> Result<Payload, ServiceError> {
        let Search { query, category, installed_only, limit, sort, filter, fields, verbose } = parse(arguments)?;
        let wanted = SHAPE.wanted(fields, verbose.as_deref())?;
        let order = rows::order(sort.as_deref().unwrap_or(SHAPE.sort))?;
        let Known { rows: known, sources, warnings } = self.known(context)?;
        let query = query.unwrap_or_default().to_lowercase();
        let words: Vec<&str> = query.split_whitespace().collect();
        let filter = filter.unwrap_or_default();
        let mut found: Vec<Row> = known.into_values().filter_map(|row| searched(row, &words)).collect();
        found.retain(|row| {
            category.as_deref().is_none_or(|category| row.get("category").and_then(Value::as_str) == Some(category))
                && !(installed_only == Some(true) && row.get("installed") != Some(&Value::Bool(true)))
                && rows::matches(row, &filter)
        });
        found.sort_by(|a, b| rows::compare(a, b, &order));
        let total = found.len();
        found.truncate(rows::limit(limit));
        let results = found.into_iter().map(|row| rows::project(row, &wanted)).collect();
        answer(&Results { results, total, sources, warnings })
    }

    fn about(&self, arguments: Payload, context: &CallContext) -> Result<Payload, ServiceError> {
        let About { pkg } = parse(arguments)?;
        let name = package_name(&pkg)?;
        let Known { rows, warnings, .. } = self.known(context)?;
        let Some(row) = rows.get(name.as_str()) else {
            let message = format!("Package '{name}' not found in remote indices or locally installed packages");
            return Err(refused("NOT_FOUND", message));
        };
        let keys = ["name", "version", "description", "category", "source", "installed"];
        let pkg = keys.iter().map(|key| ((*key).to_owned(), row.get(*key).cloned().unwrap_or_default())).collect();
        let stop = &|| context.cancelled.is_cancelled();
        let (cards, rows) = self.cards_of_package(name.as_str(), stop)?;
        let eval_count = self.evals_of(name.as_str())?;
        let stats = Stats { card_count: cards.count, eval_count, best_pass_rate: cards.best_rate() };
        let aliases = objects(self.aliases_of_package(name.as_str(), stop)?);
        answer(&Info { pkg, cards: objects(rows), aliases, stats, warnings })
    }

    fn known(&self, context: &CallContext) -> Result<Known, ServiceError> {
        // Before anything that only few calls do at once: this one may wait for others.
        let told = self.refresh_indices(context)?;
        // The index may be large, and every worker could hold one.
        context.needs_large()?;
        let ask = &Ask { uri: "the cached indices", context };
        let merged = self.cached_indices(ask)?;
        let mut known = Known { rows: BTreeMap::new(), sources: vec!["local"], warnings: merged.warnings };
        if !merged.packages.is_empty() {
            known.sources.push("cache");
        }
        for (name, text) in merged.packages {
            if let Ok(Value::Object(mut row)) = serde_json::from_str(&text) {
                row.insert("installed".into(), false.into());
                known.rows.insert(name, row);
            }
        }
        known.warnings.extend(told);
        let (found, warnings) = self.all_packages(self.folders.project.as_ref())?;
        known.warnings.extend(warnings);
        let found: Vec<Found> = found.into_iter().filter(|package| package.active).collect();
        let sources = self.sources().unwrap_or_default();
        let cards = self.cards_of_packages(&|| context.cancelled.is_cancelled())?;
        let read = parallel::each(&found, &context.cancelled, |package| {
            self.local(package, cards.get(package.name.as_str()), context)
        });
        for (package, read) in found.iter().zip(read) {
            let name = package.name.to_string();
            let mut row = match read {
                Some(Ok(row)) => row,
                Some(Err(error)) => {
                    known.warnings.push(format!("{name}: {error}"));
                    Row::new()
                }
                None => return Err(refused("CANCELLED", "the search was cancelled")),
            };
            row.insert("name".into(), name.clone().into());
            row.insert("installed".into(), true.into());
            row.insert("source".into(), json!(sources.get(&name).cloned().unwrap_or_default()));
            known.rows.insert(name, row);
        }
        Ok(known)
    }

    fn local(&self, package: &Found, cards: Option<&OfPackage>, context: &CallContext) -> Result<Row, ServiceError> {
        let name = &package.name;
        let folder = package.open().map_err(|error| ServiceError::reading(name.as_str(), error))?;
        let (metadata, _) = self.metadata_in(&folder, name, &Ask { uri: name.as_str(), context })?;
        let meta: Map<String, Value> = serde_json::from_str(&metadata.json)
            .map_err(|error| ServiceError::internal("its metadata is not an object", error))?;
        let mut row = Row::new();
        for key in ["version", "description", "category", "tags"] {
            row.insert(key.into(), meta.get(key).cloned().unwrap_or_default());
        }
        row.insert("docstring".into(), metadata.doc.clone().into());
        row.insert("card_count".into(), cards.map_or(0, |cards| cards.count).into());
        row.insert("best_card".into(), cards.and_then(OfPackage::best).cloned().unwrap_or_default());
        Ok(row)
    }
}

fn objects(values: Vec<Value>) -> Vec<Row> {
    values.into_iter().filter_map(|value| if let Value::Object(row) = value { Some(row) } else { None }).collect()
}

/// The row, when every word occurs in it, with whether the documentation was needed for that.
fn searched(mut row: Row, words: &[&str]) -> Option<Row> {
    let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let short = [text("name"), text("description"), text("category")];
    let doc = text("docstring");
    let in_short = |word: &&str| short.iter().any(|text| text.contains(*word));
    if !words.iter().all(|word| in_short(word) || doc.contains(*word)) {
        return None;
    }
    let matched = !words.is_empty() && words.iter().any(|word| doc.contains(*word));
    row.insert("docstring_matched".into(), matched.into());
    Some(row)
}
