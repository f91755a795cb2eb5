#!/bin/sh
# Keeps the results of a full run beside the items: paper/keep.sh DIR [NAME ...] copies what is small of DIR/NAME/ to
# paper/NAME/results/, for every item (or those named) that is finished there.
set -eu
largest=200000 # bytes of a file

[ $# -ge 1 ] || { echo "usage: paper/keep.sh DIR [NAME ...]" >&2; exit 2; }
from=$1
shift
here=$(dirname "$0")
# shellcheck disable=SC2046  # names of items have no spaces
[ $# -gt 0 ] || set -- $(cd "$from" && ls)
for item; do
    settings=$from/$item/settings.txt
    if ! grep -qx 'mode = full' "$settings" || ! grep -qx 'finished = yes' "$settings"; then
        echo "$item: not a finished full run, left as it was"
        continue
    fi
    rm -rf "$here/$item/results"
    mkdir -p "$here/$item/results"
    for file in "$from/$item"/*; do
        if [ "$(wc -c <"$file")" -le $largest ]; then
            cp "$file" "$here/$item/results/"
        else
            echo "$file is larger than $largest bytes and is not kept"
        fi
    done
done
