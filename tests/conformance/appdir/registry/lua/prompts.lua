local PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

local function user(content)
    return { role = "user", content = content }
end

local function text(words)
    return user { type = "text", text = words }
end

return {
    embedded_resource = function(arguments)
        return {
            messages = {
                user {
                    type = "resource",
                    resource = {
                        uri = arguments.resourceUri,
                        mimeType = "text/plain",
                        text = "Embedded resource content for testing.",
                    },
                },
                text("Please process the embedded resource above."),
            },
        }
    end,

    image = function()
        return {
            messages = {
                user { type = "image", data = PNG, mimeType = "image/png" },
                text("Please analyze the image above."),
            },
        }
    end,

    input_required = function()
        local answers, problem = ask.all {
            user_context = {
                form = {
                    message = "What context should the prompt use?",
                    schema = { type = "object", properties = { context = { type = "string" } }, required = { "context" } },
                },
            },
        }
        if not answers then return nil, problem end
        local content = answers.user_context.content
        return { messages = { text("Use this context: " .. tostring(content and content.context)) } }
    end,
}
