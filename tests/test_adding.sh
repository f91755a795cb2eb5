#!/bin/sh
# CONTRIBUTING.md says how to add a rule, a base, a sampling scheme, a loss, a solver, an engine, a format to read and to write, a command
# and a setting, and in how many places. Here all of it is done to a copy of the sources, which is built and used.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
house=$work/house
mkdir "$house"
for part in CMakeLists.txt VERSION README.md LICENSE cmake include src formats view cli examples bench paper; do
    [ ! -e "$SOURCE_DIR/$part" ] || cp -r "$SOURCE_DIR/$part" "$house/"
done

# add <file> <text in the line before> <line>
add() {
    grep -qF -- "$2" "$house/$1" || { echo "$1 has no line with $2"; exit 1; }
    BEFORE=$2 LINE=$3 awk '{ print } !done && index($0, ENVIRON["BEFORE"]) { print ENVIRON["LINE"]; done = 1 }' "$house/$1" >"$work/changed"
    mv "$work/changed" "$house/$1"
}
# take <file> <new file> <name> <new name>: a file of the project as the body of the new one
take() { sed "s/$3/$4/g" "$house/$1" >"$house/$2"; }

header=include/orff.h
add $header 'X(HELMHOLTZ, helmholtz' '    X(GRADIENT, gradient, "gradient") \'
take src/kernel/curl_free.c src/kernel/gradient.c 'curl_free' 'gradient'
sed -i 's/ORFF_RULE_CURL_FREE/ORFF_RULE_GRADIENT/; s/"curl-free"/"a gradient"/' "$house/src/kernel/gradient.c"

add $header 'X(GAUSSIAN, gaussian' '    X(BELL, bell, "bell") \'
take src/spectrum/gaussian.c src/spectrum/bell.c 'gaussian' 'bell'
sed -i 's/ORFF_BASE_GAUSSIAN/ORFF_BASE_BELL/' "$house/src/spectrum/bell.c"

add $header 'X(IID, iid' '    X(PLAIN, plain, "plain") \'
take src/sampling/iid.c src/sampling/plain.c 'orffi_scheme_iid' 'orffi_scheme_plain'

add $header 'X(HUBER, "huber")' '    X(ROUND, "round") \'
add src/solve/loss.c '[ORFF_LOSS_HUBER] =' '    [ORFF_LOSS_ROUND] = {huber, curvature_one, true, false, positive, "above 0"},'

add $header 'X(LSMR, lsmr' '    X(STEPS, steps, "steps") \'
take src/solve/lsmr.c src/solve/steps.c 'orffi_solver_lsmr' 'orffi_solver_steps'

add $header 'X(EXACT, exact, "exact")' '    X(AGAIN, again, "again") \'
take src/engine/exact.c src/engine/again.c 'orffi_engine_exact' 'orffi_engine_again'
sed -i 's/ORFF_ENGINE_EXACT/ORFF_ENGINE_AGAIN/' "$house/src/engine/again.c"

add formats/table.h 'X(NPY, npy)' '    X(ROWS, rows) \'
take formats/npy.c formats/rows.c 'fmt_source_npy' 'fmt_source_rows'
sed -i 's/"npy"/"rows"/; s/"\.npy"/".rows"/; s/return got >= 6 .*/return !head \&\& got;/' "$house/formats/rows.c"

add formats/sink.h '    X(csv)' '    X(rows) \'
take formats/output_npy.c formats/output_rows.c 'fmt_sink_npy' 'fmt_sink_rows'
sed -i 's/FMT_FORMAT_NPY/FMT_FORMAT_ROWS/; s/"\.npy"/".rows"/' "$house/formats/output_rows.c"

add cli/options.h '    X(merge)' '    X(greet) \'
cat >"$house/cli/greet.c" <<'END'
/* orff greet: says hello. */
#include "commands.h"
#include "report.h"

static int run(const cli_arguments *a) {
    (void)a;
    cli_print_line("hello");
    return cli_check_stdout();
}

const cli_command cli_command_greet = {
    .name = "greet", .summary = "say hello", .usage = "", .text = "Says hello.", .example = "  orff greet\n",
    .bit = CLI_BIT(greet), .run = run};
END

add $header 'double lambda_low' '    size_t patience;'
add src/model/settings.c '"folds", ORFF_SETTING_WHOLE' 'HERE'
awk '/^HERE$/ { hold = 1; next } { print } hold && /TO\(folds\)/ { hold = 0
    print "    {{\"patience\", ORFF_SETTING_WHOLE, \"3\", false, 1, 9, NULL, \"N\", \"\", LEARNING, \"Learning\", \"Nothing.\"}, TO(patience)}," }' \
    "$house/src/model/settings.c" >"$work/changed"
mv "$work/changed" "$house/src/model/settings.c"

if ! { cmake -S "$house" -B "$work/build" -DCMAKE_BUILD_TYPE=None -DORFF_TESTS=OFF -DCMAKE_C_FLAGS=-O0 -DCMAKE_C_COMPILER="${CC:-cc}" &&
    cmake --build "$work/build" -j 2 --target orff_program orff_documents; } >"$work/log" 2>&1; then
    tail -n 40 "$work/log"
    echo "what CONTRIBUTING.md says does not build"
    exit 1
fi
orff=$work/build/cli/orff

# expect <text> <command ...>: its output has the text
expect() {
    text=$1
    shift
    "$@" >"$work/out" 2>&1 || { cat "$work/out"; echo "failed: $*"; exit 1; }
    grep -q -- "$text" "$work/out" || { cat "$work/out"; echo "no \"$text\" from: $*"; exit 1; }
}
awk 'BEGIN { print "x,y,u,v"; for (i = 0; i < 80; i++) { x = (i % 9) / 9; y = int(i / 9) / 9; print x "," y "," 2 * x "," 2 * y } }' >"$work/t.csv"
fit() { "$orff" fit "$work/t.csv" --outputs u,v --features 40 -o "$work/m.orff" "$@"; }
expect 'gradient (bell' fit --kernel gradient --base bell --sigma 0.5 --patience 4
expect 'a gradient' fit --kernel gradient+decomposable --weight auto --sigma 0.5
expect gradient "$orff" info "$work/m.orff" # from the file
expect '"sampling": "plain"' "$orff" kernel --x 0,0 --z 1,1 --sigma 1 --sampling plain --json
expect written fit --loss round --sigma 0.5 --lambda 1e-3
expect steps fit --solver steps --sigma 0.5 --lambda 1e-3
expect '"engine": "again"' fit --engine again --sigma 0.5 --json
expect predicted "$orff" predict "$work/m.orff" "$work/t.csv" --bare -o "$work/p.rows"
expect written "$orff" fit "$work/t.csv" "$work/p.rows" --inputs x,y --features 40 --sigma 0.5 -o "$work/r.orff"
expect hello "$orff" greet
expect 'patience N' "$orff" fit --help
expect '|gradient|' "$orff" fit --help
[ -s "$work/build/cli/orff-greet.1" ] || { echo "orff greet has no manual page"; exit 1; }
echo "a rule, a base, a scheme, a loss, a solver, an engine, formats, a command and a setting were added as CONTRIBUTING.md says"
