# For scripts that test orff-mpi: sourced, with BUILD_DIR, SOURCE_DIR and MPIEXEC set.
# shellcheck shell=sh
[ -n "${MPIEXEC:-}" ] && [ -x "$BUILD_DIR/cli/orff-mpi" ] || {
    echo "skipped: there was no MPI when this was built (libopenmpi-dev and openmpi-bin on Debian)"
    exit 77
}
. "$SOURCE_DIR/tests/cli/common.sh"

orff_mpi=$BUILD_DIR/cli/orff-mpi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_MCA_mpi_yield_when_idle=1 # more ranks than processors
[ -z "${SANITIZED:-}" ] || export ASAN_OPTIONS=detect_leaks=0 # MPI's own
case $("$MPIEXEC" --version 2>&1) in *Open*MPI* | *OpenRTE*) oversubscribe=--oversubscribe ;; *) oversubscribe= ;; esac

# ranks N COMMAND..
ranks() {
    count=$1
    shift
    # shellcheck disable=SC2086  # a word or none
    "$MPIEXEC" $oversubscribe -n "$count" "$@"
}

# refused N PATTERN COMMAND..: it fails on N ranks, with the pattern in one line of what it prints, and says so once.
refused() {
    count=$1 pattern=$2
    shift 2
    status=0
    ranks "$count" "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" -ne 0 ] || fail "$* on $count ranks: succeeded"
    [ "$(grep -Ec -- "$pattern" out)" -eq 1 ] || fail "$* on $count ranks: not one \"$pattern\" in: $(cat out)"
}

# close A B WHAT [TOLERANCE]: the numbers of two CSV tables agree to 1e-10 of the largest, or to so much.
close() {
    paste -d , "$1" "$2" | awk -F, -v "most=${4:-1e-10}" 'NR > 1 { n = NF / 2
        for (i = 1; i <= n; i++) {
            e = $i - $(i + n); e = e < 0 ? -e : e; far = e > far ? e : far
            s = $i < 0 ? -$i : $i; large = s > large ? s : large
        } } END { exit !(NR > 10 && large > 0 && far <= most * large) }' || fail "$3"
}
