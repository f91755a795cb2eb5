#!/bin/sh
# What orff view writes and refuses; the pages themselves are tested in test_view_browser.sh.
. "$SOURCE_DIR/tests/cli/common.sh"

field wind.csv 1 120
fit() { "$orff" fit "$@" --sigma 0.7 --lambda 1e-3 -q; }
fit wind.csv --outputs u_ms,v_ms --engine features --features 30 -o m.orff

# model PAGE EXPRESSION: what the model in a page (m) has, in Python.
model() {
    python3 - "$@" <<'END'
import base64, json, struct, sys
text = open(sys.argv[1], encoding="ascii").read()
block = text.split('id="model">', 1)[1].split("</script>", 1)[0]
assert not set(block) & set("<>&"), "characters of HTML in the model"
m = json.loads(block)
def numbers(packed):
    data = base64.b64decode(packed["data"], validate=True)
    kind, size = ("f", 4) if packed["type"] == "f32" else ("d", 8)
    return struct.unpack("<%d%s" % (len(data) // size, kind), data)
print(eval(sys.argv[2]))
END
}
# has PAGE EXPRESSION RESULT
has() {
    got=$(model "$1" "$2") || fail "$1: $2"
    [ "$got" = "$3" ] || fail "$1: $2 is $got, expected $3"
}

expect 0 'm.html: [0-9]+ kB; open it in a browser' "$orff" view m.orff --points wind.csv -n 2 -o m.html
[ "$(wc -c <m.html)" -lt 2000000 ] || fail "a small model makes a page of $(wc -c <m.html) bytes"
has m.html 'm["kind"], m["vector"], m["axes"], len(m["samples"]), m["points"]["count"]' "('waves', True, [0, 1], 2, 120)"
has m.html 'len(numbers(m["terms"][0]["omega"])), len(numbers(m["terms"][0]["a"]))' '(60, 60)'
has m.html '[one["name"] for one in m["inputs"] + m["outputs"]]' "['x_km', 'y_km', 'u_ms', 'v_ms']"
has m.html 'all(value > 0 for value in numbers(m["errors"]["values"]))' True
expect 0 '"values": "waves"' "$orff" view m.orff -n 0 -o m.html --json
has m.html 'm["samples"], "points" in m' '([], False)'

# Nothing but what is in the page: the only addresses are those that the policy names.
grep -q "Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]*='; style-src 'sha256-" m.html || fail "no policy"
! grep -Eq '(src|href)="?http|url\(|@import|import\(' m.html || fail "the page fetches something"
# The digests are those of what is there.
python3 - <<'END' || fail "the policy does not let the page's own script run"
import base64, hashlib, re
text = open("m.html", "rb").read()
for kind, opening in (("script", b"<script>"), ("style", b"<style>")):
    inside = text.split(opening, 1)[1].split(b"</" + kind.encode() + b">", 1)[0]
    digest = base64.b64encode(hashlib.sha256(inside).digest()).decode()
    assert re.search(kind + "-src 'sha256-" + re.escape(digest) + "'", text.decode()), kind
END

# The same model, the same bytes; another seed, other samples.
"$orff" view m.orff -n 1 -q -o a.html
"$orff" view m.orff -n 1 -q -o b.html
cmp a.html b.html || fail "two pages of a model differ"
"$orff" view m.orff -n 1 --seed 3 -q -o b.html
! cmp -s a.html b.html || fail "the seed makes no difference"

# Every engine; a region; no error bars; a kernel that the page does not know.
fit wind.csv --outputs u_ms,v_ms --engine exact --kernel div-free --base matern52 -o e.orff
"$orff" view e.orff -q --grid x_km=-0.5:0.5:2,y_km=-0.4:0.6:2 -o e.html
has e.html 'm["kind"], [p["base"] for p in m["parts"]], numbers(m["terms"][0]["across"]), m["inputs"][1]["low"]' "('centres', ['matern52'], (1.0,), -0.4)"
fit wind.csv --outputs u_ms,v_ms --engine exact --base matern --shape 0.8 -o s.orff
expect 0 'on a grid' "$orff" view s.orff -o s.html
has s.html 'm["kind"], len(numbers(m["nodes"]["values"])) > 1000' "('nodes', True)"
fit wind.csv --outputs u_ms --inputs x_km,y_km --engine features --features 20 --posterior no -o n.orff
"$orff" view n.orff -q -o n.html
has n.html 'm["vector"], "errors" in m, m["samples"]' '(False, False, [])'
if fit wind.csv --outputs u_ms,v_ms --engine lattice -o l.orff 2>out; then
    "$orff" view l.orff -q -o l.html
    has l.html 'm["kind"], m["terms"][0]["kind"]' "('harmonics', 'harmonics')"
else
    grep -q 'FFT\|lattice' out || fail "no lattice: $(cat out)"
fi

# A trend is one more term.
fit wind.csv --outputs u_ms,v_ms --engine exact --trend linear -o t.orff
expect 0 'shows no samples' "$orff" view t.orff -o t.html
has t.html 'm["terms"][1]["kind"], m["terms"][1]["factors"], m["samples"]' "('trend', [[], [0], [1]], [])"

# Names that would be markup are data.
sed '1s/.*/<\/script><script>,y\&amp;,"<!--",v/' wind.csv >evil.csv
fit evil.csv --inputs 1,2 --outputs 3,4 --engine features --features 20 -o '<b>.orff'
"$orff" view '<b>.orff' -n 0 -q -o evil.html
has evil.html '[one["name"] for one in m["inputs"] + m["outputs"]], m["title"]' "(['</script><script>', 'y&amp;', '<!--', 'v'], '<b>.orff')"

# What cannot be shown.
awk -F, 'NR == 1 { print "x_km,y_km,class"; next } { print $1 "," $2 "," ($3 > 0 ? "a" : "b") }' wind.csv >classes.csv
"$orff" fit classes.csv --outputs class --classify --engine features --features 20 --sigma 0.7 -q -o c.orff
expect 1 'it predicts classes' "$orff" view c.orff -o c.html
fit wind.csv --inputs x_km --outputs u_ms --engine features --features 20 -o d.orff
expect 1 'one input; a map needs two' "$orff" view d.orff -o d.html
awk -F, 'NR == 1 { print "lon,lat,u,v"; next } { print $1 - 177 "," $2 + 45 "," $3 "," $4 }' wind.csv >earth.csv
if "$orff" fit earth.csv --outputs u,v --geo lonlat --crs EPSG:32601 --sigma 70 --lambda 1e-3 --engine features --features 20 -q -o p.orff 2>out; then
    "$orff" view p.orff -q -o p.html
    has p.html 'm["plane"]["crs"], len(numbers(m["plane"]["values"])) == 4 * m["plane"]["count"][0] * m["plane"]["count"][1]' "('EPSG:32601', True)"
    # A map of the whole Earth is cut somewhere: here inside of the data.
    awk -F, 'NR == 1 { print; next } { print 2 * $1 + 174 "," $2 "," $3 "," $4 }' earth.csv >cut.csv
    "$orff" fit cut.csv --outputs u,v --geo lonlat --crs EPSG:8857 --sigma 70 --lambda 1e-3 --engine features --features 20 -q -o g.orff
    "$orff" view g.orff -q -o g.html
    has g.html 'round(m["inputs"][0]["low"], 4), round(m["inputs"][0]["high"], 4)' '(-180.0, 180.0)'
else
    grep -q PROJ out || fail "no projections: $(cat out)"
fi
expect 2 'name the page with -o' "$orff" view m.orff
expect 2 'm.orff is also read by this command' "$orff" view m.orff -o m.orff
expect 2 '--samples: "many"' "$orff" view m.orff -n many -o x.html
expect 2 'no column "nowhere"' "$orff" view m.orff --points classes.csv --inputs nowhere -o x.html
[ -z "$(find . -name '[cdx].html*')" ] || fail "a failed view leaves files"
finish
