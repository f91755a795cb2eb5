#!/bin/sh
# Arrows point one way: a module of src/ includes only itself and modules before it, and what is built on the library
# includes only the public header. Block rules, bases and sampling schemes speak for themselves: nobody but their own module asks which
# of them it is. Functions have verbs that say what they do.
set -eu

modules="base spectrum sampling kernel features moments lattice solve exact bounds stack engine model"
outside="cli python paper examples formats mpi"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "file name" for every #include "name" of the C files (also *.inc) in the directories given.
includes() {
    find "$@" \( -name '*.[ch]' -o -name '*.inc' \) -exec awk '
        match($0, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/) {
            split($0, part, "\"")
            print FILENAME, part[2]
        }' {} +
}

# Prints every wrong include of the modules below $1/src.
check_modules() {
    includes "$1/src" | awk -v root="$1/src/" -v list="$modules" '
        BEGIN { count = split(list, name, " "); for (i = 1; i <= count; i++) rank[name[i]] = i }
        {
            split(substr($1, length(root) + 1), path, "/")
            own = path[1]
            slash = index($2, "/")
            used = slash ? substr($2, 1, slash - 1) : own
            if ($2 == "orff.h") next
            if (!(own in rank)) print $1 ": " own " is not in the list of modules"
            else if (!(used in rank)) print $1 ": includes \"" $2 "\", which is of no module"
            else if (rank[used] > rank[own]) print $1 ": " own " may not include \"" $2 "\""
        }'
}

# Prints every include of the directories outside that is neither orff.h nor a file of their own.
check_outside() {
    for directory in $outside; do
        [ -d "$1/$directory" ] || continue
        includes "$1/$directory" | while read -r file name; do
            case $directory:$name in
            *:orff.h | "$directory:$directory/"* | cli:formats/* | paper:formats/* | paper:paper.h) continue ;;
            mpi:orff_mpi.h | mpi:cli/* | mpi:formats/*) continue ;;
            *:../* | *:*/../*) ;;
            *) [ ! -e "${file%/*}/$name" ] || continue ;;
            esac
            echo "$file: $directory may not include \"$name\""
        done
    done
}

# Prints every comparison with one rule, base or scheme outside of its module; auto is none of them.
check_questions() {
    for pair in RULE:kernel BASE:spectrum SCHEME:sampling; do
        find "$1/src" "$1/cli" "$1/formats" "$1/mpi" -path "*/src/${pair#*:}" -prune -o \( -name '*.[ch]' -o -name '*.inc' \) -exec grep -nHE \
            "([!=]=|case) *ORFF_${pair%:*}_[A-Z]|ORFF_${pair%:*}_[A-Z_]+ *[!=]=" {} + 2>/dev/null | grep -vE "ORFF_${pair%:*}_(AUTO|COUNT)\b" | sed "s/\$/ asks which of its kind it is/"
    done
}

# Prints every C function whose verb hides what it does.
check_verbs() {
    find "$1/src" "$1/cli" "$1/formats" "$1/mpi" \( -name '*.[ch]' -o -name '*.inc' \) -exec grep -nHE \
        "^[a-z].*[ *_](tell|settle|take|look|hold|walk)s?(_[a-z_]+)?\([^;]*[{,]\$" {} + 2>/dev/null | sed "s/\$/ is named by a verb that hides what it does/"
}

check_house() {
    check_modules "$1"
    check_outside "$1"
    check_questions "$1"
    check_verbs "$1"
}

# plant <file> <include>: a small tree that has one wrong include in that file.
plant() {
    rm -rf "$work/house"
    mkdir -p "$work/house/src/base" "$work/house/src/model" "$work/house/cli" "$work/house/examples"
    printf '#include <math.h>\n#include "orff.h"\n#include "base/a.h"\n' >"$work/house/src/model/m.c"
    printf '#include "orff.h"\n' >"$work/house/src/base/a.h"
    printf '#include "orff.h"\n#include "args.h"\n#include "formats/csv.h"\n' >"$work/house/cli/main.c"
    : >"$work/house/cli/args.h"
    [ $# -eq 0 ] || printf '#include "%s"\n' "$2" >>"$work/house/$1"
}

self_test() {
    plant
    [ -z "$(check_house "$work/house")" ] || { echo "self-test: a clean tree was refused" >&2; exit 1; }
    for planted in src/base/a.h:model/m.h src/base/a.h:nowhere/x.h src/other.c:base/a.h cli/main.c:base/a.h \
        cli/main.c:../src/base/a.h examples/e.c:src/base/a.h examples/e.c:formats/csv.h; do
        plant "${planted%%:*}" "${planted#*:}"
        [ "$(check_house "$work/house" | wc -l)" -eq 1 ] || {
            echo "self-test: $planted was not found" >&2
            exit 1
        }
    done
    plant
    mkdir "$work/house/src/kernel"
    echo 'if (part->rule == ORFF_RULE_CURL_FREE) return scheme == ORFF_SCHEME_AUTO;' | tee "$work/house/src/kernel/k.c" >>"$work/house/cli/main.c"
    [ "$(check_house "$work/house" | wc -l)" -eq 1 ] || { echo "self-test: a question for a rule was not found" >&2; exit 1; }
    plant
    echo 'static int take_rows(void) {' >>"$work/house/cli/main.c"
    [ "$(check_house "$work/house" | wc -l)" -eq 1 ] || { echo "self-test: a verb was not found" >&2; exit 1; }
}

# A citation names the version that was used: CITATION.cff follows VERSION.
check_citation() {
    cited=$(sed -n 's/^version: *//p' "$1/CITATION.cff")
    [ "$cited" = "$(cat "$1/VERSION")" ] || echo "CITATION.cff has version \"$cited\", VERSION $(cat "$1/VERSION")"
}

self_test
[ -n "$(includes "$SOURCE_DIR/src")" ] || { echo "no #include was found in src/" >&2; exit 1; }
wrong=$(check_house "$SOURCE_DIR" && check_citation "$SOURCE_DIR")
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
