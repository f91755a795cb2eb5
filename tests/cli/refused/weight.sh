# Weights of parts that are none.
fit --weight -1
for wrong in '' + 1+ 1x nan inf -1 1,1; do fit --kernel div-free+curl-free --weight "$wrong"; done
