# Rows whose errors are known, and rows of two instruments, one of which is poor: both are better than none of it.
# Not under sanitizers: test_observations and test_noises learn from such rows.
awk -F, -v OFS=, 'BEGIN { srand(3) } function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) }
    NR == 1 { print $0 ",error,which,same" }
    NR > 1 { s = NR % 2 ? 0.8 : 0.02; $3 += s * normal(); $4 += s * normal(); print $0, s, NR % 2 ? "poor" : "good", s }
    NR == 160 { exit }' plain.csv >mixed.csv
learn() { orff fit mixed.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free -o m.orff "$@"; }
learn -q
rmse
learn --errors error 2>&1 | grep known
orff info m.orff | grep -c '^known errors'
rmse
learn --noise-by which 2>&1 | grep instrument
rmse
orff info m.orff | grep -c '^instruments .* times the noise$'
orff info m.orff --json | grep -c instrument_noise
learn --errors error,same -q
rmse
learn --errors error,same,x_km -q || echo $?
learn --noise-by u_ms -q || echo $?
