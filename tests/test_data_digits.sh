#!/bin/sh
# Digits: MNIST.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/data.sh"

# Digits: learned from the 60000 training images, judged on the 10000 of the test set.
images() { echo "$data/mnist/$1-images-idx3-ubyte.gz $data/mnist/$1-labels-idx1-ubyte.gz"; }
# shellcheck disable=SC2046
expect 0 'written' "$orff" fit $(images train) --classify --precision single --features "$features" -o mnist.orff
# shellcheck disable=SC2046
"$orff" evaluate mnist.orff $(images t10k) --json -q >e.json
printf '| MNIST, share of errors | 60000 | decomposable | %s | %.4f | | | |\n' "$features" "$(number e.json error_rate)"
[ "$features" != 200 ] || less "$(number e.json error_rate)" 0.134 "MNIST"
finish
