# Dates as an input: hours since the first one, which the model remembers, whatever other files begin with.
awk 'BEGIN { print "time,u"; for (i = 0; i < 48; i++) printf "2024-05-%02dT%02d:00:00Z,%.6f\n", 1 + int(i / 24), i % 24, sin(i / 5) }' >dates.csv
orff fit dates.csv --inputs time --outputs u --sigma 5 --lambda 1e-6 --features 30 -o m.orff 2>&1 | grep dates
orff info m.orff | grep inputs
printf 'time\n2024-05-02 02:30\n' >later.csv
orff predict m.orff later.csv -q -o - | sed -n '2s/,.*//p'
printf 'time\n26.5\n' >hours.csv
orff predict m.orff hours.csv -q -o - | sed -n '2s/,.*//p'
{ echo 'x,u' && echo '1,2' && echo '2,3' && echo '3,3'; } >numbers.csv
orff fit numbers.csv --inputs x --outputs u --sigma 1 --lambda 1e-3 -q -o n.orff
printf 'x\n2024-05-02\n' >later.csv
orff predict n.orff later.csv -q -o - || echo $?
# Day and month are not guessed.
for date in 1.3.21 1/3/2021; do
    printf 'day;u\n%s;1,5\n%s;2,5\n' $date $date >german.csv
    orff fit german.csv --inputs day --outputs u -o n.orff || echo $?
    printf 'day,u\n%s,1.5\n%s,2.5\n' $date $date >english.csv
    orff fit english.csv --inputs day --outputs u -o n.orff || echo $?
done
