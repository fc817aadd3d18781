---@meta alc

-- Types of the global `alc`, which every strategy runs with.
--
-- Conventions:
--   * Durations ending in `_ms` are milliseconds; points in time are seconds since 1970-01-01 UTC.
--   * Lengths ending in `_chars` count Unicode characters; `_tokens` counts model tokens.
--   * Indices that Lua sees begin at 1; `offset` counts what to skip and begins at 0.
--   * A JSON null is a value of its own (see `alc.Null`), not `nil`.

---The JSON null. It is truthy and cannot be indexed, so test the type you expect: `type(x) == "number"`.
---@alias alc.Null lightuserdata

---Anything that JSON can hold: no functions, no coroutines, strings in UTF-8.
---@alias alc.Json string|number|boolean|table|alc.Null|nil

------------------------------------------------------------------------------------------------------------------------
-- Packages
------------------------------------------------------------------------------------------------------------------------

---What a package says about itself. Keep it a literal: it is read without running the package.
---@class AlcMeta
---@field name string the name of the package's folder
---@field version string a semantic version, such as "0.1.0"
---@field description string one paragraph
---@field category? string a single word, such as "reasoning" or "selection"
---@field alc_shapes_compat? string the range of `alc_shapes` versions that the package works with, such as "^0.25"
---@field tags? string[] further words to find it by
---@field license? string an SPDX expression

---The table that a strategy is run with, and that it hands on.
---@class AlcCtx
---@field task? string what to do, in words
---@field result? any what the strategy found; set by the strategy
---@field budget? alc.BudgetLimits limits of this run
---@field pipe_history? alc.PipeStep[] the stages that `alc.pipe` has run so far
---@field _ns? string the namespace of `alc.state` (default "default")
---@field [string] any options of the strategy

---Limits of a run. One that is left out does not limit.
---@class alc.BudgetLimits
---@field max_llm_calls? integer model calls
---@field max_elapsed_ms? integer wall-clock time in milliseconds, the waiting for answers included
---@field max_tokens? integer prompt and response tokens together

---The argument of the run.
---@type AlcCtx
ctx = {}

---A table that a package returns.
---@class AlcPackage
---@field meta AlcMeta
---@field spec? table shapes of what goes in and out
---@field run? fun(ctx: AlcCtx): AlcCtx

---@class alc
---@field state alc.state
---@field card alc.card
---@field stats alc.stats
---@field math alc.math
---@field _dirs alc.Dirs
alc = {}

------------------------------------------------------------------------------------------------------------------------
-- Asking the model
------------------------------------------------------------------------------------------------------------------------

---@class alc.LlmOpts
---@field system? string the system prompt
---@field max_tokens? integer an upper bound for the answer, in tokens (default 1024)
---@field grounded? boolean asks for an answer that rests on sources outside the model
---@field underspecified? boolean says that the prompt leaves something open, which a person may have to settle

---@class alc.LlmItem : alc.LlmOpts
---@field prompt string

---Asks the model, and waits for its answer.
---Raises `budget_exceeded: …` when a limit of the run is reached.
---@param prompt string
---@param opts? alc.LlmOpts
---@return string answer
function alc.llm(prompt, opts) end

---Asks several questions at once. An empty list raises.
---@param items alc.LlmItem[]
---@return string[] answers in the order of the questions
function alc.llm_batch(items) end

---Like `alc.llm`, and asks for an answer that rests on outside sources.
---@param prompt string
---@param opts? alc.LlmOpts
---@return string answer
function alc.ground(prompt, opts) end

---Like `alc.llm`, and says that the prompt leaves something open.
---@param prompt string
---@param opts? alc.LlmOpts
---@return string answer
function alc.specify(prompt, opts) end

---Like `alc.llm`, but a failure is logged and gives `default`; a used-up budget counts as a failure.
---@generic T
---@param prompt string
---@param opts alc.LlmOpts|nil
---@param default T
---@return string|T answer
function alc.llm_safe(prompt, opts, default) end

---Asks for JSON. An answer without a JSON table is sent back for repair once.
---@param prompt string
---@param opts? alc.LlmOpts
---@return table|nil value nil when the repair failed too
---@return string raw the last answer
function alc.llm_json(prompt, opts) end

