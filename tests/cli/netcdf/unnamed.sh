# Without --outputs the message lists the variables that there are; inputs are then the coordinates of the first one.
fit || echo $?
fit --outputs u && orff info x.orff | grep "^inputs"
fit --outputs u --select time=0 && orff info x.orff | grep "^inputs"
fit --inputs lon,lat --outputs u || echo $?
fit --inputs lon,lat --outputs u --select tim=1 || echo $?
fit --inputs lon,lat,time --outputs u --select time=1:9 || echo $?
