-- evalframe: cases, graders and scorers, and a suite that runs a strategy on the cases.
--
-- What is made here is recognised by the name of its metatable, so that a module that was loaded twice understands what
-- the other one made. Cases and results are plain data: a report is JSON.

local error, getmetatable, ipairs, pairs, pcall, setmetatable, tostring, type =
  error, getmetatable, ipairs, pairs, pcall, setmetatable, tostring, type
local format = string.format
local alc, json = alc, json

local function kind_of(value)
  local meta = type(value) == "table" and getmetatable(value)
  return type(meta) == "table" and meta.__name or nil
end

local function of_kind(name)
  local meta = { __name = name }
  local function make(value)
    return setmetatable(value, meta)
  end
  local function is(value)
    return kind_of(value) == name
  end
  return make, is
end

local function refuse(...)
  error(format(...), 0)
end

-- Something that is called with a table, or with a name first: `case { … }`, `case "name" { … }`.
local function named(make)
  return function(_, first)
    if type(first) == "string" then
      return function(spec)
        return make(spec, first)
      end
    end
    return make(first)
  end
end

------------------------------------------------------------------------------------------------------------------------
-- Cases
------------------------------------------------------------------------------------------------------------------------

local make_case, is_case = of_kind("evalframe.case")

local function texts(value, what)
  local list = json.array()
  for index, text in ipairs(type(value) == "table" and value or { value }) do
    if type(text) ~= "string" then
      refuse("%s[%d] must be a string, got %s", what, index, type(text))
    end
    list[index] = text
  end
  return list
end

-- `index` is that of a case in a list of them.
local function case(spec, name, index)
  local this = index and "case " .. index or "case"
  if type(spec) ~= "table" then
    refuse("%s: expected a table, got %s", this, type(spec))
  end
  if type(spec.input) ~= "string" then
    refuse("%s: `input` must be a string, got %s", this, type(spec.input))
  end
  local context = {}
  for key, value in pairs(spec.context or {}) do
    context[key] = value
  end
  return make_case({
    name = name or spec.name or "",
    input = spec.input,
    expected = spec.expected ~= nil and texts(spec.expected, this .. ": expected") or nil,
    tags = texts(spec.tags or {}, this .. ": tags"),
    context = context,
  })
end

------------------------------------------------------------------------------------------------------------------------
-- Graders: what is right about an answer
------------------------------------------------------------------------------------------------------------------------

local make_grader, is_grader = of_kind("evalframe.grader")

local function grader(spec, name)
  if type(spec) ~= "table" or type(spec.check) ~= "function" then
    refuse("grader '%s': `check` must be a function", tostring(name))
  end
  return make_grader({ name = name or spec.name or "grader", check = spec.check })
end

local function one_of_expected(matches)
  return function(response, of)
    for _, expected in ipairs(of.expected or {}) do
      if matches(response.text, expected) then
        return true
      end
    end
    return false
  end
end

