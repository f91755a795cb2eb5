# The delays of each part are in the JSON of a model, with those of other parts left out.
python3 - <<'END' >late.csv
import math
print("hour,up,down")
for i in range(40):
    t = 0.37 * i
    print(f"{t},{math.sin(t)},{math.sin(t - 1.5)}")
END
printf '1,0.5\n0.5,1\n' >A.csv
orff fit late.csv --inputs hour --outputs up,down --kernel decomposable@3+delayed@1 --delays '0;1.5' --output-matrix A.csv \
    --lambda 1e-3 --quiet -o late.orff
orff info late.orff --json | python3 -c 'import json, sys; print([part.get("delays") for part in json.load(sys.stdin)["parts"]])'
