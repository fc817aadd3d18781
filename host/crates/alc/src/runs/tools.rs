//! The tools that start runs, answer them, and show their status.
//!
//! Never: reads a file except through `grants`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::args::{
    AdviceArguments, CancelArguments, ContinueArguments, EvalArguments, QueryResponse, RunAnswer, RunArguments,
    StatusArguments, TokenUsage,
};
use super::inputs::{InputArguments, check_inputs};
use super::journal::{RunSpec, ScriptSource};
use super::live_status::RunBudget;
use super::run::QueryReply;
use super::status::{self, StatusOutput};
use super::{ReplySource, Runs, modules, tool_answer};
use crate::error_code as code;
use crate::grants::{Grant, PathGrants};
use crate::tool::{AlcTool, ToolCall};
use wardroom_base::payload::{Payload, PayloadView};
use wardroom_base::uri::PackageName;
use wardroom_service::limits::{MAX_MESSAGE_BYTES, MAX_SOURCE_BYTES};
use wardroom_service::schema::{input_schema, output_schema, parse_arguments};
use wardroom_service::{RequestInfo, ServiceError, ToolBehavior, ToolOutput, escape_and_truncate};

/// A run may use whatever its strategy uses; the client's model is the only part outside of the server.
const RUN_ANNOTATIONS: ToolBehavior = ToolBehavior::ADDITIVE;

pub(crate) const TOOLS: &[AlcTool] = &[
    AlcTool {
        name: "alc_run",
        title: "Run Lua",
        description: "Runs Lua code that you write: execute an inline script, snippet or experiment, without \
                      packaging it. If it asks a model, the answer has status needs_response: reply with \
                      alc_continue. For an installed strategy use alc_advice.",
        behavior: RUN_ANNOTATIONS,
        is_on_demand: false,
        input: input_schema::<RunArguments>,
        output: output_schema::<RunAnswer>,
        call: ToolCall::Run(|alc, arguments, info| {
            let runs = alc.runs()?;
            runs.begin_cancellable(info, || run_code(runs, parse_arguments(arguments)?, info))
        }),
    },
    AlcTool {
        name: "alc_advice",
        title: "Run a strategy",
        description: "Applies a strategy (method) that is already installed on this machine, such as voting, panel, \
                      debate, critique or chain of thought: use it to think through your question, decision, problem \
                      or task. If it asks a model, the answer has status needs_response: reply with alc_continue.",
        behavior: RUN_ANNOTATIONS,
        is_on_demand: false,
        input: input_schema::<AdviceArguments>,
        output: output_schema::<RunAnswer>,
        call: ToolCall::Run(|alc, arguments, info| {
            let runs = alc.runs()?;
            runs.begin_cancellable(info, || run_strategy(runs, parse_arguments(arguments)?, info))
        }),
    },
    AlcTool {
        name: "alc_continue",
        title: "Answer a run",
        description: "Resumes a paused run (status needs_response) that asked a question and is waiting for a reply: \
                      give it your response, text or answers, one or several, to carry on from where it stopped, \
                      also after a restart.",
        behavior: RUN_ANNOTATIONS,
        is_on_demand: false,
        input: input_schema::<ContinueArguments>,
        output: output_schema::<RunAnswer>,
        call: ToolCall::Run(|alc, arguments, info| {
            let runs = alc.runs()?;
            runs.begin_or_resume(info, || continue_run(runs, parse_arguments(arguments)?, info))
        }),
    },
    AlcTool {
        name: "alc_cancel",
        title: "Cancel a run",
        description: "Aborts a session: kills (stops) a run that is running or paused, for good, such as one started \
                      by mistake or going nowhere.",
        behavior: ToolBehavior::DESTRUCTIVE,
        is_on_demand: false,
        input: input_schema::<CancelArguments>,
        output: output_schema::<RunAnswer>,
        call: ToolCall::Worker(|alc, arguments, info| {
            alc.runs()?.cancel(&parse_arguments::<CancelArguments>(arguments)?.session_id, info)
        }),
    },
    AlcTool {
        name: "alc_eval",
        title: "Evaluate a strategy",
        description: "Benchmarks a strategy: put it through every test case of a scenario (test set), grade the \
                      answers, measure how well it does (score, pass rate), store a card. Pauses as alc_run does.",
        behavior: RUN_ANNOTATIONS,
        is_on_demand: false,
        input: input_schema::<EvalArguments>,
        output: output_schema::<RunAnswer>,
        call: ToolCall::Run(|alc, arguments, info| {
            let runs = alc.runs()?;
            runs.begin_cancellable(info, || evaluate(runs, parse_arguments(arguments)?, info))
        }),
    },
    AlcTool {
        name: "alc_status",
        title: "Status of runs",
        description: "Shows active sessions at the moment: which runs are still running, going on or paused, how far \
                      along each is, its state, and what answer it is waiting for or stuck on. Finished ones: \
                      alc_log_view.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: false,
        input: input_schema::<StatusArguments>,
        output: output_schema::<StatusOutput>,
        call: ToolCall::Worker(|alc, arguments, info| {
            status::list_status(&alc.run_store, alc.runs.as_ref(), &parse_arguments(arguments)?, info)
        }),
    },
];

