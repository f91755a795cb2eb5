# A line for every candidate and noise level (4 times 45); in each candidate the smallest error is the chosen one.
tune --kernel curl-free --kernel div-free --sigma 0.3 --sigma 0.8 --report scores.csv -q
head -n 1 scores.csv
wc -l <scores.csv
# label has one comma, in quotes: cv_mse is the 10th field, chosen the 12th
awk -F, 'NR > 1 { if (!($1 in least) || $10 < least[$1]) least[$1] = $10; if ($12) { chosen[$1] = $10; n++ } }
    END { for (c in least) right += chosen[c] == least[c]; print n, "chosen,", right, "the smallest" }' scores.csv
# What else the path knows; of rows that are not whole it knows only the errors.
awk -F, 'NR > 1 { all += $13 != "" && $14 != "" && $15 > 0 && $16 != ""; worse += $13 > $14 } END { print all, "with all,", worse + 0, "train worse than gcv" }' scores.csv
awk -F, -v OFS=, 'NR == 5 { $3 = "" } 1' train.csv >holes.csv
orff tune holes.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 40 --kernel div-free --sigma 0.5 --report holes.scores -o m.orff -q
awk -F, 'NR > 1 { known += $13 != "" || $15 != "" } END { print known + 0, "with none,", NR - 1, "of one candidate" }' holes.scores
