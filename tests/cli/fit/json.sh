# The report as JSON is alone on standard output.
fit --kernel div-free --sigma 0.7 --json --quiet
