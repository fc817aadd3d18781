---
id: bf0a65ba-76ef-42c0-af85-c96b7b04ceaf
projectId: default
slug: lower-case-tags
title: Tags in lower case
kind: transform
entrypoint: main
enabled: true
version: 1
createdAt: '2025-04-06T08:00:00.000Z'
updatedAt: '2025-04-06T08:00:00.000Z'
---
-- Writes each tag of a post in lower case, without spaces around it, and once.

local function tidy(tag)
  return (tag:gsub("^%s+", ""):gsub("%s+$", ""):lower())
end

function main(post)
  local tags, known = {}, {}
  for _, tag in ipairs(post.tags or {}) do
    local name = tidy(tag)
    if name ~= "" and not known[name] then
      known[name] = true
      tags[#tags + 1] = name
    end
  end
  post.tags = tags
  return post
end
