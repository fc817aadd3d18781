local M = {}

function M.call(arguments)
  return "Reset completed for: " .. (arguments.target or "cache")
end

return M
