# Without --inputs or --outputs the message lists the variables that there are.
fit || echo $?
fit --outputs u || echo $?
fit --inputs lon,lat --outputs u || echo $?
fit --inputs lon,lat --outputs u --select tim=1 || echo $?
fit --inputs lon,lat,time --outputs u --select time=1:9 || echo $?
