# Every engine has error bars of every rule, and of all that is derived from it, but for potentials of an exact decomposable kernel.
# Not under sanitizers: test_samples draws of every engine.
for engine in exact lattice features; do
    for kernel in decomposable div-free curl-free helmholtz; do
        orff fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel $kernel --sigma 0.8 --base gaussian --engine $engine -q -o k.orff
        derive=divergence,curl,jacobian,potential,stream
        [ $engine-$kernel != exact-decomposable ] || derive=divergence,curl,jacobian
        orff predict k.orff --grid x_km=0.2:0.9:3,y_km=0.1 --std --derive $derive --samples 10 -q -o p.csv
        awk -F, -v name="$engine, $kernel" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /_std$/) { column[i] = 1; wanted++ } }
            NR > 1 { for (i in column) good += $i >= 0 && $i < 1e3 && $i != "nan" }
            END { print name ": " (good == wanted * (NR - 1) ? wanted " columns of error bars" : "only " good) }' p.csv
    done
done
