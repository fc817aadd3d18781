# The guest on wasmtime's command line: `sh example.sh COMPONENT`.
set -eu
limits='-W max-memory-size=33554432 -W max-wasm-stack=524288 -W timeout=1s'

# Arguments are WAVE: a name, and the bytes of `return{}`.
wasmtime run $limits --invoke 'extract("x", [114, 101, 116, 117, 114, 110, 123, 125])' "$1"
wasmtime run $limits --invoke 'check(card-id, "a/b")' "$1"
wasmtime run $limits --invoke 'parse("alc://cards/x/samples?limit=5")' "$1"

# The component is a command, too (the one without imports is not).
printf 'local M = {}\nM.meta = { name = "x", version = f() }\nreturn M\n' | wasmtime run $limits "$1"
