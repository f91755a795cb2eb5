# Time beside a place, with the default kernel: an input as any other, whether it is called a covariate or not.
awk 'BEGIN { print "x,y,hour,u,v"; for (i = 0; i < 40; i++) printf "%g,%g,%g,%g,%g\n", i % 7, i % 5, i % 6, sin(i % 7 + i % 6), cos(i % 5) }' >st.csv
fixed='--sigma 2 --lambda 1e-3 -q'
orff fit st.csv --inputs x,y,hour --outputs u,v $fixed -o plain.orff
orff fit st.csv --inputs x,y,hour --outputs u,v --covariates hour $fixed -o covariate.orff
for m in plain covariate; do orff predict $m.orff st.csv -q -o $m.csv; done
cmp plain.csv covariate.csv && echo same
