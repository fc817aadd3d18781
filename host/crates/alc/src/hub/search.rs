//! `alc_hub_search` and `alc_hub_info`: the installed packages, and those of the fetched indices.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::HubIndex;
use super::index::MergedHubIndex;
use super::remote_index::refresh_remote_indices;
use crate::cards::{CardStore, PackageCardStats};
use crate::error_code as code;
use crate::evals::EvalStore;
use crate::json_fields::LeasedFields;
use crate::limits::MAX_HUB_QUERY_BYTES;
use crate::packages::{PackageLocation, PackageStore, parse_package_name};
use crate::rows::{self, JsonRow, RowFields};
use crate::tool::{AlcTool, ToolCall};
use crate::{Alc, parallel};
use wardroom_base::memory::MemoryLease;
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_ranking::{RankedIndex, closest_name};
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{Cost, RequestInfo, ServiceError, Step, ToolBehavior, ToolOutput, Work};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HubSearchArgs {
    /// What the package should do, in your own words, such as "compare several answers and vote". The best come first.
    query: Option<String>,
    category: Option<String>,
    installed_only: Option<bool>,
    /// The most packages to return: 50 when absent, all for 0 or less.
    limit: Option<i32>,
    /// Keys to sort by, separated by commas; `-` before a key sorts in descending order. When absent, the best first, and
    /// without a query `-installed,name`.
    sort: Option<String>,
    /// Only packages that have all of these values.
    #[serde(default, deserialize_with = "wardroom_service::lenient_args::deserialize_object")]
    #[schemars(with = "Option<Map<String, Value>>")]
    filter: Option<Map<String, Value>>,
    /// The keys to return, instead of those that `verbose` selects.
    fields: Option<Vec<String>>,
    /// `summary` or `full`; `summary` when absent.
    verbose: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct HubSearchOutput {
    results: Vec<JsonRow>,
    /// The number of packages found, before `limit` applies.
    total: usize,
    /// The sources that were searched: `local`, and `cache` for cached indices.
    sources: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HubInfoArgs {
    /// The name of the package.
    pkg: String,
}

#[derive(Serialize, JsonSchema)]
struct HubInfoOutput {
    pkg: JsonRow,
    /// Summaries of the cards of the package in this AppDir.
    cards: Vec<JsonRow>,
    aliases: Vec<JsonRow>,
    stats: HubPackageStats,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct HubPackageStats {
    card_count: usize,
    eval_count: usize,
    best_pass_rate: Option<f64>,
}

pub(super) const TOOLS: &[AlcTool] = &[
    AlcTool {
        name: "alc_hub_search",
        title: "Search packages",
        description: "Searches the public hub (index) for packages and strategies: has anyone published one for a \
                      topic, or by what it does? Look through its collections, installed or not.",
        behavior: ToolBehavior { is_open_world: true, ..ToolBehavior::READ_ONLY },
        is_on_demand: false,
        input: input_schema::<HubSearchArgs>,
        output: output_schema::<HubSearchOutput>,
        call: ToolCall::Steps(|alc, arguments, info| {
            let (stores, search) = (HubStores::new(alc), HubSearch::parse(arguments)?);
            let warnings = refresh_remote_indices(&stores.hub, &stores.packages, info)?;
            Ok(stores.continue_large(|stores, info| search_hub(stores, search, warnings, info)))
        }),
    },
    AlcTool {
        name: "alc_hub_info",
        title: "Describe a package",
        description: "Tells everything the public hub (index) says of one published package before you install it: \
                      author, description, options, version, statistics, how it has scored.",
        behavior: ToolBehavior { is_open_world: true, ..ToolBehavior::READ_ONLY },
        is_on_demand: true,
        input: input_schema::<HubInfoArgs>,
        output: output_schema::<HubInfoOutput>,
        call: ToolCall::Steps(|alc, arguments, info| {
            let HubInfoArgs { pkg } = parse_arguments(arguments)?;
            let (stores, name) = (HubStores::new(alc), parse_package_name(&pkg)?);
            let warnings = refresh_remote_indices(&stores.hub, &stores.packages, info)?;
            Ok(stores.continue_large(move |stores, info| describe_hub_package(stores, &name, warnings, info)))
        }),
    },
];

const SEARCH_ROW_SHAPE: RowFields = RowFields {
    summary: &["name", "version", "description", "category", "installed", "docstring_matched"],
    full: &["source", "card_count", "best_card", "docstring", "tags"],
    default_sort: "-installed,name",
};

/// The stores that a search needs.
struct HubStores {
    hub: Arc<HubIndex>,
    packages: Arc<PackageStore>,
    cards: Arc<CardStore>,
    evals: Arc<EvalStore>,
}

impl HubStores {
    fn new(alc: &Alc) -> Self {
        let Alc { hub, packages, cards, evals, .. } = alc;
        let (hub, packages, cards, evals) =
            (Arc::clone(hub), Arc::clone(packages), Arc::clone(cards), Arc::clone(evals));
        Self { hub, packages, cards, evals }
    }

    /// Returns the step after which a search goes on as large work.
    fn continue_large(
        self,
        run: impl FnOnce(&Self, &RequestInfo) -> Result<Payload, ServiceError> + Send + 'static,
    ) -> Step<ToolOutput> {
        Step::Next(Work::new(Cost::Large, move |info| run(&self, info).map(ToolOutput::from)))
    }
}

/// The searched packages, by name; an installed package overrides the entry of an index.
struct HubCatalog {
    rows: BTreeMap<String, JsonRow>,
    sources: Vec<&'static str>,
    warnings: Vec<String>,
    /// What the rows of the indices take.
    memory: Vec<MemoryLease>,
}

/// A search whose arguments are valid.
struct HubSearch {
    args: HubSearchArgs,
    columns: Vec<String>,
    order: Vec<(String, bool)>,
}

impl HubSearch {
    fn parse(arguments: Payload) -> Result<Self, ServiceError> {
        let mut args: HubSearchArgs = parse_arguments(arguments)?;
        let columns = SEARCH_ROW_SHAPE.select(args.fields.take(), args.verbose.as_deref())?;
        if args.query.as_ref().is_some_and(|query| query.len() > MAX_HUB_QUERY_BYTES) {
            let message = format!("query is longer than {MAX_HUB_QUERY_BYTES} bytes");
            return Err(ServiceError::tool(code::INVALID_ARGUMENTS, message));
        }
        let order = rows::parse_sort(args.sort.as_deref().unwrap_or(SEARCH_ROW_SHAPE.default_sort))?;
        Ok(Self { args, columns, order })
    }
}

fn search_hub(
    stores: &HubStores,
    search: HubSearch,
    fetch_warnings: Vec<String>,
    info: &RequestInfo,
) -> Result<Payload, ServiceError> {
    let HubSearch { args, columns, order } = search;
    let HubSearchArgs { query, category, installed_only, limit, filter, sort, .. } = args;
    let is_sorted = sort.is_some();
    let filter = filter.unwrap_or_default();
    let wanted = |key: &str| {
        SEARCH_ROW_SHAPE.has(key)
            || filter.contains_key(key)
            || columns.iter().any(|column| column == key)
            || order.iter().any(|(column, _)| column == key)
    };
    let HubCatalog { rows, sources, warnings, memory: _held } =
        load_hub_catalog(stores, fetch_warnings, &wanted, info)?;
    let is_ranked = query.as_deref().is_some_and(|query| !query.trim().is_empty());
    // What is not wanted must not decide which of the rest is good enough. Only a query finds `docstring_matched`.
    let (after, before): (JsonRow, JsonRow) = filter.into_iter().partition(|(key, _)| key == MATCH_KEY);
    let is_wanted_row = |row: &JsonRow| {
        category.as_deref().is_none_or(|category| row.get("category").and_then(Value::as_str) == Some(category))
            && !(installed_only == Some(true) && row.get("installed") != Some(&Value::Bool(true)))
            && rows::matches_filter(row, &before)
    };
    let wanted_rows = rows.into_values().filter(is_wanted_row);
    let mut found: Vec<JsonRow> = match query.filter(|_| is_ranked) {
        Some(query) => rank_rows(wanted_rows.collect(), &query, info)?,
        None => wanted_rows.map(|row| note_match(row, &[])).collect(),
    };
    found.retain(|row| rows::matches_filter(row, &after));
    if !is_ranked || is_sorted {
        found.sort_by(|a, b| rows::compare_rows(a, b, &order));
    }
    let total = found.len();
    found.truncate(rows::effective_limit(limit));
    let results = found.into_iter().map(|row| rows::pick_fields(row, &columns)).collect();
    serialize_output(&HubSearchOutput { results, total, sources, warnings })
}

fn describe_hub_package(
    stores: &HubStores,
    name: &PackageName,
    fetch_warnings: Vec<String>,
    info: &RequestInfo,
) -> Result<Payload, ServiceError> {
    let keys = ["name", "version", "description", "category", "source", "installed"];
    let is_wanted = |key: &str| keys.contains(&key);
    let HubCatalog { rows, warnings, memory: _held, .. } = load_hub_catalog(stores, fetch_warnings, &is_wanted, info)?;
    let Some(row) = rows.get(name.as_str()) else {
        let meant = closest_name(name.as_str(), rows.keys().map(String::as_str));
        let meant = meant.map(|meant| format!("; did you mean '{meant}'?")).unwrap_or_default();
        let message = format!("Package '{name}' not found in remote indices or locally installed packages{meant}");
        return Err(ServiceError::tool(code::NOT_FOUND, message));
    };
    let pkg = keys.iter().map(|key| ((*key).to_owned(), row.get(*key).cloned().unwrap_or_default())).collect();
    let stop = &|| info.cancellation.is_cancelled();
    let (cards, rows) = stores.cards.summarize_package_cards(name.as_str(), stop)?;
    let eval_count = stores.evals.count_evals(name.as_str())?;
    let stats = HubPackageStats { card_count: cards.count, eval_count, best_pass_rate: cards.best_pass_rate() };
    let aliases = into_rows(stores.cards.find_package_aliases(name.as_str(), stop)?);
    serialize_output(&HubInfoOutput { pkg, cards: into_rows(rows), aliases, stats, warnings })
}

/// The packages that a person sees.
pub(crate) struct HubListing {
    /// The best ones first; without a query the installed ones, by name.
    pub(crate) rows: Vec<JsonRow>,
    pub(crate) warnings: Vec<String>,
    /// What the rows take.
    _memory: Vec<MemoryLease>,
}

/// Lists the packages that a query finds as `alc_hub_search` does, without one all: installed ones, and those of cached
/// indices.
pub(crate) fn list_hub_packages(alc: &Alc, query: &str, info: &RequestInfo) -> Result<HubListing, ServiceError> {
    let is_wanted = |key: &str| SEARCH_ROW_SHAPE.has(key);
    let HubCatalog { rows, warnings, memory, .. } =
        load_hub_catalog(&HubStores::new(alc), Vec::new(), &is_wanted, info)?;
    let mut rows: Vec<JsonRow> = rows.into_values().collect();
    if query.trim().is_empty() {
        rows.sort_by(|a, b| rows::compare_rows(a, b, &[("installed".to_owned(), true), ("name".to_owned(), false)]));
    } else {
        rows = rank_rows(rows, query, info)?;
    }
    Ok(HubListing { rows, warnings, _memory: memory })
}

/// Loads all packages, of the indices with the fields that are wanted.
fn load_hub_catalog(
    stores: &HubStores,
    fetch_warnings: Vec<String>,
    is_wanted: &dyn Fn(&str) -> bool,
    info: &RequestInfo,
) -> Result<HubCatalog, ServiceError> {
    let merged =
        stores.hub.merge_cached_indices(MergedHubIndex::default(), "the cached indices", &info.cancellation)?;
    let mut known =
        HubCatalog { rows: BTreeMap::new(), sources: vec!["local"], warnings: merged.warnings, memory: Vec::new() };
    if !merged.packages.is_empty() {
        known.sources.push("cache");
    }
    for (name, text) in merged.packages {
        let (mut row, memory) = match LeasedFields::read(&text, "an entry of an index", &info.memory, is_wanted) {
            Ok(fields) => fields.into_parts(),
            Err(error @ ServiceError::Tool { .. }) => return Err(error),
            // What is no object is no package.
            Err(_) => continue,
        };
        known.memory.extend(memory);
        row.insert("installed".into(), false.into());
        known.rows.insert(name, row);
    }
    known.warnings.extend(fetch_warnings);
    let (found, warnings) = stores.packages.list_package_locations(stores.packages.grants().project())?;
    known.warnings.extend(warnings);
    let found: Vec<PackageLocation> = found.into_iter().filter(|package| package.is_active).collect();
    let sources = stores.packages.package_origins().unwrap_or_else(|error| {
        let warning = error.to_string();
        // The fetch of indices says so too.
        if !known.warnings.contains(&warning) {
            known.warnings.push(warning);
        }
        BTreeMap::new()
    });
    let cards = stores.cards.card_stats_by_package(&|| info.cancellation.is_cancelled())?;
    let read = parallel::map_items(&found, &|| info.cancellation.is_cancelled(), |package| {
        build_local_row(stores, package, cards.get(package.name.as_str()), info)
    });
    for (package, read) in found.iter().zip(read) {
        let name = package.name.to_string();
        let mut row = match read {
            Some(Ok((row, memory))) => {
                known.memory.extend(memory);
                row
            }
            Some(Err(error)) => {
                known.warnings.push(format!("{name}: {error}"));
                JsonRow::new()
            }
            None => return Err(ServiceError::tool(code::CANCELLED, "the search was cancelled")),
        };
        row.insert("name".into(), name.clone().into());
        row.insert("installed".into(), true.into());
        row.insert("source".into(), json!(sources.get(&name).cloned().unwrap_or_default()));
        known.rows.insert(name, row);
    }
    Ok(known)
}

fn build_local_row(
    stores: &HubStores,
    package: &PackageLocation,
    cards: Option<&PackageCardStats>,
    info: &RequestInfo,
) -> Result<(JsonRow, Option<MemoryLease>), ServiceError> {
    const KEYS: [&str; 4] = ["version", "description", "category", "tags"];
    let name = &package.name;
    let folder = package.open_folder().map_err(|error| ServiceError::from_read_error(name.as_str(), error))?;
    let (metadata, _) = stores.packages.load_metadata(&folder, name, name.as_str())?;
    let is_wanted = |key: &str| KEYS.contains(&key);
    let meta = LeasedFields::read(&metadata.json, "the metadata of the package", &info.memory, is_wanted)?;
    let (mut meta, memory) = meta.into_parts();
    let mut row = JsonRow::new();
    for key in KEYS {
        row.insert(key.into(), meta.remove(key).unwrap_or_default());
    }
    row.insert("docstring".into(), metadata.doc.clone().into());
    row.insert("card_count".into(), cards.map_or(0, |cards| cards.count).into());
    row.insert("best_card".into(), cards.and_then(PackageCardStats::best_card).cloned().unwrap_or_default());
    Ok((row, memory))
}

fn into_rows(values: Vec<Value>) -> Vec<JsonRow> {
    values.into_iter().filter_map(|value| if let Value::Object(row) = value { Some(row) } else { None }).collect()
}

/// The fields that a query is looked for in, with how much a word in each counts.
const SEARCHED_FIELDS: [(&str, f32); 5] =
    [("name", 3.0), ("tags", 2.0), ("category", 1.5), ("description", 1.0), ("docstring", 0.3)];
/// The part of the best score below which a package is not found: it shares a common word with the query.
const MIN_SCORE_PART: f32 = 0.2;

/// Returns the rows that a query finds, the best ones first, and after them those that have every word of it as a part of
/// a word.
fn rank_rows(rows: Vec<JsonRow>, query: &str, info: &RequestInfo) -> Result<Vec<JsonRow>, ServiceError> {
    let texts = |row: &JsonRow| SEARCHED_FIELDS.map(|(key, weight)| (searched_text(row.get(key)), weight));
    let bytes = rows.iter().map(|row| texts(row).iter().map(|(text, _)| text.len()).sum::<usize>()).sum::<usize>();
    let _held = info.memory.lease(bytes.saturating_mul(INDEX_BYTES_PER_TEXT_BYTE))?;
    let mut index = RankedIndex::default();
    for row in &rows {
        if info.cancellation.is_cancelled() {
            return Err(ServiceError::tool(code::CANCELLED, "the search was cancelled"));
        }
        index.add(&texts(row).each_ref().map(|(text, weight)| (text.as_str(), *weight)));
    }
    let scored = index.search(query);
    let least = scored.first().map_or(0.0, |best| best.score * MIN_SCORE_PART);
    let lower = query.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let mut rows: Vec<Option<JsonRow>> = rows.into_iter().map(Some).collect();
    let ranked = scored.into_iter().take_while(|found| found.score >= least);
    let mut found: Vec<JsonRow> = ranked.filter_map(|found| rows.get_mut(found.number)?.take()).collect();
    found.extend(rows.into_iter().flatten().filter(|row| has_every_word(row, &words)));
    Ok(found.into_iter().map(|row| note_match(row, &words)).collect())
}

/// What an index takes for each byte of its texts: a word, and an entry for each document that has it.
const INDEX_BYTES_PER_TEXT_BYTE: usize = 4;

/// Returns the text of a field, of a list its texts.
fn searched_text(field: Option<&Value>) -> String {
    match field {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

/// Whether every word occurs in the row, in any part.
fn has_every_word(row: &JsonRow, words: &[&str]) -> bool {
    let texts = SEARCHED_FIELDS.map(|(key, _)| searched_text(row.get(key)).to_lowercase());
    words.iter().all(|word| texts.iter().any(|text| text.contains(*word)))
}

/// The field that says where a query was found.
const MATCH_KEY: &str = "docstring_matched";

/// Notes whether any word of the query occurs in the documentation.
fn note_match(mut row: JsonRow, words: &[&str]) -> JsonRow {
    let doc = searched_text(row.get("docstring")).to_lowercase();
    let is_matched = words.iter().any(|word| doc.contains(*word));
    row.insert(MATCH_KEY.into(), is_matched.into());
    row
}