/// The script of `alc_eval`. All values of the client are in `ctx`, and none becomes code of this script.
const EVAL_SCRIPT: &str = "local scenario = ctx.name\n\
                    if ctx.source then\n\
                    local chunk, why = load(ctx.source, '=' .. (ctx.name or 'scenario'), 't')\n\
                    if not chunk then error(why, 0) end\n\
                    scenario = chunk()\n\
                    end\n\
                    return alc.eval(scenario, ctx.strategy, ctx.opts)";

/// The `ctx` of that script. A null would be a value to Lua.
#[derive(Serialize)]
struct EvalContext<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    opts: &'a Payload,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    strategy: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<Payload>,
}

fn run_code(runs: &Runs, args: RunArguments, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
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
    runs.start(new_run_spec(source, context_value, None), info)
}

fn run_strategy(runs: &Runs, args: AdviceArguments, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
    runs.stores.packages.grants().check_project(args.project_root.as_deref())?;
    let strategy = parse_strategy_name(args.strategy)?;
    let mut context = lenient_object(args.opts);
    if let Some(task) = args.task {
        context = context.with_field("task", task.into());
    }
    let arguments = InputArguments { task: Some("task"), others: "opts" };
    check_inputs(&runs.stores.packages, &strategy, &context, &arguments, info)?;
    runs.start(new_run_spec(ScriptSource::Package(strategy.clone()), context, Some(strategy)), info)
}

fn evaluate(runs: &Runs, args: EvalArguments, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
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
    // Each case of the scenario has its task.
    let arguments = InputArguments { task: None, others: "strategy_opts" };
    check_inputs(&runs.stores.packages, &strategy, &opts, &arguments, info)?;
    RunBudget::check(&opts)?;
    // The budget of the strategy is that of the whole eval, which is one run.
    let budget = opts.field("budget").filter(Payload::is_object);
    if let Some(auto_card) = args.auto_card {
        opts = opts.with_field("auto_card", auto_card.into());
    }
    let context =
        EvalContext { name: name.as_deref(), source: source.as_deref(), strategy: &strategy, opts: &opts, budget };
    let context = Payload::text_of(&context).map_err(|error| invalid_argument_error(error.to_string()))?;
    let code = ScriptSource::Code { name: "eval".to_owned(), text: EVAL_SCRIPT.to_owned() };
    runs.start(RunSpec { eval: true, ..new_run_spec(code, context, Some(strategy)) }, info)
}

fn continue_run(runs: &Runs, args: ContinueArguments, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
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
    runs.resume(&args.session_id, &replies, ReplySource::Caller, info)
}

fn new_run_spec(source: ScriptSource, context: Payload, strategy: Option<String>) -> RunSpec {
    RunSpec { source, context, seed: 0, strategy, eval: false }
}

/// Parses an object that the client sent as a string.
fn lenient_value(value: Option<Payload>) -> Payload {
    let Some(value) = value else { return empty_object() };
    match value.view() {
        PayloadView::Text("null") | PayloadView::Value(Value::Null) => empty_object(),
        PayloadView::Text(text) if text.starts_with('"') => {
            let inner = value.clone().into_typed::<String>().unwrap_or_default();
            let parsed = Payload::parse_text(&inner, MAX_MESSAGE_BYTES);
            parsed.ok().filter(Payload::is_object).unwrap_or(value)
        }
        PayloadView::Text(_) | PayloadView::Value(_) => value,
    }
}

fn lenient_object(value: Option<Payload>) -> Payload {
    Some(lenient_value(value)).filter(Payload::is_object).unwrap_or_else(empty_object)
}

fn empty_object() -> Payload {
    Payload::from_value(Map::new().into())
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
