# Rows that do not stay in memory have a plane too.
fit --geo lonlat --memory 0 --sigma 500 2>&1 | grep plane
# A memory has a unit, or is in MB.
for memory in 1K 1kB 0.001 2KiB 1M; do
    echo "$memory: $(fit --memory "$memory" --sigma 500 2>&1 | grep -c 'larger than' || true)"
done
for memory in 200X K -1 1Kx 1e30G; do fit --memory "$memory" --sigma 500 || true; done
