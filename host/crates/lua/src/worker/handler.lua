-- What a declared handler finds around it, on top of `base.lua`: `errors`, a `require` that knows the lists of its entry, and
-- the call itself. Runs once for each call, before the call is known. `handler_rest.lua` has the functions that few handlers call.

local native, base = ...

local _G, error, getmetatable, next, setmetatable, tonumber, tostring, type = _G, error, getmetatable, next, setmetatable, tonumber, tostring, type
local integer, string, table = math.tointeger, string, table
local compile, package_require = base.compile, _G.require

local made
local rest -- the functions of `handler_rest.lua`, once they are loaded

local on_use, get_rest = base.on_first_use(function()
    rest = native.handler_rest(
        native, made, compile, package_require, _G, error, getmetatable, next, setmetatable, tonumber, tostring, type, integer,
        string, table
    )
    return rest
end)

-- Code comes from the registry alone.
_G.load, _G.collectgarbage, _G.os.getenv = nil, nil, nil
_G.unpack = table.unpack
_G.os.platform = "wardroom"

-- Errors are values with a kind.

_G.errors = {
    NOT_FOUND = "NOT_FOUND", ALREADY_EXISTS = "ALREADY_EXISTS", INVALID = "INVALID", PERMISSION_DENIED = "PERMISSION_DENIED",
    UNAVAILABLE = "UNAVAILABLE", INTERNAL = "INTERNAL", CANCELED = "CANCELED", CONFLICT = "CONFLICT", TIMEOUT = "TIMEOUT",
    RATE_LIMITED = "RATE_LIMITED", UNKNOWN = "UNKNOWN",
    new = on_use("new"), wrap = on_use("wrap"), is = on_use("is"), call_stack = on_use("call_stack"),
}
base.protect()

-- The metatable of errors is loaded before the first error is made.
local function is_error(value)
    return rest ~= nil and type(value) == "table" and getmetatable(value) == rest.Error
end

-- Modules are global, and `require` finds them too.

function made(modules)
    local found = {}
    for _, name in next, modules do found[name] = native.module(name) end
    return found
end

local function prepare(id, modules, imports)
    modules = made(modules)
    for name, module in next, modules do _G[name] = module end
    _G.require = function(name)
        return get_rest().require(id, modules, imports, name)
    end
    if next(imports) ~= nil then get_rest().import_globals(imports, _G.require) end
end

local function described(raised)
    return { message = raised._message, kind = raised._kind, retryable = raised._retryable, details = raised._details }
end

-- Raised or returned, it is the same error.
base.describe(function(raised)
    if is_error(raised) then return described(raised) end
end)

-- The function of a source, which is loaded.
local function handler_of(chunk, id, method)
    local returned = chunk(id)
    local body = returned
    if type(returned) == "table" then body = returned[method] end
    if type(body) ~= "function" then body = _G[method] end
    if type(body) ~= "function" then get_rest().lacks_function(id, method) end
    return body
end

return {
    fault = on_use("fault"),
    prepare = prepare,
    -- Whether the source is loaded, and has the function to call. A library has none.
    check = function(chunk, id, method)
        if method == "" then chunk(id) else handler_of(chunk, id, method) end
        return true, true
    end,
    -- Whether it went well, and what came of it.
    call = function(chunk, id, method, ...)
        local value, problem = handler_of(chunk, id, method)(...)
        if is_error(problem) then return false, described(problem) end
        if is_error(value) then return false, described(value) end
        if value == nil and type(problem) == "string" then return false, { message = problem } end
        -- The protocol's own errors have a number.
        if value == nil and type(problem) == "table" and integer(problem.code) and type(problem.message) == "string" then
            return false, { message = problem.message, code = problem.code, data = problem.data }
        end
        return true, value
    end,
}
