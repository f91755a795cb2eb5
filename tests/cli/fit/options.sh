# Whatever the options, it learns; that each makes a difference is seen in test_cli_options_*.sh.
for options in '--sampling iid' '--sampling orthogonal' '--sampling grid' '--precision single' '--seed 3' '--center no' \
    '--base matern52' '--solver pcg' '--solver lsmr' '--scale-outputs yes' '--scale-inputs no' '--loss huber --iterations 20' \
    '--output-matrix covariance' '--compact' '--sigma 0.7,0.9' '--lambda 1e-4' '--posterior no' '--memory 0'; do
    echo "$options"
    # shellcheck disable=SC2086  # words
    fit --sigma 0.7 $options 2>&1 | grep written
    rmse
done
