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
