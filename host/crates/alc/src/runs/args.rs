//! The arguments of the tools for runs, and the schemas of their answers, under the original's names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use wardroom_base::payload::Payload;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunArguments {
    /// Lua code that ends with `return …`. Either this or `code_file`.
    pub(super) code: Option<String>,
    /// A file with such code, inside the AppDir, the project or a mount.
    pub(super) code_file: Option<String>,
    /// The global `ctx` of the code. `ctx._ns` is its namespace of `alc.state`; `ctx.budget` has `max_llm_calls`,
    /// `max_elapsed_ms` and `max_tokens`.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) ctx: Option<Payload>,
    /// The project that this server was started for; another one cannot be chosen.
    pub(super) project_root: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AdviceArguments {
    /// The name of the package.
    pub(super) strategy: String,
    /// The task, which the strategy reads as `ctx.task`.
    pub(super) task: Option<String>,
    /// Further fields of `ctx` for the strategy.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) opts: Option<Payload>,
    /// The project that this server was started for; another one cannot be chosen.
    pub(super) project_root: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ContinueArguments {
    pub(super) session_id: String,
    /// The answer to one query.
    pub(super) response: Option<String>,
    /// The query that `response` answers; not needed when only one waits.
    pub(super) query_id: Option<String>,
    /// Several answers, in place of `response`.
    pub(super) responses: Option<Vec<QueryResponse>>,
    pub(super) usage: Option<TokenUsage>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct QueryResponse {
    pub(super) query_id: String,
    pub(super) response: String,
    pub(super) usage: Option<TokenUsage>,
}

/// The tokens that the model used.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct TokenUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CancelArguments {
    pub(super) session_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EvalArguments {
    /// The name of the package.
    pub(super) strategy: String,
    /// A scenario as Lua code that returns it. One of this, `scenario_file` and `scenario_name`.
    pub(super) scenario: Option<String>,
    /// A file with such code, inside the AppDir, the project or a mount.
    pub(super) scenario_file: Option<String>,
    /// The name of an installed scenario.
    pub(super) scenario_name: Option<String>,
    /// Fields of `ctx` for the strategy, besides the task.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) strategy_opts: Option<Payload>,
    /// Whether the report is stored as a card too.
    pub(super) auto_card: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusArguments {
    /// Only this run.
    pub(super) session_id: Option<String>,
    /// How much of each pending query is shown: "meta", "preview", "full", or an object of fields.
    #[schemars(with = "Option<PendingFilter>")]
    pub(super) pending_filter: Option<Value>,
    /// Whether the last ten answered queries are shown.
    pub(super) include_history: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes JSON that is parsed elsewhere")]
enum PendingFilter {
    Preset(PendingFilterPreset),
    Fields(PendingFilterFields),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "describes JSON that is parsed elsewhere")]
enum PendingFilterPreset {
    Meta,
    Preview,
    Full,
}

/// The fields of each query to show; the others are left out.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes JSON that is parsed elsewhere")]
struct PendingFilterFields {
    query_id: Option<bool>,
    max_tokens: Option<bool>,
    system: Option<bool>,
    grounded: Option<bool>,
    underspecified: Option<bool>,
    prompt: Option<PendingFilterPrompt>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "describes JSON that is parsed elsewhere")]
struct PendingFilterPrompt {
    /// `off`, `preview` or `full`.
    mode: Option<String>,
    /// The number of characters in a preview.
    chars: Option<u64>,
}

/// The state of a run, and its result once it has ended.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) struct RunAnswer {
    status: RunStatus,
    /// The id of the run, while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// The id of the query that waits, if it is the only one; `prompt` is its prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    query_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    /// Whether the answer should be based on evidence only.
    #[serde(skip_serializing_if = "Option::is_none")]
    grounded: Option<bool>,
    /// Whether the answer should decide the points that the prompt leaves open.
    #[serde(skip_serializing_if = "Option::is_none")]
    underspecified: Option<bool>,
    /// All queries that wait, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<Vec<PendingQuery>>,
    /// The number of queries that still wait, after one of several was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining: Option<u64>,
    /// The value that the script returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Map<String, Value>>,
    /// Why the script failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The id under which the report of an eval is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    eval_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript_warning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    save_warning: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum RunStatus {
    NeedsResponse,
    Accepted,
    Completed,
    Error,
    Cancelled,
}

#[derive(Serialize, JsonSchema)]
struct PendingQuery {
    id: String,
    prompt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    grounded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    underspecified: Option<bool>,
}
