# Whole numbers that are none, or out of range.
fit --folds 1
fit --features ten
for wrong in '' 2x -2 +2 2.0 0x2 ' 2' 99999999999999999999999; do
    fit --folds "$wrong"
    fit --seed "$wrong"
done
