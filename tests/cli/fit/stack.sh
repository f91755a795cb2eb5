# Two layers: learned, told, saved, predicted with their Jacobian, and refused where they do not go.
awk 'function tanh(x) { return (exp(2 * x) - 1) / (exp(2 * x) + 1) }
    BEGIN { print "x,y,u"; for (i = 0; i < 400; i++) { x = 2 * ((i * 0.618034) % 1) - 1; y = 2 * ((i * 0.754878) % 1) - 1
        print x "," y "," tanh(8 * (x + 0.4 * sin(2.5 * y))) } }' > front.csv
sed -n '1p; 302,$p' front.csv > beyond.csv
sed 301q front.csv > rows.csv
learn() { orff fit rows.csv --inputs x,y --outputs u --features 40 --quiet "$@"; }
error() { orff evaluate "$1" beyond.csv --json --quiet | sed -n 's/^  "rmse": \([0-9.e-]*\).*/\1/p'; }
learn --stack 2 --stack-features 30 --batch 32 -o two.orff
learn --features 81 --engine features -o one.orff
orff info two.orff | grep layers
orff info two.orff --json | tr -d ' \n' | grep -o '"engine":"stack"\|"stack":\[2\]\|"parameters":[0-9]*'
echo "$(error two.orff) $(error one.orff)" | awk '{ print ($1 < $2 ? "better" : "not better") }'
orff predict two.orff beyond.csv --std --derive jacobian --samples 5 --quiet -o - | sed -n '1p'
learn --stack 8,x -o no.orff || echo $?
learn --stack 2 --engine lattice -o no.orff || echo $?
learn --stack 2 --loss huber -o no.orff || echo $?
orff plan --n 1000 --dim 2 --outputs 1 --stack 2 || echo $?
