# The paper's figure: largest error over the pairs against D, iid frequencies, three kernels.
# "the thesis": the same figure there, github.com/RomainBrault/Thesis, gfx/kernel_reconstruction.pgf, read off as error times sqrt(D).
set logscale xy
set xlabel 'number of frequencies D'
set ylabel 'largest spectral-norm error'
set title 'Approximation error, iid frequencies, [-1,1]^4'
set format x '2^{%L}'
set logscale x 2
set format y '10^{%T}'
set xrange [12:5500]
set bars 0.5
set key outside right center Left reverse samplen 3
pick(k) = (strcol(1) eq k && strcol(2) eq 'iid' ? column(3) : NaN)
# sigmas.csv has error times sqrt(D) at D = 256.
at(sigma) = (abs(sigma - 0.55) < 1e-6 ? 256 : NaN)
read(k) = (strcol(1) eq k ? column(2) : NaN)
plot 'errors.csv' using (pick('div-free')):6:7 every ::1 with yerrorlines lt 3 title 'divergence-free, here (σ = 1)', \
     'errors.csv' using (pick('curl-free')):6:7 every ::1 with yerrorlines lt 2 title 'curl-free, here (σ = 1)', \
     'errors.csv' using (pick('decomposable')):6:7 every ::1 with yerrorlines lt 1 title 'decomposable, here (σ = 1)', \
     'sigmas.csv' using (at($1)):($4/16) every ::1 with points lt 3 pt 4 ps 1 title 'divergence-free, here (σ = 0.55)', \
     'sigmas.csv' using (at($1)):($3/16) every ::1 with points lt 2 pt 8 ps 1 title 'curl-free, here (σ = 0.55)', \
     'sigmas.csv' using (at($1)):($2/16) every ::1 with points lt 1 pt 6 ps 1 title 'decomposable, here (σ = 0.55)', \
     'printed.csv' using (read('div-free')):3 every ::1 with lines lt 3 dt 2 title 'divergence-free, the thesis', \
     'printed.csv' using (read('curl-free')):3 every ::1 with lines lt 2 dt 2 title 'curl-free, the thesis', \
     'printed.csv' using (read('decomposable')):3 every ::1 with lines lt 1 dt 2 title 'decomposable, the thesis'
