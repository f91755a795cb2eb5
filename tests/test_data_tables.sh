#!/bin/sh
# Outputs that are no fields: magnetic residuals, buildings, economies, winds of many stations.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/data.sh"

split "$data/magnetic/swarm_Concat_A.csv"
check 'magnetic' 20.4 decomposable --inputs Latitude,Longitude,Radius --outputs N_res,E_res,C_res
split "$data/multitarget/enb.csv"
check 'buildings' 1.28 decomposable --inputs 1-8 --outputs Y1,Y2
# 12 shapes of buildings, which blocks of their 8 inputs do not keep together. A matrix of the outputs is said to gain what the
# evidence of the two fits differs by, within the two units by which searches end apart; or nothing, and then it joins nothing.
fit_enb() {
    "$orff" fit "$data/multitarget/enb.csv" --inputs 1-8 --outputs Y1,Y2 --json "$@" -o enb.orff >f.json 2>told || fail "enb: $(cat told)"
}
fit_enb
apart=$(number f.json log_evidence)
grep -q 'input 1 has 12 values.*--groups COLUMN' told || fail "enb: no word of groups: $(cat told)"
fit_enb --output-matrix learn
joined=$(number f.json log_evidence)
gain=$(sed -n 's/.*gains* \([0-9.]*\) in log evidence over uncoupled outputs.*/\1/p' told)
awk "BEGIN { exit !((d = $joined - $apart - ${gain:-0}) < 2 && d > -2) }" ||
    fail "enb: log evidence $apart alone, $joined coupled, and a gain of ${gain:-0} is reported: $(cat told)"
if [ -z "$gain" ]; then
    "$orff" info enb.orff --json | tr -d ' \n' | grep -q '"output_matrix":\[\[[0-9.]*,0.0\]' || fail 'enb: coupled outputs that gain nothing'
fi
fit_enb --groups X1
if grep -q 'groups COLUMN' told; then fail "enb: groups are asked for again: $(cat told)"; fi
split "$data/timeseries/macrodata.csv"
check 'macroeconomics' 113 decomposable --inputs year,quarter --outputs realgdp,realcons
split "$data/timeseries/wind_ireland.csv"
check 'Irish wind, by date' 4.82 decomposable --inputs month,day --outputs 4-15
# A day ahead: yesterday's winds are columns 3 to 14, today's the last twelve.
sed 1d "$data/timeseries/wind_ireland.csv" | awk -F, '{ now = $4; for (i = 5; i <= 15; i++) now = now "," $i
    if (NR > 1) print $2 "," $3 "," before "," now; before = now }' | sed '1i m,d,a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,b1,b2,b3,b4,b5,b6,b7,b8,b9,b10,b11,b12' >ahead.csv
split ahead.csv
check 'Irish wind, a day ahead' 4.01 decomposable --inputs 1-14 --outputs 15-26

finish