---@class alc.ParallelOpts
---@field system? string the system prompt of all questions
---@field max_tokens? integer tokens for each answer (default 1024)
---@field post_fn? fun(answer: string, item: any, index: integer): any what to make of each answer

---Asks one question for each item, all at once. An empty list raises.
---@generic T
---@param items T[]
---@param prompt_fn fun(item: T, index: integer): string|alc.LlmItem
---@param opts? alc.ParallelOpts
---@return any[] results answers, or what `post_fn` made of them, in the order of the items
function alc.parallel(items, prompt_fn, opts) end

---@class alc.CacheOpts : alc.LlmOpts
---@field cache_key? string what to remember the answer by, instead of a fingerprint of the question
---@field cache_skip? boolean asks again even if there is an answer

---Like `alc.llm`, but remembers up to 256 answers for this run and drops the oldest first.
---@param prompt string
---@param opts? alc.CacheOpts
---@return string answer
function alc.cache(prompt, opts) end

---@class alc.CacheInfo
---@field entries integer answers held
---@field hits integer
---@field misses integer
---@field max_entries integer

---How the cache has done so far.
---@return alc.CacheInfo
function alc.cache_info() end

---Forgets all cached answers.
function alc.cache_clear() end

------------------------------------------------------------------------------------------------------------------------
-- Running other strategies
------------------------------------------------------------------------------------------------------------------------

---@class alc.ForkOpts
---@field on_error? "skip"|"abort" "skip" (the default) reports a failure in its entry, "abort" raises it

---@class alc.ForkResult
---@field strategy string the package
---@field ok boolean
---@field result? any what its `run` returned, when ok
---@field error? string why it failed, when not

---Runs several packages side by side, each in a VM and with a copy of `ctx` of its own.
---The names are of letters, digits and `_`; an empty list raises.
---@param names string[]
---@param ctx AlcCtx
---@param opts? alc.ForkOpts
---@return alc.ForkResult[] results in the order of the names
function alc.fork(names, ctx, opts) end

---@class alc.PipeStep
---@field strategy string the package, or a name for a function
---@field result? any
---@field error? string

---@class alc.PipeOpts
---@field on_stage? fun(index: integer, name: string, ctx: AlcCtx) told about each stage
---@field on_error? "abort"|"skip"|"continue" what a failing stage does to the rest (default "abort")

---Runs stages one after another; the result of one is the task of the next. Every stage has to return a table.
---@param stages (string|fun(ctx: AlcCtx): AlcCtx)[] packages by name, or functions
---@param ctx AlcCtx copied, not changed
---@param opts? alc.PipeOpts
---@return AlcCtx ctx of the last stage, with `pipe_history`
function alc.pipe(stages, ctx, opts) end

---Overrides defaults with the values of `ctx` that have the same key; nested maps are merged, lists are replaced.
---@generic T : table
---@param defaults T the key `_schema` is left alone
---@param ctx AlcCtx
---@param opts? { prefix?: string } `prefix` is the key of `ctx` that holds the values, instead of `ctx` itself
---@return T
function alc.tuning(defaults, ctx, opts) end

------------------------------------------------------------------------------------------------------------------------
-- Evaluating
------------------------------------------------------------------------------------------------------------------------

---@class alc.EvalCase
---@field input string the task
---@field expected? string|string[] an answer, or several that will do
---@field name? string
---@field tags? string[] groups of the report
---@field context? table

---@alias alc.GraderName "exact_match"|"contains"|"starts_with"|"regex"|"json_valid"|"not_empty"

---@class alc.Scenario
---@field name? string
---@field cases alc.EvalCase[]
---@field graders? (alc.GraderName|function)[]
---@field [integer] table bindings of evalframe, in the full form

---@class alc.EvalOpts
---@field auto_card? boolean keeps the outcome as a card
---@field card_pkg? string the package of that card (default: the strategy)
---@field [string] any options of the strategy

---@class alc.ScoreStats
---@field n integer
---@field mean number
---@field std_dev number of the sample (n - 1)
---@field min number
---@field max number
---@field median number

