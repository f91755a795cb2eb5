#!/bin/sh
# The names of enumerations stand in their lists (include/orff.h), in the table of settings, whose help speaks of them, and
# in texts; nowhere else in the library, the programs, the readers of files, the Python package or the scripts. Names that
# are also words of other things (keys of files and of results, options) are looked for as whole literals only, and where
# they mean the other thing is listed below.
set -eu
cd "$SOURCE_DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "file:name" where the literal means something else, with what it means.
cat >"$work/allowed" <<'END'
cli/bound_print.c:printed       key of the result
cli/bound_print.c:corrected     key of the result
cli/bound_print.c:importance    key of the result
cli/bound_print.c:epsilon       key of the result
cli/kernel.c:exact             key of the result
cli/exact.c:exact              the command
cli/table.c:epsilon            the option of orff bound
cli/table.c:grid               the option of orff predict
src/features/recipe.c:importance   key of files
src/model/question.c:importance    key of files
src/base/hooks.h:cross-validation what progress says
src/kernel/curl_free.c:curl-free   words for people
python/orff/_bound.py:printed      key of the result
python/orff/_bound.py:corrected    key of the result
python/orff/_bound.py:epsilon      a parameter
python/orff/_bound.py:importance   key of the result
python/orff/_custom.py:exact       a parameter
src/engine/exact_file.c:exact      key of files
src/engine/lattice_file.c:lattice  key of files
src/lattice/record_file.c:lattice  key of files
src/model/file.c:exact             key of files
python/orff/_functions.py:exact    key of the result
cli/kernel.c:importance        key of the result
cli/info.c:lattice             words for people
cli/moments_lattice.c:importance       a setting that is refused
python/orff/_lattice_moments.py:importance a parameter that is left out
cli/table.c:groups             the option that names a column
python/orff/_observations.py:groups an array beside the rows
formats/select.c:groups        what a column is chosen for
src/features/recipe.c:groups   key of files
src/model/doubts.c:blocks      key of files
src/model/question.c:groups    key of files
cli/result.c:stack             key of the result
src/engine/stack_file.c:stack  key of files
src/model/options.c:stack      a setting
python/orff/_settings.py:stack a setting
python/orff/_stack.py:stack    a setting
python/orff/_stack.py:importance a parameter that is left out
END

# Every name of a list: the last argument of X(..) in the lists of the header.
names() {
    sed -n '/^#define ORFF_[A-Z]*_LIST(X)/,/[^\\]$/p' include/orff.h |
        grep -v 'ORFF_STATUS_LIST' | grep -o 'X([A-Z_]*,[^)]*"[a-z0-9-]*")' | sed 's/.*"\([a-z0-9-]*\)")/\1/'
    sed -n '/^#define SHORT_FORMS/,/[^\\]$/p' src/spectrum/spectrum.c | grep -o '"[a-z0-9]*"' | tr -d '"'
}
names | sort -u | grep -v '^auto$\|^none$\|^features$' >"$work/names" # words of every setting
[ "$(wc -l <"$work/names")" -ge 35 ] || { echo "the lists of include/orff.h were not understood"; exit 1; }

# Literals of a file, one a line, with its name before: C and shell in double quotes, Python in either, its docstrings out.
literals() {
    for file in $(find src cli formats mpi -name '*.[ch]') $(find scripts -name '*.sh') $(find python/orff -name '*.py'); do
        case $file in src/model/settings.c | src/spectrum/spectrum.c) continue ;; esac
        awk -v file="$file" '
            file ~ /\.py$/ {
                count = gsub(/"""/, "\"\"\"")
                if (inside) { if (count % 2) inside = 0; next }
                if (count % 2) { inside = 1; next }
                if (count) next
                gsub(/\047/, "\"")
                sub(/(^|[ \t])#.*/, "")
            }
            /^[ \t]*(\/\*|\*|\/\/)/ || /#include/ { next }
            { line = $0
              while (match(line, /"([^"\\]|\\.)*"/)) {
                  print file "\t" substr(line, RSTART + 1, RLENGTH - 2)
                  line = substr(line, RSTART + RLENGTH)
              } }' "$file"
    done
}
literals >"$work/literals"

awk -F '\t' -v list="$work/names" -v allow="$work/allowed" '
    BEGIN {
        while ((getline name < list) > 0) known[name] = 1
        while ((getline line < allow) > 0) { split(line, part, /[ \t]+/); allowed[part[1]] = 1 }
    }
    {
        if ($2 ~ /^  (orff|mpirun) /) next # an example for help
        if ($2 in known && !(($1 ":" $2) in allowed)) { print $1 ": \"" $2 "\""; next }
        count = split($2, word, /[^a-z0-9-]+/)
        for (i = 1; i <= count; i++)
            if (word[i] in known && word[i] != "cross-validation" && word[i] ~ /-|matern|helmholtz|decomposable|hadamard|halton|orthogonal|lsmr|pinball|huber|gaussian/ &&
                !(($1 ":" word[i]) in allowed)) print $1 ": " word[i] " in \"" $2 "\""
    }' "$work/literals" | sort -u >"$work/found"

if [ -s "$work/found" ]; then
    cat "$work/found"
    echo "names of enumerations outside of their lists: $(wc -l <"$work/found")"
    exit 1
fi
echo "names of enumerations stand in their lists only"
