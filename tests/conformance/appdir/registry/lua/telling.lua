local STEP = "50ms"

return {
    logging = function()
        log.info("Tool execution started")
        time.sleep(STEP)
        log.info("Tool processing data")
        time.sleep(STEP)
        log.info("Tool execution completed")
        return "Logged three messages."
    end,

    progress = function()
        for _, done in ipairs { 0, 50, 100 } do
            if done > 0 then time.sleep(STEP) end
            progress.report(done, 100, "Completed step " .. done .. " of 100")
        end
        return "Progress was told."
    end,

    reconnection = function()
        time.sleep("100ms")
        return "Reconnection test completed successfully."
    end,

    tools_changed = function()
        tools.changed()
        return "The list of tools is said to have changed."
    end,

    prompts_changed = function()
        prompts.changed()
        return "The list of prompts is said to have changed."
    end,

    custom_header = function(arguments)
        return "Header value: " .. tostring(arguments.value)
    end,
}