---@class alc.EvalAggregate
---@field total integer cases
---@field passed integer
---@field pass_rate number from 0 to 1
---@field pass_at_1 number from 0 to 1
---@field pass_at_5? number with 5 cases or more
---@field pass_at_10? number with 10 cases or more
---@field scores alc.ScoreStats of scores from 0 to 1
---@field ci_95 { lower: number, upper: number } of the mean score
---@field by_tag table<string, { pass: integer, fail: integer, rate: number, stats: alc.ScoreStats }>

---@class alc.CaseResult
---@field case alc.EvalCase
---@field response { text: string, latency_ms: number, error?: string }
---@field grades { grader: string, score: number, weight: number, grade: any, error?: string }[]
---@field score number from 0 to 1
---@field passed boolean

---@class alc.EvalReport
---@field name string "{strategy}:{scenario}"
---@field aggregated alc.EvalAggregate
---@field results alc.CaseResult[]
---@field failures alc.CaseResult[] those that did not pass
---@field summary string some lines for people
---@field card_id? string with `auto_card`

---Runs a strategy on all cases of a scenario and grades its answers. Needs the package `evalframe`.
---@param scenario string|alc.Scenario a module, the name of an installed scenario, or the scenario itself
---@param strategy string a package
---@param opts? alc.EvalOpts
---@return alc.EvalReport
function alc.eval(scenario, strategy, opts) end

------------------------------------------------------------------------------------------------------------------------
-- Text and JSON
------------------------------------------------------------------------------------------------------------------------

---Encodes as compact JSON with sorted keys. Functions and strings that are not UTF-8 raise.
---@param value alc.Json
---@return string
function alc.json_encode(value) end

---Decodes JSON; raises when it is malformed.
---@param text string
---@return alc.Json
function alc.json_decode(text) end

---Finds a JSON object or array in an answer: the whole text, a fenced block, or the first balanced part that parses.
---@param raw string
---@return table|nil
function alc.json_extract(raw) end

---Finds which of the candidates a text settles on: the one mentioned last, else the most similar word.
---@param text string
---@param candidates string[]
---@param opts? { threshold?: number } the least similarity from 0 to 1 (default 0.7)
---@return string|nil candidate as it was given
function alc.match_enum(text, candidates, opts) end

---Finds whether a text means yes or no, by the last word that says so ("approved", "ok", "reject", "deny"…).
---@param text string
---@return boolean|nil
function alc.match_bool(text) end

---The first whole number of a text, brought into 1 to 10.
---@param text string
---@param default? integer when there is none (default 5); not brought into the range
---@return integer score
function alc.parse_score(text, default) end

---The first number of a text, or the first capture of a pattern as a number.
---@param text string
---@param pattern? string a Lua pattern
---@return number|nil
function alc.parse_number(text, pattern) end

---Cuts a text into pieces of `size` (default 50) lines or characters; each repeats the last `overlap` of the one before.
---@param text string
---@param opts? { mode?: "lines"|"chars", size?: integer, overlap?: integer }
---@return string[]
function alc.chunk(text, opts) end

---A short hash that does not depend on case and white space.
---@param text string
---@return string hash 8 hexadecimal digits
function alc.fingerprint(text) end

------------------------------------------------------------------------------------------------------------------------
-- Lists
------------------------------------------------------------------------------------------------------------------------

---@generic T, R
---@param items T[]
---@param fn fun(item: T, index: integer): R
---@return R[] results one for each item
function alc.map(items, fn) end

---@generic T
---@param items T[]
---@param fn fun(item: T, index: integer): any
---@return T[] kept those for which `fn` is true
function alc.filter(items, fn) end

---@generic T, A
---@param items T[]
---@param fn fun(acc: A, item: T, index: integer): A
---@param init? A where to begin (default: the first item)
---@return A
function alc.reduce(items, fn, init) end

---@class alc.Vote
---@field winner? string nil without answers
---@field count integer votes for the winner
---@field total integer votes

---Finds the most frequent answer; white space around an answer does not matter, case does.
---@param answers any[]
---@return alc.Vote
function alc.vote(answers) end

------------------------------------------------------------------------------------------------------------------------
-- The run
------------------------------------------------------------------------------------------------------------------------

