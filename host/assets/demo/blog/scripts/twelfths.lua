---
id: 8aac37fb-692b-44ea-b5b1-02cb74f05de2
projectId: default
slug: twelfths
title: Table of a rising tide
kind: macro
entrypoint: render
enabled: true
version: 2
createdAt: '2024-04-20T16:00:00.000Z'
updatedAt: '2025-10-29T20:15:00.000Z'
---
-- [[twelfths low="0.6" high="5.4"]] shows the height of a rising tide after each hour, by the rule of twelfths.

local PARTS = { 1, 2, 3, 3, 2, 1 }

local function row(hour, height)
  return string.format("<tr><td>%d</td><td>%.2f</td></tr>", hour, height)
end

function render(params)
  local low, high = tonumber(params.low), tonumber(params.high)
  if not low or not high or high < low then
    return "<p>twelfths: low and high are heights in metres, the lower one first.</p>"
  end
  local height = low
  local rows = { row(0, height) }
  for hour, part in ipairs(PARTS) do
    height = height + part * (high - low) / 12
    rows[#rows + 1] = row(hour, height)
  end
  return "<table><tr><th>h</th><th>m</th></tr>" .. table.concat(rows) .. "</table>"
end
