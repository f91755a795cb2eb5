# Without a command: the usage, as an error.
orff
