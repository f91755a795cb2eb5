#!/bin/sh
# Static analysis: cppcheck over all that ships. Silent when there is nothing to say. It does not follow _Noreturn, by which
# paper/ leaves where a file is not there.
set -eu
cd "$(dirname "$0")/.."
exec cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c11 \
    -j "$(getconf _NPROCESSORS_ONLN)" --suppress=missingIncludeSystem --suppress='nullPointerRedundantCheck:paper/*' \
    -I include -I src -I . -I cli -I paper src formats cli paper
