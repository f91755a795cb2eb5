# Options that want a value, or none.
orff fit --quiet=yes || echo $?
orff fit --sigma || echo $?
orff info a --threads two || echo $?
