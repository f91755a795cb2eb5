# The squared errors of the outputs have that of all as their mean, training and cross-validated.
fit --kernel div-free --sigma 0.7 --json --quiet >f.json
for error in train_rmse cv_rmse; do
    awk -v key="\"$error\":" '$1 == key { if (index($0, "      ") == 1) { sum += ($2 + 0) ^ 2; n++ } else all = ($2 + 0) ^ 2 }
        END { printf "%d outputs, mean over all %.12f\n", n, sum / n / all }' f.json
done
