-- What a declared handler finds around it, on top of `base.lua`: `errors`, a `require` that knows the lists of its entry, and
-- the call itself. Runs once for each call, before the call is known.

local native, base = ...

local _G, error, getmetatable, next, setmetatable, tostring, type = _G, error, getmetatable, next, setmetatable, tostring, type
local concat, unpack, find = table.concat, table.unpack, string.find
local integer, tonumber, gmatch, match = math.tointeger, tonumber, string.gmatch, string.match
local compile, package_require = base.compile, _G.require

-- Code comes from the registry alone.
_G.load, _G.collectgarbage, _G.os.getenv = nil, nil, nil
_G.unpack = unpack
_G.os.platform = "wardroom"

-- Errors are values with a kind.

local Error = { __index = {}, __name = "error" }

function Error.__index:message() return self._message end
function Error.__index:kind() return self._kind end
function Error.__index:retryable() return self._retryable end
function Error.__index:details() return self._details end
function Error.__index:stack() return self._stack end
function Error:__tostring() return self._message end
function Error.__concat(left, right) return tostring(left) .. tostring(right) end

local function is_error(value)
    return type(value) == "table" and getmetatable(value) == Error
end

local kinds = {
    NOT_FOUND = "NOT_FOUND", ALREADY_EXISTS = "ALREADY_EXISTS", INVALID = "INVALID", PERMISSION_DENIED = "PERMISSION_DENIED",
    UNAVAILABLE = "UNAVAILABLE", INTERNAL = "INTERNAL", CANCELED = "CANCELED", CONFLICT = "CONFLICT", TIMEOUT = "TIMEOUT",
    RATE_LIMITED = "RATE_LIMITED", UNKNOWN = "UNKNOWN",
}

-- What a function of a module answers instead of a value. Its stack is not looked at until somebody wants it.
local function fault(message, kind, retryable, details, stack)
    return setmetatable({ _message = message, _kind = kind, _retryable = retryable, _details = details, _stack = stack or "" }, Error)
end

local errors = setmetatable({}, { __index = kinds })
for kind in next, kinds do errors[kind] = kind end

function errors.new(told)
    if type(told) == "string" then return fault(told, kinds.UNKNOWN, nil, nil, native.traceback()) end
    if type(told) ~= "table" or type(told.message) ~= "string" then
        error("bad argument #1 to 'errors.new' (a text, or a table with `message`, expected)", 2)
    end
    local kind = told.kind
    if kind ~= nil and not kinds[kind] then
        error("bad argument #1 to 'errors.new' (`kind` must be one of errors.NOT_FOUND, errors.INVALID…, got '" .. tostring(kind) .. "')", 2)
    end
    local retryable = told.retryable
    if type(retryable) ~= "boolean" then retryable = nil end
    local details = told.details
    if type(details) ~= "table" then details = nil end
    return fault(told.message, kind or kinds.UNKNOWN, retryable, details, native.traceback())
end

function errors.wrap(wrapped, context)
    local message = tostring(wrapped)
    if context ~= nil then message = tostring(context) .. ": " .. message end
    if not is_error(wrapped) then return fault(message, kinds.UNKNOWN, nil, nil, native.traceback()) end
    return fault(message, wrapped._kind, wrapped._retryable, wrapped._details, wrapped._stack)
end

function errors.is(value, kind)
    return is_error(value) and value._kind == kind
end

function errors.call_stack(value)
    if not is_error(value) then return nil end
    local frames = {}
    for line in gmatch(value._stack, "[^\n]+") do
        local source, number, name = match(line, "^%s*(.-):(%d+): in (.*)$")
        if source then frames[#frames + 1] = { source = source, line = integer(tonumber(number)), name = name } end
    end
    return { thread = "main", frames = frames }
end

_G.errors = errors
base.protect()

-- `require` finds what an entry lists, and for its imports what they list.

local loaded, loading, path = {}, {}, {}
local environment

-- Errors here name the entry that asks instead of a line: `return require(…)` leaves none.
local function library(entry, id)
    local value = loaded[entry]
    if value ~= nil then return value end
    if loading[entry] then error(id .. ": circular import: " .. concat(path, " -> ") .. " -> " .. entry, 0) end
    local source, modules, imports = native.import(entry)
    if not source then error(id .. ": " .. modules, 0) end
    local chunk, failure = compile(source, "@" .. entry, "t", environment(entry, modules, imports))
    if not chunk then error(id .. ": error loading '" .. entry .. "': " .. failure, 0) end
    loading[entry] = true
    path[#path + 1] = entry
    local ended <close> = setmetatable({}, {
        __close = function()
            loading[entry] = nil
            path[#path] = nil
        end,
    })
    value = chunk(entry)
    if value == nil then value = true end
    loaded[entry] = value
    return value
end

local standard = { coroutine = true, errors = true, math = true, os = true, string = true, table = true, utf8 = true }

local function requirer(id, modules, imports)
    return function(name)
        if type(name) ~= "string" then
            error("bad argument #1 to 'require' (string expected, got " .. type(name) .. ")", 2)
        end
        if modules[name] then return modules[name] end
        if imports[name] then return library(imports[name], id) end
        if standard[name] then return _G[name] end
        -- Packages, as strategies find them.
        if modules.alc then return package_require(name) end
        error(native.unlisted(name, id), 0)
    end
end

local function made(modules)
    local found = {}
    for _, name in next, modules do found[name] = native.module(name) end
    return found
end

-- What a library sees: what it lists, and whatever else is global. What it sets is global too.
function environment(id, modules, imports)
    modules = made(modules)
    local seen = { require = requirer(id, modules, imports) }
    for name, module in next, modules do seen[name] = module end
    return setmetatable(seen, {
        __index = function(_, name)
            if imports[name] then return seen.require(name) end
            return _G[name]
        end,
        __newindex = _G,
    })
end

local function prepare(id, modules, imports)
    modules = made(modules)
    for name, module in next, modules do _G[name] = module end
    local require = requirer(id, modules, imports)
    _G.require = require
    if next(imports) ~= nil then
        setmetatable(_G, {
            __index = function(_, name)
                if imports[name] then return require(name) end
            end,
            __metatable = false,
        })
    end
end

local function described(raised)
    return { message = raised._message, kind = raised._kind, retryable = raised._retryable, details = raised._details }
end

-- Raised or returned, it is the same error.
base.describe(function(raised)
    if is_error(raised) then return described(raised) end
end)

local function is_callable(value)
    return type(value) == "function"
end

-- The function of a source, which is loaded.
local function handler_of(chunk, id, method)
    local returned = chunk(id)
    local body = returned
    if type(returned) == "table" then body = returned[method] end
    if not is_callable(body) then body = _G[method] end
    if not is_callable(body) then
        error(id .. " has no function '" .. method .. "': end its file with `return { " .. method .. " = " .. method .. " }`", 0)
    end
    return body
end

return {
    errors = errors,
    fault = fault,
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
