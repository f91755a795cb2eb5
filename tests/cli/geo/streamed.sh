# Rows that do not stay in memory have a plane too.
fit --geo lonlat --memory 0 --sigma 500 2>&1 | grep plane
