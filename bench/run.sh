#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the engines' programs over the scenes and prints the table.
#
#   bench/run.sh speed PROGRAMS SOURCE    our step beside the peers that are built, a few seconds
#   bench/run.sh peers PROGRAMS SOURCE    every scene, every engine; writes docs/benchmarks/peers.md
#   bench/run.sh precision PROGRAMS SOURCE    piles, time against error; writes docs/benchmarks/precision.md
#
# PROGRAMS is the folder of peer_*. CSV goes to SOURCE/bench/results/MACHINE. A time is the median of
# three parts of half a second. `speed` takes three rounds of them, engine after engine, and the best
# counts: the machine may be busy with other things.
#
# `peers` and `precision` give every engine its share of CPU time for each scene; what takes longer is
# ended, and that is written down as its result. On a quiet machine they take about ten minutes
# each. What is measured is kept in PROGRAMS/MODE.parts until all is there: a run that was stopped goes on
# where it was.
set -eu
mode=$1 programs=$2 source=$3

OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
PEER_LATE=$programs/$mode.parts
export OPENBLAS_NUM_THREADS OMP_NUM_THREADS PEER_LATE
mkdir -p "$PEER_LATE"

machine=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1 |
    tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9-')
results=$source/bench/results/${machine:-unknown}
mkdir -p "$results"

# stickslip first: it leaves the states from which the exact engines start their piles.
engines=stickslip
for program in "$programs"/peer_*; do
    name=${program##*/peer_}
    case $name in stickslip | table | *.*) ;; *) [ -x "$program" ] && engines="$engines $name" ;; esac
done

# part scene engine seconds [setting]: the lines of one scene by one engine (by one of its settings) in
# so much CPU time, measured or from a run that was stopped. What was ended, or ended itself, says so.
part() {
    file=$PEER_LATE/$1.$2${4:+.$4}.csv
    if [ ! "$file" -nt "$programs/peer_$2" ]; then
        code=0
        # some engines also print on standard output: keep the measured lines alone
        (ulimit -t "$3" && exec timeout 3600 "$programs/peer_$2" ${4:+--setting "$4"} "$1") \
            >"$file.all" 2>>"$PEER_LATE/messages" || code=$?
        grep '^s[0-9]' "$file.all" >"$file.new" || true
        case $code in
        0) ;;
        124 | 137 | 152) echo "$1,$2,${4:-all},0,0,out_of_time,$3" >>"$file.new" ;;
        *) echo "$1,$2,${4:-all},0,0,crashed,$code" >>"$file.new" ;;
        esac
        mv "$file.new" "$file"
        rm -f "$file.all"
    fi
    cat "$file"
}

# scene seconds: every engine's lines of one scene
scene() {
    for engine in $engines; do
        part "$1" "$engine" "$2"
    done
}

# scene seconds: the same, every setting with a share of its own: single steps of some take minutes
each_setting() {
    for engine in $engines; do
        for setting in $("$programs/peer_$engine" --settings); do
            part "$1" "$engine" "$2" "$setting"
        done
    done
}

speed_scenes="s8 s8box s8disc-2d s8box-2d"
speed_round() {
    for name in $speed_scenes; do
        scene "$name" 20
    done
}

header="scene,engine,setting,h,apart,metric,value"
if [ "$mode" = speed ]; then
    engines="stickslip ode"
    csv=$results/speed.csv
    [ -x "$programs/peer_ode" ] || engines=stickslip
    echo "$header" >"$csv"
    for round in 1 2 3; do
        rm -f "$PEER_LATE"/*.csv
        speed_round >>"$csv"
    done
    rm -r "$PEER_LATE"
    "$programs/peer_table" "$csv" --speed
    echo "CPU microseconds a step, library only, certificate included; all numbers: $csv" >&2
    exit 0
fi

versions() {
    dpkg-query -W -f='${Package} ${Version}\n' libode-dev libbullet-dev libmujoco-dev libdart-dev \
        libsiconos-mechanics-dev libchipmunk-dev 2>/dev/null | sed 's/-dev / /; s/^lib//' |
        tr '\n' ',' | sed 's/,$//; s/,/, /g'
}

machine_is() {
    echo "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1), $(nproc --all) cores, load $(cut -d' ' -f1 /proc/loadavg) as the page was written"
}

if [ "$mode" = precision ]; then
    csv=$results/precision.csv
    # the first setting of stickslip has the time to let each pile settle; all begin there
    {
        echo "$header"
        for name in s11-100 s13 s12-100 s11-1000 s12-1000 s11-4000 s12-4000; do
            part "$name" stickslip 110 "$("$programs/peer_stickslip" --settings | head -n 1)" >"$PEER_LATE/first"
            each_setting "$name" 12
        done
    } >"$PEER_LATE/all"
    mv "$PEER_LATE/all" "$csv"
    python3 "$source/bench/peers/precision.py" "$csv" "$source" "$(machine_is)" "$(versions)"
    rm -r "$PEER_LATE"
    exit 0
fi

csv=$results/peers.csv
{
    echo "$header"
    for name in s1 s1b s2 s3 s4 s5 s5m s6 s9 s8plate s10; do
        scene "$name" 20
    done
    speed_round
    for name in s7-100 s7-1000; do
        each_setting "$name" 30
    done
} >"$PEER_LATE/all"
mv "$PEER_LATE/all" "$csv"

page=$source/docs/benchmarks/peers.md
mkdir -p "${page%/*}"
{
    cat "$source/bench/peers/peers.md.in"
    echo
    echo "Machine: $(machine_is). Engines (Debian): $(versions)."
    echo
    "$programs/peer_table" "$csv"
} >"$page"
cat "$page"
rm -r "$PEER_LATE"
