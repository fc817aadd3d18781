return {
    data = function(arguments)
        return json.encode { id = arguments.id, templateTest = true, data = "Data for ID: " .. arguments.id }
    end,
}
