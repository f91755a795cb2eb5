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

# field NAME FIRST LAST: rows of a divergence-free field with noise, the same on every machine.
field() {
    awk -v first="$2" -v last="$3" 'BEGIN {
        seed = 42
        print "x_km,y_km,u_ms,v_ms"
        for (i = 1; i <= last; i++) {
            x = 2 * draw() - 1; y = 2 * draw() - 1; e = 0.1 * (draw() - 0.5); f = 0.1 * (draw() - 0.5)
            if (i >= first) printf "%.10f,%.10f,%.10f,%.10f\n", x, y, cos(2*x) * sin(3*y) + e, -2/3 * sin(2*x) * cos(3*y) + f
        }
    }
    function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }' >"$1"
}

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
