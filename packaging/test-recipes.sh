#!/bin/sh
# What describes packages is of one version, is good code of its kind as far as there is something here that reads it, and the
# interface that Debian's symbols promise is there.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1

version=$(cat VERSION)
series=${version%.*}
status=0
fail() { echo "FAIL: $*" >&2; status=1; }

# says <file> <line>: the file has a line that matches.
says() { grep -qE -e "$2" "$1" || fail "$1 is not of version $version"; }
escaped=$(echo "$version" | sed 's/\./\\./g')
says CITATION.cff "^version: $escaped\$"
says CHANGELOG.md "^## $escaped( |\$)"
says r/DESCRIPTION "^Version: $escaped\$"
says packaging/conda/meta.yaml "version = \"$escaped\""
says packaging/homebrew/orff.rb "version \"$escaped\""
[ ! -e debian/changelog ] || sed -n 1p debian/changelog | grep -q "^orff ($escaped-" || fail "debian/changelog is not about $version"
grep -q "^Package: liborff$series\$" debian/control || fail "debian/control has no liborff$series"
head -n 1 "debian/liborff$series.symbols" | grep -q "^liborff\.so\.$series liborff$series " || fail "the symbols of liborff$series are others'"

# Symbols that debian/ promises are exported; new ones may wait for packaging/symbols.sh.
library=${BUILD_DIR:-build/release}/liborff.so
exported=$(nm -D --defined-only "$library" | awk '{ print $NF }')
gone=
for name in $(sed -n 's/^ \([a-z0-9_]*\)@Base .*/\1/p' "debian/liborff$series.symbols" | tr '\n' ' '); do
    echo "$exported" | grep -qx "$name" || gone="$gone $name"
done
[ -z "$gone" ] || fail "not in the library any more (packaging/symbols.sh says what to do):$gone"

for script in packaging/*.sh packaging/conda/*.sh scripts/dist.sh r/configure r/cleanup; do
    case $(sed -n 1p "$script") in *bash) shell=bash ;; *) shell='sh' ;; esac
    command -v $shell >/dev/null || continue
    $shell -n "$script" || fail "$script is not good $shell"
done
if command -v shellcheck >/dev/null; then
    shellcheck -S warning packaging/*.sh scripts/dist.sh r/configure r/cleanup || fail "shellcheck"
else
    echo "skipped: there is no shellcheck here"
fi

# The recipe of conda is YAML once its templates are filled.
python3 - <<'END' || fail "packaging/conda/meta.yaml"
import re
try:
    import yaml
except ImportError:
    print("skipped: Python has no yaml, the recipe of conda is not read")
    raise SystemExit
text = open("packaging/conda/meta.yaml").read()
text = re.sub(r"{#.*?#}|{%.*?%}", "", text, flags=re.S)
recipe = yaml.safe_load(re.sub(r"{{.*?}}", "filled", text))
assert [output["name"] for output in recipe["outputs"]] == ["liborff", "orff"], recipe["outputs"]
assert {"url", "sha256"} <= set(recipe["source"])
END
if command -v ruby >/dev/null; then
    ruby -c packaging/homebrew/orff.rb >/dev/null || fail "packaging/homebrew/orff.rb"
else
    echo "skipped: there is no ruby here, the formula of Homebrew is not read"
fi
exit $status
