-- The part of `alc` that is Lua itself. Arguments were checked against the table in Rust before a function gets them.
-- `core` has the functions in Rust by name; their errors name no place here.

local core = ...

local error, ipairs, next, pairs, pcall, tostring, tonumber, type, xpcall =
  error, ipairs, next, pairs, pcall, tostring, tonumber, type, xpcall
local format, floor, min, max, match = string.format, math.floor, math.min, math.max, string.match
local concat, sort = table.concat, table.sort

local llm, llm_batch, log = core["alc.llm"], core["alc.llm_batch"], core["alc.log"]
local encode, array, extract = core["alc.json_encode"], core["json.array"], core["alc.json_extract"]
-- A script may have another `json`.
local null = json.null

-- A module is looked for when it is needed: the run's `require` may come after this.
-- Called so, it finds no place for its errors, which would be one in here.
local function module(name)
  local found, value = pcall(require, name)
  if not found then
    error(value, 0)
  end
  return value
end

local function copy(table)
  local copied = {}
  for key, value in pairs(table or {}) do
    copied[key] = value
  end
  return copied
end

local prelude = {}

------------------------------------------------------------------------------------------------------------------------
-- Asking
------------------------------------------------------------------------------------------------------------------------

local function with(opts, flag)
  opts = copy(opts)
  opts[flag] = true
  return opts
end

prelude["alc.ground"] = function(prompt, opts)
  return llm(prompt, with(opts, "grounded"))
end

prelude["alc.specify"] = function(prompt, opts)
  return llm(prompt, with(opts, "underspecified"))
end

prelude["alc.llm_safe"] = function(prompt, opts, default)
  local ok, answer = pcall(llm, prompt, opts)
  if ok then
    return answer
  end
  log("warn", "alc.llm_safe: " .. tostring(answer))
  return default
end

local JSON_ONLY = "Answer with one JSON value and nothing else: no prose, no code fence, no comments."

prelude["alc.llm_json"] = function(prompt, opts)
  local raw = llm(prompt, opts)
  local value = extract(raw)
  if value == nil then
    local again = copy(opts)
    again.system = JSON_ONLY
    raw = llm(
      "The answer below holds no valid JSON object or array. Write it again as valid JSON, with the same content.\n\n"
        .. "Answer:\n" .. raw .. "\n\nIt was the answer to:\n" .. prompt,
      again
    )
    value = extract(raw)
  end
  return value, raw
end

prelude["alc.parallel"] = function(items, prompt_fn, opts)
  opts = opts or {}
  if #items == 0 then
    error("alc.parallel: items must be a non-empty array", 2)
  end
  local post_fn = opts.post_fn
  if post_fn ~= nil and type(post_fn) ~= "function" then
    error("alc.parallel: post_fn must be a function, got " .. type(post_fn), 2)
  end
  local queries = {}
  for index = 1, #items do
    local prompt = prompt_fn(items[index], index)
    local query
    if type(prompt) == "string" then
      query = { prompt = prompt }
    elseif type(prompt) ~= "table" then
      error(format("alc.parallel: prompt_fn must return a string or a table, got %s at index %d", type(prompt), index), 2)
    elseif type(prompt.prompt) ~= "string" then
      error(format("alc.parallel: prompt_fn returned a table without .prompt at index %d", index), 2)
    else
      query = copy(prompt)
    end
    if query.system == nil then
      query.system = opts.system
    end
    if query.max_tokens == nil then
      query.max_tokens = opts.max_tokens
    end
    queries[index] = query
  end
  local results = llm_batch(queries)
  if post_fn then
    for index = 1, #items do
      local made = post_fn(results[index], items[index], index)
      -- A list keeps its length.
      results[index] = made == nil and null or made
    end
  end
  return results
end

------------------------------------------------------------------------------------------------------------------------
-- The cache: first in, first out
------------------------------------------------------------------------------------------------------------------------

local MAX_ENTRIES = 256
local answers, order, oldest, newest, hits, misses

local function forget()
  answers, order, oldest, newest, hits, misses = {}, {}, 1, 0, 0, 0
end

forget()

-- Parts with their lengths, so that no two questions look the same, and hashed, so that a long one takes no room.
local function question(prompt, opts)
  local parts = {
    prompt,
    type(opts.system) == "string" and "s" .. opts.system or "",
    type(opts.max_tokens) == "number" and format("%.17g", opts.max_tokens) or "",
    opts.grounded == true and "grounded" or "",
    opts.underspecified == true and "underspecified" or "",
  }
  local key = ""
  for _, part in ipairs(parts) do
    key = key .. #part .. ":" .. part
  end
  return "question " .. core["alc.hash"](key)
