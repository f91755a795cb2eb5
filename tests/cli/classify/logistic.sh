# Classes by the logistic loss: predictions are names of classes, nearly all of them right.
orff fit kinds.csv --outputs kind --classify --loss logistic --features 60 --sigma 0.5 --lambda 1e-4 -q -o k.orff
orff predict k.orff kinds.csv -o kinds.out.csv -q
head -n 1 kinds.out.csv
paste -d , kinds.csv kinds.out.csv | awk -F , 'NR > 1 && $3 != $6 { wrong++ } END { print wrong + 0, "of", NR - 1, "are wrong" }'
