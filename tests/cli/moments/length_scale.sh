# Length scales can be found on the way.
moments a.csv -o auto.moments 2>&1 | grep 'length scale'
orff fit --from-moments auto.moments -o auto.orff 2>&1 | grep written
