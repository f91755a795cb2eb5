# As many inputs as outputs.
npy Z.npy 7 1 '\000\001\001\002\003\003\004'
orff fit X.npy Z.npy --sigma 2 -o no.orff || echo $?
[ ! -e no.orff ]
