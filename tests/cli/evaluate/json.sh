# The same for programs.
learn -o m.orff
orff evaluate m.orff test.csv --json --quiet | grep -o '"[a-z0-9_]*":' | sort | uniq -c
