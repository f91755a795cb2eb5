#!/bin/sh
# Threads of GNU's OpenMP that wait for each other give way soon, unless the user says otherwise; the environment of the
# program itself stays as it was.
. "$SOURCE_DIR/tests/cli/common.sh"
unset GOMP_SPINCOUNT OMP_WAIT_POLICY

# spins [VARIABLE=VALUE ..]: what OpenMP says about the program's waiting.
spins() { env "$@" OMP_DISPLAY_ENV=verbose "$orff" --version 2>&1 | sed -n "s/.*GOMP_SPINCOUNT = '\([0-9]*\)'.*/\1/p"; }

# equal WANT GOT WHAT
equal() { [ "$1" = "$2" ] || fail "$3: $2, expected $1"; }

[ -n "$(spins)" ] || { echo "skipped: this is about GNU's OpenMP"; exit 77; }
equal 100 "$(spins)" "waiting"
equal 100 "$(spins -i PATH="$PATH")" "waiting, with a small environment"
equal 7 "$(spins GOMP_SPINCOUNT=7)" "waiting, as the user counts"
# A policy of the user's gives what it gives a program that does nothing about it.
[ "$(spins OMP_WAIT_POLICY=active)" -gt 100000 ] || fail "OMP_WAIT_POLICY=active does not keep threads awake"
equal 0 "$(spins OMP_WAIT_POLICY=passive)" "waiting, by a policy of the user's"

# Nothing of it is left when main begins: what the program starts sees the environment that the program was given.
mkdir bin
printf '#!/bin/sh\nexec env >"$SEEN"\n' >bin/gnuplot
chmod +x bin/gnuplot
field train.csv 1 60
"$orff" fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 10 --sigma 1 --lambda 1e-3 -q -o m.orff
env -i PATH="$work/bin:$PATH" USER=someone SEEN="$work/of_the_program" "$orff" plot m.orff -o p.svg >out 2>&1 || :
env -i PATH="$work/bin:$PATH" USER=someone SEEN="$work/of_a_script" "$work/bin/gnuplot"
[ -s of_the_program ] || { fail "no picture was asked for: $(cat out)"; finish; }
sed -i -E '/^(SEEN|PWD|OLDPWD|SHLVL|_)=/d' of_the_program of_a_script # those are of the shells
cmp -s of_the_program of_a_script || fail "the environment has changed: $(diff of_a_script of_the_program)"

# Where there is no variable there is no place to lend.
expect 0 '^orff ' env -i "$orff" --version
finish
