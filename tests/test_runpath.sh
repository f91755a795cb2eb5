#!/bin/sh
# No library or program of the build, nor of an installation, looks for libraries in a directory that depends on where
# it is started: every element of its search path is absolute or begins with $ORIGIN. An empty element is the current
# directory.
set -eu
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# is_elf FILE
is_elf() { [ "$(head -c 4 "$1" | tr -d '\177')" = ELF ]; }

# check_path FILE PATH: the elements between colons, one by one.
check_path() {
    rest=$2:
    while [ -n "$rest" ]; do
        element=${rest%%:*}
        rest=${rest#*:}
        # shellcheck disable=SC2016  # the dollar is the loader's
        case $element in
        /* | '$ORIGIN' | '$ORIGIN/'* | '${ORIGIN}' | '${ORIGIN}/'*) ;;
        *)
            echo "$1: looks for libraries in \"$2\", of which \"$element\" is relative" >&2
            bad=$((bad + 1))
            ;;
        esac
    done
}

# check_tree DIRECTORY: sets count to the ELF files that have a search path or might have one.
check_tree() {
    count=0
    find "$1" -type f \( -perm -u+x -o -name '*.so*' \) >"$work/files"
    while read -r file; do
        is_elf "$file" || continue
        count=$((count + 1))
        path=$(readelf -dW "$file" 2>/dev/null | sed -n 's/.*(R\(UN\)*PATH).*\[\(.*\)\].*/\2/p')
        [ -z "$path" ] || check_path "$file" "$path"
    done <"$work/files"
}

# It finds what it is there for.
for path in : /a: :/a /a::/b lib /a:lib .; do
    bad=0
    check_path example "$path" 2>/dev/null
    [ "$bad" -gt 0 ] || { echo "self-test: \"$path\" was accepted" >&2; exit 1; }
done
bad=0
# shellcheck disable=SC2016
check_path example '/a:$ORIGIN:$ORIGIN/../lib:/b'
[ "$bad" -eq 0 ] || { echo "self-test: a good path was refused" >&2; exit 1; }

check_tree "$BUILD_DIR"
[ "$count" -gt 20 ] || { echo "only $count ELF files below $BUILD_DIR" >&2; exit 1; }
cmake --install "$BUILD_DIR" --prefix "$work/prefix" >/dev/null
check_tree "$work/prefix"
[ "$count" -ge 2 ] || { echo "only $count ELF files are installed" >&2; exit 1; }
[ "$bad" -eq 0 ] || exit 1
