# What stands for a missing value: usual words, one that is named, and one that nobody named. Outputs may be missing, inputs not.
awk -F, -v OFS=, 'NR % 10 == 4 { $3 = -999 } 1' plain.csv >codes.csv
awk -F, -v OFS=, 'NR == 4 { $3 = "--" } NR == 5 { $4 = "NULL" } NR == 6 { $1 = "*" } 1' plain.csv >words.csv
fit words.csv --inputs x_km,y_km --outputs u_ms,v_ms -q || echo $?
fit words.csv --inputs x_km,y_km --outputs u_ms,v_ms -q --missing-outputs refuse || echo $?
fit words.csv --inputs x_km,y_km --outputs u_ms,v_ms -q --skip-missing --json | grep -E '^  "(n|dropped)"'
fit codes.csv --inputs x_km,y_km --outputs u_ms,v_ms 2>&1 | grep -- --na
fit codes.csv --inputs x_km,y_km --outputs u_ms,v_ms -q --na -999 --missing-outputs refuse || echo $?
fit codes.csv --inputs x_km,y_km --outputs u_ms,v_ms --na -999 --json 2>&1 | grep -E 'warning:|missing outputs|^  "(n|dropped)"'
fit codes.csv --inputs x_km,y_km --outputs u_ms,v_ms --na -999 --skip-missing --json 2>&1 | grep -E 'warning:|^  "(n|dropped)"'
