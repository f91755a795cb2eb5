# Stations that read high or low: their offsets are no part of the field, and are printed with their names.
{
    echo x,hour,u,station
    awk 'BEGIN { for (s = 0; s < 8; s++) for (t = 0; t < 12; t++) {
        x = (s * 0.37) % 1
        printf "%.4f,%.4f,%.6f,st%d\n", x, t / 12, sin(4 * x + 3 * t / 12) + (s % 2 ? 1 : -1) + 0.05 * sin(91 * (12 * s + t)), s } }'
} >stations.csv
learn() { orff fit stations.csv --inputs x,hour --outputs u -o m.orff "$@"; }
learn --group-effect station -q
orff info m.orff | sed -n 's/^offsets *\([0-9]* groups\).*/\1/p'
orff info m.orff | sed -n 's/^  \(st[0-9]\): \(-*\)[0-9].*/\1 \2/p' | sort
orff info m.orff --json | grep -c '"group"'
learn --group-effect nosuch || echo $?
awk -F, -v OFS=, '{ print $0, NR == 1 ? "same" : "one" }' stations.csv >alike.csv
orff fit alike.csv --inputs x,hour --outputs u --group-effect same -o m.orff || echo $?
