# Percent of wrong test images against D; exact kernels are horizontal lines.
pick(n,m,c) = (strcol(1) eq n && strcol(2) eq m ? column(c) : NaN)
# The quick version has one N only.
stats 'errors.csv' using 1 every ::1 name 'N' nooutput
low = sprintf('%.0f', N_min)
high = sprintf('%.0f', N_max)
stats 'errors.csv' using (pick(low,'exact',7)) every ::1 name 'A' nooutput
stats 'errors.csv' using (pick(high,'exact',7)) every ::1 name 'B' nooutput
set logscale xy
set xlabel 'number of frequencies D'
set ylabel 'wrong test images, percent'
set xrange [8:16000]
set yrange [2.5:70]
set ytics (3,5,7,10,15,20,30,50,70)
set xtics (10,25,61,147,359,878,2149,5259,12870)
set key top right Left reverse
plot 'errors.csv' using (pick(low,'orff',3)):7 every ::1 with linespoints lt 2 title 'features, N = '.low, \
     A_mean with lines lt 2 dt 2 title 'exact kernel, N = '.low, \
     'authors.csv' using ($1 > 0 ? $1 : NaN):2 every ::1 with linespoints lt 7 dt 4 title 'authors, features', \
     4.4 with lines lt 7 dt 3 title 'authors, exact kernel', \
     'errors.csv' using (pick(high,'orff',3)):7 every ::1 with linespoints lt 1 title 'features, N = '.high, \
     B_mean with lines lt 1 dt 2 title 'exact kernel, N = '.high
