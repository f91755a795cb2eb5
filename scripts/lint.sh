#!/bin/sh
# Static analysis: cppcheck on all code that is shipped. Prints nothing if there are no findings. cppcheck does not
# understand _Noreturn, with which paper/ exits if a file is missing.
#
# A header included by all files tests __GNUC__, and memory.h tests __has_feature; only a handful of macros without code
# depend on them. So __GNUC__ is always defined and __has_feature never, and most files are checked once instead of
# three times. All other configurations are checked (--force).
#
# Results are kept in build/cppcheck: a file is not checked again unless it, or a file that it includes, has changed.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/cppcheck
exec cppcheck --cppcheck-build-dir=build/cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c11 \
    -D__GNUC__=12 -U__has_feature --force \
    -j "$(getconf _NPROCESSORS_ONLN)" --suppress=missingIncludeSystem --suppress='nullPointerRedundantCheck:paper/*' \
    -I include -I src -I . -I cli -I paper src formats cli paper
