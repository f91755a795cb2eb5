# Draws fields.svg, .pdf and .png, 174 mm wide and 88 mm high, from the tables beside it:  gnuplot fields.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 658,333 enhanced font 'sans,10.67' linewidth 0.8 background '#ffffff' }
if (format eq 'pdf') { set terminal pdfcairo size 6.850in,3.465in enhanced font 'sans,8' fontscale 0.75 linewidth 0.6 background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 1315,665 enhanced font 'sans,8' fontscale 2.00 linewidth 1.60 pointscale 2.00 background '#ffffff' }
set output 'fields.'.format
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

# Colour: the scalar field u. Arrows: its gradient (left), the gradient turned by 90 degrees (right).
set multiplot layout 1,2 margins 0.08,0.88,0.16,0.95 spacing 0.1
set size ratio -1
set xrange [-1.17:1.17]
set yrange [-1.17:1.17]
set xtics -1,0.5,1
set ytics -1,0.5,1
unset grid
unset key
set cbrange [-1.2:1.2]
set cbtics -1,0.5,1
# From orange over white to blue, pale enough for black arrows.
set palette defined (-1 '#f1a340', 0 '#ffffff', 1 '#67a9cf')
set xlabel 'x_1'
set ylabel 'x_2' offset 1,0
length = 0.05
unset colorbox
set title 'Curl-free: gradient of u' offset 0,-0.5
plot 'cells.csv' using 1:2:3 every ::1 with image, \
     'arrows.csv' using 1:2:(length*$3):(length*$4) every ::1 with vectors head size 0.035,22 nofilled lc rgb '#000000' lw 1
set colorbox user origin 0.91,0.209 size 0.02,0.692
set label 1 'u' at screen 0.92,0.94 center
set title 'Divergence-free: the gradient turned by 90°' offset 0,-0.5
plot 'cells.csv' using 1:2:3 every ::1 with image, \
     'arrows.csv' using 1:2:(length*$5):(length*$6) every ::1 with vectors head size 0.035,22 nofilled lc rgb '#000000' lw 1
unset multiplot
unset label 1

unset output
if (format eq "pdf") { format = "png"; reset; load "fields.gp" }
if (format eq "svg") { format = "pdf"; reset; load "fields.gp" }
