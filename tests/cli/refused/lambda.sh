# A number that is none, out of range, or has something around it.
fit --lambda -1
for wrong in '' 1x nan inf -inf 0 -0 1e999 '1 ' ' 1'; do fit --lambda "$wrong"; done
