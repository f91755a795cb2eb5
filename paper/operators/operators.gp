# Microseconds for a point against D (left, p = 4) and p (right, D = 512), one thread; d = p.
rules = 'decomposable curl-free div-free'
pick(k,o,n,D,p,c) = (strcol(1) eq k && strcol(2) eq o && $3 == n && (D == 0 || $4 == D) && (p == 0 ? $5 > 4 : $5 == p) ? column(c) : NaN)
stats 'costs.csv' using (pick('curl-free','normal',64,0,4,4)) every ::1 name 'D' nooutput
stats 'costs.csv' using (pick('curl-free','normal',64,512,0,5)) every ::1 name 'P' nooutput
set multiplot
set logscale xy
set format y '10^{%T}'
unset key
set tmargin at screen 0.92
set bmargin at screen 0.30
do for [side=0:1] {
    D = (side == 0 ? 0 : 512)
    p = (side == 0 ? 4 : 0)
    c = 4 + side
    set lmargin at screen 0.09 + 0.49*side
    set rmargin at screen 0.49 + 0.49*side
    set title (side == 0 ? 'against D, p = 4' : 'against p, D = 512') offset 0,-0.5
    set xlabel (side == 0 ? 'number of frequencies D' : 'outputs p (= inputs d)')
    set ylabel (side == 0 ? 'microseconds for a point' : '') offset -0.5,0
    first = (side == 0 ? D_min : P_min)
    last = (side == 0 ? D_max : P_max)
    set xrange [0.8*first:1.25*last]
    set xtics first,2,last
    set yrange [1:(side == 0 ? 3e6 : 3e5)]
    plot for [k=1:3] 'costs.csv' using (pick(word(rules,k),'normal',64,D,p,c)):6 every ::1 with linespoints lt k, \
         'costs.csv' using (pick('div-free','apply by dense B',1,D,p,c)):6 every ::1 with linespoints lt 5 dt 3, \
         'costs.csv' using (pick('curl-free','normal by all pairs',1,D,p,c)):6 every ::1 with linespoints lt 4 dt 2
}
unset border
unset tics
unset xlabel
unset ylabel
unset title
unset logscale
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0.03
set rmargin at screen 0.97
set tmargin at screen 0.165
set bmargin at screen 0.01
set key center center vertical maxrows 3 Left reverse samplen 2.5 width -4
plot NaN with linespoints lt 1 title 'P*P, decomposable (library, batch of 64)', \
     NaN with linespoints lt 2 title 'P*P, curl-free', \
     NaN with linespoints lt 3 title 'P*P, divergence-free', \
     NaN with linespoints lt 5 dt 3 title 'P, divergence-free, dense B: Dp^2 as printed', \
     NaN with linespoints lt 4 dt 2 title 'P*P, curl-free, all pairs: D^2p as printed'
unset multiplot
