# Completions of wardroom for fish, which asks the program itself.
complete --command wardroom --no-files --keep-order --arguments "(command wardroom complete-words -- (commandline --current-process --tokenize --cut-at-cursor) (commandline --current-token) 2>/dev/null)"
