local PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
local WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

local function text(words)
    return { type = "text", text = words }
end

local image = { type = "image", data = PNG, mimeType = "image/png" }

local function resource(uri, mime_type, words)
    return { type = "resource", resource = { uri = uri, mimeType = mime_type, text = words } }
end

return {
    simple_text = function()
        return "This is a simple text response for testing."
    end,

    image = function()
        return { content = { image } }
    end,

    audio = function()
        return { content = { { type = "audio", data = WAV, mimeType = "audio/wav" } } }
    end,

    embedded_resource = function()
        return { content = { resource("test://embedded-resource", "text/plain", "This is an embedded resource content.") } }
    end,

    mixed = function()
        return {
            content = {
                text("Multiple content types test:"),
                image,
                resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
            },
        }
    end,

    failure = function()
        return nil, "This tool intentionally returns an error for testing"
    end,
}
