# Kernels for fields want as many inputs as outputs.
fit --inputs x_km --kernel div-free
fit --inputs x_km,y_km,v_ms --outputs u_ms --kernel curl-free
# What is outside of the field's space is told by its name.
awk -F, -v OFS=, '{ print NR == 1 ? "hour" : NR % 24, $0 }' train.csv >hours.csv
orff fit hours.csv --inputs hour,x_km,y_km --outputs u_ms,v_ms --kernel div-free -o x.orff || echo $?
