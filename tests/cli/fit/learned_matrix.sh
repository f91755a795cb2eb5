# Two outputs that are one function, measured well and badly: the learned matrix joins them, and is told and kept.
# Not under sanitizers: test_output_matrix.
awk 'BEGIN { print "x,a,b"; s = 5
    for (i = 0; i < 200; i++) { s = (s * 16807) % 2147483647; u = s / 2147483647 - 0.5; s = (s * 16807) % 2147483647; v = s / 2147483647 - 0.5
        x = i / 10; f = sin(x) + 0.7 * cos(2.3 * x); printf "%g,%.6f,%.6f\n", x, f + 0.1 * u, 2 * f + 2 * v } }' >rows.csv
orff fit rows.csv --inputs x --outputs a,b --output-matrix learn --json -q -o m.orff >told.json
python3 - <<'END'
import json
A = json.load(open("told.json"))["parts"][0]["output_matrix"]
print(A[0][1] > 0.9 * (A[0][0] * A[1][1]) ** 0.5, 1.4 < (A[1][1] / A[0][0]) ** 0.5 < 2.8)
END
orff info m.orff | grep -A 2 'output matrix' | cut -c 1-14
orff fit rows.csv --inputs x --outputs a,b --output-matrix learn:3 -q -o m.orff || echo $?
orff fit rows.csv --inputs x --outputs a,b --output-matrix learn:1 --sigma 1 --lambda 1e-3 -q -o m.orff
orff kernel --x 0,0 --z 1,0 --sigma 1 --output-matrix learn || echo $?
orff fit rows.csv --inputs x --outputs a,b --output-matrix learn:sparse --json -q -o m.orff >told.json
python3 -c 'import json; print(json.load(open("told.json"))["parts"][0]["output_matrix"][0][1] > 0)'
orff fit rows.csv --inputs x --outputs a,b --output-matrix learn:sparse:9 --json -q -o m.orff >told.json
python3 -c 'import json; print(json.load(open("told.json"))["parts"][0]["output_matrix"][0][1] == 0)'
orff fit rows.csv --inputs x --outputs a,b --output-matrix learn:sparse:-1 -q -o m.orff || echo $?
