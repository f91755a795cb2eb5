# For scripts that test the program: sourced, with BUILD_DIR and SOURCE_DIR set.
# shellcheck shell=sh
set -eu

orff=$BUILD_DIR/cli/orff
[ -x "$orff" ] || { echo "there is no $orff"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMP_NUM_THREADS=1 # small problems
failures=0

. "$SOURCE_DIR/tests/cli/field.sh"

fail() {
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

# expect STATUS PATTERN COMMAND..: the exit status, and an extended pattern in what it prints (both streams, in `out`).
expect() {
    want=$1 pattern=$2
    shift 2
    status=0
    "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" -eq "$want" ] || fail "$*: status $status, expected $want: $(cat out)"
    grep -Eq -- "$pattern" out || fail "$*: no \"$pattern\" in: $(cat out)"
}

# number JSONFILE KEY: a number of a JSON object, one key a line.
number() { sed -n "s/^ *\"$2\": \([-0-9.e+]*\),*\$/\1/p" "$1" | head -n 1; }

# less A B WHAT
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a + 0 < b + 0) }' || fail "$3: $1 is not below $2"; }

finish() { [ "$failures" -eq 0 ] || { echo "$failures failures" >&2; exit 1; }; }
