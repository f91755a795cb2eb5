# A fit that only the options of the case make wrong: `fit OPTIONS..` prints the status, and leaves no file. Lists of what
# there is grow, so they are left out of the messages.
# shellcheck shell=sh
field train.csv 1 60
fit() {
    orff fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 20 -o m.orff "$@" 2>err || echo $?
    sed 's/[;?] [Tt]here are .*/; .../' err >&2
    [ ! -e m.orff ]
}
