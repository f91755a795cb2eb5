# What was asked for is what the report says.
fit --sigma 0.7 --lambda 1e-4 --json --quiet | grep '^  "lambda"'
fit --sigma 0.7 --precision single --json --quiet | grep '"precision"'
fit --sigma 0.7 --solver pcg --json --quiet | grep '"solver"'
fit --sigma 0.7 --sampling orthogonal --json --quiet | grep '"sampling"'
fit --sigma 0.7 --seed 9 --json --quiet | grep '"seed"'
