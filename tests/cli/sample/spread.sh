# The spread of many samples is the standard deviation of the prediction.
orff sample m.orff --grid x_km=0,y_km=0 -n 2000 -o - -q | awk -F, 'NR > 1 { n++; sum += $4; square += $4 * $4 }
    END { print sqrt(square / n - sum * sum / (n * n)) }' >spread
orff predict m.orff --grid x_km=0,y_km=0 --std -o - -q | awk -F, 'NR > 1 { print $5 }' | paste - spread |
    awk '{ ratio = $1 / $2; print (ratio > 0.9 && ratio < 1.1) ? "the same" : $0 }'
