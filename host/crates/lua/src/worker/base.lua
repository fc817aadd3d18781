-- What scripts find around them, made from an allow-list. Runs once, before the library is installed.
--
-- Locals have the names of the globals that they keep, since Lua's own messages name them.

local native = ...

local _G, error, getmetatable, load, next, pairs = _G, error, getmetatable, load, next, pairs
local pcall, rawget, rawset, select, setmetatable, tostring, type, xpcall = pcall, rawget, rawset, select, setmetatable, tostring, type, xpcall
local collectgarbage, floor, randomseed = collectgarbage, math.floor, math.randomseed
local concat, pack, find, gsub, sub = table.concat, table.pack, string.find, string.gsub, string.sub
local tointeger, tonumber = math.tointeger, tonumber

local allowed = {
    _G = true, _VERSION = true, assert = true, collectgarbage = true, error = true, getmetatable = true, ipairs = true,
    load = true, next = true, pairs = true, pcall = true, print = true, rawequal = true, rawget = true, rawlen = true,
    rawset = true, select = true, setmetatable = true, tonumber = true, tostring = true, type = true, xpcall = true,
    coroutine = true, math = true, string = true, table = true, utf8 = true,
}
for name in pairs(_G) do
    if not allowed[name] then _G[name] = nil end
end
string.dump = nil
-- The one metatable that all strings share.
getmetatable("").__metatable = "string"

-- Tables that scripts share. Each is seen through another one, which stays empty.

local shared, names = {}, {} -- the table and its name, by what is seen of it

local function refuse(seen, key)
    error(names[seen] .. " is read-only: '" .. tostring(key) .. "' was not set", 2)
end

local function each(seen)
    local table, key = shared[seen]
    return function()
        local value
        key, value = next(table, key)
        return key, value
    end
end

local function length(seen) return #shared[seen] end

local function read_only(name, table, is_flat)
    if not is_flat then
        for key, value in next, table do
            if type(value) == "table" and getmetatable(value) == nil then
                table[key] = read_only(name .. "." .. tostring(key), value)
            end
        end
    end
    local seen = setmetatable({}, {
        __index = table, __newindex = refuse, __pairs = each, __len = length, __metatable = "read-only",
    })
    shared[seen], names[seen] = table, name
    return seen
end

-- Lua would name these functions in its messages by what the locals here are called, which handlers' bytecode does not keep.
local function mismatch(position, name, expected, got)
    error("bad argument #" .. position .. " to '" .. name .. "' (" .. expected .. " expected, got " .. got .. ")", 3)
end

function _G.rawset(table, key, value)
    if shared[table] then error("a shared table is read-only: '" .. tostring(key) .. "' was not set", 2) end
    if type(table) ~= "table" then mismatch(1, "rawset", "table", type(table)) end
    return rawset(table, key, value)
end

function _G.setmetatable(table, ...)
    local metatable = ...
    if type(table) ~= "table" then mismatch(1, "setmetatable", "table", type(table)) end
    if type(metatable) ~= "table" and (metatable ~= nil or select("#", ...) == 0) then
        mismatch(2, "setmetatable", "nil or table", metatable == nil and "no value" or type(metatable))
    end
    if metatable then
        if rawget(metatable, "__gc") ~= nil then
            error("__gc is not available: when it would be called is not repeatable", 2)
        end
        local mode = rawget(metatable, "__mode")
        if type(mode) == "string" and find(mode, "[kv]") then
            error("weak tables (__mode) are not available: what is left in them is not repeatable", 2)
        end
    end
    return setmetatable(table, metatable)
end

-- What the host's own functions raise is a message, as everything else.

local function plain(raised)
    if type(raised) == "userdata" then return native.plain(raised) end
    return raised
end

local function settled(ok, ...)
    if ok then return ok, ... end
    return ok, plain((...))
end

function _G.pcall(...)
    if select("#", ...) == 0 then error("bad argument #1 to 'pcall' (value expected)", 2) end
    return settled(pcall(...))
end

