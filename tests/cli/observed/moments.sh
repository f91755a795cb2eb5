# Rows that are not whole go through moments too, in files of their own and however little memory there is.
awk -F, -v OFS=, 'NR == 1 { print "x_km,y_km,radial_ms,angle_deg,error_ms" }
    NR > 1 { a = (NR * 37) % 360; c = cos(a * 0.01745329252); s = sin(a * 0.01745329252)
             print $1, $2, c * $3 + s * $4, a, 0.1 }' plain.csv >radial.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "error_ms" } NR > 1 { if (NR % 2) $3 = ""; print $0, 0.1 + NR % 3 / 10 }' plain.csv >holes.csv
for kind in '--engine lattice --kernel div-free --sigma 0.7 --extent x_km=-1:1,y_km=-1:1' '--kernel div-free --sigma 0.7 --features 200'; do
    # shellcheck disable=SC2086  # a list of words
    {
        orff moments radial.csv --inputs x_km,y_km --outputs radial_ms --direction angle_deg --errors error_ms $kind --memory 0 -q -o radial.m
        orff moments holes.csv --inputs x_km,y_km --outputs u_ms,v_ms --errors error_ms $kind -q -o holes.m
        orff moments plain.csv --inputs x_km,y_km --outputs u_ms,v_ms $kind -q -o plain.m
    }
    orff merge radial.m holes.m -q -o both.m
    orff fit --from-moments both.m --kernel div-free --lambda 1e-4 -q -o m.orff
    rmse
    orff merge both.m --subtract holes.m -q -o again.m
    orff fit --from-moments again.m --kernel div-free --lambda 1e-4 -q -o m.orff
    rmse
    orff merge both.m plain.m -q -o all.m || echo $?
done
