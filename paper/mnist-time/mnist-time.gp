# Seconds of a fit against N: of the processor (lines), on the wall (points alone), and the last points of the authors' curves.
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set xlabel 'number of images N' offset 0,0.6
set xrange [80:8e4]
set yrange [*:10000]
set ylabel 'seconds for a fit'
set key bmargin center vertical maxrows 3 Left reverse
pick(m,c) = (strcol(1) eq m ? column(c) : NaN)
plot 'times.csv' using (pick('orff',2)):4 every ::1 with linespoints lt 1 title 'features, processor time', \
     'times.csv' using (pick('exact',2)):4 every ::1 with linespoints lt 2 dt 2 title 'exact kernel, processor time', \
     'times.csv' using (pick('orff',2)):3 every ::1 with points lt 1 pt 6 title 'features, on the wall', \
     'times.csv' using (pick('exact',2)):3 every ::1 with points lt 2 pt 8 title 'exact kernel, on the wall', \
     '+' using (12900):(3.9) every ::0::0 with points lt 3 ps 1.8 title 'authors, features (2016)', \
     '+' using (12900):(3700) every ::0::0 with points lt 4 ps 1.8 title 'authors, exact kernel'
