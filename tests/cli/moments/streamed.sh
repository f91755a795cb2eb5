# Moments of rows that do not stay in memory are the same.
moments all.csv --sigma 0.8 -o all.moments -q
moments all.csv --sigma 0.8 --memory 0 -o stream.moments -q
predictions all.moments >all.out
predictions stream.moments >stream.out
same all.out stream.out