---Writes to the session's log. An unknown level counts as "info".
---@param level "error"|"warn"|"info"|"debug"
---@param message string
function alc.log(level, message) end

---Tells how far the run has come.
---@param step integer
---@param total integer
---@param message? string
function alc.progress(step, total, message) end

---Seconds since 1970-01-01 UTC, with a fraction.
---@return number
function alc.time() end

---@class alc.BudgetRemaining
---@field llm_calls integer|alc.Null
---@field elapsed_ms integer|alc.Null
---@field tokens integer|alc.Null

---What is left of the run's budget; a limit that was not set is null, and so is the whole without any.
---@return alc.BudgetRemaining|alc.Null
function alc.budget_remaining() end

---Whether calls and time are left.
---@return boolean
function alc.budget_check() end

---Figures of the run, which its result carries in `stats.custom`.
---@class alc.stats
alc.stats = {}

---@param key string
---@param value alc.Json
function alc.stats.record(key, value) end

---@param key string
---@return alc.Json value nil when it was not recorded
function alc.stats.get(key) end

---Folders of the stores.
---@class alc.Dirs
---@field state string
---@field cards string
---@field scenarios string
alc._dirs = {}

------------------------------------------------------------------------------------------------------------------------
-- State: values that outlive the run, one set for each namespace (`ctx._ns`)
------------------------------------------------------------------------------------------------------------------------

---@class alc.state
alc.state = {}

---@param key string
---@param default? alc.Json when there is no such key
---@return alc.Json
function alc.state.get(key, default) end

---@param key string
---@param value alc.Json
function alc.state.set(key, value) end

---Sets a key that is not there yet.
---@param key string
---@param value alc.Json
---@return boolean set false when the key was there
function alc.state.set_nx(key, value) end

---@param key string
---@return boolean
function alc.state.has(key) end

---@param key string
---@return boolean deleted false when there was no such key
function alc.state.delete(key) end

---@return string[] keys in no particular order
function alc.state.keys() end

---Adds to a number; raises when the key holds something else.
---@param key string
---@param delta? number (default 1)
---@param default? number where a new key begins (default 0)
---@return number value after the addition
function alc.state.incr(key, delta, default) end

---Replaces a value by what `fn` makes of it. Another run may come in between.
---@param key string
---@param fn fun(value: alc.Json): alc.Json
---@param default? alc.Json what `fn` gets when there is no such key
---@return alc.Json value the new one
function alc.state.update(key, fn, default) end

------------------------------------------------------------------------------------------------------------------------
-- Cards: records of runs that never change
------------------------------------------------------------------------------------------------------------------------

---@class alc.CardStats
---@field pass_rate? number from 0 to 1
---@field mean_score? number
---@field std? number
---@field median? number
---@field min? number
---@field max? number
---@field n? integer
---@field by_bucket? table[]

---A card. Beyond these fields it may have any others.
---@class alc.Card
---@field schema_version? string (default "card/v0")
---@field card_id? string (default "{pkg}_{model}_{YYYYMMDDTHHMMSS}_{6 hex digits}")
---@field created_at? string RFC 3339, UTC (default now)
---@field created_by? string
---@field param_fingerprint? string 16 hexadecimal digits over `params`
---@field pkg { name: string, version?: string, category?: string, source?: string, source_ref?: string, source_sha?: string }
---@field runtime? { alc_version?: string, lua_version?: string, host_os?: string, git_sha?: string }
---@field model? { provider?: string, id?: string, id_short?: string, cutoff?: string }
---@field params? table
---@field strategy_params? table
---@field scenario? { name?: string, source?: string, case_count?: integer, grader?: string }
---@field stats? alc.CardStats
---@field cost? { llm_calls?: integer, input_tokens?: integer, output_tokens?: integer, elapsed_ms?: integer, usd_estimate?: number }
---@field optimize? { target?: string, search?: string, rounds_used?: integer, top_k?: table[] }
---@field metadata? { prior_card_id?: string, prior_relation?: string, [string]: any }
---@field [string] any

---@class alc.CardSummary
---@field card_id string
---@field pkg string
---@field created_at? string
---@field model? string
---@field scenario? string
---@field pass_rate? number

