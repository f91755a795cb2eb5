#!/bin/sh
# Pages of orff view in headless Chromium: see view_browser.py.
. "$SOURCE_DIR/tests/cli/common.sh"

PYTHONPATH=$SOURCE_DIR/tests python3 -c 'import browser, sys; sys.exit(browser.find() is None)' || {
    echo "skipped: chromium is not installed"
    exit 77
}
PYTHONPATH=$SOURCE_DIR/tests python3 "$SOURCE_DIR/tests/view_browser.py" "$orff" || fail "see above"
finish
