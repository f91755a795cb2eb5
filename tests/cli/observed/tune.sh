# Candidates are compared on what rows have: a field without divergence, seen along directions, some better than others, or with
# outputs that are missing. The errors are those of folds that were not learned from, one line for each candidate.
# Not under sanitizers: test_tune compares on such rows.
awk -F, -v OFS=, 'NR == 1 { print "x_km,y_km,radial_ms,angle_deg,error_ms,site,u_ms,v_ms" }
    NR > 1 { a = (NR * 37) % 360; c = cos(a * 0.01745329252); s = sin(a * 0.01745329252); r = c * $3 + s * $4
             print $1, $2, r, a, NR % 2 ? 0.05 : 0.1, NR % 2, NR % 3 == 0 ? "" : $3, NR % 3 == 1 ? "" : $4 }' plain.csv >seen.csv
tune() { orff tune seen.csv --inputs x_km,y_km --kernel curl-free --kernel div-free --sigma 0.7 --lambda 1e-4 --folds 3 -o m.orff "$@"; }
tune --outputs radial_ms --direction angle_deg --report scores.csv 2>&1 | grep -e '--kernel'
rmse
cut -d, -f 1,4 scores.csv | wc -l
tune --outputs u_ms,v_ms 2>&1 | grep -e '--kernel' -e "missing outputs"
tune --outputs radial_ms --direction angle_deg --errors error_ms --folds-by random --json -q | grep '^  "best"'
