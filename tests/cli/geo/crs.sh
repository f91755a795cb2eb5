# A projected coordinate system instead of the local plane: across the date line, from a file again, and not for degrees.
fit --crs EPSG:3832 --kernel div-free 2>&1 | grep -e plane -e wrong
orff evaluate g.orff spin.csv --json -q | grep '^  "rmse"'
orff info g.orff | grep plane
fit --crs EPSG:32601 --kernel div-free 2>&1 | grep -e plane -e wrong
fit --crs EPSG:4326 || echo $?
fit --crs utm1 || echo $?
fit --crs EPSG:32601 --geo none || echo $?
