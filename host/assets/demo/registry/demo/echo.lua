local M = {}

function M.call(arguments)
  return "Echo: " .. (arguments.text or "")
end

return M
