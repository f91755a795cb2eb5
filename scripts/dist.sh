#!/bin/sh
# The release archive: the files of HEAD in git, packed so that the same commit always gives the same bytes.
#
#   scripts/dist.sh [directory]        writes directory/orff-VERSION.tar.gz (default build/dist) and its SHA-256
set -eu
cd "$(dirname "$0")/.."

if ! git rev-parse --verify -q HEAD >/dev/null 2>&1; then
    echo "dist.sh: the archive is made from git, and this is no checkout" >&2
    exit 1
fi
place=${1:-build/dist}
name=orff-$(git show HEAD:VERSION)
[ -z "$(git status --porcelain)" ] || echo "dist.sh: changes that are not committed are not in the archive" >&2

mkdir -p "$place"
git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$place/$name.tar.gz.new"
mv "$place/$name.tar.gz.new" "$place/$name.tar.gz"
(cd "$place" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
echo "$place/$name.tar.gz"
