# Names that do not exist: columns, kernels, bases.
fit --outputs u_m,v_ms
fit --kernel divfree
fit --base mattern52
fit --kernel ''
fit --kernel div-free+curl-free --base gaussian+
for wrong in + div-free+ +div-free div-free++curl-free; do fit --kernel "$wrong"; done
# A word that shares no letter is not offered.
printf 'x,y\n1,2\n2,3\n3,5\n' >short.csv
orff fit short.csv --inputs q --outputs y -o m.orff || echo $?
