# Percent of wrong test images against D, bars: deviation over draws of the frequencies; exact kernels are horizontal lines.
# The authors' curve: R. Brault's thesis, github.com/RomainBrault/Thesis, gfx/learning_accuracy_MNIST.tikz.
pick(n,m,c) = (strcol(1) eq n && strcol(2) eq m ? column(c) : NaN)
# The quick version has one N only.
stats 'errors.csv' using 1 every ::1 name 'N' nooutput
low = sprintf('%.0f', N_min)
high = sprintf('%.0f', N_max)
stats 'errors.csv' using (pick(low,'exact',7)) every ::1 name 'A' nooutput
stats 'errors.csv' using (pick(high,'exact',7)) every ::1 name 'B' nooutput
set logscale xy
set xlabel "number of frequencies D\n" offset 0,0.4
set ylabel 'wrong test images, percent'
set xrange [7:19000]
set bars 0.5
set yrange [2.2:85]
set ytics (3,5,7,10,15,20,30,50,70)
set xtics (10,25,61,147,359,878,2149,5259,12874) rotate by 45 right offset 0,0.2
set key bmargin center vertical maxrows 3 Left reverse samplen 3
plot 'errors.csv' using (0.98*pick(low,'orff',3)):7:8 every ::1 with yerrorlines lt 2 title 'features, N = '.low, \
     'errors.csv' using (1.02*pick(high,'orff',3)):7:8 every ::1 with yerrorlines lt 1 title 'features, N = '.high, \
     'authors.csv' using ($1 > 0 ? $1 : NaN):2 every ::1 with linespoints lt 7 dt 4 title 'authors, features (thesis)', \
     A_mean with lines lt 2 dt 2 title 'exact kernel, N = '.low, \
     B_mean with lines lt 1 dt 2 title 'exact kernel, N = '.high, \
     4.4 with lines lt 7 dt 3 title 'authors, exact kernel (thesis)'
