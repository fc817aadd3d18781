//! The functions that are written in Lua, what they alone may call, and the modules that come with the server.

use std::rc::Rc;

use mlua::{Function as LuaFunction, Lua, MultiValue, Table, Value};
use serde_json::{Value as Json, json};

use super::function::{Body, Function, Kind, Param, Return, optional, param, returns, words};
use super::{Library, chunk, raised};

const PROMPT: Param = param("prompt", Kind::String, "string", "");
const OPTS: Param = optional("opts", Kind::Table, "alc.LlmOpts", "");
const ANSWER: &[Return] = &[returns("string", "answer")];

const fn of(
    name: &'static str,
    doc: &'static str,
    generic: &'static str,
    params: &'static [Param],
    returns: &'static [Return],
) -> Function {
    Function { name, doc, generic, params, returns, body: Body::Prelude }
}

pub(super) const FUNCTIONS: &[Function] = &[
    of(
        "alc.ground",
        "Like `alc.llm`, and asks for an answer that rests on outside sources.",
        "",
        &[PROMPT, OPTS],
        ANSWER,
    ),
    of("alc.specify", "Like `alc.llm`, and says that the prompt leaves something open.", "", &[PROMPT, OPTS], ANSWER),
    of(
        "alc.llm_safe",
        "Like `alc.llm`, but a failure is logged and gives `default`; a used-up budget counts as a failure.",
        "T",
        &[PROMPT, OPTS, optional("default", Kind::Any, "T", "")],
        &[returns("string|T", "answer")],
    ),
    of(
        "alc.llm_json",
        "Asks for JSON. An answer without a JSON table is sent back for repair once.",
        "",
        &[PROMPT, OPTS],
        &[returns("table|nil", "value nil when the repair failed too"), returns("string", "raw the last answer")],
    ),
    of(
        "alc.parallel",
        "Asks one question for each item, all at once. An empty list raises.",
        "T",
        &[
            param("items", Kind::Table, "T[]", ""),
            param("prompt_fn", Kind::Function, "fun(item: T, index: integer): string|alc.LlmItem", ""),
            optional("opts", Kind::Table, "alc.ParallelOpts", ""),
        ],
        &[returns("any[]", "results answers, or what `post_fn` made of them, in the order of the items")],
    ),
    of(
        "alc.cache",
        "Like `alc.llm`, but remembers up to 256 answers for this run and drops the oldest first.\n\
         Questions share an answer when text and options are the same, to the letter.",
        "",
        &[PROMPT, optional("opts", Kind::Table, "alc.CacheOpts", "")],
        ANSWER,
    ),
    of("alc.cache_info", "How the cache has done so far.", "", &[], &[returns("alc.CacheInfo", "")]),
    of("alc.cache_clear", "Forgets all cached answers, and how the cache has done.", "", &[], &[]),
    of(
        "alc.pipe",
        "Runs stages one after another; the result of one is the task of the next. Every stage has to return a table.",
        "",
        &[
            param("stages", Kind::Table, "(string|fun(ctx: AlcCtx): AlcCtx)[]", "packages by name, or functions"),
            optional("ctx", Kind::Table, "AlcCtx", "copied, not changed"),
            optional("opts", Kind::Table, "alc.PipeOpts", ""),
        ],
        &[returns("AlcCtx", "ctx of the last stage, with `pipe_history`")],
    ),
    of(
        "alc.tuning",
        "Overrides defaults with the values of `ctx` that have the same key; nested maps are merged, lists are replaced.",
        "T : table",
        &[
            param("defaults", Kind::Table, "T", "the key `_schema` is left out"),
            optional("ctx", Kind::Table, "AlcCtx", ""),
            optional(
                "opts",
                Kind::Table,
                "{ prefix?: string }",
                "`prefix` is the key of `ctx` that holds the values, instead of `ctx` itself",
            ),
        ],
        &[returns("T", "")],
    ),
    of(
        "alc.map",
        "What a function makes of each item.",
        "T, R",
        &[param("items", Kind::Table, "T[]", ""), param("fn", Kind::Function, "fun(item: T, index: integer): R", "")],
        &[returns("R[]", "results one for each item")],
    ),
    of(
        "alc.filter",
        "The items for which a function is true.",
        "T",
        &[param("items", Kind::Table, "T[]", ""), param("fn", Kind::Function, "fun(item: T, index: integer): any", "")],
        &[returns("T[]", "kept")],
    ),
    of(
        "alc.reduce",
        "Folds items into one value.",
        "T, A",
        &[
            param("items", Kind::Table, "T[]", ""),
            param("fn", Kind::Function, "fun(acc: A, item: T, index: integer): A", ""),
            optional("init", Kind::Any, "A", "where to begin (default: the first item)"),
        ],
        &[returns("A", "")],
    ),
    of(
        "alc.vote",
        "Finds the most frequent answer; white space around an answer does not matter, case does.",
        "",
        &[param("answers", Kind::Table, "any[]", "")],
        &[returns("alc.Vote", "")],
    ),
    of(
        "alc.parse_score",
        "The first whole number of a text, brought into 1 to 10.",
        "",
        &[
            param("text", Kind::String, "string", ""),
            optional("default", Kind::Any, "integer", "when there is none (default 5); not brought into the range"),
        ],
        &[returns("integer", "score")],
    ),
    of(
        "alc.parse_number",
        "The first number of a text, or the first capture of a pattern as a number.",
        "",
        &[optional("text", Kind::Any, "string", ""), optional("pattern", Kind::String, "string", "a Lua pattern")],
        &[returns("number|nil", "")],
    ),
    of(
        "alc.budget_check",
        "Whether calls, time and tokens are left; true without a budget.",
        "",
        &[],
        &[returns("boolean", "")],
    ),
    of(
        "alc.state.update",
        "Replaces a value by what `fn` makes of it. Another run may come in between.",
        "",
        &[
            param("key", Kind::String, "string", ""),
            param("fn", Kind::Function, "fun(value: any): alc.Json", ""),
            optional("default", Kind::Any, "any", "what `fn` gets when there is no such key"),
        ],
        &[returns("any", "value the new one")],
    ),
    of(
        "alc.eval",
        "Runs a strategy on all cases of a scenario and grades its answers.",
        "",
        &[
            param(
                "scenario",
                Kind::Any,
                "string|alc.Scenario",
                "a module, the name of an installed scenario, or the scenario itself",
            ),
            param("strategy", Kind::String, "string", "a package"),
            optional("opts", Kind::Table, "alc.EvalOpts", ""),
        ],
        &[returns("alc.EvalReport", "")],
    ),
];

