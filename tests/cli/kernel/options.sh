# Every option of a kernel, and of its features, makes a difference to orff kernel and to orff bound. Prints those that do not, and
# those of --help that are not tried.
printf '2,0.9\n0.9,1\n' >A.csv
printf '0,0\n0.4,0\n' >one.csv
printf '0,0\n0.2,0.1\n' >other.csv
awk 'BEGIN { print "a,b"; for (i = 1; i <= 30; i++) print sin(3 * i) "," cos(5 * i) }' >w.csv
awk -F, 'NR == 1 { print; next } { print 2 * $1 "," $2 }' w.csv >W.csv
# differ OPTION ONE OTHER WITH..
differ() {
    option=$1 one=$2 other=$3
    shift 3
    tried="$tried $option"
    for value in "$one" "$other"; do
        orff "$command" $problem "$@" "--$option" "$value" >"$value.said"
    done
    ! cmp -s "$one.said" "$other.said" || echo "orff $command: --$option makes no difference"
}
for command in kernel bound; do
    tried=' x z outputs dim diameter epsilon relative b m sigma-p probability empirical threads quiet json help version '
    problem='--x 0.1,0.2 --z 0.5,-0.3' drawn='--features 30'
    [ $command = kernel ] || problem='--dim 2 --diameter 2 --epsilon 0.5' drawn='--features 30 --empirical 3'
    differ kernel div-free decomposable --sigma 0.7 --outputs 2
    differ base gaussian matern52 --sigma 0.7
    differ shape 1.5 2.5 --sigma 0.7 --base matern
    differ sigma 0.7 0.7,0.9
    differ wavelength 0.9,0 1.3,0 --sigma 0.7
    differ weight 1+1 1+9 --kernel div-free+decomposable --sigma 0.7+0.4
    differ mix 0.1 0.4 --kernel helmholtz --sigma 0.7
    differ output-matrix identity A.csv --outputs 2 --sigma 0.7
    differ delays one.csv other.csv --kernel delayed --output-matrix A.csv --outputs 2 --sigma 0.7
    differ features 20 30 --sigma 0.7
    differ sampling iid qmc $drawn --sigma 0.7
    differ importance yes no $drawn --sampling iid --kernel div-free --sigma 0.7
    differ tolerance 1e-1 1e-5 ${drawn%30*}300${drawn#*30} --sampling grid --sigma 0.7
    differ frequencies w.csv W.csv ${drawn#* 30} --sigma 0.7
    differ seed 1 2 $drawn --sigma 0.7
    problem='--x 0.1,0.2,0.3 --z 0.5,-0.3,0.2'
    [ $command = kernel ] || problem='--dim 3 --diameter 2 --epsilon 0.5'
    differ covariates 1 3 --kernel div-free --outputs 2 --sigma 0.5,0.7,0.9
    for option in $(orff $command --help | sed -n 's/^  \(-[a-z], \)*--\([a-z-]*\).*/\2/p'); do
        case "$tried " in *" $option "*) ;; *) echo "orff $command: --$option is not tried" ;; esac
    done
done
