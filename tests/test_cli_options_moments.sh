#!/bin/sh
# Every option of moments makes a difference.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/options.sh"

check_options moments
finish
