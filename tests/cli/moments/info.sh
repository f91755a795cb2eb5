# What is in a file of moments.
moments all.csv --sigma 0.8 -o all.moments -q
orff info all.moments
orff info all.moments --json | grep -e kind -e '"n"' | sort
