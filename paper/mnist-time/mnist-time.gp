# Seconds of a fit against N: of the processor (lines), on the wall (hollow points), and the last points of the authors' curves
# (R. Brault's thesis: github.com/RomainBrault/Thesis, gfx/learning_time_MNIST.tikz).
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set xlabel "number of images N\n" offset 0,0.4
set xrange [70:1e5]
set yrange [2e-3:2e4]
set ylabel 'seconds for a fit' offset 0.5,0
set key bmargin center vertical maxrows 3 Left reverse samplen 3
pick(m,c) = (strcol(1) eq m ? column(c) : NaN)
plot 'times.csv' using (pick('orff',2)):4 every ::1 with linespoints lt 1 title 'features, processor time', \
     'times.csv' using (pick('exact',2)):4 every ::1 with linespoints lt 2 dt 2 title 'exact kernel, processor time', \
     '+' using (12900):(3.9) every ::0::0 with points lt 3 ps 1.1 title 'authors, features (thesis)', \
     'times.csv' using (pick('orff',2)):3 every ::1 with points lt 1 pt 6 title 'features, on the wall', \
     'times.csv' using (pick('exact',2)):3 every ::1 with points lt 2 pt 8 title 'exact kernel, on the wall', \
     '+' using (12900):(3700) every ::0::0 with points lt 4 ps 1.1 title 'authors, exact kernel (thesis)'
