# Root mean square error against N: without noise (left), with noise (right). Hollow: the table of the paper, appendix D.2.
set multiplot
set logscale xy
set format x '10^{%T}'
set yrange [2e-3:0.3]
set bars 0.5
set xrange [70:150000]
set ytics (0.002,0.005,0.01,0.02,0.05,0.1,0.2)
pick(m,c) = (strcol(1) eq m ? column(c) : NaN)
set xlabel 'number of points N'
unset key
set tmargin at screen 0.92
set bmargin at screen 0.33
do for [side=0:1] {
    c = 3 + 2*side
    set lmargin at screen 0.095 + 0.49*side
    set rmargin at screen 0.485 + 0.49*side
    set title (side == 0 ? 'without noise' : 'with noise') offset 0,-0.5
    set ylabel (side == 0 ? 'root mean square error of an entry' : '') offset 1,0
    plot 'printed.csv' using (pick('orff',2)):c:c+1 every ::1 with yerrorlines lt 1 pt 6 dt 3, \
         'printed.csv' using (pick('exact',2)):c:c+1 every ::1 with yerrorlines lt 2 pt 8 dt 3, \
         'table.csv' using (pick('orff-100',2)):c:c+1 every ::1 with yerrorlines lt 6 pt 5, \
         'table.csv' using (pick('orff-1000',2)):c:c+1 every ::1 with yerrorlines lt 1, \
         'table.csv' using (pick('exact',2)):c:c+1 every ::1 with yerrorlines lt 2, \
         'table.csv' using (side == 0 ? pick('exact',2) : NaN):7:8 every ::1 with yerrorlines lt 5, \
         'table.csv' using (side == 1 ? pick('identity-1000',2) : NaN):c:c+1 every ::1 with yerrorlines lt 3
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
set tmargin at screen 0.19
set bmargin at screen 0.01
set key center center vertical maxrows 4 Left reverse samplen 3
plot NaN with linespoints lt 1 pt 6 dt 3 title 'paper, features', \
     NaN with linespoints lt 2 pt 8 dt 3 title 'paper, exact kernel', \
     NaN with linespoints lt 6 pt 5 title 'features, D = 100', \
     NaN with linespoints lt 1 title 'features, D = 1000', \
     NaN with linespoints lt 2 title 'exact kernel', \
     NaN with linespoints lt 5 title 'exact kernel, Nλ = 0.1 (left)', \
     NaN with linespoints lt 3 title 'features, D = 1000, A = I (right)'
unset multiplot
