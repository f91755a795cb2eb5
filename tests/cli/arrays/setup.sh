# A pair of arrays, y = x1 + x2 on eight rows.
# shellcheck shell=sh

# npy FILE ROWS COLUMNS BYTES: an array of small whole numbers, octal bytes.
npy() {
    dictionary="{'descr': '|u1', 'fortran_order': False, 'shape': ($2, $3), }"
    # shellcheck disable=SC2059  # the bytes are a format
    { printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$dictionary"; printf "$4"; } >"$1"
}
npy X.npy 8 2 '\000\000\000\001\001\000\001\001\002\001\001\002\002\002\003\000'
npy Y.npy 8 1 '\000\001\001\002\003\003\004\003'