end

prelude["alc.cache"] = function(prompt, opts)
  opts = opts or {}
  if opts.cache_skip then
    return llm(prompt, opts)
  end
  local key = opts.cache_key ~= nil and "key " .. tostring(opts.cache_key) or question(prompt, opts)
  local answer = answers[key]
  if answer ~= nil then
    hits = hits + 1
    return answer
  end
  misses = misses + 1
  answer = llm(prompt, opts)
  -- Somebody else can have asked the same while this waited, in another coroutine.
  if answers[key] == nil then
    if newest - oldest + 1 >= MAX_ENTRIES then
      answers[order[oldest]] = nil
      order[oldest] = nil
      oldest = oldest + 1
    end
    newest = newest + 1
    order[newest] = key
  end
  answers[key] = answer
  return answer
end

prelude["alc.cache_info"] = function()
  return { entries = newest - oldest + 1, hits = hits, misses = misses, max_entries = MAX_ENTRIES }
end

prelude["alc.cache_clear"] = forget

------------------------------------------------------------------------------------------------------------------------
-- Lists
------------------------------------------------------------------------------------------------------------------------

prelude["alc.map"] = function(items, fn)
  local results = {}
  for index, item in ipairs(items) do
    results[index] = fn(item, index)
  end
  return results
end

prelude["alc.filter"] = function(items, fn)
  local kept = {}
  for index, item in ipairs(items) do
    if fn(item, index) then
      kept[#kept + 1] = item
    end
  end
  return kept
end

prelude["alc.reduce"] = function(items, fn, init)
  local acc, first = init, 1
  if acc == nil then
    acc, first = items[1], 2
  end
  for index = first, #items do
    acc = fn(acc, items[index], index)
  end
  return acc
end

local function trim(text)
  return text:match("^%s*(.-)%s*$")
end

prelude["alc.vote"] = function(list)
  local counts, winner, most = {}, nil, 0
  for _, answer in ipairs(list) do
    local text = trim(tostring(answer))
    counts[text] = (counts[text] or 0) + 1
    if counts[text] > most then
      winner, most = text, counts[text]
    end
  end
  return { winner = winner, count = most, total = #list }
end

------------------------------------------------------------------------------------------------------------------------
-- Reading answers
------------------------------------------------------------------------------------------------------------------------

prelude["alc.parse_score"] = function(text, default)
  local digits = text:match("%d+")
  if not digits then
    return default == nil and 5 or default
  end
  return floor(max(1, min(10, tonumber(digits))))
end

prelude["alc.parse_number"] = function(text, pattern)
  if type(text) ~= "string" then
    return nil
  end
  local ok, found = pcall(match, text, pattern or "-?%d+%.?%d*")
  if not ok then
    error("alc.parse_number: " .. tostring(found), 2)
  end
  return type(found) == "string" and tonumber(found) or nil
end

------------------------------------------------------------------------------------------------------------------------
-- The run
------------------------------------------------------------------------------------------------------------------------

prelude["alc.budget_check"] = function()
  local left = core["alc.budget_remaining"]()
  for _, amount in pairs(left or {}) do
    if type(amount) == "number" and amount <= 0 then
      return false
    end
  end
  return true
end

prelude["alc.state.update"] = function(key, fn, default)
  local value = fn(core["alc.state.get"](key, default))
  core["alc.state.set"](key, value)
  return value
end

------------------------------------------------------------------------------------------------------------------------
-- Strategies
------------------------------------------------------------------------------------------------------------------------

local function is_map(value)
  return type(value) == "table" and value[1] == nil
end

local function deep_copy(value)
  if type(value) ~= "table" then
    return value
  end
  local copied = {}
  for key, inner in pairs(value) do
    copied[key] = deep_copy(inner)
  end
  return copied
end

local function overridden(defaults, given)
  local merged = {}
  for key, default in pairs(defaults) do
    local value = given[key]
    if key == "_schema" then
      value = nil
    elseif value == nil or value == null then
      value = deep_copy(default)
    -- A default without keys says nothing of what may be given.
    elseif is_map(default) and is_map(value) and next(default) ~= nil then
      value = overridden(default, value)
    end
    merged[key] = value
  end
  return merged
end

prelude["alc.tuning"] = function(defaults, ctx, opts)
  local given, prefix = ctx or {}, (opts or {}).prefix
  if prefix ~= nil then
    given = given[prefix]
    if given ~= nil and given ~= null and type(given) ~= "table" then
      log("warn", format("alc.tuning: ctx.%s is ignored: it is a %s, not a table", tostring(prefix), type(given)))
    end
    if type(given) ~= "table" then
      given = {}
    end
  end
  return overridden(defaults, given)
end

-- The function of a stage, and what to call it.
local function stage_of(stage, index)
  if type(stage) == "string" then
    local package = module(stage)
    if type(package) ~= "table" or type(package.run) ~= "function" then
      error(format("package '%s' has no run function", stage), 0)
    end
    return package.run
  elseif type(stage) == "function" then
    return stage
  end
  error(format("stage %d must be a package name or a function, got %s", index, type(stage)), 0)
end

prelude["alc.pipe"] = function(stages, ctx, opts)
  opts = opts or {}
  local on_error = opts.on_error or "abort"
  if on_error ~= "abort" and on_error ~= "skip" and on_error ~= "continue" then
    error(format('alc.pipe: on_error must be "abort", "skip" or "continue", got "%s"', tostring(on_error)), 2)
  end
  if #stages == 0 then
    error("alc.pipe: stages must be a non-empty array", 2)
  end
  local current, history = copy(ctx), array()
  for index = 1, #stages do
    local stage = stages[index]
    local name = type(stage) == "string" and stage or "stage_" .. index
    if opts.on_stage then
      opts.on_stage(index, name, current)
    end
    local ok, returned = pcall(function()
      local returned = stage_of(stage, index)(copy(current))
      if type(returned) ~= "table" then
        error(format("it must return a table, got %s", type(returned)), 0)
      end
      return returned
    end)
    if ok then
      history[#history + 1] = { strategy = name, result = returned.result }
      current = copy(returned)
      local result = returned.result
      if result ~= nil and index < #stages then
        current.task = type(result) == "table" and encode(result) or tostring(result)
      end
    elseif on_error == "abort" then
      error(format("alc.pipe: stage %d ('%s') failed: %s", index, name, tostring(returned)), 2)
    else
      history[#history + 1] = { strategy = name, error = tostring(returned) }
    end
  end
  current.pipe_history = history
  return current
end

------------------------------------------------------------------------------------------------------------------------
-- Evaluating
------------------------------------------------------------------------------------------------------------------------

local evalframe

-- A table that says how to evaluate: cases, or bindings at integer keys.
local function is_scenario(value)
  return type(value) == "table" and type(value.cases) == "table"
end

local function find_scenario(name)
  local ok, found = pcall(module, name)
  if ok and is_scenario(found) then
    return found
  end
  local chunk, meant = core.scenario(name)
  if chunk then
    return chunk()
  end
  local reason = ok and "the module of that name is no scenario" or tostring(found)
  if reason:find("^module '.-' not found: ") then
    reason = "neither scenarios/" .. name .. ".lua nor a package of that name is there"
    reason = reason .. (meant and format("; did you mean '%s'?", meant) or "")
  end
  error(format("alc.eval: no scenario '%s': %s", name, reason), 0)
end

-- The bindings of a scenario: its own, or one for each grader.
local function bindings_of(spec)
  local bindings = {}
  for index, binding in ipairs(spec) do
    if not evalframe.bind.is_binding(binding) then
      error(format("alc.eval: entry %d of the scenario must be made by `evalframe.bind`", index), 0)
    end
    bindings[index] = binding
  end
  if #bindings > 0 then
    return bindings
  end
  local graders = spec.graders or { "exact_match" }
  if type(graders) ~= "table" then
    graders = { graders }
  end
  for index, grader in ipairs(graders) do
    if type(grader) == "string" then
      local known = evalframe.graders[grader]
      if not known then
        local names = {}
        for name in pairs(evalframe.graders) do
          names[#names + 1] = name
        end
        sort(names)
        error(format("alc.eval: unknown grader '%s': there are %s", grader, concat(names, ", ")), 0)
      end
      grader = known
    elseif type(grader) == "function" then
      grader = evalframe.grader("grader_" .. index)({ check = grader })
    end
    bindings[index] = evalframe.bind({ grader })
  end
  if #bindings == 0 then
    error("alc.eval: the scenario has no grader", 0)
  end
  return bindings
end

-- Options of alc.eval itself; all others are the strategy's.
local OWN = { auto_card = true, card_pkg = true, strategy_opts = true }

local function strategy_opts(opts)
  local given = {}
  for key, value in pairs(opts) do
    if not OWN[key] then
      given[key] = value
    end
  end
  if type(opts.strategy_opts) == "table" then
    for key, value in pairs(opts.strategy_opts) do
      given[key] = value
    end
  end
  return given
end

-- Whether a case was answered, and one graded: else the figures say nothing of the strategy.
local function is_graded(report)
  local answered, graded = false, false
  for _, result in ipairs(report.results) do
    answered = answered or result.response.error == nil
    for _, grade in ipairs(result.grades) do
      graded = graded or grade.error == nil
    end
  end
  if not (answered and graded) then
    local why = answered and "the graders graded no case" or "the strategy answered no case"
    log("warn", "alc.eval: " .. why .. ": no card is kept")
  end
  return answered and graded
end

local function keep_card(report, scenario_name, strategy, opts)
  local aggregated = report.aggregated
  local card = core["alc.card.create"]({
    pkg = { name = opts.card_pkg or strategy },
    scenario = { name = scenario_name, case_count = aggregated.total },
    stats = {
      pass_rate = aggregated.pass_rate,
      mean_score = aggregated.scores.mean,
      n = aggregated.total,
      passed = aggregated.passed,
    },
  })
  core["alc.card.write_samples"](card.card_id, report.results)
  return card.card_id
end

local SCENARIO_FIELDS = { "name", "cases", "graders" }
local CASE_FIELDS = { "input", "expected", "name", "tags", "context" }
local COMPARES_WITH_EXPECTED = { exact_match = true, contains = true, starts_with = true }

local function warn_of_misspelt(what, fields, given)
  for key in pairs(given) do
    local meant = type(key) == "string" and core.closest(key, fields)
    if meant and meant ~= key and given[meant] == nil then
      log("warn", format("%s: '%s' is no field: did you mean '%s'?", what, key, meant))
    end
  end
end

-- A field that is misspelt is one that is missing: all cases would fail, and nothing would say why.
local function warn_of_mistakes(name, spec, bindings)
  local what = format("scenario '%s'", name)
  warn_of_misspelt(what, SCENARIO_FIELDS, spec)
  local compares = false
  for _, binding in ipairs(bindings) do
    compares = compares or COMPARES_WITH_EXPECTED[binding.grader.name] or false
  end
  for index, case in ipairs(spec.cases) do
    local this = format("%s, case %d", what, index)
    if type(case) == "table" then
      warn_of_misspelt(this, CASE_FIELDS, case)
      if compares and case.expected == nil then
        log("warn", this .. " has no `expected`, with which its answer is compared")
      end
    end
  end
end

-- The error of a case is its result. The log says where in the strategy it was raised, once for each place.
local function logged(provide)
  local known = {}
  local function log_failure(raised)
    local trace = core.traceback()
    if trace and not known[trace] then
      known[trace] = true
      log("error", tostring(raised) .. "\n" .. trace)
    end
    return raised
  end
  return function(...)
    local ok, answer = xpcall(provide, log_failure, ...)
    if not ok then
      error(answer, 0)
    end
    return answer
  end
end

local function evaluate(scenario, strategy, opts)
  evalframe = evalframe or core.evalframe()
  local spec, name = scenario, nil
  if type(scenario) == "string" then
    spec, name = find_scenario(scenario), scenario
  end
  if not is_scenario(spec) then
    local got = type(spec) == "table" and "a table without `cases`" or type(spec)
    local of = name and format(" from scenario '%s'", name) or ""
    error("alc.eval: a scenario is a table with `cases`, got " .. got .. of, 0)
  end
  name = name or (type(spec.name) == "string" and spec.name) or "inline"

  local suite = bindings_of(spec)
  warn_of_mistakes(name, spec, suite)
  suite.cases = spec.cases
  suite.provider = logged(evalframe.providers.algocline({ strategy = strategy, opts = strategy_opts(opts) }))
  local report = evalframe.suite(strategy .. ":" .. name)(suite):run():to_table()
  if opts.auto_card and is_graded(report) then
    report.card_id = keep_card(report, name, strategy, opts)
  end
  return report
end

prelude["alc.eval"] = function(scenario, strategy, opts)
  local ok, report = pcall(evaluate, scenario, strategy, opts or {})
  if not ok then
    error(report, type(report) == "string" and report:find("^alc%.eval: ") and 2 or 0)
  end
  return report
end

return prelude
