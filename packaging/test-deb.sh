#!/bin/sh
# The Debian packages, installed by apt into a system made for this that has nothing else, work there: the program and its
# documents, the Python package, and programs compiled with the header.
#
#   packaging/test-deb.sh [directory of the packages]      (default build/deb); as root
#
# The system is made by mmdebstrap from the sources of packages of this machine.
set -eu
cd "$(dirname "$0")/.."

place=$(readlink -f "${1:-build/deb}")
[ "$(id -u)" -eq 0 ] || { echo "test-deb.sh: needs root" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
version=$(cat VERSION)

# A source of packages of ours beside those of the machine.
mkdir "$work/packages" "$work/trial"
cp "$place"/*.deb "$work/packages"
(cd "$work/packages" && dpkg-scanpackages -m . >Packages 2>/dev/null)
chmod -R a+rX "$work"
cp packaging/smoke.sh packaging/smoke.py examples/data/coads_january_atlantic.csv "$work/trial"

cat >"$work/trial/run.sh" <<'END'
#!/bin/sh
# Inside of the new system: program, manual, completions, Python, two processes.
set -eu
cd /trial
version=$1
sh smoke.sh orff "$version" coads_january_atlantic.csv
for page in orff orff-fit orff-view orff-moments orff-mpi; do [ -s "/usr/share/man/man1/$page.1.gz" ] || { echo "no manual page $page" >&2; exit 1; }; done
for file in bash-completion/completions/orff zsh/vendor-completions/_orff fish/vendor_completions.d/orff.fish; do
    [ -s "/usr/share/$file" ] || { echo "no $file" >&2; exit 1; }
done
[ -s /usr/share/doc/orff/docs/README.md ] || [ -s /usr/share/doc/orff/docs/README.md.gz ] || { echo "no documents" >&2; exit 1; }
for file in /usr/bin/orff /usr/bin/orff-mpi /usr/lib/*/liborff.so.*; do
    ! ldd "$file" | grep 'not found' || { echo "$file does not find its libraries" >&2; exit 1; }
done
python3 smoke.py version="$version" lattice=yes
# Open MPI looks for ssh even where all processes are on one machine.
export OMPI_MCA_plm_rsh_agent='' OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun --oversubscribe -n 2 orff fit coads_january_atlantic.csv --inputs lon_deg,lat_deg --outputs u_ms,v_ms --geo lonlat \
    --kernel helmholtz --sigma 800 --features 100 -o shared.orff >log 2>&1 || { cat log >&2; exit 1; }
grep -q '2 ranks' log || { echo "mpirun did not share the work" >&2; exit 1; }
orff info shared.orff | grep -q helmholtz
END
cat >"$work/trial/compile.sh" <<'END'
#!/bin/sh
# Inside of the new system: programs over the shared library, by pkg-config and by CMake.
set -eu
mkdir /trial/build
cd /trial/build
cat >use.c <<'C'
#include <orff.h>
#include <stdio.h>
int main(void) {
    const char *const settings[] = {"kernel=div-free", "sigma=0.7", NULL};
    double X[40], Y[40], F[40];
    for (int i = 0; i < 20; i++) {
        X[2 * i] = (i % 5) / 5.0, X[2 * i + 1] = (i / 5) / 4.0;
        Y[2 * i] = -X[2 * i + 1], Y[2 * i + 1] = X[2 * i];
    }
    orff_model *model;
    if (orff_learn(&model, settings, 2, 2, 20, X, Y) || orff_model_predict(model, 20, X, F)) return puts(orff_error_message());
    orff_model_free(model);
    return printf("%s\n", orff_version()) < 0;
}
C
cc -Wall -Werror use.c -o by_pkg_config $(pkg-config --cflags --libs orff)
[ "$(./by_pkg_config)" = "$1" ]
printf 'cmake_minimum_required(VERSION 3.25)\nproject(use C)\nfind_package(orff REQUIRED)\nadd_executable(use use.c)\ntarget_link_libraries(use orff::orff)\n' >CMakeLists.txt
cmake -S . -B b >log 2>&1 && cmake --build b >>log 2>&1 || { cat log >&2; exit 1; }
[ "$(./b/use)" = "$1" ]
printf '#include <orff_mpi.h>\nint main(int n, char **words) {\n    MPI_Init(&n, &words);\n    const orff_status status = orff_mpi_agree(MPI_COMM_WORLD, ORFF_OK, "");\n    MPI_Finalize();\n    return status;\n}\n' >shared.c
mpicc -Wall -Werror shared.c -o shared -lorff_mpi -lorff
OMPI_MCA_plm_rsh_agent='' mpirun --allow-run-as-root --oversubscribe -n 2 ./shared
END

# system <packages> <script>: a minimal system with these packages, in which the script is run.
system() {
    packages=$1 script=$2
    set --
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ ! -s "$file" ] || set -- "$@" "$file"
    done
    mmdebstrap --quiet --variant=minbase --mode=root --include="$packages" \
        --customize-hook="mkdir \"\$1/trial\" && cp -r $work/trial/. \"\$1/trial\" && chroot \"\$1\" sh /trial/$script $version" \
        "$suite" "$work/system.tar" "deb [trusted=yes] copy:$work/packages ./" "$@"
    rm -f "$work/system.tar"
}

echo "== a new system with orff, orff-mpi, python3-orff and orff-doc"
system orff,orff-mpi,python3-orff,orff-doc run.sh
echo "== a new system with liborff-dev, liborff-mpi-dev, a compiler, pkg-config and CMake"
system liborff-dev,liborff-mpi-dev,gcc,libc6-dev,pkg-config,cmake,make compile.sh
echo "the packages of orff $version install and work"
