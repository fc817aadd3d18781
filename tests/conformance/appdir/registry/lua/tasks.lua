local function form(message, field, kind)
    local schema = { type = "object", properties = { [field] = { type = kind } }, required = { field } }
    return { form = { message = message, schema = schema } }
end

return {
    greet = function(arguments)
        return "Hello, " .. arguments.name .. "!"
    end,

    slow_compute = function(arguments)
        local seconds = arguments.seconds or 0
        if seconds > 0 then time.sleep(seconds .. "s") end
        return "Computed " .. (arguments.label or "nothing") .. " in " .. seconds .. " s"
    end,

    failing_job = function()
        time.sleep("1s")
        return nil, "the job has failed"
    end,

    protocol_error_job = function()
        return nil, { code = -32603, message = "the job cannot be done" }
    end,

    confirm_delete = function(arguments)
        local file = arguments.filename or "nothing"
        if not client.can("elicitation") then return "Nobody can be asked, so " .. file .. " stays." end
        local answer, problem = elicit.form("Delete " .. file .. "?", {
            type = "object",
            properties = { confirm = { type = "boolean" } },
            required = { "confirm" },
        })
        if not answer then return nil, problem end
        local gone = answer.action == "accept" and answer.content and answer.content.confirm
        return file .. (gone and " is deleted" or " stays")
    end,

    multi_input = function()
        local answers, problem = ask.all {
            name = form("What is your name?", "name", "string"),
            confirm = form("Shall it go on?", "confirm", "boolean"),
        }
        if not answers then return nil, problem end
        return "Asked " .. tostring(answers.name.content.name)
    end,

    asks_then_works = function()
        local answers, problem = ask.all { user_name = form("What is your name?", "name", "string") }
        if not answers then return nil, problem end
        task.start()
        time.sleep("500ms")
        return "Worked for " .. tostring(answers.user_name.content.name)
    end,
}
