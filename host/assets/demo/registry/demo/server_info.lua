local M = {}

function M.call()
  return "Server: wippy-mcp v0.1.0 | uptime: running | status: healthy"
end

return M
