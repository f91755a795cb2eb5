#!/bin/bash
# Untested. conda-forge's BLAS is chosen at install time, hence the generic interface.
set -euo pipefail
cmake -S . -B build ${CMAKE_ARGS:-} -DORFF_TESTS=OFF -DORFF_BLAS=generic -DORFF_SLEEF=ON -DORFF_PROJ=ON
cmake --build build --parallel "$CPU_COUNT" --target orff orff_static orff_program orff_documents
cmake --install build --prefix "$PREFIX"
rm "$PREFIX/lib/liborff.a"