const EVALFRAME: &str = include_str!("evalframe.lua");

/// The text of a module that needs no package. The names of the original's parts lead to what they are of the whole.
#[must_use]
pub fn builtin_module(name: &str) -> Option<&'static str> {
    Some(match name {
        "evalframe" => EVALFRAME,
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

/// What the prelude calls and scripts do not see.
pub(super) fn extend(lua: &Lua, library: &Rc<Library>, core: &Table, quiet: &LuaFunction) -> mlua::Result<()> {
    let library = Rc::clone(library);
    let scenario = lua.create_function(move |lua, name: mlua::String| {
        let result = scenario(lua, &library, &name.to_string_lossy());
        raised(lua, result.map(|value| vec![value]))
    })?;
    core.raw_set("scenario", quiet.call::<LuaFunction>(scenario)?)?;
    // Its text is compiled when it is wanted: few runs evaluate.
    let evalframe = lua.create_function(|lua, _: MultiValue| chunk(lua, "=evalframe", EVALFRAME)?.call::<Table>(()))?;
    core.raw_set("evalframe", evalframe)
}

/// The chunk of an installed scenario, or nil.
fn scenario(lua: &Lua, library: &Library, name: &str) -> Result<Value, String> {
    let answer = library.host.ask("scenario", json!({ "name": name }))?;
    let field = |key: &str| answer.get(key).and_then(Json::as_str);
    let Some(source) = field("source") else { return Ok(Value::Nil) };
    let name = format!("={}", field("name").unwrap_or(name));
    chunk(lua, &name, source).map(Value::Function).map_err(|error| words(&error))
}
