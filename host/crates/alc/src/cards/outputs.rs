//! The answers of the card tools, as their schemas describe them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

#[derive(Serialize, JsonSchema)]
pub(super) struct CardListOutput {
    pub(super) cards: Vec<CardRow>,
    /// How many cards there are in all.
    pub(super) total: usize,
    /// The offset of the rows after these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<usize>,
}

/// One row of a list.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct CardRow(#[schemars(with = "CardRowSchema")] pub(super) Value);

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only describes an answer that is built as JSON")]
struct CardRowSchema {
    card_id: String,
    pkg: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pass_rate: Option<f64>,
}

/// A card, as it is stored.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only describes an answer that is built as JSON")]
pub(super) struct CardOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    card_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pkg: Option<Map<String, Value>>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only describes an answer that is built as JSON")]
pub(super) struct AliasOutput {
    name: String,
    card_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pkg: Option<String>,
    /// RFC 3339.
    set_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct AliasListOutput {
    #[schemars(with = "Vec<AliasOutput>")]
    pub(super) aliases: Vec<Value>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CardSamplesOutput {
    /// The rows, as they were written.
    pub(super) samples: Vec<Value>,
    /// The number of rows of the card; absent if the call has conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total: Option<u64>,
    /// The offset of the rows after these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<u64>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only describes an answer that is built as JSON")]
pub(super) struct LineageOutput {
    root: String,
    nodes: Vec<LineageNode>,
    edges: Vec<LineageEdge>,
    /// Whether cards were left out, because of the depth or the limit of cards.
    truncated: bool,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only describes an answer that is built as JSON")]
struct LineageNode {
    card_id: String,
    pkg: String,
    /// Steps from the root; negative towards ancestors.
    depth: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior_card_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prior_relation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Value>,
    /// Whether `stats` was left out to limit the size of the answer; alc_card_get returns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stats_omitted: Option<bool>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only describes an answer that is built as JSON")]
struct LineageEdge {
    /// The descendant; `to` is its ancestor.
    from: String,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<String>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only describes an answer that is built as JSON")]
pub(super) struct SinkBackfillOutput {
    sink: String,
    pushed: Vec<String>,
    skipped: Vec<String>,
    /// Pairs of an id and a reason.
    failed: Vec<(String, String)>,
    pushed_samples: Vec<String>,
    /// The number of cards for each list; a list holds 1000 at most.
    counts: Map<String, Value>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only describes an answer that is built as JSON")]
pub(super) struct CardInstallOutput {
    installed_cards: Vec<String>,
    /// Ids of cards that existed before.
    skipped_cards: Vec<String>,
    packages: Vec<String>,
    source: String,
    mode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    storage_warnings: Option<Vec<String>>,
}
