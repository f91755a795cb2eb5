# Without --outputs the one vector of the file is learned; where there are several the message lists the variables. Inputs are
# then the coordinates of the first output.
fit && orff info x.orff | grep "^[io].*puts"
orff predict m.orff --grid lon=10:11@1,lat=50:51@1,time=0:1@1 --std -q -o g.nc
orff fit g.nc -o x.orff || echo $?
fit --outputs u && orff info x.orff | grep "^inputs"
fit --outputs u --select time=0 && orff info x.orff | grep "^inputs"
fit --inputs lon,lat --outputs u || echo $?
fit --inputs lon,lat --outputs u --select tim=1 || echo $?
fit --inputs lon,lat,time --outputs u --select time=1:9 || echo $?
fit --outputs nosuch || echo $?
fit --outputs u,a_variable_of_others || echo $?