local CHECKS = {
  exact_match = one_of_expected(function(text, expected)
    return text == expected
  end),
  contains = one_of_expected(function(text, expected)
    return text:find(expected, 1, true) ~= nil
  end),
  starts_with = one_of_expected(function(text, expected)
    return text:sub(1, #expected) == expected
  end),
  -- A Lua pattern.
  regex = function(response, of)
    local pattern = of.context.pattern or (of.expected or {})[1]
    return type(pattern) == "string" and response.text:find(pattern) ~= nil
  end,
  json_valid = function(response)
    return (pcall(json.decode, response.text))
  end,
  not_empty = function(response)
    return response.text ~= ""
  end,
}

local graders = {}
for name, check in pairs(CHECKS) do
  graders[name] = grader({ check = check }, name)
end

------------------------------------------------------------------------------------------------------------------------
-- Scorers: what a grade is worth, from 0 to 1
------------------------------------------------------------------------------------------------------------------------

local make_scorer, is_scorer = of_kind("evalframe.scorer")

local function within(value)
  return value < 0 and 0.0 or value > 1 and 1.0 or value + 0.0
end

local function scorer(spec, name)
  name = name or (type(spec) == "table" and spec.name) or "scorer"
  if type(spec) ~= "table" then
    refuse("scorer '%s': expected a table, got %s", name, type(spec))
  end
  local score = spec.score
  if type(spec.min) == "number" and type(spec.max) == "number" and spec.min ~= spec.max then
    score = score or function(grade)
      return type(grade) == "number" and (grade - spec.min) / (spec.max - spec.min) or 0
    end
  elseif type(spec.pass) == "number" then
    score = score or function(grade)
      grade = grade == true and 1 or grade
      return type(grade) == "number" and grade >= spec.pass and 1 or 0
    end
  elseif type(spec.steps) == "table" then
    score = score or function(grade)
      local reached, worth
      for _, step in ipairs(spec.steps) do
        if type(grade) == "number" and grade >= step[1] and (not reached or step[1] >= reached) then
          reached, worth = step[1], step[2]
        end
      end
      return worth or 0
    end
  end
  if type(score) ~= "function" then
    refuse("scorer '%s': needs `score`, different `min` and `max`, `pass` or `steps`", name)
  end
  return make_scorer({ name = name, score = score })
end

local as_is = scorer({
  score = function(grade)
    return grade == true and 1 or type(grade) == "number" and grade or 0
  end,
}, "as_is")

local scorers = {
  bool = as_is,
  linear_0_1 = scorer({ min = 0, max = 1 }, "linear_0_1"),
  linear_1_5 = scorer({ min = 1, max = 5 }, "linear_1_5"),
  linear_1_10 = scorer({ min = 1, max = 10 }, "linear_1_10"),
}

------------------------------------------------------------------------------------------------------------------------
-- Bindings: a grader, how it is scored, and how much it counts
------------------------------------------------------------------------------------------------------------------------

local make_binding, is_binding = of_kind("evalframe.binding")

local function bind(spec, name)
  local label = name and format("bind '%s'", name) or "bind"
  if type(spec) ~= "table" then
    refuse("%s: expected a table, got %s", label, type(spec))
  end
  local graded, scored
  for index, part in ipairs(spec) do
    if is_grader(part) and not graded then
      graded = part
    elseif is_scorer(part) and not scored then
      scored = part
    else
      refuse("%s: entry %d must be one grader or one scorer", label, index)
    end
  end
  if not graded then
    refuse("%s: needs a grader", label)
  end
  local weight = spec.weight == nil and 1.0 or spec.weight
  if type(weight) ~= "number" or not (weight >= 0) then
    refuse("%s: `weight` must be a number from 0 on", label)
  end
  return make_binding({ grader = graded, scorer = scored or as_is, weight = weight })
end

------------------------------------------------------------------------------------------------------------------------
-- Figures
------------------------------------------------------------------------------------------------------------------------

local stats = {}

function stats.describe(values)
  local n = #values
  if n == 0 then
    return { n = 0, mean = 0.0, std_dev = 0.0, min = 0.0, max = 0.0, median = 0.0 }
  end
  local low, high = values[1], values[1]
  for _, value in ipairs(values) do
    low, high = value < low and value or low, value > high and value or high
  end
  return {
    n = n,
    mean = alc.math.mean(values),
    std_dev = alc.math.stddev(values),
    min = low,
    max = high,
    median = alc.math.median(values),
  }
end

-- Whether at least one of `k` results, drawn without replacement, passed.
function stats.pass_at_k(n, passed, k)
  if passed == 0 then
    return 0.0
  end
  local none = 1.0
  for drawn = 0, k - 1 do
    none = none * (n - passed - drawn) / (n - drawn)
    if none <= 0 then
      return 1.0
    end
  end
  return 1.0 - none
end

-- The quantiles 0.975 of Student's distribution for 1 to 30 degrees of freedom; between the others that follow, they are
-- linear in 1/df.
local T = {
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110,
  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}
local T_BEYOND = { { 30, 2.042 }, { 40, 2.021 }, { 60, 2.000 }, { 120, 1.980 } }
local T_INFINITE = 1.960

local function t_quantile(df)
  if T[df] then
    return T[df]
  end
  for index, last in ipairs(T_BEYOND) do
    local after = T_BEYOND[index + 1]
    local far, t = after and 1 / after[1] or 0, after and after[2] or T_INFINITE
    if not after or df <= after[1] then
      return t + (last[2] - t) * (1 / df - far) / (1 / last[1] - far)
    end
  end
end

-- The interval of the mean with a confidence of 95 %, for values from 0 to 1.
function stats.ci_95(described)
  local margin = 0
  if described.n > 1 then
    margin = t_quantile(described.n - 1) * described.std_dev / described.n ^ 0.5
  end
  return { lower = within(described.mean - margin), upper = within(described.mean + margin) }
end

function stats.aggregate(results)
  local passed, scores, tagged = 0, {}, {}
  for _, result in ipairs(results) do
    scores[#scores + 1] = result.score
    passed = passed + (result.passed and 1 or 0)
    for _, tag in ipairs(result.case.tags) do
      local of = tagged[tag] or { pass = 0, fail = 0, scores = {} }
      tagged[tag] = of
      of.pass = of.pass + (result.passed and 1 or 0)
      of.fail = of.fail + (result.passed and 0 or 1)
      of.scores[#of.scores + 1] = result.score
    end
  end
  local by_tag = {}
  for tag, of in pairs(tagged) do
    by_tag[tag] =
      { pass = of.pass, fail = of.fail, rate = of.pass / (of.pass + of.fail), stats = stats.describe(of.scores) }
  end
  local n, described = #results, stats.describe(scores)
  return {
    total = n,
    passed = passed,
    pass_rate = n > 0 and passed / n or 0.0,
    pass_at_1 = n > 0 and passed / n or 0.0,
    pass_at_5 = n >= 5 and stats.pass_at_k(n, passed, 5) or nil,
    pass_at_10 = n >= 10 and stats.pass_at_k(n, passed, 10) or nil,
    scores = described,
    ci_95 = stats.ci_95(described),
    by_tag = by_tag,
  }
end

------------------------------------------------------------------------------------------------------------------------
-- Suites
------------------------------------------------------------------------------------------------------------------------

local function response_of(provider, of)
  local started = alc.time()
  local ok, returned = pcall(provider, of.input, of)
  local latency_ms = (alc.time() - started) * 1000
  if not ok then
    return { text = "", latency_ms = latency_ms, error = tostring(returned) }
  elseif type(returned) == "string" then
    return { text = returned, latency_ms = latency_ms }
  elseif type(returned) ~= "table" then
    return { text = "", latency_ms = latency_ms, error = "the provider returned a " .. type(returned) }
  end
  return {
    text = type(returned.text) == "string" and returned.text or "",
    latency_ms = type(returned.latency_ms) == "number" and returned.latency_ms or latency_ms,
    error = returned.error ~= nil and tostring(returned.error) or nil,
  }
end

-- What can be kept of a grade: a function or a userdata has no JSON.
local function shown(grade)
  local kind = type(grade)
  return (kind == "function" or kind == "thread" or kind == "userdata") and tostring(grade) or grade
end

local function grade_of(binding, response, of)
  local graded = { grader = binding.grader.name, weight = binding.weight, score = 0.0 }
  local ok, grade, reason = pcall(binding.grader.check, response, of)
  if not ok then
    graded.error = tostring(grade)
    return graded
  elseif reason ~= nil then
    graded.error = tostring(reason)
    return graded
  end
  graded.grade = shown(grade)
  local scored, score = pcall(binding.scorer.score, grade)
  if not scored then
    graded.error = tostring(score)
  elseif type(score) == "number" and score == score then
    graded.score = within(score)
  end
  return graded
end

-- A sum of weights is not exact.
local ALMOST = 1 - 1e-6

local function result_of(suite, of)
  local response = response_of(suite.provider, of)
  local grades, sum, weights = json.array(), 0.0, 0.0
  for index, binding in ipairs(suite.bindings) do
    local graded = grade_of(binding, response, of)
    grades[index] = graded
    sum, weights = sum + graded.score * graded.weight, weights + graded.weight
  end
  local score = weights > 0 and sum / weights or 0.0
  return { case = of, response = response, grades = grades, score = score, passed = score >= ALMOST }
end

local function summary(name, figures)
  local lines = {
    "Suite: " .. name,
    format("Cases: %d  Pass: %d  Fail: %d", figures.total, figures.passed, figures.total - figures.passed),
  }
  local rates = format("pass@1: %.2f", figures.pass_at_1)
  for _, k in ipairs({ 5, 10 }) do
    local rate = figures["pass_at_" .. k]
    rates = rates .. (rate and format("  pass@%d: %.2f", k, rate) or "")
  end
  lines[#lines + 1] = rates
  local scores, interval = figures.scores, figures.ci_95
  lines[#lines + 1] =
    format("Mean: %.3f  StdDev: %.3f  95%% CI: [%.3f, %.3f]", scores.mean, scores.std_dev, interval.lower, interval.upper)
  local tags = {}
  for tag in pairs(figures.by_tag) do
    tags[#tags + 1] = tag
  end
  table.sort(tags)
  for index, tag in ipairs(tags) do
    local of = figures.by_tag[tag]
    lines[#lines + 1] = (index == 1 and "\nBy tag:\n" or "") .. format("  %-20s %d/%d (%.2f)", tag, of.pass, of.pass + of.fail, of.rate)
  end
  return table.concat(lines, "\n")
end

local Report = {}
Report.__index = Report

function Report:summary()
  return summary(self.name, self.aggregated)
end

function Report:to_table()
  return {
    name = self.name,
    aggregated = self.aggregated,
    results = self.results,
    failures = self.failures,
    summary = self:summary(),
  }
end

local Suite = {}
Suite.__index = Suite

function Suite:run()
  local results, failures = json.array(), json.array()
  for index, of in ipairs(self.cases) do
    -- The client of the run sees which case begins.
    alc.progress(index - 1, #self.cases, "case " .. (of.name ~= "" and of.name or index))
    local result = result_of(self, of)
    results[index] = result
    if not result.passed then
      failures[#failures + 1] = result
    end
  end
  local report = { name = self.name, results = results, failures = failures, aggregated = stats.aggregate(results) }
  return setmetatable(report, Report)
end

local function suite(spec, name)
  name = name or "suite"
  if type(spec) ~= "table" or type(spec.provider) ~= "function" then
    refuse("suite '%s': `provider` must be a function", name)
  end
  local cases, bindings = {}, {}
  for index, binding in ipairs(spec) do
    if not is_binding(binding) then
      refuse("suite '%s': entry %d must be made by `bind`", name, index)
    end
    bindings[index] = binding
  end
  for index, of in ipairs(spec.cases or {}) do
    cases[index] = is_case(of) and of or case(of, nil, index)
  end
  if #bindings == 0 or #cases == 0 then
    refuse("suite '%s': needs at least one %s", name, #bindings == 0 and "binding" or "case")
  end
  return setmetatable({ name = name, provider = spec.provider, bindings = bindings, cases = cases }, Suite)
end

------------------------------------------------------------------------------------------------------------------------
-- Providers: where answers come from
------------------------------------------------------------------------------------------------------------------------

-- What a strategy found, as text.
local function text_of(returned)
  local result = returned
  if type(returned) == "table" and returned.result ~= nil then
    result = returned.result
    if type(result) == "table" then
      for _, key in ipairs({ "answer", "summary", "output", "text" }) do
        if type(result[key]) == "string" then
          return result[key]
        end
      end
    end
  end
  return type(result) == "table" and json.encode(result) or tostring(result)
end

local providers = {}

-- Runs a strategy on the input of each case.
function providers.algocline(spec)
  local name = type(spec) == "table" and spec.strategy
  if type(name) ~= "string" then
    refuse("algocline: `strategy` must be the name of a package")
  end
  return function(input)
    -- Called so, it finds no place for its errors, which would be one in here.
    local found, package = pcall(require, name)
    if not found then
      error(package, 0)
    end
    if type(package) ~= "table" or type(package.run) ~= "function" then
      refuse("package '%s' has no run function", name)
    end
    local ctx = {}
    for key, value in pairs(spec.opts or {}) do
      ctx[key] = value
    end
    ctx.task = input
    local returned = package.run(ctx)
    if returned == nil then
      refuse("`run` of package '%s' returned nothing: end it with `return ctx`", name)
    end
    return { text = text_of(returned) }
  end
end

-- Answers from a table by input, a function, or the same for every case.
function providers.mock(answers)
  return function(input)
    local answer = answers
    if type(answers) == "table" then
      answer = answers[input]
    elseif type(answers) == "function" then
      answer = answers(input)
    end
    return type(answer) == "table" and answer or { text = answer == nil and "" or tostring(answer) }
  end
end

return {
  case = setmetatable({ new = case, is_case = is_case }, { __call = named(case) }),
  grader = setmetatable({ is_grader = is_grader }, { __call = named(grader) }),
  scorer = setmetatable({ is_scorer = is_scorer }, { __call = named(scorer) }),
  bind = setmetatable({ is_binding = is_binding }, { __call = named(bind) }),
  graders = graders,
  scorers = scorers,
  providers = providers,
  stats = stats,
  suite = setmetatable({}, { __call = named(suite) }),
}
