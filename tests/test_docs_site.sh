#!/bin/sh
# The site builds without a warning, with the references of the program and of Python, and all its links lead somewhere; nothing on it comes
# from the network. The tutorials are run by python/tests/test_tutorials.py, and not here.
set -eu
export PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=/usr/bin/python3
[ -x $python ] || python=python3

missing=$($python -c '
import importlib.util
names = ("sphinx", "myst_parser", "furo", "sphinx_copybutton", "numpydoc", "cffi", "numpy", "sklearn")
print(*(name for name in names if importlib.util.find_spec(name) is None))')
[ -z "$missing" ] || {
    echo "skipped: there is no $missing (scripts/setup.sh docs installs them on Debian)"
    exit 77
}

TUTORIALS=no "$SOURCE_DIR/site/build.sh" "$BUILD_DIR" "$work/site"
$python "$SOURCE_DIR/site/hrefs.py" "$work/site"
# What each part must have made.
grep -q 'orff_model_predict' "$work/site/reference/c.html"
grep -q -e '--kernel' "$work/site/reference/orff-fit.html"
grep -q 'return_std' "$work/site/reference/python-ORFFRegressor.html"
grep -q '<math' "$work/site/how.html"

# Scripts and styles are whole: a browser has nothing to complain about in a page opened from disk, and the theme's script runs.
absent() { if grep "$@"; then echo "found, and should not be there: $1" >&2; exit 1; fi; }
absent '^import' "$work/site/_static/scripts/furo.js"
absent 'url(/' "$work/site/_static/styles/furo.css"
if command -v chromium >/dev/null; then
    for page in index troubleshooting; do
        HOME=$work chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --dump-dom "file://$work/site/$page.html" \
            >"$work/dom" 2>"$work/log"
        absent CONSOLE "$work/log"
        absent '<html[^>]*no-js' "$work/dom"
    done
    # No page is wider than its window: wide tables and formulas scroll by themselves.
    PYTHONPATH="$SOURCE_DIR/tests" $python - "$work/site" <<'END'
import sys
import browser

with browser.Browser() as chromium:
    for name in ["index", "learning", "settings", "math"]:
        for width in [390, 1200]:
            page = chromium.open(f"{sys.argv[1]}/{name}.html", width=width, mobile=width < 500)
            excess = page.run("document.documentElement.scrollWidth - innerWidth")
            assert excess <= 0, f"{name} is {excess} pixels wider than a window of {width}"
END
fi
