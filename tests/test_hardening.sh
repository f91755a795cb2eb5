#!/bin/sh
# Every library and program of the build: all symbols bound before it runs and then read-only (BIND_NOW, RELRO), no
# executable stack, programs position-independent, stack protector and checked calls of libc in use; on x86 every object
# of the library is marked for control-flow protection (the linker drops the mark where the system's start-up files lack
# it).
set -eu
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
fail() {
    echo "$*" >&2
    bad=$((bad + 1))
}

is_elf() { [ "$(head -c 4 "$1" | tr -d '\177')" = ELF ]; }

check_file() {
    readelf -dW "$1" >"$work/dynamic" 2>/dev/null
    readelf -lW "$1" >"$work/segments" 2>/dev/null
    grep -q 'BIND_NOW\|Flags:.*NOW' "$work/dynamic" || fail "$1: symbols are bound late"
    grep -q GNU_RELRO "$work/segments" || fail "$1: no RELRO"
    grep 'GNU_STACK' "$work/segments" | grep -q ' RW ' || fail "$1: the stack is executable"
    readelf -hW "$1" | grep -q 'Type:.*DYN' || fail "$1: not position-independent"
}

# A linker may leave scratch files in CMakeFiles; what is tried at configuration is none of ours.
find "$BUILD_DIR" -name CMakeFiles -prune -o -type f \( -perm -u+x -o -name '*.so*' \) -print >"$work/files"
count=0
while read -r file; do
    is_elf "$file" || continue
    count=$((count + 1))
    check_file "$file"
done <"$work/files"
[ "$count" -gt 20 ] || fail "only $count ELF files below $BUILD_DIR"

# has FILE SYMBOL WHAT
has() { nm -u "$1" | grep -q "$2" || fail "$1: no $3"; }
has "$BUILD_DIR/liborff.so" __stack_chk_fail "stack protector"
has "$BUILD_DIR/cli/orff" __stack_chk_fail "stack protector"
if grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Rel' "$BUILD_DIR/CMakeCache.txt" &&
    ! grep -q '^ORFF_SANITIZE:BOOL=ON\|^CMAKE_C_FLAGS:.*-fsanitize' "$BUILD_DIR/CMakeCache.txt"; then
    has "$BUILD_DIR/liborff.so" '__[a-z]*printf_chk' "checked calls of libc"
    has "$BUILD_DIR/cli/orff" '__[a-z]*printf_chk' "checked calls of libc"
fi

if grep -q '^ORFF_HAS_CF_PROTECTION:INTERNAL=1' "$BUILD_DIR/CMakeCache.txt"; then
    objects=$(ar t "$BUILD_DIR/liborff.a" | wc -l)
    marked=$(readelf -nW "$BUILD_DIR/liborff.a" | grep -c 'x86 feature: IBT, SHSTK')
    [ "$objects" -eq "$marked" ] || fail "liborff.a: $marked of $objects objects have control-flow protection"
fi
[ "$bad" -eq 0 ] || exit 1
