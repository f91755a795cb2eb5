# For scripts that see that the options of one command reach the library, sourced after common.sh: each option, with two
# values, gives two results (options.table), and an option that --help lists but the table does not is a failure.
# shellcheck shell=sh
table=$SOURCE_DIR/tests/cli/options.table

field plain.csv 1 120
field p.csv 301 340
more() { awk -F, 'NR == 1 { print $0 ",w,hole,sort"; next }
    { print $0 "," 1 + NR % 3 "," (NR == 9 ? "NA" : NR / 100) "," ($1 > 0 ? "east" : "west") }' "$1"; }
more plain.csv >t.csv
more p.csv | sed '/,NA,/d' >points.csv
printf '1,0.5\n0.5,1\n' >A.csv
awk 'BEGIN { print "a,b"; for (i = 1; i <= 20; i++) print sin(3 * i) "," cos(5 * i) }' >w.csv
awk -F, 'NR == 1 { print; next } { print 2 * $1 "," $2 }' w.csv >W.csv
for seed in 1 2; do
    "$orff" moments t.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 20 --sigma 0.7 --seed $seed -q -o $seed.moments
done
"$orff" fit t.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 20 --sigma 0.7 --lambda 1e-3 -q -o m.orff
"$orff" predict m.orff --grid x_km=-1:1:30,y_km=-1:1:5 -q -o g.nc
reads_netcdf=yes
"$orff" info g.nc >/dev/null 2>&1 || reads_netcdf=no

# listed COMMAND: the long options of its help.
listed() { "$orff" "$1" --help | sed -n 's/^  \(-[a-z], \)*--\([a-z-]*\).*/\2/p'; }

# defaults OTHERS..: what makes a run short and certain, unless it is among the others.
defaults() {
    for pair in inputs=x_km,y_km outputs=u_ms,v_ms features=20 sigma=0.7 lambda=1e-3; do
        case " $* " in
        *" --${pair%%=*} "* | *" --from-moments "*) ;;
        *" --engine exact "*) [ "${pair%%=*}" = features ] || printf -- '--%s %s ' "${pair%%=*}" "${pair#*=}" ;;
        *) printf -- '--%s %s ' "${pair%%=*}" "${pair#*=}" ;;
        esac
    done
}

# split WORDS..: those that the command takes in `own`, the others in `later`.
split() {
    own='' later=''
    while [ $# -gt 0 ]; do
        word=$1
        shift
        case ${1:-} in -* | '') value='' ;; *) value=$1 && shift ;; esac
        case $takes in *" ${word#--} "*) own="$own $word $value" ;; *) later="$later $word $value" ;; esac
    done
}

# run OPTION VALUE WITH WHAT: learns; what came of it is in the files said and model, and, where that is looked at, in predicted
# or std.
run() {
    option="--$1 $2"
    [ "$2" != - ] || option=''
    [ "$2" != on ] || option="--$1"
    data=t.csv
    [ "$1" != select ] || data=g.nc
    [ "$1" != from-moments ] || data=''
    rm -f said model learned predicted std
    # shellcheck disable=SC2046,SC2086  # words
    split $option $3 $(defaults $option $3)
    status=0
    # shellcheck disable=SC2086
    "$orff" "$command" $data $own -q -o learned >out 2>said || status=$?
    echo "$status" >>said
    [ $status -eq 0 ] || return 0
    mv learned model
    case $4 in status | file | any) return 0 ;; esac
    # shellcheck disable=SC2086
    [ "$command" != moments ] || "$orff" fit --from-moments model $later -q -o model.orff || fail "$option: fit"
    [ "$command" = moments ] || cp model model.orff
    if [ "$4" = std ]; then
        "$orff" predict model.orff points.csv --std --bare -q -o std.csv 2>>said && mv std.csv std || :
    else
        "$orff" predict model.orff points.csv --bare -q -o predicted.csv && mv predicted.csv predicted
    fi
}

# differ OPTION ONE OTHER WITH WHAT
differ() {
    run "$1" "$2" "$4" "$5"
    rm -rf first && mkdir first
    for file in said model predicted std; do [ ! -e $file ] || mv $file first; done
    run "$1" "$3" "$4" "$5"
    tried=$((tried + 1))
    told="orff $command --$1: $2 and $3 make no difference: $(cat first/said said)"
    case $5 in
    status) [ "$(tail -n 1 first/said)" != "$(tail -n 1 said)" ] || fail "$told" ;;
    std) { [ -e first/std ] && [ ! -e std ]; } || fail "$told" ;;
    file) { [ -e first/model ] && [ -e model ] && ! cmp -s first/model model; } || fail "$told" ;;
    any) ! cmp -s first/said said || ! cmp -s first/model model || fail "$told" ;;
    '') { [ -e first/predicted ] && [ -e predicted ] && ! cmp -s first/predicted predicted; } || fail "$told" ;;
    *) fail "$table: what is \"$5\"?" ;;
    esac
}

# check_options COMMAND
check_options() {
    command=$1 tried=0
    takes=" $(listed "$command" | tr '\n' ' ')"
    # The same twice is the same: what differs below differs by the option.
    run weights w '' '' && mv predicted once && run weights w '' ''
    cmp -s once predicted || fail "the same options give other predictions"
    for option in $takes; do grep -q "^$option *|" "$table" || fail "orff $command --$option is not in $table"; done
    grep -v '^#' "$table" >lines
    while IFS='|' read -r option one other with what without; do
        option=${option%% *} one=$(echo "$one" | tr -d ' ') other=$(echo "$other" | tr -d ' ') what=$(echo "$what" | tr -d ' ')
        case $takes in *" $option "*) ;; *) continue ;; esac
        case " $without " in *" $command "*) continue ;; esac
        case $one in
        test_*.sh | cli/*.sh) grep -q -- "$option" "$SOURCE_DIR/tests/$one" || fail "tests/$one does not try --$option" ;;
        *) [ "$option/$reads_netcdf" = select/no ] || differ "$option" "$one" "$other" "$with" "$what" ;;
        esac
    done <lines
    echo "$tried options of $command"
    [ "$tried" -gt 15 ] || fail "only $tried options of $command were tried"
}
