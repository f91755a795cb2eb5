#!/bin/sh
# What the lattice engine does, on a line: a signal with a gap is learned with its error bars, and three samples of it are
# drawn. Above it the kernel with its images a period away, and its spectrum on the lattice. docs/lattice.md explains.
#
#   examples/lattice.sh ORFF PICTURE.svg      (the program, and the picture to draw; needs gnuplot)
set -eu

[ $# -eq 2 ] || { echo "usage: examples/lattice.sh ORFF PICTURE.svg" >&2; exit 2; }
orff=$1
picture=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# 120 rows on [0, 1], none from 0.45 to 0.65, noise of 0.15: numbers of a small generator, the same everywhere.
awk 'function uniform() { state = (1103515245 * state + 12345) % 2147483648; return state / 2147483648 }
    BEGIN {
        state = 7
        print "x,y"
        while (rows < 120) {
            x = uniform()
            noise = 0.15 * sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform())
            if (x > 0.45 && x < 0.65) continue
            printf "%.6f,%.6f\n", x, sin(9 * x) + 0.5 * cos(23 * x) + noise
            rows++
        }
    }' >"$work/rows.csv"

"$orff" fit "$work/rows.csv" --inputs x --outputs y --engine lattice --base gaussian --sigma 0.08 --quiet -o "$work/line.orff"
"$orff" predict "$work/line.orff" --grid x=-0.25:1.25:301 --std --quiet -o "$work/fit.csv"
"$orff" sample "$work/line.orff" --grid x=-0.2:1.2:281 -n 3 --quiet -o "$work/samples.csv"

cat >"$work/draw.gp" <<'END'
set terminal svg size 1000,660 font 'sans-serif,14' background 'white'
set output 'picture.svg'
set encoding utf8
set datafile separator ','
set multiplot
set border 3
set tics nomirror
unset key
sigma = 0.08
period = 1 + 7.4 * sigma   # the rows' box, and room until half-way to the next image 0.1 % of the kernel is left
k(x) = exp(-0.5 * (x / sigma)**2)
spectrum(w) = exp(-0.5 * (w * sigma)**2)
h = 2 * pi / period

set lmargin at screen 0.07; set rmargin at screen 0.52
set tmargin at screen 0.93; set bmargin at screen 0.60
set title 'in space: the kernel of a row, and its images'
set samples 500
set xrange [-1:2.8]; set yrange [0:1.15]
set xtics 0.5; set ytics 0.5
set xlabel 'x' offset 0,0.6
set object 1 rectangle from 0,0 to 1,1.15 fillcolor '#eef3f8' fillstyle solid noborder behind
set label 1 "the rows' box" at 0.5,1.08 center textcolor '#555555'
set arrow 1 from 0.9,0.62 to 0.9-period,0.62 heads size 0.03,20 linecolor '#555555'
set label 2 'one period' at 0.9-period/2,0.69 center textcolor '#555555'
plot k(x - 0.9) with lines lw 2.5 lc '#0072B2', \
     k(x - 0.9 + period) with lines lw 2.5 dt 2 lc '#D55E00', k(x - 0.9 - period) with lines lw 2.5 dt 2 lc '#D55E00'

unset object 1; unset label; unset arrow
set lmargin at screen 0.60; set rmargin at screen 0.97
set title 'in frequency: the spectrum on the lattice'
set xrange [-80:80]; set yrange [0:1.15]
set xtics 40; set ytics 0.5
set xlabel 'w' offset 0,0.6
cut = 5.0 / sigma
set arrow 1 from -cut,0 to -cut,0.5 nohead dt 2 lc '#555555'
set arrow 2 from cut,0 to cut,0.5 nohead dt 2 lc '#555555'
set label 1 'the cut' at cut,0.56 center textcolor '#555555'
set label 2 'a wave every' at -75,1.0 left textcolor '#555555'
set label 3 "2\U+03C0 / period" at -75,0.88 left textcolor '#555555'
set samples 2 * int(cut / h) + 1
plot '+' using (h * (int($0) - int(cut / h))):(spectrum(h * (int($0) - int(cut / h)))) with impulses lw 1.5 lc '#0072B2', \
     '+' using (h * (int($0) - int(cut / h))):(spectrum(h * (int($0) - int(cut / h)))) with points pt 7 ps 0.45 lc '#0072B2'

unset label; unset arrow
set lmargin at screen 0.07; set rmargin at screen 0.97
set tmargin at screen 0.43; set bmargin at screen 0.09
set title 'the fit: mean, two standard deviations, three samples, rows'
set xrange [-0.25:1.25]; set yrange [-2.4:2.4]
set xtics 0.25; set ytics 1
set xlabel 'x' offset 0,0.6
set object 1 rectangle from 0,-2.4 to 1,2.4 fillcolor '#eef3f8' fillstyle solid noborder behind
plot 'fit.csv' skip 1 using 1:($2 - 2*$3):($2 + 2*$3) with filledcurves fc '#0072B2' fs transparent solid 0.18 noborder, \
     for [s=0:2] 'samples.csv' skip 1 every 3::s using 2:3 with lines lw 1 lc '#009E73', \
     'fit.csv' skip 1 using 1:2 with lines lw 2.5 lc '#0072B2', \
     'rows.csv' skip 1 using 1:2 with points pt 7 ps 0.4 lc '#333333'
unset multiplot
END
(cd "$work" && gnuplot draw.gp)
cp "$work/picture.svg" "$picture"
