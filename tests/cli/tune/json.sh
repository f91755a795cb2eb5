# Scores are in the report as JSON.
tune --features 40 --sigma 0.3 --sigma 0.8 --json -q | grep -o -e '"scores"' -e '"label": .*'
