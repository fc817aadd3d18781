-- What scripts find around them, made from an allow-list. Runs once, before the library is installed.
--
-- Locals have the names of the globals that they keep, since Lua's own messages name them.

local native = ...

local _G, collectgarbage, error, getmetatable, load, next = _G, collectgarbage, error, getmetatable, load, next
local pcall, rawget, rawset, select, setmetatable, tonumber, tostring = pcall, rawget, rawset, select, setmetatable, tonumber, tostring
local type, xpcall = type, xpcall
local math, string, table = math, string, table
local concat, pack, gsub, sub, randomseed = table.concat, table.pack, string.gsub, string.sub, math.randomseed

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

-- `base_rest.lua` has the functions that few scripts call. It is loaded with the first call of one of them.

local shared, names = {}, {} -- a table that scripts share and its name, by what is seen of it
local loaded = {} -- what modules returned
local plain, compile, compile_file

-- Returns two functions. The first makes a stub for a function of the table that `create` returns: the stub calls that function in
-- tail position, so that its own call leaves no level, and errors name the place of the script. The second returns the table.
local function on_first_use(create)
    local created
    local function get()
        created = created or create()
        return created
    end
    local function stub(name)
        return function(...)
            return get()[name](...)
        end
    end
    return stub, get
end

local on_use, get_rest = on_first_use(function()
    return native.base_rest(
        native, plain, compile, compile_file, shared, names, loaded, _G, collectgarbage, error, next, pcall, rawget, setmetatable,
        tonumber, tostring, type, math, string, table
    )
end)

local mismatch = on_use("mismatch")

-- Tables that scripts share. Each is seen through another one, which stays empty.

local refuse, each = on_use("refuse"), on_use("each")

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
    if metatable and (rawget(metatable, "__gc") ~= nil or rawget(metatable, "__mode") ~= nil) then
        get_rest().check_metatable(metatable)
    end
    return setmetatable(table, metatable)
end

-- What the host's own functions raise is a message, as everything else.

function plain(raised)
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

function compile(source, ...)
    if #source > native.max_source then
        return nil, "the source is larger than " .. native.max_source // 1048576 .. " MiB"
    end
    -- Some errors of the compiler go to the message handler of whoever compiles, but not of this 'pcall'.
    local ok, chunk, failure = pcall(load, source, ...)
    if not ok then return nil, chunk end
    return chunk, failure
end

-- As Lua reads a file: without the mark of its encoding, nor a first line for a shell.
function compile_file(source, ...)
    if sub(source, 1, 3) == "\xEF\xBB\xBF" then source = sub(source, 4) end
    if sub(source, 1, 1) == "#" then source = gsub(source, "^[^\n]*", "", 1) end
    return compile(source, ...)
end

_G.load, _G.collectgarbage = on_use("load"), on_use("collectgarbage")

function _G.print(...)
    local shown = pack(...)
    for index = 1, shown.n do shown[index] = tostring(shown[index]) end
    native.print(concat(shown, "\t", 1, shown.n))
end

-- The time is an answer of the server, and modules come from there.

_G.os = {
    time = on_use("time"), date = on_use("date"), clock = on_use("clock"), difftime = on_use("difftime"), getenv = on_use("getenv"),
}
_G.require = on_use("require")

-- The run itself.

local fields_of -- what else there is to say of an error that is a value

local function described(raised)
    local message = plain(raised)
    -- In a function of the host: it ends the run, as it does in Lua itself.
    if message == "not enough memory" and type(raised) == "userdata" then return message end
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
            get_rest().log = _G.alc.log
            _G.alc = read_only("alc", _G.alc)
        end
    end,
    on_first_use = on_first_use,
    compile = compile_file,
    describe = function(fields) fields_of = fields end,
    seed = function(seed) randomseed(seed, 0) end,
    run = function(body, ...) return xpcall(body, described, ...) end,
    package = on_use("package"),
}
