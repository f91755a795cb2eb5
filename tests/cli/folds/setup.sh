# 30 stations of 10 hours, named by texts and by numbers.
# shellcheck shell=sh
awk 'BEGIN { print "station,number,hour,x,y,u"; srand(3)
    for (s = 1; s <= 30; s++) { x = rand(); y = rand()
        for (h = 0; h < 10; h++) printf "st %d,%d,%d,%.6f,%.6f,%.6f\n", s, s, h, x, y, sin(9 * x) * cos(8 * y) + .1 * (rand() - .5) } }' \
    </dev/null >stations.csv
told() { grep -o '"\(folds\|held_out_rows\|warnings\)": [^,]*' ; }
