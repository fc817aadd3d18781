local function form(message, properties, required)
    return { form = { message = message, schema = { type = "object", properties = properties, required = required } } }
end

local function question(words, max_tokens)
    return {
        sample = {
            messages = { { role = "user", content = { type = "text", text = words } } },
            max_tokens = max_tokens,
        },
    }
end

local function described(answer)
    return "action=" .. answer.action .. ", content=" .. (answer.content and json.encode(answer.content) or "{}")
end

local user_name = form("What is your name?", { name = { type = "string" } }, { "name" })

local function step(key, message, field)
    local answers, problem = ask.all { [key] = form(message, { [field] = { type = "string" } }, { field }) }
    if not answers then return nil, problem end
    return answers[key].content and answers[key].content[field] or answers[key].action
end

return {
    sampling = function(arguments)
        local answer, problem = require("sample").create {
            messages = { { role = "user", content = { type = "text", text = arguments.prompt or "Hello" } } },
            max_tokens = 100,
        }
        if not answer then return nil, problem end
        return "LLM response: " .. (answer.content.text or "")
    end,

    elicitation = function(arguments)
        local answer, problem = elicit.form(arguments.message or "Who are you?", {
            type = "object",
            properties = {
                username = { type = "string", description = "User's response" },
                email = { type = "string", description = "User's email address" },
            },
            required = { "username", "email" },
        })
        if not answer then return nil, problem end
        return "User response: " .. described(answer)
    end,

    defaults = function()
        local answer, problem = elicit.form("Please review and update the form fields with defaults", {
            type = "object",
            properties = {
                name = { type = "string", description = "User name", default = "John Doe" },
                age = { type = "integer", description = "User age", default = 30 },
                score = { type = "number", description = "User score", default = 95.5 },
                status = {
                    type = "string",
                    description = "User status",
                    enum = { "active", "inactive", "pending" },
                    default = "active",
                },
                verified = { type = "boolean", description = "Verification status", default = true },
            },
        })
        if not answer then return nil, problem end
        return "Elicitation completed: " .. described(answer)
    end,

    enums = function()
        local function titled(count, prefix)
            local choices = {}
            for number = 1, count do
                local names = { "First", "Second", "Third" }
                choices[number] = { const = prefix .. number, title = names[number] .. " Option" }
            end
            return choices
        end
        local names = { "option1", "option2", "option3" }
        local answer, problem = elicit.form("Please select options from the enum fields", {
            type = "object",
            properties = {
                untitledSingle = { type = "string", enum = names },
                titledSingle = { type = "string", oneOf = titled(3, "value") },
                legacyEnum = {
                    type = "string",
                    enum = { "opt1", "opt2", "opt3" },
                    enumNames = { "Option One", "Option Two", "Option Three" },
                },
                untitledMulti = { type = "array", items = { type = "string", enum = names } },
                titledMulti = { type = "array", items = { anyOf = titled(3, "value") } },
            },
        })
        if not answer then return nil, problem end
        return "Elicitation completed: " .. described(answer)
    end,

    user_name = function()
        local answers, problem = ask.all { user_name = user_name }
        if not answers then return nil, problem end
        local content = answers.user_name.content
        return "Hello, " .. tostring(content and content.name or answers.user_name.action) .. "!"
    end,

    capital = function()
        local answers, problem = ask.all { capital_question = question("What is the capital of France?", 100) }
        if not answers then return nil, problem end
        return "The model said: " .. tostring(answers.capital_question.content.text)
    end,

    client_roots = function()
        local answers, problem = ask.all { client_roots = { roots = true } }
        if not answers then return nil, problem end
        local names = {}
        for _, root in ipairs(answers.client_roots) do names[#names + 1] = root.uri end
        return "Roots: " .. table.concat(names, ", ")
    end,

    request_state = function()
        local question = form("Please confirm", { ok = { type = "boolean" } }, { "ok" })
        local answers, problem = ask.all { confirm = question }
        if not answers then return nil, problem end
        return "state-ok: " .. tostring(answers.confirm.content and answers.confirm.content.ok)
    end,

    multiple_inputs = function()
        local answers, problem = ask.all {
            user_name = user_name,
            greeting = question("Generate a greeting", 50),
            client_roots = { roots = true },
        }
        if not answers then return nil, problem end
        local content = answers.user_name.content
        local name = tostring(content and content.name or answers.user_name.action)
        return name .. ": " .. tostring(answers.greeting.content.text) .. " (" .. #answers.client_roots .. " roots)"
    end,

    multi_round = function()
        local name, problem = step("step1", "Step 1: What is your name?", "name")
        if not name then return nil, problem end
        local color
        color, problem = step("step2", "Step 2: What is your favorite color?", "color")
        if not color then return nil, problem end
        return name .. " likes " .. color
    end,

    capabilities = function()
        local questions = {}
        if client.can("sampling") then questions.capital_question = question("What is the capital of France?", 100) end
        if client.can("elicitation") then questions.user_name = user_name end
        if next(questions) == nil then return "This client can be asked nothing." end
        local answers, problem = ask.all(questions)
        if not answers then return nil, problem end
        local names = {}
        for name in pairs(answers) do names[#names + 1] = name end
        table.sort(names)
        return "Answered: " .. table.concat(names, ", ")
    end,
}
