//! The types in `alc.d.lua`: the tables that functions take and return.

use super::stubs::{StubSection, StubType};
use super::{card, json, llm, math, prelude, run, state, text};

pub(super) const HEAD: &str = "\
Types of the global `alc`, which every strategy runs with.

Conventions:
  * Durations ending in `_ms` are milliseconds; points in time are seconds since 1970-01-01 UTC.
  * Lengths ending in `_chars` count Unicode characters; `_tokens` counts model tokens.
  * Indices that Lua sees begin at 1; `offset` counts what to skip and begins at 0.
  * A JSON null is nil where it stands alone, and `json.null` within a list or an object.
  * An error of a function here is a string, with the place of the call before it.

`json` and `ctx` are globals too.";

pub(super) const SECTIONS: &[StubSection] = &[
    StubSection { title: "Packages", types: PACKAGES, functions: &[] },
    StubSection { title: "Asking the model, and running other strategies", types: LLM, functions: llm::FUNCTIONS },
    StubSection { title: "Written in Lua on top of the rest", types: PRELUDE, functions: prelude::FUNCTIONS },
    StubSection { title: "JSON", types: JSON, functions: json::FUNCTIONS },
    StubSection { title: "Text", types: TEXT, functions: text::FUNCTIONS },
    StubSection { title: "The run", types: RUN, functions: run::FUNCTIONS },
    StubSection {
        title: "State: values that outlive the run, one set for each namespace (`ctx._ns`)",
        types: &[StubType::Class { name: "alc.state", doc: "", fields: &[], statement: "alc.state = {}" }],
        functions: state::FUNCTIONS,
    },
    StubSection { title: "Cards: records of runs that never change", types: CARDS, functions: card::FUNCTIONS },
    StubSection {
        title: "Mathematics. Lists are not empty and hold finite numbers; anything else raises.",
        types: &[
            StubType::Class { name: "alc.math", doc: "", fields: &[], statement: "alc.math = {}" },
            StubType::Class {
                name: "alc.Rng : userdata",
                doc: "A generator of random numbers; the same seed gives the same numbers.",
                fields: &[],
                statement: "",
            },
        ],
        functions: math::FUNCTIONS,
    },
];

