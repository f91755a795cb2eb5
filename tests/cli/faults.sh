# For scripts that run commands with every call failing in turn (tests/faults.c): sourced after common.sh.
#
#   ORFF_FAULTS=all sh tests/test_cli_faults_*.sh    every call, not only some: minutes
#   ORFF_FAULTS_TRACE=1                              where the failing call of a bad run was made
# shellcheck shell=sh
export SOURCE_DATE_EPOCH=0 # the time is part of a NetCDF file
interposer=$BUILD_DIR/tests/libinterpose.so driver=$BUILD_DIR/tests/faults
[ -e "$interposer" ] || { echo "there is no $interposer"; exit 1; }
export ORFF_INTERPOSER="$interposer" GOMP_SPINCOUNT=0
inputs=$work/inputs
mkdir "$inputs" "$work/case"

# prepare COMMAND..: makes an input for later cases.
prepare() { (cd "$inputs" && "$@") || fail "cannot prepare: $*"; }

# faults NAME FILES OPTIONS.. COMMAND..: the words of the program in a directory with these inputs and with the old
# outputs that it must not lose: old.*, of any kind. OPTIONS are those of the driver.
faults() {
    name=$1 files=$2
    shift 2
    options=
    while [ "${1#-}" != "$1" ]; do
        options="$options $1 $2"
        shift 2
    done
    rm -rf "$work/case" && mkdir "$work/case" && cd "$work/case"
    for file in $files; do cp "$inputs/$file" .; done
    for file in old.orff old.csv old.csv.gz old.npy old.nc old.svg old.html old.moments; do
        case " $* " in *" $file "*) echo 'not to be lost' >"$file" ;; esac
    done
    # shellcheck disable=SC2086  # words
    "$driver" $options "$name" "$orff" "$@" --threads 1 || fail "$name: a failing call does harm"
    cd "$work"
}
