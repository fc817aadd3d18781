-- Turns what a Rust function answers into results, or into an error that is a plain string with the place of the call.

local error = error

local function results(ok, ...)
  if ok then
    return ...
  end
  -- It is called in tail position: the level above is the script's.
  error((...), 2)
end

local function results_quietly(ok, ...)
  if ok then
    return ...
  end
  error((...), 0)
end

local function arguments(ok, ...)
  if ok then
    return ...
  end
  -- The level above is the wrapper's, and the script's is the one above that.
  error((...), 3)
end

local function loud(call)
  return function(...)
    return results(call(...))
  end
end

local function quiet(call)
  return function(...)
    return results_quietly(call(...))
  end
end

local function checked(check, body)
  return function(...)
    return body(arguments(check(...)))
  end
end

return loud, quiet, checked
