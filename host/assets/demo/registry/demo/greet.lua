local M = {}

function M.call(arguments)
  local name = arguments.name or "World"
  if arguments.style == "formal" then
    return "Good day, " .. name .. ". It is a pleasure to make your acquaintance."
  elseif arguments.style == "pirate" then
    return "Ahoy, " .. name .. "! Welcome aboard, matey!"
  end
  return "Hey, " .. name .. "!"
end

return M
