local M = {}

function M.get(arguments)
  local language = arguments.language or "unknown"
  local text = "Please review the following " .. language .. " code. Look at:\n"
    .. "- correctness\n- performance\n- best practices\n\n```" .. language .. "\n" .. arguments.code .. "\n```"
  return { messages = { { role = "user", content = { type = "text", text = text } } } }
end

return M
