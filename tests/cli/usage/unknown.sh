# What does not exist, and what is near it.
orff fti || echo $?
orff xyzzyxyzzy || echo $?
orff fit --kernal auto || echo $?
orff fit --subtract a || echo $?