---Conditions on the fields of a card or a row: a value to equal, a table of operators
---(`eq ne lt lte gt gte in nin exists contains starts_with`), a nested table for a nested field,
---and `_and`, `_or` (lists) and `_not`. Several keys have to hold together.
---@alias alc.Where table<string, any>

---@class alc.card
alc.card = {}

---Keeps a new card; raises when its id is taken.
---@param card alc.Card
---@return { card_id: string, path: string }
function alc.card.create(card) end

---@param card_id string
---@return alc.Card|nil
function alc.card.get(card_id) end

---Lists cards, the newest first.
---@param opts? { pkg?: string }
---@return alc.CardSummary[]
function alc.card.list(opts) end

---@class alc.CardFind
---@field pkg? string
---@field where? alc.Where
---@field order_by? string|string[] dotted paths; a `-` in front turns the order around
---@field limit? integer
---@field offset? integer

---@param query alc.CardFind
---@return alc.CardSummary[]
function alc.card.find(query) end

---Adds top-level fields that the card does not have yet; raises for one that it has.
---@param card_id string
---@param fields table<string, any>
---@return alc.Card card the whole of it
function alc.card.append(card_id, fields) end

---@class alc.CardAlias
---@field name string
---@field card_id string
---@field pkg? string
---@field set_at string RFC 3339
---@field note? string

---@param name string
---@return alc.Card|nil
function alc.card.get_by_alias(name) end

---Points an alias at a card; an alias that exists is moved.
---@param name string
---@param card_id string
---@param opts? { pkg?: string, note?: string }
---@return alc.CardAlias
function alc.card.alias_set(name, card_id, opts) end

---@param opts? { pkg?: string }
---@return alc.CardAlias[]
function alc.card.alias_list(opts) end

---Keeps the rows of a card, one for each case. It can be done once.
---@param card_id string
---@param rows alc.Json[]
---@return { path: string, count: integer }
function alc.card.write_samples(card_id, rows) end

---@param card_id string
---@param opts? { offset?: integer, limit?: integer, where?: alc.Where }
---@return alc.Json[] rows empty when the card has none
function alc.card.read_samples(card_id, opts) end

---@class alc.LineageQuery
---@field card_id string
---@field direction? "up"|"down"|"both" towards the cards it came from, or those that came from it (default "up")
---@field depth? integer steps (default 10)
---@field include_stats? boolean (default true)
---@field relation_filter? string[] the relations to follow

---@class alc.LineageNode
---@field card_id string
---@field pkg string
---@field depth integer negative for ancestors
---@field prior_card_id? string
---@field prior_relation? string
---@field stats? alc.CardStats

---@class alc.Lineage
---@field root string
---@field nodes alc.LineageNode[]
---@field edges { from: string, to: string, relation?: string }[] from a card to the one it came from
---@field truncated boolean whether `depth` cut it off

---@param query alc.LineageQuery
---@return alc.Lineage|nil
function alc.card.lineage(query) end

---@class alc.SinkBackfill
---@field sink string
---@field pushed string[]
---@field skipped string[]
---@field failed string[][] pairs of a card's id and the reason
---@field pushed_samples string[]

---Copies the cards that a mirror lacks.
---@param opts { sink: string, dry_run?: boolean }
---@return alc.SinkBackfill
function alc.card.sink_backfill(opts) end

------------------------------------------------------------------------------------------------------------------------
-- Mathematics. Lists are not empty and hold finite numbers; anything else raises.
------------------------------------------------------------------------------------------------------------------------

---@class alc.math
alc.math = {}

---A generator of random numbers; the same seed gives the same numbers.
---@class alc.Rng : userdata

-- Random numbers

---@param seed integer
---@return alc.Rng
function alc.math.rng_create(seed) end

---@param rng alc.Rng
---@return number x in [0, 1)
function alc.math.rng_float(rng) end

---@param rng alc.Rng
---@param min integer
---@param max integer
---@return integer n from min to max, both included
function alc.math.rng_int(rng, min, max) end

---@generic T
---@param rng alc.Rng
---@param items T[]
---@return T[] shuffled a new list
function alc.math.shuffle(rng, items) end

