# Semicolons and decimal commas, blanks, tabs, a comment with the names, units: the same rows, so the same model.
tr ',' ' ' <plain.csv >blanks.dat
tr ',.' ';,' <plain.csv >commas.csv
tr ',' '\t' <plain.csv >tabs.txt
{ printf '# ' && tr ',' ' ' <plain.csv; } >savetxt.txt
{ sed -n 1p plain.csv && echo 'km,km,m/s,m/s' && sed 1d plain.csv; } >units_row.csv
sed 's/$/,/' plain.csv >trailing.csv
fit plain.csv --inputs x_km,y_km --outputs u_ms,v_ms -q
mv m.orff want.orff
for file in blanks.dat commas.csv tabs.txt savetxt.txt trailing.csv units_row.csv; do
    fit "$file" --inputs x_km,y_km --outputs u_ms,v_ms -q
    orff predict m.orff "$file" --bare -q -o a.csv
    orff predict want.orff plain.csv --bare -q -o b.csv
    cmp a.csv b.csv && echo "$file"
done
