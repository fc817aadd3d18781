local M = {}

function M.call(arguments)
  local a, b = tonumber(arguments.a) or 0, tonumber(arguments.b) or 0
  return tostring(a + b)
end

return M
