# Seconds of a fit against N: of the processor (lines), on the wall (hollow points).
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set xlabel "number of points N\n" offset 0,0.4
set xrange [70:1.5e6]
set yrange [4e-4:5000]
set ylabel 'seconds for a fit' offset 0.5,0
set key bmargin center vertical maxrows 4 Left reverse samplen 3
pick(m,c) = (strcol(1) eq m ? column(c) : NaN)
plot 'times.csv' using (pick('orff',2)):4 every ::1 with linespoints lt 1 title 'features, processor time', \
     'times.csv' using (pick('lattice',2)):4 every ::1 with linespoints lt 3 title 'lattice, processor time', \
     'times.csv' using (pick('exact',2)):4 every ::1 with linespoints lt 2 dt 2 title 'exact kernel, processor time', \
     1000 with lines lt 7 dt 3 lw 1.5 title '1000 s: the limit of the paper', \
     'times.csv' using (pick('orff',2)):3 every ::1 with points lt 1 pt 6 title 'features, on the wall', \
     'times.csv' using (pick('lattice',2)):3 every ::1 with points lt 3 pt 4 title 'lattice, on the wall', \
     'times.csv' using (pick('exact',2)):3 every ::1 with points lt 2 pt 8 title 'exact kernel, on the wall'
