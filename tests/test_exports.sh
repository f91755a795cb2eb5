#!/bin/sh
# The shared library exports what include/orff.h declares with ORFF_API, and nothing else; Debian's symbols file lists the same.
set -eu
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Names declared in the header $1, sorted. Comments and directives go; a declaration ends with its semicolon, and the
# name is the word before its first parenthesis.
declared() {
    awk '
        BEGIN { text = "\n" }
        { text = text $0 (/\\$/ ? " " : "\n") }
        END {
            while (match(text, /\/\*([^*]|\*+[^*\/])*\*+\//))
                text = substr(text, 1, RSTART - 1) " " substr(text, RSTART + RLENGTH)
            gsub(/\n[ \t]*#[^\n]*/, "\n", text)
            count = split(text, declarations, ";")
            for (i = 1; i <= count; i++)
                if (match(declarations[i], /(^|[^A-Za-z0-9_])ORFF_API[ \t\n]/)) {
                    name = substr(declarations[i], RSTART + RLENGTH)
                    sub(/[ \t\n]*\(.*/, "", name)
                    sub(/.*[^A-Za-z0-9_]/, "", name)
                    print name
                }
        }' "$1" | sort
}

# Names the shared library $1 exports, sorted.
exported() {
    nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort
}

# A header and a library with one name missing on each side must be told apart.
self_test() {
    cat >"$work/planted.h" <<'END'
#define ORFF_API \
    __attribute__((visibility("default")))
/* ORFF_API int orff_in_a_comment(void); */
ORFF_API int orff_both(int a,
                       int (*callback)(void));
ORFF_API const char *orff_declared_only(void);
END
    cat >"$work/planted.c" <<'END'
int orff_both(int a, int (*callback)(void));
int orff_exported_only(void);
int orff_both(int a, int (*callback)(void)) { return a + callback(); }
int orff_exported_only(void) { return 0; }
END
    ${CC:-cc} -shared -fPIC -o "$work/planted.so" "$work/planted.c"
    declared "$work/planted.h" >"$work/planted.declared"
    exported "$work/planted.so" >"$work/planted.exported"
    [ "$(comm -3 "$work/planted.declared" "$work/planted.exported" | tr -d '\t\n')" = \
        orff_declared_onlyorff_exported_only ] || {
        echo "self-test: planted differences were not found" >&2
        exit 1
    }
}

self_test
declared "$SOURCE_DIR/include/orff.h" >"$work/declared"
exported "$BUILD_DIR/liborff.so" >"$work/exported"

[ -s "$work/declared" ] || { echo "no ORFF_API declaration was found in orff.h" >&2; exit 1; }
if ! cmp -s "$work/declared" "$work/exported"; then
    echo "declared in orff.h, not exported by liborff.so:"
    comm -23 "$work/declared" "$work/exported" | sed 's/^/    /'
    echo "exported by liborff.so, not declared in orff.h:"
    comm -13 "$work/declared" "$work/exported" | sed 's/^/    /'
    exit 1
fi

# Debian's list of them is a file of its own.
sed -n 's/^ \(orff_[a-z0-9_]*\)@Base.*/\1/p' "$SOURCE_DIR"/debian/liborff[0-9]*.symbols | sort >"$work/listed"
if ! cmp -s "$work/exported" "$work/listed"; then
    echo "not the same in liborff.so and in its symbols file of debian/ (packaging/symbols.sh adds what is new):"
    comm -3 "$work/exported" "$work/listed"
    exit 1
fi
echo "$(wc -l <"$work/declared") functions declared and exported"
