--- panel(Panel Discussion) — several roles argue, a moderator decides
---
--- Algorithm:
---   1. Every role states its position, all of them at once.
---   2. In each further round every role reads what the others said and may change its mind.
---   3. A moderator weighs the final positions and names the points that stay open.
---
--- Usage:
---   local panel = require("panel")
---   local ctx = panel.run({
---       task = "Should the service keep sessions in memory?",
---       roles = { "operator", "security engineer", "newcomer to the code" },
---   })
---
--- Parameters (all but `task` are optional):
---   task   the question
---   roles  who takes part ({ "advocate", "critic", "pragmatist" })
---   rounds how often each role speaks (2)

local M = {}

---@type AlcMeta
M.meta = {
    name = "panel",
    version = "0.1.0",
    description = "Panel discussion — roles state and revise their positions in parallel, then a moderator decides",
    category = "synthesis",
    alc_shapes_compat = "^0.25",
}

--- What goes in and out, as plain data.
M.spec = {
    entries = {
        run = {
            input = {
                kind = "shape",
                open = true,
                fields = {
                    task = { kind = "prim", prim = "string" },
                },
            },
            result = "paneled",
        },
    },
}

local DEFAULTS = {
    roles = { "advocate", "critic", "pragmatist" },
    rounds = 2,
}

local function opening(task, role)
    return string.format(
        "You take part in a panel as the %s.\n\nQuestion:\n%s\n\nState your position and your two best reasons.",
        role, task
    )
end

--- What the others said, without the role's own words.
local function others(arguments, own)
    local parts = {}
    for i, argument in ipairs(arguments) do
        if i ~= own then
            parts[#parts + 1] = string.format("[%s]\n%s", argument.role, argument.text)
        end
    end
    return table.concat(parts, "\n\n")
end

local function reply(task, arguments, own)
    local mine = arguments[own]
    return string.format(
        "You take part in a panel as the %s.\n\nQuestion:\n%s\n\nYou said:\n%s\n\nThe others said:\n\n%s\n\n"
            .. "Answer their strongest point. Change your position if it convinced you, and say so.",
        mine.role, task, mine.text, others(arguments, own)
    )
end

local function verdict(task, arguments)
    return string.format(
        "You moderate a panel.\n\nQuestion:\n%s\n\nFinal positions:\n\n%s\n\n"
            .. "Decide. Give the decision first, then why, then what stays open.",
        task, others(arguments, nil)
    )
end

---@param ctx AlcCtx
---@return AlcCtx
function M.run(ctx)
    local task = ctx.task
    if type(task) ~= "string" or task == "" then
        error("panel: ctx.task has to be a text")
    end
    local opts = alc.tuning(DEFAULTS, ctx)
    local roles = opts.roles

    local texts = alc.parallel(roles, function(role)
        return opening(task, role)
    end, { max_tokens = 500 })

    local function as_arguments()
        return alc.map(roles, function(role, i)
            return { role = role, text = texts[i] }
        end)
    end

    for round = 2, opts.rounds do
        alc.progress(round, opts.rounds + 1, "round " .. round)
        local arguments = as_arguments()
        texts = alc.parallel(roles, function(_, i)
            return reply(task, arguments, i)
        end, { max_tokens = 500 })
    end

    local arguments = as_arguments()
    local decision = alc.llm(verdict(task, arguments), { max_tokens = 800 })
    alc.stats.record("panel.roles", #roles)

    ctx.result = {
        answer = decision,
        synthesis = decision,
        arguments = arguments,
        total_llm_calls = #roles * opts.rounds + 1,
    }
    return ctx
end

return M
