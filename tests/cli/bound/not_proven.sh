# No bound applies to a base whose second moment is infinite.
orff bound --base laplace --dim 2 --sigma 1 --diameter 2 --epsilon 0.3
orff bound --base laplace --dim 2 --sigma 1 --diameter 2 --epsilon 0.3 --json | grep '^  "features_needed"'
