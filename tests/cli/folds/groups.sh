# Groups by text and by number are the same groups; without them blocks are left out, or rows.
# Not under sanitizers: test_held_out.
learn() { orff fit stations.csv --inputs x,y --outputs u --sigma 0.2 --base gaussian -o m.orff --json --quiet "$@"; }
learn --groups station | told
learn --groups station | grep '"held_out_rmse"' | sort | uniq >text
learn --groups number | grep '"held_out_rmse"' | sort | uniq >number
cmp text number && echo the same
learn | told
learn --folds-by random | told
orff info m.orff --json | told
