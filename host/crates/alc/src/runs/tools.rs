//! The tools that start runs, answer them, and show their status.
//!
//! Owns: their arguments and schemas, under the original's names.
//! Never: reads a file except through `grants`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::journal::{RunSpec, ScriptSource};
use super::run::QueryReply;
use super::status::{self, StatusOutput};
use super::{ReplySource, Runs, modules, tool_answer};
use crate::error_code as code;
use crate::grants::{Grant, PathGrants};
use crate::tool::{AlcTool, ToolCall};
use wardroom_base::payload::Payload;
use wardroom_base::uri::PackageName;
use wardroom_net::limits::MAX_SOURCE_BYTES;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments};
use wardroom_service::{RequestInfo, ServiceError, ToolBehavior, ToolOutput, escape_and_truncate};

/// A run may use whatever its strategy uses; the client's model is the only part outside of the server.
const RUN_ANNOTATIONS: ToolBehavior = ToolBehavior::ADDITIVE;

pub(crate) const TOOLS: &[AlcTool] = &[
    AlcTool {
        name: "alc_run",
        title: "Run Lua",
        description: "Runs Lua code with the `alc` library in a confined process. When it asks a model \
                      (`alc.llm`), the answer has status needs_response: answer with alc_continue. The code returns its \
                      result.",
        behavior: RUN_ANNOTATIONS,
        input: input_schema::<RunArguments>,
        output: output_schema::<RunAnswer>,
        call: ToolCall::Worker(|alc, arguments, context| {
            let runs = alc.runs()?;
            runs.begin_cancellable(context, || run_code(runs, parse_arguments(arguments)?, context))
        }),
    },
    AlcTool {
        name: "alc_advice",
        title: "Run a strategy",
        description: "Runs the strategy package `strategy` on `task`. When it asks a model, the answer has status \
                      needs_response: answer with alc_continue.",
        behavior: RUN_ANNOTATIONS,
        input: input_schema::<AdviceArguments>,
        output: output_schema::<RunAnswer>,
        call: ToolCall::Worker(|alc, arguments, context| {
            let runs = alc.runs()?;
            runs.begin_cancellable(context, || run_strategy(runs, parse_arguments(arguments)?, context))
        }),
    },
    AlcTool {
        name: "alc_continue",
        title: "Answer a run",
        description: "Gives a run that waits (status needs_response) the answers to its queries, one or several, in any \
                      order, and resumes it. This also works after a restart of the server.",
        behavior: RUN_ANNOTATIONS,
        input: input_schema::<ContinueArguments>,
        output: output_schema::<RunAnswer>,
        call: ToolCall::Worker(|alc, arguments, context| {
            let runs = alc.runs()?;
            runs.begin_or_resume(context, || continue_run(runs, parse_arguments(arguments)?, context))
        }),
    },
    AlcTool {
        name: "alc_cancel",
        title: "Cancel a run",
        description: "Stops a running or waiting run for good.",
        behavior: ToolBehavior::DESTRUCTIVE,
        input: input_schema::<CancelArguments>,
        output: output_schema::<RunAnswer>,
        call: ToolCall::Worker(|alc, arguments, _| {
            alc.runs()?.cancel(&parse_arguments::<CancelArguments>(arguments)?.session_id)
        }),
    },
    AlcTool {
        name: "alc_eval",
        title: "Evaluate a strategy",
        description: "Runs a strategy on the cases of a scenario and grades the results. It pauses as alc_run does; the \
                      report is stored when it is complete.",
        behavior: RUN_ANNOTATIONS,
        input: input_schema::<EvalArguments>,
        output: output_schema::<RunAnswer>,
        call: ToolCall::Worker(|alc, arguments, context| {
            let runs = alc.runs()?;
            runs.begin_cancellable(context, || evaluate(runs, parse_arguments(arguments)?, context))
        }),
    },
    AlcTool {
        name: "alc_status",
        title: "Status of runs",
        description: "Lists the runs that are running or waiting, with their counters.",
        behavior: ToolBehavior::READ_ONLY,
        input: input_schema::<StatusArguments>,
        output: output_schema::<StatusOutput>,
        call: ToolCall::Worker(|alc, arguments, _| {
            status::list_status(&alc.run_store, alc.runs.as_ref(), &parse_arguments(arguments)?)
        }),
    },
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RunArguments {
    /// Lua code that ends with `return …`. Either this or `code_file`.
    code: Option<String>,
    /// A file with such code, inside the AppDir, the project or a mount.
    code_file: Option<String>,
    /// The global `ctx` of the code. `ctx._ns` is its namespace of `alc.state`; `ctx.budget` has `max_llm_calls`,
    /// `max_elapsed_ms` and `max_tokens`.
    #[schemars(with = "Option<Map<String, Value>>")]
    ctx: Option<Value>,
    /// The project that this server was started for; another one cannot be chosen.
    project_root: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AdviceArguments {
    /// The name of the package.
    strategy: String,
    /// The task, which the strategy reads as `ctx.task`.
    task: Option<String>,
    /// Further fields of `ctx` for the strategy.
    #[schemars(with = "Option<Map<String, Value>>")]
    opts: Option<Value>,
    /// The project that this server was started for; another one cannot be chosen.
    project_root: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ContinueArguments {
    session_id: String,
    /// The answer to one query.
    response: Option<String>,
    /// The query that `response` answers; not needed when only one waits.
    query_id: Option<String>,
    /// Several answers, in place of `response`.
    responses: Option<Vec<QueryResponse>>,
    usage: Option<TokenUsage>,
}

#[derive(Deserialize, JsonSchema)]
struct QueryResponse {
    query_id: String,
    response: String,
    usage: Option<TokenUsage>,
}

/// The tokens that the model used.
#[derive(Serialize, Deserialize, JsonSchema)]
struct TokenUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CancelArguments {
    session_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EvalArguments {
    /// The name of the package.
    strategy: String,
    /// A scenario as Lua code that returns it. One of this, `scenario_file` and `scenario_name`.
    scenario: Option<String>,
    /// A file with such code, inside the AppDir, the project or a mount.
    scenario_file: Option<String>,
    /// The name of an installed scenario.
    scenario_name: Option<String>,
    /// Fields of `ctx` for the strategy, besides the task.
    #[schemars(with = "Option<Map<String, Value>>")]
    strategy_opts: Option<Value>,
    /// Whether the report is stored as a card too.
    auto_card: Option<bool>,
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
struct RunAnswer {
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

/// The script of `alc_eval`. All values of the client are in `ctx`, and none becomes code of this script.
const EVAL_SCRIPT: &str = "local scenario = ctx.name\n\
                    if ctx.source then\n\
                    local chunk, why = load(ctx.source, '=' .. (ctx.name or 'scenario'), 't')\n\
                    if not chunk then error(why, 0) end\n\
                    scenario = chunk()\n\
                    end\n\
                    return alc.eval(scenario, ctx.strategy, ctx.opts)";

fn run_code(runs: &Runs, args: RunArguments, context: &RequestInfo) -> Result<ToolOutput, ServiceError> {
    runs.stores.packages.grants().check_project(args.project_root.as_deref())?;
    let (name, text) = match (args.code, args.code_file) {
        (Some(code), None) => ("code".to_owned(), code),
        (None, Some(file)) => read_code_file(runs.stores.packages.grants(), &file)?,
        (Some(_), Some(_)) => {
            return Err(invalid_argument_error("Provide either `code` or `code_file`, not both."));
        }
        (None, None) => return Err(invalid_argument_error("Either `code` or `code_file` must be provided.")),
    };
    let source = ScriptSource::Code { name, text };
    let context_value = lenient_value(args.ctx);
    runs.start(new_run_spec(source, context_value, None), context)
}

fn run_strategy(runs: &Runs, args: AdviceArguments, context: &RequestInfo) -> Result<ToolOutput, ServiceError> {
    runs.stores.packages.grants().check_project(args.project_root.as_deref())?;
    let strategy = parse_strategy_name(args.strategy)?;
    let mut fields = lenient_object(args.opts);
    if let Some(task) = args.task {
        fields.insert("task".into(), task.into());
    }
    runs.start(new_run_spec(ScriptSource::Package(strategy.clone()), fields.into(), Some(strategy)), context)
}

fn evaluate(runs: &Runs, args: EvalArguments, context: &RequestInfo) -> Result<ToolOutput, ServiceError> {
    let strategy = parse_strategy_name(args.strategy)?;
    // Without this check, a missing strategy would be reported as a strategy that passes no case.
    if let Err(why) = modules::load_module(&runs.stores.packages, &strategy) {
        return Ok(tool_answer::error_answer(&format!("package '{strategy}' cannot be evaluated: {why}")));
    }
    let (name, source) = match (args.scenario, args.scenario_file, args.scenario_name) {
        (Some(code), None, None) => (None, Some(code)),
        (None, Some(file), None) => {
            let (name, text) = read_code_file(runs.stores.packages.grants(), &file)?;
            (Some(name), Some(text))
        }
        (None, None, Some(name)) => (Some(name), None),
        (None, None, None) => {
            return Err(invalid_argument_error("Provide one of: scenario, scenario_file, or scenario_name."));
        }
        _ => return Err(invalid_argument_error("Provide only one of: scenario, scenario_file, or scenario_name.")),
    };
    let mut opts = lenient_object(args.strategy_opts);
    if let Some(auto_card) = args.auto_card {
        opts.insert("auto_card".into(), auto_card.into());
    }
    // A null would be a value to Lua.
    let texts = [("name", name), ("source", source), ("strategy", Some(strategy.clone()))];
    let mut fields: Map<String, Value> =
        texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into()))).collect();
    fields.insert("opts".into(), opts.into());
    let code = ScriptSource::Code { name: "eval".to_owned(), text: EVAL_SCRIPT.to_owned() };
    runs.start(RunSpec { eval: true, ..new_run_spec(code, fields.into(), Some(strategy)) }, context)
}

fn continue_run(runs: &Runs, args: ContinueArguments, context: &RequestInfo) -> Result<ToolOutput, ServiceError> {
    let used = |usage: Option<TokenUsage>| usage.and_then(|usage| serde_json::to_value(usage).ok());
    let replies = match (args.responses, args.response) {
        (Some(responses), _) => {
            let reply = |given: QueryResponse| QueryReply {
                id: Some(given.query_id),
                text: given.response,
                usage: used(given.usage),
            };
            responses.into_iter().map(reply).collect()
        }
        (None, Some(text)) => vec![QueryReply { id: args.query_id, text, usage: used(args.usage) }],
        (None, None) => return Err(invalid_argument_error("Either 'response' or 'responses' must be provided")),
    };
    if replies.is_empty() {
        return Err(invalid_argument_error("Empty responses array"));
    }
    runs.resume(&args.session_id, &replies, ReplySource::Caller, context)
}

fn new_run_spec(source: ScriptSource, context: Value, strategy: Option<String>) -> RunSpec {
    RunSpec { source, context, seed: 0, strategy, eval: false }
}

/// Parses an object that the client sent as a string.
fn lenient_value(value: Option<Value>) -> Value {
    match value {
        None | Some(Value::Null) => Map::new().into(),
        Some(Value::String(text)) => match Payload::parse(&text, text.len()).map(Payload::into_value) {
            Ok(Value::Object(fields)) => fields.into(),
            Ok(_) | Err(_) => text.into(),
        },
        Some(value) => value,
    }
}

fn lenient_object(value: Option<Value>) -> Map<String, Value> {
    match lenient_value(value) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn parse_strategy_name(name: String) -> Result<String, ServiceError> {
    match PackageName::parse(&name) {
        Ok(_) => Ok(name),
        Err(error) => Err(invalid_argument_error(format!("the strategy's name {error}"))),
    }
}

fn read_code_file(grants: &PathGrants, path: &str) -> Result<(String, String), ServiceError> {
    let (folder, name) = grants.resolve_file_path(path, Grant::Read)?;
    let read = folder.read_text(&name, MAX_SOURCE_BYTES);
    let failed = |error| {
        ServiceError::tool(
            code::NOT_READ,
            format!("Failed to read it: {}", ServiceError::from_read_error(&escape_and_truncate(path), error)),
        )
    };
    let (text, _) = read.map_err(failed)?;
    Ok((name, text))
}

fn invalid_argument_error(message: impl Into<String>) -> ServiceError {
    ServiceError::tool(code::INVALID, message)
}
