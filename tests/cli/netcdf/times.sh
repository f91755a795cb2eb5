# Several times at once: hours since the first of them, and a prediction at another time is counted from there too.
orff fit f.nc --inputs lon,lat,time --outputs u,v --select time=2:5 --sigma 3 --features 40 -o x.orff 2>&1 | grep -E 'dates|used'
orff info x.orff | grep inputs
orff predict x.orff f.nc --select time=0 -q -o - | sed -n '2s/\(.*,.*,.*\),.*,.*/\1/p'
