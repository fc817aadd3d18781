//! The library functions written in Lua, the private functions that they call, and the built-in modules.

use std::rc::Rc;

use mlua::{Function as LuaFunction, Lua, MultiValue, Table, Value};
use serde_json::{Value as Json, json};

use super::function::{
    FunctionBody, FunctionParam, FunctionReturn, LibraryFunction, ParamKind, optional_param, param, returns,
};
use super::{LibraryContext, load_chunk, pack_results};
use crate::library::module_error::error_text;
use crate::traceback::{self, EVALFRAME_CHUNK_NAME};
use wardroom_ranking::closest_name;

const PROMPT: FunctionParam = param("prompt", ParamKind::String, "string", "");
const OPTS: FunctionParam = optional_param("opts", ParamKind::Table, "alc.LlmOpts", "");
const ANSWER: &[FunctionReturn] = &[returns("string", "answer")];

const fn prelude_function(
    name: &'static str,
    doc: &'static str,
    generic: &'static str,
    params: &'static [FunctionParam],
    returns: &'static [FunctionReturn],
) -> LibraryFunction {
    LibraryFunction { name, doc, generics: generic, params, returns, body: FunctionBody::Prelude }
}

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    prelude_function(
        "alc.ground",
        "Like `alc.llm`, and asks for an answer that rests on outside sources.",
        "",
        &[PROMPT, OPTS],
        ANSWER,
    ),
    prelude_function(
        "alc.specify",
        "Like `alc.llm`, and says that the prompt leaves something open.",
        "",
        &[PROMPT, OPTS],
        ANSWER,
    ),
    prelude_function(
        "alc.llm_safe",
        "Like `alc.llm`, but a failure is logged and gives `default`; a used-up budget counts as a failure.",
        "T",
        &[PROMPT, OPTS, optional_param("default", ParamKind::Any, "T", "")],
        &[returns("string|T", "answer")],
    ),
    prelude_function(
        "alc.llm_json",
        "Asks for JSON. An answer without a JSON table is sent back for repair once.",
        "",
        &[PROMPT, OPTS],
        &[returns("table|nil", "value nil when the repair failed too"), returns("string", "raw the last answer")],
    ),
    prelude_function(
        "alc.parallel",
        "Asks one question for each item, all at once. An empty list raises.",
        "T",
        &[
            param("items", ParamKind::Table, "T[]", ""),
            param("prompt_fn", ParamKind::Function, "fun(item: T, index: integer): string|alc.LlmItem", ""),
            optional_param("opts", ParamKind::Table, "alc.ParallelOpts", ""),
        ],
        &[returns("any[]", "results answers, or what `post_fn` made of them, in the order of the items")],
    ),
    prelude_function(
        "alc.cache",
        "Like `alc.llm`, but remembers up to 256 answers for this run and drops the oldest first.\n\
         Questions share an answer when text and options are the same, to the letter.",
        "",
        &[PROMPT, optional_param("opts", ParamKind::Table, "alc.CacheOpts", "")],
        ANSWER,
    ),
    prelude_function("alc.cache_info", "The figures of the cache.", "", &[], &[returns("alc.CacheInfo", "")]),
    prelude_function("alc.cache_clear", "Removes all cached answers, and resets the figures.", "", &[], &[]),
    prelude_function(
        "alc.pipe",
        "Runs stages one after another; the result of one is the task of the next. Every stage has to return a table.",
        "",
        &[
            param("stages", ParamKind::Table, "(string|fun(ctx: AlcCtx): AlcCtx)[]", "packages by name, or functions"),
            optional_param("ctx", ParamKind::Table, "AlcCtx", "copied, not changed"),
            optional_param("opts", ParamKind::Table, "alc.PipeOpts", ""),
        ],
        &[returns("AlcCtx", "ctx of the last stage, with `pipe_history`")],
    ),
    prelude_function(
        "alc.tuning",
        "Overrides defaults with the values of `ctx` that have the same key; nested maps are merged, lists are replaced.",
        "T : table",
        &[
            param("defaults", ParamKind::Table, "T", "the key `_schema` is left out"),
            optional_param("ctx", ParamKind::Table, "AlcCtx", ""),
            optional_param(
                "opts",
                ParamKind::Table,
                "{ prefix?: string }",
                "`prefix` is the key of `ctx` that holds the values, instead of `ctx` itself",
            ),
        ],
        &[returns("T", "")],
    ),
    prelude_function(
        "alc.map",
        "Calls a function for each item.",
        "T, R",
        &[
            param("items", ParamKind::Table, "T[]", ""),
            param("fn", ParamKind::Function, "fun(item: T, index: integer): R", ""),
        ],
        &[returns("R[]", "results one for each item")],
    ),
    prelude_function(
        "alc.filter",
        "The items for which a function is true.",
        "T",
        &[
            param("items", ParamKind::Table, "T[]", ""),
            param("fn", ParamKind::Function, "fun(item: T, index: integer): any", ""),
        ],
        &[returns("T[]", "kept")],
    ),
    prelude_function(
        "alc.reduce",
        "Folds items into one value.",
        "T, A",
        &[
            param("items", ParamKind::Table, "T[]", ""),
            param("fn", ParamKind::Function, "fun(acc: A, item: T, index: integer): A", ""),
            optional_param("init", ParamKind::Any, "A", "the initial value (default: the first item)"),
        ],
        &[returns("A", "")],
    ),
    prelude_function(
        "alc.vote",
        "Finds the most frequent answer; white space around an answer does not matter, case does.",
        "",
        &[param("answers", ParamKind::Table, "any[]", "")],
        &[returns("alc.Vote", "")],
    ),
    prelude_function(
        "alc.parse_score",
        "The first whole number of a text, limited to 1 to 10.",
        "",
        &[
            param("text", ParamKind::String, "string", ""),
            optional_param(
                "default",
                ParamKind::Any,
                "integer",
                "when there is none (default 5); not limited to the range",
            ),
        ],
        &[returns("integer", "score")],
    ),
    prelude_function(
        "alc.parse_number",
        "The first number of a text, or the first capture of a pattern as a number.",
        "",
        &[
            optional_param("text", ParamKind::Any, "string", ""),
            optional_param("pattern", ParamKind::String, "string", "a Lua pattern"),
        ],
        &[returns("number|nil", "")],
    ),
    prelude_function(
        "alc.budget_check",
        "Whether calls, time and tokens are left; true without a budget.",
        "",
        &[],
        &[returns("boolean", "")],
    ),
    prelude_function(
        "alc.state.update",
        "Replaces a value by the result of `fn`. Not atomic: another run may change the value meanwhile.",
        "",
        &[
            param("key", ParamKind::String, "string", ""),
            param("fn", ParamKind::Function, "fun(value: any): alc.Json", ""),
            optional_param("default", ParamKind::Any, "any", "the argument of `fn` when there is no such key"),
        ],
        &[returns("any", "value the new one")],
    ),
    prelude_function(
        "alc.eval",
        "Runs a strategy on all cases of a scenario and grades its answers.",
        "",
        &[
            param(
                "scenario",
                ParamKind::Any,
                "string|alc.Scenario",
                "a module, the name of an installed scenario, or the scenario itself",
            ),
            param("strategy", ParamKind::String, "string", "a package"),
            optional_param("opts", ParamKind::Table, "alc.EvalOpts", ""),
        ],
        &[returns("alc.EvalReport", "")],
    ),
];

