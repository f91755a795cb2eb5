# Seconds of a fit against N: of the processor (lines), on the wall (points alone).
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set xlabel 'number of points N' offset 0,0.6
set xrange [80:1.3e6]
set yrange [*:10000]
set ylabel 'seconds for a fit'
set key bmargin center vertical maxrows 3 Left reverse
pick(m,c) = (strcol(1) eq m ? column(c) : NaN)
plot 'times.csv' using (pick('orff',2)):4 every ::1 with linespoints lt 1 title 'features, processor time', \
     'times.csv' using (pick('exact',2)):4 every ::1 with linespoints lt 2 dt 2 title 'exact kernel, processor time', \
     'times.csv' using (pick('orff',2)):3 every ::1 with points lt 1 pt 6 title 'features, on the wall', \
     'times.csv' using (pick('exact',2)):3 every ::1 with points lt 2 pt 8 title 'exact kernel, on the wall', \
     1000 with lines lt 7 dt 3 lw 1 title 'paper: exact kernel for N > 10^4, at least'