const PACKAGES: &[StubType] = &[
    StubType::Class {
        name: "AlcMeta",
        doc: "The metadata of a package. Keep it a literal: it is read without running the package.",
        fields: &[
            ("name", "string", "the name of the package's folder"),
            ("version", "string", "a semantic version, such as \"0.1.0\""),
            ("description", "string", "one paragraph"),
            ("category?", "string", "a single word, such as \"reasoning\" or \"selection\""),
            (
                "alc_shapes_compat?",
                "string",
                "the range of `alc_shapes` versions that the package works with, such as \"^0.25\"",
            ),
            (
                "inputs?",
                "table<string, string|{description?: string, optional?: boolean}>",
                "the fields of `ctx` that `run` takes, each with its description; without the required ones no run begins",
            ),
            ("tags?", "string[]", "further words to find it by"),
            ("license?", "string", "an SPDX expression"),
        ],
        statement: "",
    },
    StubType::Class {
        name: "AlcCtx",
        doc: "The table that a strategy gets and returns.",
        fields: &[
            ("task?", "string", "what to do, in words"),
            ("result?", "any", "what the strategy found; set by the strategy"),
            ("budget?", "alc.BudgetLimits", "limits of this run"),
            ("pipe_history?", "alc.PipeStep[]", "the stages that `alc.pipe` has run so far"),
            ("_ns?", "string", "the namespace of `alc.state` (default \"default\")"),
            ("[string]", "any", "options of the strategy"),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.BudgetLimits",
        doc: "Limits of a run. A missing limit does not apply.",
        fields: &[
            ("max_llm_calls?", "integer", "model calls"),
            ("max_elapsed_ms?", "integer", "wall-clock time in milliseconds, the waiting for answers included"),
            ("max_tokens?", "integer", "prompt and response tokens together"),
        ],
        statement: "",
    },
    StubType::Value { doc: "The argument of the run.", annotation: "type AlcCtx", statement: "ctx = {}" },
    StubType::Class {
        name: "AlcPackage",
        doc: "A table that a package returns.",
        fields: &[
            ("meta", "AlcMeta", ""),
            ("spec?", "table", "shapes of what goes in and out"),
            ("run?", "fun(ctx: AlcCtx): AlcCtx", ""),
        ],
        statement: "",
    },
    StubType::Alias {
        name: "alc.Null",
        doc: "The JSON null within a document. It is truthy and cannot be indexed: test for it, or for the type you expect.",
        target: "lightuserdata",
    },
    StubType::Alias {
        name: "alc.Json",
        doc: "Anything that JSON can hold: no functions, no coroutines, strings in UTF-8, at most 96 levels.",
        target: "string|number|boolean|table|alc.Null|nil",
    },
    StubType::Class {
        name: "alc",
        doc: "",
        fields: &[
            ("state", "alc.state", ""),
            ("card", "alc.card", ""),
            ("stats", "alc.stats", ""),
            ("math", "alc.math", ""),
            ("null", "alc.Null", "the same as `json.null`"),
        ],
        statement: "alc = {}",
    },
    StubType::Class {
        name: "alc.Dirs",
        doc: "Names of the folders of the stores, in the AppDir. Scripts cannot open them.",
        fields: &[("state", "string", ""), ("cards", "string", ""), ("scenarios", "string", "")],
        statement: "alc._dirs = {}",
    },
];

const LLM: &[StubType] = &[
    StubType::Class {
        name: "alc.LlmOpts",
        doc: "",
        fields: &[
            ("system?", "string", "the system prompt"),
            ("max_tokens?", "integer", "an upper bound for the answer, in tokens (default 1024)"),
            ("grounded?", "boolean", "asks for an answer that rests on sources outside the model"),
            ("underspecified?", "boolean", "marks the prompt as underspecified: a person may have to decide"),
        ],
        statement: "",
    },
    StubType::Class { name: "alc.LlmItem : alc.LlmOpts", doc: "", fields: &[("prompt", "string", "")], statement: "" },
    StubType::Class {
        name: "alc.ForkOpts",
        doc: "",
        fields: &[(
            "on_error?",
            "\"skip\"|\"abort\"|\"fail\"",
            "\"skip\" (the default) reports a failure in its entry, \"abort\" and \"fail\" raise it",
        )],
        statement: "",
    },
    StubType::Class {
        name: "alc.ForkResult",
        doc: "",
        fields: &[
            ("strategy", "string", "the package"),
            ("ok", "boolean", ""),
            ("result?", "any", "what its `run` returned, when ok"),
            ("error?", "string", "why it failed, when not"),
        ],
        statement: "",
    },
];

const PRELUDE: &[StubType] = &[
    StubType::Class {
        name: "alc.ParallelOpts",
        doc: "",
        fields: &[
            ("system?", "string", "the system prompt of all questions that have none of their own"),
            ("max_tokens?", "integer", "tokens for each answer (default 1024)"),
            ("post_fn?", "fun(answer: string, item: any, index: integer): any", "maps each answer to its result"),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.CacheOpts : alc.LlmOpts",
        doc: "",
        fields: &[
            ("cache_key?", "string", "the key of the answer in the cache, instead of the question"),
            ("cache_skip?", "boolean", "asks without the cache"),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.CacheInfo",
        doc: "",
        fields: &[
            ("entries", "integer", "cached answers"),
            ("hits", "integer", ""),
            ("misses", "integer", ""),
            ("max_entries", "integer", ""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.PipeStep",
        doc: "",
        fields: &[
            ("strategy", "string", "the package, or a name for a function"),
            ("result?", "any", ""),
            ("error?", "string", ""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.PipeOpts",
        doc: "",
        fields: &[
            ("on_stage?", "fun(index: integer, name: string, ctx: AlcCtx)", "called before each stage"),
            (
                "on_error?",
                "\"abort\"|\"skip\"|\"continue\"",
                "\"abort\" (the default) raises; the others note the failure and run the next stage",
            ),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.Vote",
        doc: "",
        fields: &[
            ("winner?", "string", "nil without answers"),
            ("count", "integer", "votes for the winner"),
            ("total", "integer", "votes"),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.EvalCase",
        doc: "",
        fields: &[
            ("input", "string", "the task"),
            ("expected?", "string|string[]", "an answer, or several that will do"),
            ("name?", "string", ""),
            ("tags?", "string[]", "groups of the report"),
            ("context?", "table", "for graders; `pattern` is the one of \"regex\""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.GradedCase",
        doc: "A case as a grader gets it.",
        fields: &[
            ("input", "string", "the task"),
            ("expected?", "string[]", "the answers that will do: a list also where the scenario has one text"),
            ("name", "string", ""),
            ("tags", "string[]", ""),
            ("context", "table", ""),
        ],
        statement: "",
    },
    StubType::Alias {
        name: "alc.GraderName",
        doc: "",
        target: "\"exact_match\"|\"contains\"|\"starts_with\"|\"regex\"|\"json_valid\"|\"not_empty\"",
    },
    StubType::Class {
        name: "alc.Scenario",
        doc: "",
        fields: &[
            ("name?", "string", ""),
            ("cases", "alc.EvalCase[]", ""),
            (
                "graders?",
                "(alc.GraderName|fun(response: { text: string, latency_ms: number }, case: alc.GradedCase): any)[]",
                "(default: { \"exact_match\" }); a function returns a boolean, or a score from 0 to 1",
            ),
            ("[integer]", "table", "in the full form: what `require(\"evalframe\").bind` made, instead of `graders`"),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.EvalOpts",
        doc: "",
        fields: &[
            ("auto_card?", "boolean", "keeps the outcome as a card"),
            ("card_pkg?", "string", "the package of that card (default: the strategy)"),
            ("strategy_opts?", "table<string, any>", "options of the strategy"),
            ("[string]", "any", "further options of the strategy"),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.ScoreStats",
        doc: "",
        fields: &[
            ("n", "integer", ""),
            ("mean", "number", ""),
            ("std_dev", "number", "of the sample (n - 1)"),
            ("min", "number", ""),
            ("max", "number", ""),
            ("median", "number", ""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.EvalAggregate",
        doc: "",
        fields: &[
            ("total", "integer", "cases"),
            ("passed", "integer", ""),
            ("pass_rate", "number", "from 0 to 1"),
            ("pass_at_1", "number", "from 0 to 1"),
            ("pass_at_5?", "number", "with 5 cases or more"),
            ("pass_at_10?", "number", "with 10 cases or more"),
            ("scores", "alc.ScoreStats", "of scores from 0 to 1"),
            ("ci_95", "{ lower: number, upper: number }", "of the mean score"),
            ("by_tag", "table<string, { pass: integer, fail: integer, rate: number, stats: alc.ScoreStats }>", ""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.CaseResult",
        doc: "",
        fields: &[
            ("case", "alc.EvalCase", ""),
            ("response", "{ text: string, latency_ms: number, error?: string }", ""),
            ("grades", "{ grader: string, score: number, weight: number, grade: any, error?: string }[]", ""),
            ("score", "number", "from 0 to 1"),
            ("passed", "boolean", ""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.EvalReport",
        doc: "",
        fields: &[
            ("name", "string", "\"{strategy}:{scenario}\""),
            ("aggregated", "alc.EvalAggregate", ""),
            ("results", "alc.CaseResult[]", ""),
            ("failures", "alc.CaseResult[]", "those that did not pass"),
            ("summary", "string", "some lines for people"),
            ("card_id?", "string", "with `auto_card`"),
        ],
        statement: "",
    },
];

const JSON: &[StubType] = &[StubType::Class {
    name: "json",
    doc: "",
    fields: &[("null", "alc.Null", "null within a document")],
    statement: "json = {}",
}];

const TEXT: &[StubType] = &[StubType::Class {
    name: "alc.ChunkOpts",
    doc: "",
    fields: &[
        ("mode?", "\"lines\"|\"chars\"", "what is counted (default \"lines\")"),
        ("size?", "integer", "of a piece (default 50)"),
        ("overlap?", "integer", "how much of a piece the next one repeats (default 0)"),
    ],
    statement: "",
}];

const RUN: &[StubType] = &[
    StubType::Class {
        name: "alc.BudgetRemaining",
        doc: "",
        fields: &[("llm_calls?", "integer", ""), ("elapsed_ms?", "integer", ""), ("tokens?", "integer", "")],
        statement: "",
    },
    StubType::Class { name: "alc.stats", doc: "Figures of the run.", fields: &[], statement: "alc.stats = {}" },
];

const CARDS: &[StubType] = &[
    StubType::Class { name: "alc.card", doc: "", fields: &[], statement: "alc.card = {}" },
    StubType::Class {
        name: "alc.CardStats",
        doc: "",
        fields: &[
            ("pass_rate?", "number", "from 0 to 1"),
            ("mean_score?", "number", ""),
            ("std?", "number", ""),
            ("median?", "number", ""),
            ("min?", "number", ""),
            ("max?", "number", ""),
            ("n?", "integer", ""),
            ("by_bucket?", "table[]", ""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.Card",
        doc: "A card. Beyond these fields it may have any others.",
        fields: &[
            ("schema_version?", "string", "(default \"card/v0\")"),
            ("card_id?", "string", "(default \"{pkg}_{model}_{YYYYMMDDTHHMMSS}_{6 hex digits}\")"),
            ("created_at?", "string", "RFC 3339, UTC (default now)"),
            ("created_by?", "string", ""),
            ("param_fingerprint?", "string", "16 hexadecimal digits over `params`"),
            (
                "pkg",
                "{ name: string, version?: string, category?: string, source?: string, source_ref?: string, source_sha?: string }",
                "",
            ),
            ("runtime?", "{ alc_version?: string, lua_version?: string, host_os?: string, git_sha?: string }", ""),
            ("model?", "{ provider?: string, id?: string, id_short?: string, cutoff?: string }", ""),
            ("params?", "table", ""),
            ("strategy_params?", "table", ""),
            ("scenario?", "{ name?: string, source?: string, case_count?: integer, grader?: string }", ""),
            ("stats?", "alc.CardStats", ""),
            (
                "cost?",
                "{ llm_calls?: integer, input_tokens?: integer, output_tokens?: integer, elapsed_ms?: integer, usd_estimate?: number }",
                "",
            ),
            ("optimize?", "{ target?: string, search?: string, rounds_used?: integer, top_k?: table[] }", ""),
            ("metadata?", "{ prior_card_id?: string, prior_relation?: string, [string]: any }", ""),
            ("[string]", "any", ""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.CardSummary",
        doc: "",
        fields: &[
            ("card_id", "string", ""),
            ("pkg", "string", ""),
            ("created_at?", "string", ""),
            ("model?", "string", ""),
            ("scenario?", "string", ""),
            ("pass_rate?", "number", ""),
        ],
        statement: "",
    },
    StubType::Alias {
        name: "alc.Where",
        doc: "Conditions on the fields of a card or a row: a value to equal, a table of operators\n\
              (`eq ne lt lte gt gte in nin exists contains starts_with`), a nested table for a nested field,\n\
              and `_and`, `_or` (lists) and `_not`. Several keys have to hold together.",
        target: "table<string, any>",
    },
    StubType::Class {
        name: "alc.CardFind",
        doc: "",
        fields: &[
            ("pkg?", "string", ""),
            ("where?", "alc.Where", ""),
            ("order_by?", "string|string[]", "dotted paths; a `-` in front turns the order around"),
            ("limit?", "integer", ""),
            ("offset?", "integer", ""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.CardAlias",
        doc: "",
        fields: &[
            ("name", "string", ""),
            ("card_id", "string", ""),
            ("pkg?", "string", ""),
            ("set_at", "string", "RFC 3339"),
            ("note?", "string", ""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.LineageQuery",
        doc: "",
        fields: &[
            ("card_id", "string", ""),
            (
                "direction?",
                "\"up\"|\"down\"|\"both\"",
                "towards the cards it came from, or those that came from it (default \"up\")",
            ),
            ("depth?", "integer", "steps (default 10)"),
            ("include_stats?", "boolean", "(default true)"),
            ("relation_filter?", "string[]", "the relations to follow"),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.LineageNode",
        doc: "",
        fields: &[
            ("card_id", "string", ""),
            ("pkg", "string", ""),
            ("depth", "integer", "negative for ancestors"),
            ("prior_card_id?", "string", ""),
            ("prior_relation?", "string", ""),
            ("stats?", "alc.CardStats", ""),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.Lineage",
        doc: "",
        fields: &[
            ("root", "string", ""),
            ("nodes", "alc.LineageNode[]", ""),
            ("edges", "{ from: string, to: string, relation?: string }[]", "from a card to the one it came from"),
            ("truncated", "boolean", "whether `depth` limited the result"),
        ],
        statement: "",
    },
    StubType::Class {
        name: "alc.SinkBackfill",
        doc: "",
        fields: &[
            ("sink", "string", ""),
            ("pushed", "string[]", ""),
            ("skipped", "string[]", ""),
            ("failed", "string[][]", "pairs of a card's id and the reason"),
            ("pushed_samples", "string[]", ""),
        ],
        statement: "",
    },
];
