# The same for a number that may be 0.
for wrong in '' x 1x nan inf -inf 1e999 '1 ' ' 1'; do fit --tolerance "$wrong"; done