function _G.xpcall(body, handler, ...)
    if type(handler) ~= "function" then mismatch(2, "xpcall", "function", type(handler)) end
    return settled(xpcall(body, function(raised) return handler(plain(raised)) end, ...))
end

local resume, close = coroutine.resume, coroutine.close
function coroutine.resume(thread, ...)
    if type(thread) ~= "thread" then mismatch(1, "resume", "coroutine", type(thread)) end
    return settled(resume(thread, ...))
end
function coroutine.close(thread)
    if type(thread) ~= "thread" then mismatch(1, "close", "coroutine", type(thread)) end
    return settled(close(thread))
end

-- Code is text of a bounded size.

local function compile(source, ...)
    if #source > native.max_source then
        return nil, "the source is larger than " .. native.max_source // 1048576 .. " MiB"
    end
    -- Some errors of the compiler go to the message handler of whoever compiles, but not of this 'pcall'.
    local ok, chunk, failure = pcall(load, source, ...)
    if not ok then return nil, chunk end
    return chunk, failure
end

-- As Lua reads a file: without the mark of its encoding, nor a first line for a shell.
local function compile_file(source, ...)
    if sub(source, 1, 3) == "\xEF\xBB\xBF" then source = sub(source, 4) end
    if sub(source, 1, 1) == "#" then source = gsub(source, "^[^\n]*", "", 1) end
    return compile(source, ...)
end

