#!/usr/bin/env lua
--- Every form of a constant, and most things that are none.
---
--- Über, naïve, 日本語, 🦀, "quoted", back\slash.

local VERSION = "1.2.0"
local AUTHORS = { { name = "Ada", roles = { "author", "reviewer" } }, { name = 'Grace' } }

local M = {
    meta = setmetatable({
        name = "every_form";
        version = VERSION,
        description = "first piece, " .. 'second piece, ' .. [[long "text" here]] .. [==[ ]] ]==] .. 3,
        escapes = "\a\b\f\n\r\t\v\\\"\'\x41\65\u{41}\u{1F980}\z
                   \127\0end",
        numbers = { 1.5, -3, 0x10, 1e3, 0x.8p1, 9007199254740993, 1e308 * 10, 0 / 0, -0.0, 7 // 2, 2 ^ 10, 5 % 3 },
        flags = { yes = true, no = false, none = nil, ["not"] = not true },
        authors = AUTHORS,
        [1] = "mixed", [2.0] = "keys", [-1] = "and more",
        called = os.getenv("HOME"),
        indexed = AUTHORS[1].name,
        named = UNKNOWN,
        later = function() return 1 end,
        nested = { deep = { deeper = { f(), "kept", { g } } } },
    }, {}),
}

M.meta.category = "reasoning"
if os.time() > 0 then
    M.meta.sometimes = 1
end
M.meta["tags"] = { "one", "two", [3] = "three" }

-- M.meta = { name = "no" }
local text = "M.meta = { name = 'no' }"

function M.run(ctx)
    M.meta.name = ctx.name
    return ctx
end

return M
