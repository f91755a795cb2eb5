# A line for each group, in texts or numbers, and the same for programs.
learn -o m.orff
awk -F, 'NR == 1 { print $0 ",buoy" } NR > 1 { print $0 "," ($1 > 0 ? "east buoy" : "west") }' test.csv >grouped.csv
orff evaluate m.orff grouped.csv --groups buoy | sed -n '/^group/,$p'
orff evaluate m.orff grouped.csv --groups buoy --json -q | grep '"group"\|"n"'
