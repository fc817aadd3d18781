# Completions of wardroom for bash, which asks the program itself.
_wardroom() {
    local words=() word line last current prefix= i
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        last=$((${#words[@]} - 1))
        # Bash splits words at these characters.
        if ((last > 0)) && [[ $word == [:=]* || ${words[last]} == *[:=] ]]; then
            words[last]+=$word
        else
            words+=("$word")
        fi
    done
    current=${words[${#words[@]} - 1]}
    # It replaces only what follows the last of them.
    if [[ $current == *[:=]* && ${COMP_WORDS[COMP_CWORD]} != *[:=]?* ]]; then
        prefix=${current%"${current##*[:=]}"}
    fi
    COMPREPLY=()
    while IFS= read -r line; do
        line=${line%%$'\t'*}
        line=${line#"$prefix"}
        # What is declared may hold characters that a shell obeys.
        if [[ $line == *[^a-zA-Z0-9_./:@%+,=~-]* ]]; then
            printf -v line %q "$line"
        fi
        COMPREPLY+=("$line")
    done < <(command wardroom complete-words -- "${words[@]}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[/=:] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}
complete -o bashdefault -o default -F _wardroom wardroom
