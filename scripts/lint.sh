#!/bin/sh
# Static analysis: cppcheck over all that ships. Silent when there is nothing to say. It does not follow _Noreturn, by which
# paper/ leaves where a file is not there.
#
# The header that all files include asks for __GNUC__, and memory.h for __has_feature; what hangs on them is a handful of macros
# without code. So the one is always there and the other never, and most files are looked at once instead of three times. All other
# configurations are (--force).
#
# What it found of each file is kept in build/cppcheck: a file that has not changed, nor what it includes, is not looked at again.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/cppcheck
exec cppcheck --cppcheck-build-dir=build/cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c11 \
    -D__GNUC__=12 -U__has_feature --force \
    -j "$(getconf _NPROCESSORS_ONLN)" --suppress=missingIncludeSystem --suppress='nullPointerRedundantCheck:paper/*' \
    -I include -I src -I . -I cli -I paper src formats cli paper
