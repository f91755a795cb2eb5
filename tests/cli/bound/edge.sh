# The features needed are the fewest: they keep the probability, one less does not.
bound() { orff bound --kernel div-free --dim 2 --sigma 1 --diameter 2.828 --epsilon 0.3 --json "$@"; }
needed=$(bound | sed -n '/"rigorous": {/,/}/s/.*"features_needed": \([0-9]*\),/\1/p')
for features in $needed $((needed - 1)); do
    bound --features $features | awk '$1 == "\"corrected\":" && NF == 2 && $2 != "{" { print ($2 + 0 < 0.05 ? "below" : "above") }'
done
