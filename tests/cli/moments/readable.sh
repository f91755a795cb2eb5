# People get the digits that they read, programs all of them. A d stands for each digit.
moments a.csv --sigma 0.12345678901,2.5 -o a.moments 2>&1 | sed 's/.*\(sigma [^ ]*\), .*/\1/; s/[0-9]/d/g'
orff info a.moments | grep sigma | sed 's/[0-9]/d/g'
orff info a.moments --json | grep '"sigma"' | sed 's/[0-9]/d/g'
