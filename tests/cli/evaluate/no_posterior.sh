# Without a posterior what asks for one is left out, and it says why.
learn --posterior no -o m.orff
orff evaluate m.orff test.csv
orff evaluate m.orff test.csv --json --quiet | grep -o '"\(crps\|coverage_95\|no_intervals\)": "*[^;"]*'
