-- The functions of `base.lua` that few scripts call. Runs with the first call of one of them, and is given what a script may have
-- replaced by then.
--
-- Each is called in the place of the function that the script sees: the levels of errors count from there.

local native, plain, compile, compile_file, shared, names, loaded, _G, collectgarbage, error, next, pcall, rawget, setmetatable,
    tonumber, tostring, type, math, string, table = ...

local concat, find, sub = table.concat, string.find, string.sub
local floor, tointeger = math.floor, math.tointeger
local rest = {}

-- Tables that scripts share.

function rest.refuse(seen, key)
    error(names[seen] .. " is read-only: '" .. tostring(key) .. "' was not set", 2)
end

function rest.each(seen)
    local content, key = shared[seen]
    return function()
        local value
        key, value = next(content, key)
        return key, value
    end
end

-- A metatable with a finalizer or a mode.
function rest.check_metatable(metatable)
    if rawget(metatable, "__gc") ~= nil then
        error("__gc is not available: when it would be called is not repeatable", 3)
    end
    local mode = rawget(metatable, "__mode")
    if type(mode) == "string" and find(mode, "[kv]") then
        error("weak tables (__mode) are not available: what is left in them is not repeatable", 3)
    end
end

-- Lua would name these functions in its messages by what the locals here are called, which handlers' bytecode does not keep.
local function mismatch(position, name, expected, got)
    error("bad argument #" .. position .. " to '" .. name .. "' (" .. expected .. " expected, got " .. got .. ")", 3)
end
rest.mismatch = mismatch

-- Code is text of a bounded size.

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

function rest.load(chunk, name, mode, ...)
    if mode ~= nil and not find(tostring(mode), "t", 1, true) then
        return nil, "attempt to load a text chunk (mode is '" .. tostring(mode) .. "')"
    end
    if type(chunk) == "function" then
        local ok, source = pcall(pieces, chunk)
        if not ok then return nil, plain(source) end
        chunk = source
        if name == nil then name = "=(load)" end
    end
    if type(chunk) ~= "string" then
        error("bad argument #1 to 'load' (string expected, got " .. type(chunk) .. ")", 2)
    end
    return compile(chunk, name, "t", ...)
end

function rest.collectgarbage(option)
    if option ~= nil and option ~= "collect" then
        error("collectgarbage: only 'collect' is available, since the rest is not repeatable", 2)
    end
    return collectgarbage()
end

-- The time is an answer of the server, the same again when a run is repeated; the zone is UTC.

local started

function rest.time(fields)
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
    for name, value in next, native.fields_of(time) do fields[name] = value end
    return time
end

function rest.date(format, time)
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
end

function rest.clock()
    local now = native.now()
    if not started then started = now end
    return now - started
end

function rest.difftime(later, earlier)
    local last, first = tonumber(later), tonumber(earlier)
    if not last then mismatch(1, "difftime", "number", type(later)) end
    if not first then mismatch(2, "difftime", "number", type(earlier)) end
    return last - first + 0.0
end

function rest.getenv(name)
    if type(name) ~= "string" then
        error("bad argument #1 to 'getenv' (string expected, got " .. type(name) .. ")", 2)
    end
    return native.env(name)
end

-- Modules come from the server. What they return is kept here, where no script can change it.

local loading, path = {}, {}

function rest.require(name)
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

-- The run of a package.
function rest.package(name)
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
    if result == nil and rest.log then
        rest.log("warn", "`run` of package '" .. name .. "' returned nothing: end it with `return ctx`")
    end
    return result
end

return rest
