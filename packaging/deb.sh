#!/bin/sh
# Debian packages of HEAD, from its release archive: source package, binaries, lintian.
#
#   packaging/deb.sh [directory]      writes them to directory (default build/deb); the log is directory/build.log
#
# CHECK=yes runs the quick tests within the build too, as a build daemon would. packaging/test-deb.sh then tries what was made.
set -eu
cd "$(dirname "$0")/.."

mkdir -p "${1:-build/deb}"
place=$(readlink -f "${1:-build/deb}")
version=$(git show HEAD:VERSION)
tree=$place/orff-$version
log=$place/build.log
options="parallel=$(getconf _NPROCESSORS_ONLN)"
[ "${CHECK:-no}" = yes ] || options="$options nocheck"

find "$place" -mindepth 1 -delete
scripts/dist.sh "$place" >/dev/null
mv "$place/orff-$version.tar.gz" "$place/orff_$version.orig.tar.gz"
rm -f "$place/orff-$version.tar.gz.sha256"
tar -xzf "$place/orff_$version.orig.tar.gz" -C "$place"
[ "$(dpkg-parsechangelog -l "$tree/debian/changelog" -S Version | sed 's/-[^-]*$//')" = "$version" ] || {
    echo "deb.sh: debian/changelog is not about $version" >&2
    exit 1
}

echo "== building packages in $place"
(cd "$tree" && env -u CMAKE_C_COMPILER_LAUNCHER DEB_BUILD_OPTIONS="$options" \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin dpkg-buildpackage -us -uc) >"$log" 2>&1 || {
    tail -n 60 "$log" >&2
    echo "deb.sh: the build failed; all of it is in $log" >&2
    exit 1
}
if grep -q '^+ orff_.*@Base' "$log"; then
    echo "deb.sh: functions are new that the symbols files of debian/ do not have: packaging/symbols.sh adds them" >&2
    exit 1
fi

echo "== lintian"
lintian --version
found=0
lintian --allow-root --fail-on error --display-info --pedantic --show-overrides "$place"/orff_"$version"-*.changes >"$place/lintian.log" || found=$?
cat "$place/lintian.log"
[ $found -eq 0 ] || { echo "deb.sh: lintian found errors" >&2; exit 1; }
(cd "$place" && ls -- *.deb)