---@generic T
---@param rng alc.Rng
---@param items T[]
---@param n integer
---@return T[] drawn
function alc.math.sample_with_replacement(rng, items, n) end

-- Samples of distributions

---@param rng alc.Rng
---@param mean number
---@param stddev number
---@return number
function alc.math.normal_sample(rng, mean, stddev) end

---@param rng alc.Rng
---@param alpha number
---@param beta number
---@return number x in [0, 1]
function alc.math.beta_sample(rng, alpha, beta) end

---@param rng alc.Rng
---@param shape number
---@param scale number
---@return number
function alc.math.gamma_sample(rng, shape, scale) end

---@param rng alc.Rng
---@param lambda number the rate
---@return number
function alc.math.exp_sample(rng, lambda) end

---@param rng alc.Rng
---@param low number
---@param high number
---@return number
function alc.math.uniform_sample(rng, low, high) end

---@param rng alc.Rng
---@param mu number mean of the logarithm
---@param sigma number standard deviation of the logarithm
---@return number
function alc.math.lognormal_sample(rng, mu, sigma) end

---@param rng alc.Rng
---@param df number degrees of freedom
---@return number
function alc.math.student_t_sample(rng, df) end

---@param rng alc.Rng
---@param df number degrees of freedom
---@return number
function alc.math.chi_squared_sample(rng, df) end

---@param rng alc.Rng
---@param lambda number the mean
---@return integer
function alc.math.poisson_sample(rng, lambda) end

---@param rng alc.Rng
---@param n integer trials
---@param p number probability of success, from 0 to 1
---@return integer successes
function alc.math.binomial_sample(rng, n, p) end

---@param rng alc.Rng
---@param alphas number[] two or more
---@return number[] shares that add up to 1
function alc.math.dirichlet_sample(rng, alphas) end

---@param rng alc.Rng
---@param weights number[]
---@return integer index from 1
function alc.math.categorical_sample(rng, weights) end

-- Describing data

---@param values number[]
---@return number
function alc.math.mean(values) end

---Variance of a sample (n - 1); 0 for one value.
---@param values number[]
---@return number
function alc.math.variance(values) end

---@param values number[]
---@return number
function alc.math.stddev(values) end

---@param values number[]
---@return number
function alc.math.median(values) end

---@param values number[]
---@param p number from 0 to 100
---@return number value with linear interpolation between neighbours
function alc.math.percentile(values, p) end

---The distance between the 25th and the 75th percentile.
---@param values number[]
---@return number
function alc.math.iqr(values) end

---@param xs number[] two or more
---@param ys number[] as many
---@return number
function alc.math.covariance(xs, ys) end

---Pearson's correlation.
---@param xs number[] two or more
---@param ys number[] as many
---@return number r from -1 to 1
function alc.math.correlation(xs, ys) end

-- Transformations

---@param values number[]
---@return number[] shares that add up to 1
function alc.math.softmax(values) end

---Brings values to a logarithmic scale on which the greatest is 100.
---@param values number[]
---@return number[]
function alc.math.log_normalize(values) end

---@param values number[]
---@param bins integer
---@return { counts: integer[], edges: number[] } histogram with one edge more than bins
function alc.math.histogram(values, bins) end

---Wilson's interval for a share.
---@param successes number
---@param total number
---@param confidence number from 0 to 1, such as 0.95
---@return { lower: number, upper: number, center: number } interval within [0, 1]
function alc.math.wilson_ci(successes, total, confidence) end

-- Distributions

---@param x number
---@param mu number
---@param sigma number
---@return number p
function alc.math.normal_cdf(x, mu, sigma) end

---@param x number
---@param alpha number
---@param beta number
---@return number p
function alc.math.beta_cdf(x, alpha, beta) end

---@param x number
---@param shape number
---@param scale number
---@return number p
function alc.math.gamma_cdf(x, shape, scale) end

---@param k integer
---@param lambda number
---@return number p
function alc.math.poisson_cdf(k, lambda) end

---@param p number from 0 to 1
---@param mu number
---@param sigma number
---@return number x
function alc.math.normal_inverse_cdf(p, mu, sigma) end

---The same for the standard normal distribution.
---@param p number from 0 to 1
---@return number x
function alc.math.normal_ppf(p) end

