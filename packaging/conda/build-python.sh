#!/bin/bash
# Untested. The library is that of the package liborff.
set -euo pipefail
ORFF_LIBRARY=system "$PYTHON" -m pip install --no-deps --no-build-isolation ./python
