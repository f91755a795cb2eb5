#!/bin/sh
# plot without memory and on failing disks. gnuplot would run without the interposer, hundreds of times: something quick stands for
# it, which writes a picture at once. That gnuplot's own is whole is tested in test_cli_plot.sh.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/faults.sh"
mkdir bin
printf '#!/bin/sh\necho "<?xml?><svg></svg>" >picture.svg\n' >bin/gnuplot
chmod +x bin/gnuplot
export PATH="$work/bin:$PATH"

prepare field t.csv 1 24
prepare "$orff" tune t.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 6 --sigma 0.5 --sigma 0.7 --report r.csv -q -o m.orff

calls=memory,write,sync,rename,close,flush
faults plot-field 'm.orff t.csv' -f $calls plot m.orff --points t.csv --arrows 3 --grid x_km=-1:1:4,y_km=-1:1:4 -o old.svg
faults plot-tuning r.csv -f $calls plot r.csv -o old.svg
finish