---@param p number from 0 to 1
---@param alpha number
---@param beta number
---@return number x
function alc.math.beta_ppf(p, alpha, beta) end

---@param alpha number
---@param beta number
---@return number
function alc.math.beta_mean(alpha, beta) end

---@param alpha number
---@param beta number
---@return number
function alc.math.beta_variance(alpha, beta) end

-- Special functions

---@param x number
---@return number
function alc.math.erf(x) end

---@param x number
---@return number y 1 - erf(x)
function alc.math.erfc(x) end

---@param x number
---@return number y the logarithm of the gamma function
function alc.math.lgamma(x) end

---@param a number
---@param b number
---@return number
function alc.math.beta(a, b) end

---@param a number
---@param b number
---@return number
function alc.math.ln_beta(a, b) end

---@param x number from 0 to 1
---@param a number
---@param b number
---@return number
function alc.math.regularized_incomplete_beta(x, a, b) end

---The lower one.
---@param a number
---@param x number
---@return number
function alc.math.regularized_incomplete_gamma(a, x) end

---@param x number
---@return number
function alc.math.digamma(x) end

---@param n integer from 0 to 170
---@return number
function alc.math.factorial(n) end

---@param n integer
---@return number
function alc.math.ln_factorial(n) end

---@param values number[]
---@return number y ln(Σ exp(x))
function alc.math.logsumexp(values) end

---@param p number between 0 and 1
---@return number y ln(p / (1 - p))
function alc.math.logit(p) end

---@param x number
---@return number p 1 / (1 + exp(-x))
function alc.math.expit(x) end

-- Tests of hypotheses

---@param xs number[]
---@param ys number[]
---@return { t_stat: number, df: number, p_value: number }
function alc.math.welch_t_test(xs, ys) end

---@param xs number[]
---@param ys number[]
---@param opts? { tie_correction?: boolean } (default false)
---@return { u_stat: number, z_score: number, p_value: number }
function alc.math.mann_whitney_u(xs, ys, opts) end

---@param observed number[]
---@param expected number[] as many
---@return { chi2_stat: number, df: number, p_value: number }
function alc.math.chi_squared_test(observed, expected) end

---The test of Kolmogorov and Smirnov for two samples.
---@param xs number[]
---@param ys number[]
---@return { d_stat: number, p_value: number }
function alc.math.ks_test(xs, ys) end

-- Rankings

---@param values number[]
---@return number[] ranks from 1, in the order of the values; equal values share the average
function alc.math.rank(values) end

---@param xs number[] two or more
---@param ys number[] as many
---@return number rho from -1 to 1
function alc.math.spearman_correlation(xs, ys) end

---Kendall's tau-b.
---@param xs number[] two or more
---@param ys number[] as many
---@return number tau from -1 to 1
function alc.math.kendall_tau(xs, ys) end

---@param relevance number[] in the order of the ranking
---@param k integer how many of the first count
---@return number gain from 0 to 1
function alc.math.ndcg(relevance, k) end

---@param ranks integer[] where the wanted item was, from 1
---@return number mean of the reciprocals
function alc.math.mrr(ranks) end

-- Information, in nats; the shares of a list add up to 1

---@param probs number[]
---@return number
function alc.math.entropy(probs) end

---@param p number[]
---@param q number[] as many
---@return number
function alc.math.kl_divergence(p, q) end

---@param p number[]
---@param q number[] as many
---@return number
function alc.math.js_divergence(p, q) end

---@param p number[]
---@param q number[] as many
---@return number
function alc.math.cross_entropy(p, q) end

-- Series

---@param values number[]
---@param window integer values in each mean
---@return number[]
function alc.math.moving_average(values, window) end

---Exponentially weighted moving average, beginning with the first value.
---@param values number[]
---@param alpha number weight of the newest, from 0 to 1
---@return number[]
function alc.math.ewma(values, alpha) end

---@param values number[]
---@param lag integer
---@return number r from -1 to 1
function alc.math.autocorrelation(values, lag) end

---All orders of the numbers 1 to n.
---@param n integer at most 8
---@return integer[][]
function alc.math.permutations(n) end
