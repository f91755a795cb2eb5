# The rule is found by a quick fit too, and remembered; the mix of a Helmholtz kernel is none of the moments' business.
orff moments a.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel auto --base gaussian --features 50 -o auto.moments -q
orff fit --from-moments auto.moments -o auto.orff --json -q | grep '^  "kernel"'
orff moments a.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel helmholtz --mix auto --sigma 1 -o x.moments || echo $?
