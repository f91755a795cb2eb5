#!/bin/sh
# Completions: good code of their shells, which then offer commands, options and the words of an option, and no placeholder. A
# shell that is not there is said to be left out.
. "$SOURCE_DIR/tests/cli/common.sh"

for shell in bash zsh fish; do "$orff" help --completion $shell >orff.$shell; done
"$orff" help --completion | cmp -s - orff.bash || fail "without a shell it is not bash's"
expect 2 'expected bash, zsh or fish' "$orff" help --completion csh
cases=0

# offers SHELL WANT WORDS..: a wanted word is among what the shell offers for the last of the words, an unwanted one, with a
# bar before it, is not.
offers() {
    shell=$1 want=$2
    shift 2
    "${shell}_offers" "$@" >offered 2>"offered.err" || fail "$shell: orff $*: $(cat offered.err)"
    case $want in
    '|'*) ! grep -qx -e "${want#?}" offered || fail "$shell: orff $* offers ${want#?}" ;;
    *) grep -qx -e "$want" offered || fail "$shell: orff $* does not offer $want but: $(tr '\n' ' ' <offered)" ;;
    esac
    cases=$((cases + 1))
}

bash_offers() {
    bash -c '. ./orff.bash; COMP_WORDS=(orff "$@"); COMP_CWORD=$#; _orff; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

fish_offers() {
    HOME=$work XDG_CONFIG_HOME=$work fish --no-config -c 'source orff.fish; complete -C "$argv"' "orff $*" | cut -f 1
}

# _arguments needs a terminal: here it tells what it was given, and the words are looked for in that.
cat >stub.zsh <<'END'
compdef() { :; }
_describe() { print -l -- "${(@)${(P)2}%%:*}"; }
_arguments() {
    local spec previous=${words[CURRENT-1]}
    for spec; do
        [[ $spec == \(* ]] && spec=${spec#*\)}
        if [[ ${spec%%\[*} == $previous && $spec == *:\(*\) ]]; then print -l -- ${(s: :)${${spec##*:\(}%\)}}; return; fi
        if [[ ${spec%%\[*} == $previous && $spec == *:_files ]]; then print -l -- *; return; fi
    done
    for spec; do [[ $spec == \(* ]] && spec=${spec#*\)}; print -r -- ${spec%%\[*}; done
}
END
zsh_offers() {
    zsh -f -c '. ./stub.zsh; . ./orff.zsh; words=(orff "$@"); CURRENT=$(($# + 1)); _orff' zsh "$@"
}

: >one.csv
for shell in bash zsh fish; do
    if ! command -v $shell >/dev/null; then
        echo "skipped: there is no $shell here, its completion is not tried"
        continue
    fi
    $shell -n orff.$shell || fail "the completion of $shell is not good $shell"
    offers $shell predict pr
    offers $shell --kernel fit --ker
    offers $shell --output predict --out
    offers $shell '|--kernel' predict --
    offers $shell div-free fit --kernel di
    offers $shell auto fit --features a
    offers $shell '|D' fit --features ''
    offers $shell one.csv fit --coast one
    offers $shell one.csv fit --output one
done
[ $cases -gt 0 ] || exit 77
finish
