# A Zarr directory as xarray writes it, and two that netcdf-c would misread.
array() { # array NAME SHAPE DIMENSIONS COMPRESSOR BYTES
    mkdir -p "$1"
    echo "{\"zarr_format\":2,\"shape\":[$2],\"chunks\":[$2],\"dtype\":\"<f8\",\"compressor\":$4,\"fill_value\":\"NaN\",\"order\":\"C\",\"filters\":null}" >"$1/.zarray"
    echo "{\"_ARRAY_DIMENSIONS\":[$3],\"units\":\"m\"}" >"$1/.zattrs"
    # shellcheck disable=SC2059  # bytes
    printf "$5" >"$1/$6"
}
one='\0\0\0\0\0\0\360\077' two='\0\0\0\0\0\0\0\100' three='\0\0\0\0\0\0\010\100' four='\0\0\0\0\0\0\020\100'
mkdir f.zarr
echo '{"zarr_format":2}' >f.zarr/.zgroup
array f.zarr/x 2 '"x"' null "$one$two" 0
array f.zarr/y 2 '"y"' null "$three$four" 0
array f.zarr/u 2,2 '"y","x"' null "$one$two$three$four" 0.0
array f.zarr/packed 2,2 '"y","x"' '{"id":"blosc","cname":"lz4"}' "$one$two$three$four" 0.0
array f.zarr/short 2,2 '"y","x"' null "$one$two" 0.0
orff info f.zarr
learn() { orff fit f.zarr --inputs x,y --outputs "$1" --sigma 1 --lambda 1e-12 --center no --scale-outputs no --scale-inputs no -q -o m.orff; }
learn u
printf 'x,y\n1,3\n2,3\n1,4\n2,4\n' >at.csv
orff predict m.orff at.csv -q -o - | awk -F, 'NR > 1 { printf "%.3f\n", $3 }' | sed 's/\.000$//'
learn packed || echo $?
learn short || echo $?
mkdir empty.zarr
orff info empty.zarr || echo $?
mkdir three.zarr
echo '{"zarr_format":3,"node_type":"group"}' >three.zarr/zarr.json
orff info three.zarr || echo $?
