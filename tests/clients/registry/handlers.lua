return {
    count = function(arguments)
        local _, words = string.gsub(arguments.text, "%S+", "")
        return { words = words }
    end,

    letters = function(arguments)
        local letters = {}
        for letter in string.gmatch(arguments.word, ".") do letters[#letters + 1] = letter end
        return { structuredContent = letters }
    end,

    order = function(arguments)
        local answer, problem = elicit.form("How many cups of " .. arguments.drink .. "?", {
            type = "object",
            properties = { cups = { type = "integer", minimum = 1, maximum = 9 } },
            required = { "cups" },
        })
        if not answer then return nil, problem end
        return { action = answer.action, drink = arguments.drink, cups = answer.content and answer.content.cups }
    end,

    greeting = function(arguments)
        return "Hello, " .. arguments.name .. "!"
    end,
}
