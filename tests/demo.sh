#!/bin/sh
# What `make run` shows: the resources of an AppDir, and one read of each template.
#
#   sh tests/demo.sh WARDROOM APPDIR
set -eu

wardroom=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
appdir=$2
demo=target/demo

show() {
    printf '\n$ wardroom %s\n' "$*"
    "$wardroom" --appdir "$appdir" "$@"
}

# Long documents are shown by their beginning.
show_head() {
    printf '\n$ wardroom %s\n' "$*"
    "$wardroom" --appdir "$appdir" "$@" | cut -c 1-160 | head -n 6
}

if [ "$appdir" = "$demo" ]; then
    show init --demo
fi
show ls

if [ "$appdir" = "$demo" ]; then
    show_head read alc://types/alc.d.lua
    show_head read alc://packages/cot/init.lua
    printf '\n# extracted in the guest, without running the package:'
    show read alc://packages/cot/meta
    show read alc://packages/quick_vote/meta --json
    show_head read alc://cards/cot_opus46_20261121T090000_1a2b3c
    show_head read 'alc://cards/cot_opus46_20261121T090000_1a2b3c/samples?offset=20&limit=2'
    show_head read alc://scenarios/math_basic
    show_head read alc://eval/quick-vote_1763715700
    show_head read 'alc://logs/s-18a1b2c3d4e5f-0123456789abcdef?limit=2'
    printf '\n# a blog in three languages, parsed in a guest of its own'
    show_head read bds://posts/rule-of-twelfths
    show_head call search_posts '{"query": "\"rule of twelfths\"", "limit": 1}'
    show call count_posts '{"groupBy": ["year", "language"]}' --json
fi
show doctor

absolute=$(cd "$appdir" && pwd)
cat <<EOF

To connect an agent, for example Claude Code:

    claude mcp add wardroom -- $wardroom --appdir $absolute

Any other client starts the same command and speaks MCP on its standard input and output.
EOF
