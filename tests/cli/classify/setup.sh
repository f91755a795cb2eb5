# Points of a square in three classes.
# shellcheck shell=sh
awk 'BEGIN { seed = 7; print "a,b,kind"
    for (i = 0; i < 300; i++) { x = draw(); y = draw(); print x "," y "," (x + y > 1 ? "far" : x > y ? "low" : "high") } }
    function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }' >kinds.csv
