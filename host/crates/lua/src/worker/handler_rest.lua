-- The functions of `handler.lua` that few handlers call. Runs with the first call of one of them, and is given what a handler may
-- have replaced by then.
--
-- Each is called in the place of the function that the handler sees: the levels of errors count from there.

local native, made, compile, package_require, _G, error, getmetatable, next, setmetatable, tonumber, tostring, type, integer,
    string, table = ...

local concat, gmatch, match = table.concat, string.gmatch, string.match
local rest = {}

-- Errors are values with a kind.

local Error = { __index = {}, __name = "error" }
rest.Error = Error

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
    NOT_FOUND = true, ALREADY_EXISTS = true, INVALID = true, PERMISSION_DENIED = true, UNAVAILABLE = true, INTERNAL = true,
    CANCELED = true, CONFLICT = true, TIMEOUT = true, RATE_LIMITED = true, UNKNOWN = true,
}

-- Makes the error that a function of a module returns instead of a value. `errors.call_stack` parses its stack.
local function fault(message, kind, retryable, details, stack)
    return setmetatable({ _message = message, _kind = kind, _retryable = retryable, _details = details, _stack = stack or "" }, Error)
end
rest.fault = fault

function rest.new(told)
    if type(told) == "string" then return fault(told, "UNKNOWN", nil, nil, native.traceback()) end
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
    return fault(told.message, kind or "UNKNOWN", retryable, details, native.traceback())
end

function rest.wrap(wrapped, context)
    local message = tostring(wrapped)
    if context ~= nil then message = tostring(context) .. ": " .. message end
    if not is_error(wrapped) then return fault(message, "UNKNOWN", nil, nil, native.traceback()) end
    return fault(message, wrapped._kind, wrapped._retryable, wrapped._details, wrapped._stack)
end

function rest.is(value, kind)
    return is_error(value) and value._kind == kind
end

function rest.call_stack(value)
    if not is_error(value) then return nil end
    local frames = {}
    for line in gmatch(value._stack, "[^\n]+") do
        local source, number, name = match(line, "^%s*(.-):(%d+): in (.*)$")
        if source then frames[#frames + 1] = { source = source, line = integer(tonumber(number)), name = name } end
    end
    return { thread = "main", frames = frames }
end

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

function rest.require(id, modules, imports, name)
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

-- What a library sees: what it lists, and whatever else is global. What it sets is global too.
function environment(id, modules, imports)
    modules = made(modules)
    local function require(name) return rest.require(id, modules, imports, name) end
    local seen = { require = require }
    for name, module in next, modules do seen[name] = module end
    return setmetatable(seen, {
        __index = function(_, name)
            if imports[name] then return seen.require(name) end
            return _G[name]
        end,
        __newindex = _G,
    })
end

-- The imports of an entry are global as well.
function rest.import_globals(imports, require)
    setmetatable(_G, {
        __index = function(_, name)
            if imports[name] then return require(name) end
        end,
        __metatable = false,
    })
end

function rest.lacks_function(id, method)
    error(id .. " has no function '" .. method .. "': end its file with `return { " .. method .. " = " .. method .. " }`", 0)
end

return rest
