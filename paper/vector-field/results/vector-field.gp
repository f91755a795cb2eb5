# Draws vector-field.svg, .pdf and .png, 174 mm wide and 150 mm high, from the tables beside it:  gnuplot vector-field.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 658,567 enhanced font 'sans,10.67' linewidth 0.8 background '#ffffff' }
if (format eq 'pdf') { set terminal pdfcairo size 6.850in,5.906in enhanced font 'sans,8' fontscale 0.75 linewidth 0.6 background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 1315,1134 enhanced font 'sans,8' fontscale 2.00 linewidth 1.60 pointscale 2.00 background '#ffffff' }
set output 'vector-field.'.format
set encoding utf8
set datafile separator ','
set linetype 1 lc rgb '#0072b2' pt 7  lw 2
set linetype 2 lc rgb '#d55e00' pt 9  lw 2
set linetype 3 lc rgb '#009e73' pt 5  lw 2
set linetype 4 lc rgb '#cc79a7' pt 11 lw 2
set linetype 5 lc rgb '#e69f00' pt 13 lw 2
set linetype 6 lc rgb '#56b4e9' pt 4  lw 2
set linetype 7 lc rgb '#000000' pt 6  lw 2
set pointsize 0.65
set border lc rgb '#444444'
set grid back lc rgb '#cccccc' lw 1 lt 1
set key noopaque spacing 1.15

# Above: the curl-free field; below: the divergence-free one. Left: against D; right: against the parameters.
# Bars and bands: the deviation over the runs; bars as a factor, exp(deviation/mean), since it may be above the mean.
# Curves are moved aside a little so that their bars do not cover each other.
set multiplot
set logscale x 2
set logscale y
set format y '10^{%T}'
set bars 0.5
unset key
fields = 'curl-free divergence-free'
rules = 'curl-free div-free'
level(f,k,m,c) = (strcol(1) eq f && strcol(2) eq k && strcol(3) eq m ? column(c) : NaN)
pick(f,k,m,c) = (strcol(1) eq f && strcol(2) eq k && strcol(3) eq m && column(4) > 0 ? column(c) : NaN)
low(m,d) = column(m)*exp(-column(d)/column(m))
high(m,d) = column(m)*exp(column(d)/column(m))
noise(f) = (strcol(1) eq f ? column(2) : NaN)
do for [row=1:2] {
    f = word(fields, row)
    r = word(rules, row)
    set autoscale xy # what is out of the ranges would not be counted
    stats 'errors.csv' using (level(f,'decomposable','exact',6)) every ::1 name 'A' nooutput
    stats 'errors.csv' using (level(f,'decomposable','exact',7)) every ::1 name 'a' nooutput
    stats 'errors.csv' using (level(f,r,'exact',6)) every ::1 name 'B' nooutput
    stats 'errors.csv' using (level(f,r,'exact',7)) every ::1 name 'b' nooutput
    stats 'errors.csv' using (level(f,'decomposable','lattice',6)) every ::1 name 'C' nooutput
    stats 'errors.csv' using (level(f,r,'lattice',6)) every ::1 name 'E' nooutput
    stats 'levels.csv' using (noise(f)) every ::1 name 'N' nooutput
    set yrange [8e-4:0.3]
    set tmargin at screen 0.96 - 0.42*(row - 1)
    set bmargin at screen 0.65 - 0.42*(row - 1)
    do for [side=0:1] {
        c = (side == 0 ? 4 : 5)
        set lmargin at screen 0.09 + 0.48*side
        set rmargin at screen 0.49 + 0.48*side
        set title f.' field' offset 0,-0.6
        set xlabel (side == 0 ? 'number of frequencies D' : 'number of parameters') offset 0,0.4
        set ylabel (side == 0 ? 'test mean square error' : '') offset 1,0
        if (side == 0) { set xrange [6.4:640] } else { set xrange [12.8:2560] }
        plot '+' using 1:(A_mean - a_mean):(A_mean + a_mean) with filledcurves fc rgb '#0072b2' fs transparent solid 0.13 noborder, \
             '+' using 1:(B_mean - b_mean):(B_mean + b_mean) with filledcurves fc rgb '#d55e00' fs transparent solid 0.13 noborder, \
             N_mean with lines lt 7 dt 3 lw 1.5, \
             A_mean with lines lt 1, \
             B_mean with lines lt 2, \
             C_mean with lines lt 7 dt 2 lw 1, \
             E_mean with lines lt 7 dt 2 lw 1, \
             'errors.csv' using (0.94*pick(f,'decomposable','iid',c)):6 every ::1 with lines lt 1 dt 3, \
             'errors.csv' using (0.94*pick(f,'decomposable','iid',c)):6:(low(6,7)):(high(6,7)) every ::1 with yerrorbars lt 1 lw 1.2, \
             'errors.csv' using (0.98*pick(f,r,'iid',c)):6 every ::1 with lines lt 2 dt 3, \
             'errors.csv' using (0.98*pick(f,r,'iid',c)):6:(low(6,7)):(high(6,7)) every ::1 with yerrorbars lt 2 lw 1.2, \
             'errors.csv' using (1.02*pick(f,'decomposable','qmc',c)):6 every ::1 with lines lt 6 dt 3, \
             'errors.csv' using (1.02*pick(f,'decomposable','qmc',c)):6:(low(6,7)):(high(6,7)) every ::1 with yerrorbars lt 6 lw 1.2, \
             'errors.csv' using (1.06*pick(f,r,'qmc',c)):6 every ::1 with lines lt 5 dt 3, \
             'errors.csv' using (1.06*pick(f,r,'qmc',c)):6:(low(6,7)):(high(6,7)) every ::1 with yerrorbars lt 5 lw 1.2
    }
}
# The legend, a panel of its own.
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
set tmargin at screen 0.155
set bmargin at screen 0.005
set key center center vertical maxrows 4 Left reverse samplen 3 width -4
plot NaN with lines lt 1 title 'decomposable, exact kernel', \
     NaN with linespoints lt 1 dt 3 title 'decomposable, iid features (as the paper)', \
     NaN with linespoints lt 6 dt 3 title 'decomposable, quasi-Monte Carlo features', \
     NaN with lines lt 7 dt 2 lw 1 title 'both kernels on a lattice', \
     NaN with lines lt 2 title 'curl-free or divergence-free, exact kernel', \
     NaN with linespoints lt 2 dt 3 title 'the same, iid features (as the paper)', \
     NaN with linespoints lt 5 dt 3 title 'the same, quasi-Monte Carlo features', \
     NaN with lines lt 7 dt 3 lw 1.5 title 'variance of the noise'
unset multiplot

unset output
if (format eq "pdf") { format = "png"; reset; load "vector-field.gp" }
if (format eq "svg") { format = "pdf"; reset; load "vector-field.gp" }
