# Which series moves which: a moves both, b not a.
orff var series.csv --outputs a,b --lags 1 --time day --links --json -q -o v.orff >told.json
python3 - <<'END'
import json
links = {(link["from"], link["to"]): link for link in json.load(open("told.json"))["links"]}
print(links["a", "b"]["probability"] < 0.02, links["b", "a"]["probability"] > 0.05)
print(links["a", "b"]["strength"] > 3 * links["b", "a"]["strength"])
END
