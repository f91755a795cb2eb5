#!/bin/sh
# docs/settings.md is what the program prints from the table of settings, and every command has a manual page.
set -eu
orff=$BUILD_DIR/cli/orff
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$orff" help --settings >"$work/settings.md"
if ! diff -u "$SOURCE_DIR/docs/settings.md" "$work/settings.md"; then
    echo "docs/settings.md is not what the table says: run  orff help --settings >docs/settings.md"
    exit 1
fi

"$orff" | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -v '^help$' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 12 ]
while read -r command; do
    [ -s "$BUILD_DIR/cli/orff-$command.1" ] || { echo "orff-$command has no manual page"; exit 1; }
done <"$work/commands"
# A range that ends where a counter does has no end for people.
if grep -E 'e\+1[5-9]' "$work/settings.md"; then
    echo "the page of settings has numbers that stand for no limit"
    exit 1
fi
echo "settings and manual pages agree"
