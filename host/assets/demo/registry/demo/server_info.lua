local M = {}

function M.call()
  return "Server: wardroom, the demo | status: healthy"
end

return M
