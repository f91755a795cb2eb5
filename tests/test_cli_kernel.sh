#!/bin/sh
# kernel: exact values by hand, and features that come near.
. "$SOURCE_DIR/tests/cli/common.sh"

expect 0 '"exact": \[' "$orff" kernel --sigma 1 --x 0 --z 1 --json
expect 0 '0\.6065306597126334' "$orff" kernel --sigma 1 --x 0 --z 1 --json
# At x = z the curl-free and div-free kernels of the Gaussian are I / sigma^2 (2-D).
"$orff" kernel --kernel curl-free --sigma 0.5 --x 0.3,0.1 --z 0.3,0.1 >k
sed -n 2p k | grep -Eq '^ +4 +-?0$' || fail "curl-free at 0: $(cat k)"
"$orff" kernel --kernel div-free --sigma 0.5 --x 0,0 --z 0.1,0.2 --features 2000 --json >k.json
less "$(number k.json error_spectral)" 0.1 "approximation"
"$orff" kernel --kernel div-free --sigma 0.5 --x 0,0 --z 0.1,0.2 --features 2000 --sampling grid --json >k.json
less "$(number k.json error_spectral)" 1e-3 "quadrature"
expect 0 'spectral norm of the error' "$orff" kernel --kernel helmholtz --mix 0.2 --sigma 1 --x 0,0 --z 1,0 --features 100
expect 2 '--sigma: must be a number' "$orff" kernel --x 0 --z 0
expect 2 '--x: is missing' "$orff" kernel --sigma 1
expect 2 '--z: has 1 numbers, --x has 2' "$orff" kernel --sigma 1 --x 0,1 --z 0
expect 2 '--x: "a" is not a list' "$orff" kernel --sigma 1 --x a --z 0
expect 2 'auto is for commands that fit' "$orff" kernel --kernel auto --x 0 --z 0
finish
