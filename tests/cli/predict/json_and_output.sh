# Standard output cannot hold both the predictions and the report.
orff predict m.orff test.csv -o - --json