const EVALFRAME_SOURCE: &str = include_str!("evalframe.lua");

/// The source of a built-in module. The original's submodule names return the matching parts of `evalframe`.
#[must_use]
pub fn builtin_module(name: &str) -> Option<&'static str> {
    Some(match name {
        "evalframe" => EVALFRAME_SOURCE,
        "evalframe.eval" => "return require(\"evalframe\").suite",
        "evalframe.eval.stats" => "return require(\"evalframe\").stats",
        "evalframe.model.binding" => "return require(\"evalframe\").bind",
        "evalframe.model.case" => "return require(\"evalframe\").case",
        "evalframe.model.grader" => "return require(\"evalframe\").grader",
        "evalframe.model.scorer" => "return require(\"evalframe\").scorer",
        "evalframe.presets.graders" => "return require(\"evalframe\").graders",
        "evalframe.presets.scorers" => "return require(\"evalframe\").scorers",
        "evalframe.providers.algocline" => "return require(\"evalframe\").providers.algocline",
        "evalframe.providers.mock" => "return require(\"evalframe\").providers.mock",
        _ => return None,
    })
}

/// Adds the functions that the prelude calls and scripts do not see.
pub(super) fn add_core_functions(
    lua: &Lua,
    library: &Rc<LibraryContext>,
    core: &Table,
    quiet: &LuaFunction,
) -> mlua::Result<()> {
    let library = Rc::clone(library);
    let scenario = lua.create_function(move |lua, name: mlua::String| {
        pack_results(lua, load_scenario(lua, &library, &name.to_string_lossy()))
    })?;
    core.raw_set("scenario", quiet.call::<LuaFunction>(scenario)?)?;
    // Compiled on first use, because few runs evaluate.
    let evalframe = lua.create_function(|lua, _: MultiValue| {
        load_chunk(lua, &format!("={EVALFRAME_CHUNK_NAME}"), EVALFRAME_SOURCE)?.call::<Table>(())
    })?;
    core.raw_set("evalframe", evalframe)?;
    let closest = lua.create_function(|_, (name, known): (mlua::String, Vec<String>)| {
        Ok(closest_name(&name.to_string_lossy(), known.iter().map(String::as_str)).map(str::to_owned))
    })?;
    core.raw_set("closest", closest)?;
    core.raw_set("traceback", traceback::create_function(lua)?)
}

/// Loads the chunk of an installed scenario. If there is none, it returns nil, and the name that was probably meant.
fn load_scenario(lua: &Lua, library: &LibraryContext, name: &str) -> Result<Vec<Value>, String> {
    let answer = library.host.request("scenario", json!({ "name": name }))?.into_value();
    let field = |key: &str| answer.get(key).and_then(Json::as_str);
    let Some(source) = field("source") else {
        let meant = field("meant").map(|meant| lua.create_string(meant)).transpose();
        return Ok(vec![Value::Nil, meant.map_err(|error| error_text(&error))?.map_or(Value::Nil, Value::String)]);
    };
    let name = format!("={}", field("name").unwrap_or(name));
    let chunk = load_chunk(lua, &name, source).map_err(|error| error_text(&error))?;
    Ok(vec![Value::Function(chunk)])
}
