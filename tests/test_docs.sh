#!/bin/sh
# Every link between pages leads to a file and a heading that are there, and the messages that docs/troubleshooting.md explains
# are those of the sources.
set -eu
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 "$SOURCE_DIR/site/assemble.py" --check
python3 "$SOURCE_DIR/site/messages.py"

# The check sees what it should: a tree with one good page and one that is wrong.
mkdir "$work/docs"
cp -r "$SOURCE_DIR/site" "$work/site"
rm "$work"/site/*.md
# shellcheck disable=SC2016  # the backquotes are Markdown's
printf '# Good\n\n## A part\n\n[b](b.md) [here](#a-part) `[no](link.md)` [out](https://example.org/x.md)\n\n    [no](link.md)\n' >"$work/docs/a.md"
printf '# B\n\n[a](a.md#a-part)\n' >"$work/docs/b.md"
python3 "$work/site/assemble.py" --check
for wrong in '[c](c.md)' '[a](a.md#another-part)' '![a](a.png)'; do
    printf '# B\n\n%s\n' "$wrong" >"$work/docs/b.md"
    if python3 "$work/site/assemble.py" --check >"$work/said"; then
        echo "not seen: $wrong" >&2
        exit 1
    fi
    grep -q '^docs/b.md:3: ' "$work/said"
done
