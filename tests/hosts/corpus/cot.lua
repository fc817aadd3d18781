--- cot(Chain of Thought) — thinks in steps and answers at the end
---
--- The model is asked for one step of reasoning at a time and sees its own earlier steps each time. A last question
--- asks for the answer alone, so that callers need not pick it out of the reasoning.
---
--- Usage:
---   local cot = require("cot")
---   local ctx = cot.run({ task = "A train leaves at 9:40 and travels 95 minutes. When does it arrive?" })
---   print(ctx.result.answer)
---
--- Parameters (all but `task` are optional):
---   task          what to solve
---   depth         steps of reasoning (2)
---   step_tokens   room for each step, in tokens (400)
---   answer_tokens room for the answer, in tokens (200)
---
--- Result:
---   answer          the answer alone
---   steps           the reasoning, one text for each step
---   total_llm_calls depth + 1

local M = {}

---@type AlcMeta
M.meta = {
    name = "cot",
    version = "0.2.0",
    description = "Chain of thought: asks for one step of reasoning at a time, shows the model its earlier steps, "
        .. "and asks for the answer alone at the end. A cheap default for tasks "
        .. "that take a few steps and have one right answer.",
    category = "reasoning",
    alc_shapes_compat = "^0.25",
    tags = { "sequential", "single-answer" },
}

local DEFAULTS = {
    depth = 2,
    step_tokens = 400,
    answer_tokens = 200,
}

local THINKER = "You solve tasks carefully. You write one step of reasoning at a time and do not jump to the end."
local ANSWERER = "You report results. You write the answer alone, without reasoning and without a full sentence."

--- The steps so far, numbered, or a line that says there are none.
local function so_far(steps)
    if #steps == 0 then
        return "(none yet)"
    end
    local lines = {}
    for i, step in ipairs(steps) do
        lines[i] = i .. ". " .. step
    end
    return table.concat(lines, "\n")
end

local function step_prompt(task, steps, depth)
    return string.format(
        "Task:\n%s\n\nReasoning so far:\n%s\n\nWrite step %d of %d.",
        task, so_far(steps), #steps + 1, depth
    )
end

local function answer_prompt(task, steps)
    return string.format("Task:\n%s\n\nReasoning:\n%s\n\nWhat is the answer?", task, so_far(steps))
end

local function trim(text)
    return (text:gsub("^%s+", ""):gsub("%s+$", ""))
end

---@param ctx AlcCtx
---@return AlcCtx
function M.run(ctx)
    local task = ctx.task
    if type(task) ~= "string" or task == "" then
        error("cot: ctx.task has to be a text")
    end
    local opts = alc.tuning(DEFAULTS, ctx)

    local steps = {}
    for i = 1, opts.depth do
        alc.progress(i, opts.depth + 1, "step " .. i)
        steps[i] = trim(alc.llm(step_prompt(task, steps, opts.depth), {
            system = THINKER,
            max_tokens = opts.step_tokens,
        }))
    end

    alc.progress(opts.depth + 1, opts.depth + 1, "answer")
    local answer = alc.llm(answer_prompt(task, steps), {
        system = ANSWERER,
        max_tokens = opts.answer_tokens,
    })
    alc.log("info", "cot: answered after " .. #steps .. " steps")

    ctx.result = {
        answer = trim(answer),
        steps = steps,
        total_llm_calls = #steps + 1,
    }
    return ctx
end

return M
