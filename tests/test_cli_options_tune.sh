#!/bin/sh
# Every option of tune makes a difference.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/options.sh"

check_options tune
finish
