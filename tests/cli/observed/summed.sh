# A fit of more such rows than memory holds sums them up by itself, and is that of all rows at once; or it says what needs memory.
# Not under sanitizers: test_observations sums up such rows.
field many.csv 1 4500
awk -F, -v OFS=, 'NR == 1 { print "x_km,y_km,radial_ms,angle_deg,error_ms" }
    NR > 1 { a = (NR * 37) % 360; c = cos(a * 0.01745329252); s = sin(a * 0.01745329252)
             print $1, $2, c * $3 + s * $4, a, 0.1 }' many.csv >radial.csv
awk -F, -v OFS=, 'NR % 3 == 0 && NR > 4400 { $3 = "" } 1' many.csv >late.csv
radials() { orff fit radial.csv --inputs x_km,y_km --outputs radial_ms --direction angle_deg --kernel div-free -o m.orff "$@"; }
late() { orff fit late.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --memory 10K -q -o m.orff "$@"; }
for memory in 10K 1G; do
    radials --sigma 0.7 --lambda 1e-4 --engine lattice --errors error_ms --memory $memory -q
    rmse
done
radials --memory 10K --json 2>&1 | grep -E 'so they are summed|"engine"|"n"'
rmse
radials --memory 10K --sigma 0.7 --features 200 -q
rmse
late --sigma 0.7 || echo $?
late --sigma 0.7 --missing-outputs use --drop-outliers no
rmse
radials --memory 0 || echo $?
radials --memory 0 --sigma 0.7 --engine lattice || echo $?
radials --memory 10K --trend linear || echo $?
late --sigma 0.7 --missing-outputs use --drop-outliers yes || echo $?
radials --memory 10K --engine exact || echo $?
radials --memory 10K --loss huber || echo $?
radials --memory 10K --kernel div-free+curl-free --weight auto || echo $?
radials --memory 10K --noise-by angle_deg || echo $?
awk -F, -v OFS=, 'NR % 5 == 0 { $3 = "" } NR < 250' many.csv >few.csv
orff fit few.csv --inputs x_km,y_km --outputs u_ms,v_ms --base matern --shape auto --memory 1K -o m.orff --json 2>&1 |
    grep -E 'one pass|"base"|"shape"'
orff fit few.csv --inputs x_km,y_km --outputs u_ms,v_ms --wavelength 2,0 --sigma 1 --memory 1K -o m.orff --json 2>&1 |
    grep -E 'one pass|"engine"'
