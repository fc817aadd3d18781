--- quick_vote(Quick Vote) — asks a few times and takes the majority
---
--- Asks for `first` answers at once. When they agree, that is the answer. Otherwise it asks again until `most` answers
--- are in, and the most frequent one wins.
---
--- Parameters (all but `task` are optional):
---   task   a question with a short answer
---   first  answers to begin with (3)
---   most   answers at most (5)

-- What changed, the newest last; the last part of the version counts them.
local CHANGES = {
    "takes the majority of a fixed number of answers",
    "stops early when the first answers agree",
    "compares numbers without their thousands separators",
}

local function revision(changes)
    return #changes
end

local BUILD = revision(CHANGES)

local M = {
    meta = {
        name = "quick_vote",
        version = "0.1." .. BUILD,
        description = "Majority vote over short answers that stops early when the first ones agree",
        category = "selection",
        alc_shapes_compat = "^0.25",
        tags = { "parallel", "voting" },
    },
}

local DEFAULTS = { first = 3, most = 5 }

local PROMPT = "%s\n\nGive the final answer alone, on one line, without an explanation."

--- Brings answers that mean the same to one form: no outer space, no final full stop, no "1,000".
local function normalized(answer)
    local text = answer:gsub("^%s+", ""):gsub("%s+$", ""):gsub("%.$", "")
    repeat
        local count
        text, count = text:gsub("(%d),(%d%d%d)", "%1%2")
    until count == 0
    return text
end

local function ask(task, n)
    local items = {}
    for i = 1, n do
        items[i] = { prompt = PROMPT:format(task), max_tokens = 100 }
    end
    return alc.map(alc.llm_batch(items), normalized)
end

---@param ctx AlcCtx
---@return AlcCtx
function M.run(ctx)
    local task = ctx.task
    if type(task) ~= "string" or task == "" then
        error("quick_vote: ctx.task has to be a text")
    end
    local opts = alc.tuning(DEFAULTS, ctx)

    local answers = ask(task, opts.first)
    local vote = alc.vote(answers)
    if vote.count < vote.total and opts.most > opts.first then
        for _, answer in ipairs(ask(task, opts.most - opts.first)) do
            answers[#answers + 1] = answer
        end
        vote = alc.vote(answers)
    end
    alc.log("debug", string.format("quick_vote: %d of %d for %s", vote.count, vote.total, vote.winner))

    ctx.result = {
        answer = vote.winner,
        votes = answers,
        agreement = vote.count / vote.total,
        total_llm_calls = vote.total,
    }
    return ctx
end

return M