local function pieces(reader)
    local found, size = {}, 0
    while true do
        local piece = reader()
        if piece == nil or piece == "" then return concat(found) end
        if type(piece) ~= "string" then error("reader function must return a string", 0) end
        size = size + #piece
        if size > native.max_source then return concat(found) .. piece end
        found[#found + 1] = piece
    end
end

function _G.load(chunk, name, mode, ...)
    if mode ~= nil and not find(tostring(mode), "t", 1, true) then
        return nil, "attempt to load a text chunk (mode is '" .. tostring(mode) .. "')"
    end
    if type(chunk) == "function" then
        local ok, source = _G.pcall(pieces, chunk)
        if not ok then return nil, source end
        chunk = source
        if name == nil then name = "=(load)" end
    end
    if type(chunk) ~= "string" then
        error("bad argument #1 to 'load' (string expected, got " .. type(chunk) .. ")", 2)
    end
    return compile(chunk, name, "t", ...)
end

function _G.collectgarbage(option)
    if option ~= nil and option ~= "collect" then
        error("collectgarbage: only 'collect' is available, since the rest is not repeatable", 2)
    end
    return collectgarbage()
end

function _G.print(...)
    local shown = pack(...)
    for index = 1, shown.n do shown[index] = tostring(shown[index]) end
    native.print(concat(shown, "\t", 1, shown.n))
end

-- The time is an answer of the server, the same again when a run is repeated; the zone is UTC.

local started
local os = {
    time = function(fields)
        if fields == nil then return floor(native.now()) end
        if type(fields) ~= "table" then
            error("bad argument #1 to 'time' (table expected, got " .. type(fields) .. ")", 2)
        end
        local function field(name, default)
            local value = fields[name]
            local number = tointeger(value)
            if number then return number end
            if value ~= nil then error("field '" .. name .. "' is not an integer", 3) end
            if not default then error("field '" .. name .. "' missing in date table", 3) end
            return default
        end
        local time = native.time_of(field("year"), field("month"), field("day"), field("hour", 12), field("min", 0), field("sec", 0))
        if not time then error("time result cannot be represented in this installation", 2) end
        for name, value in pairs(native.fields_of(time)) do fields[name] = value end
        return time
    end,
    date = function(format, time)
        if format == nil then format = "%c" end
        if type(format) == "number" then format = tostring(format) end
        if type(format) ~= "string" then mismatch(1, "date", "string", type(format)) end
        local number = tointeger(time)
        if time ~= nil and not number then error("bad argument #2 to 'date' (not an integer)", 2) end
        if not number then number = floor(native.now()) end
        if find(format, "^!") then format = sub(format, 2) end
        local shown
        if find(format, "^%*t") then shown = native.fields_of(number) else shown = native.date(format, number) end
        if not shown then error("bad argument #1 to 'date' (invalid conversion specifier in '" .. format .. "', or a time out of range)", 2) end
        return shown
    end,
    clock = function()
        local now = native.now()
        if not started then started = now end
        return now - started
    end,
    difftime = function(later, earlier)
        local last, first = tonumber(later), tonumber(earlier)
        if not last then mismatch(1, "difftime", "number", type(later)) end
        if not first then mismatch(2, "difftime", "number", type(earlier)) end
        return last - first + 0.0
    end,
    getenv = function(name)
        if type(name) ~= "string" then
            error("bad argument #1 to 'getenv' (string expected, got " .. type(name) .. ")", 2)
        end
        return native.env(name)
    end,
}
_G.os = os

-- Modules come from the server. What they return is kept here, where no script can change it.

local loaded, loading, path = {}, {}, {}

function _G.require(name)
    if type(name) ~= "string" then
        error("bad argument #1 to 'require' (string expected, got " .. type(name) .. ")", 2)
    end
    local value = loaded[name]
    if value ~= nil then return value end
    if loading[name] then
        error("circular require: " .. concat(path, " -> ") .. " -> " .. name, 2)
    end
    local place, source = native.require(name)
    if not source then error("module '" .. name .. "' not found: " .. place, 2) end
    local chunk, failure = compile_file(source, "@" .. place, "t")
    if not chunk then error("error loading module '" .. name .. "': " .. failure, 2) end
    loading[name] = true
    path[#path + 1] = name
    local ended <close> = setmetatable({}, {
        __close = function()
            loading[name] = nil
            path[#path] = nil
        end,
    })
    value = chunk(name, place)
    if value == nil then value = true end
    loaded[name] = value
    return value, place
end

-- The run itself.

local fields_of -- what else there is to say of an error that is a value
local log -- of a strategy

local function described(raised)
    local message = plain(raised)
    local fields = fields_of and fields_of(message)
    local kind = type(message)
    if kind == "number" then
        message = tostring(message)
    elseif kind ~= "string" then
        local ok, shown = pcall(tostring, message)
        local metatable = getmetatable(message)
        if ok and type(metatable) == "table" and rawget(metatable, "__tostring") then
            message = shown
        else
            message = "an error that is not a text: " .. (native.json(message) or kind)
        end
    end
    return { message = message, traceback = native.traceback(), fields = fields }
end

return {
    -- After the library is there: nothing of it, nor of Lua's, can be replaced by a script for the others.
    protect = function()
        loaded._G = _G
        -- Those of Lua have no tables inside.
        for _, name in next, { "coroutine", "math", "os", "string", "table", "utf8" } do
            _G[name] = read_only(name, _G[name], true)
            loaded[name] = _G[name]
        end
        if _G.json then
            _G.json = read_only("json", _G.json)
            loaded.json = _G.json
        end
        if _G.alc then
            log = _G.alc.log
            _G.alc = read_only("alc", _G.alc)
        end
    end,
    compile = compile_file,
    describe = function(fields) fields_of = fields end,
    seed = function(seed) randomseed(seed, 0) end,
    run = function(body, ...) return xpcall(body, described, ...) end,
    package = function(name)
        -- Called so, `require` finds no place for its errors, which would be one in here.
        local found, package = pcall(_G.require, name)
        if not found then error(package, 0) end
        -- What `require` gives for nothing.
        if package == true then
            error("package '" .. name .. "' returns nothing: end its init.lua with the table that it returns, such as 'return M'", 0)
        end
        if type(package) ~= "table" or type(package.run) ~= "function" then
            error("package '" .. name .. "' has no function 'run'", 0)
        end
        local result = package.run(_G.ctx)
        if result == nil and log then
            log("warn", "`run` of package '" .. name .. "' returned nothing: end it with `return ctx`")
        end
        return result
    end,
}
