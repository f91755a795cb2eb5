# What a field has along directions is enough to find it; angles either way round, and components.
# Not under sanitizers: test_observations learns from directions.
awk -F, -v OFS=, 'NR == 1 { print "x_km,y_km,radial_ms,angle_deg,bearing_deg,ex,ey,against_ms" }
    NR > 1 { a = (NR * 37) % 360; c = cos(a * 0.01745329252); s = sin(a * 0.01745329252); r = c * $3 + s * $4
             print $1, $2, r, a, (450 - a) % 360, 2 * c, 2 * s, -2 * r }' plain.csv >radial.csv
fit radial.csv --inputs x_km,y_km --outputs radial_ms --direction angle_deg --kernel div-free --json | grep -E '^  "n"'
rmse
fit radial.csv --inputs x_km,y_km --outputs radial_ms --direction bearing_deg --direction-from north --kernel div-free --engine lattice
rmse
fit radial.csv --inputs x_km,y_km --outputs against_ms --direction ex,ey --direction-sense toward --kernel div-free
rmse
orff info m.orff | grep -E '^outputs'
orff fit radial.csv --inputs x_km,y_km --outputs radial_ms --direction angle_deg --kernel div-free -q -o m.orff
rmse
fit radial.csv --inputs x_km,y_km --outputs radial_ms,angle_deg --direction ex,ey || echo $?
fit radial.csv --inputs x_km,y_km --outputs radial_ms --direction-from north || echo $?
fit radial.csv --inputs x_km,y_km --outputs radial_ms --direction angle_deg --direction-from south || echo $?
fit radial.csv --inputs x_km,y_km --outputs radial_ms --direction ex,ey --direction-from north || echo $?
