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
# counts: the machine may be busy with other things. `peers` and `precision` take about a quarter of an hour each.
set -eu
mode=$1 programs=$2 source=$3

OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
PEER_LATE=$(mktemp -d)
export OPENBLAS_NUM_THREADS OMP_NUM_THREADS PEER_LATE
trap 'rm -rf "$PEER_LATE"' EXIT

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

# scene seconds: every engine's lines of one scene, in so much CPU time; an engine that takes longer or
# aborts loses its turn
scene() {
    for engine in $engines; do
        # some engines also print on standard output: keep the measured lines alone
        { (ulimit -t "$2" && timeout 180 "$programs/peer_$engine" "$1") 2>>"$PEER_LATE/messages" ||
            echo "bench: $engine ended $1 early" >&2; } | grep '^s[0-9]' || true
    done
}

speed_scenes="s8 s8box s8disc-2d s8box-2d"
# rounds 1 2 3: so many rounds
rounds() {
    for round in "$@"; do
        for name in $speed_scenes; do
            scene "$name" 20
        done
    done
}

header="scene,engine,setting,h,apart,metric,value"
if [ "$mode" = speed ]; then
    engines="stickslip ode"
    csv=$results/speed.csv
    [ -x "$programs/peer_ode" ] || engines=stickslip
    { echo "$header"; rounds 1 2 3; } >"$csv"
    "$programs/peer_table" "$csv" --speed
    echo "CPU microseconds a step, library only, certificate included; all numbers: $csv" >&2
    exit 0
fi

versions() {
    dpkg-query -W -f='${Package} ${Version}\n' libode-dev libbullet-dev libmujoco-dev libdart-dev \
        libsiconos-mechanics-dev libchipmunk-dev 2>/dev/null | sed 's/-dev / /; s/^lib//' |
        tr '\n' ',' | sed 's/,$//; s/,/, /g'
}

# every setting by itself, in so much CPU time: single steps of some take minutes
precisely() {
    for engine in $engines; do
        for setting in $("$programs/peer_$engine" --settings); do
            { (ulimit -t "$2" && timeout 600 "$programs/peer_$engine" --setting "$setting" "$1") 2>>"$PEER_LATE/messages" ||
                echo "bench: $engine $setting ended $1 early" >&2; } | grep '^s[0-9]' || true
        done
    done
}

if [ "$mode" = precision ]; then
    csv=$results/precision.csv
    # stickslip has the time to let each pile settle first; the others begin there
    {
        echo "$header"
        for name in s11-100 s13 s12-100 s11-1000 s12-1000 s11-4000 s12-4000; do
            all=$engines engines=stickslip
            precisely "$name" 150
            engines=${all#stickslip}
            precisely "$name" 12
            engines=$all
        done
    } >"$csv"
    python3 "$source/bench/peers/precision.py" "$csv" "$source" "$(versions)"
    exit 0
fi

csv=$results/peers.csv
{
    echo "$header"
    for name in s1 s1b s2 s3 s4 s5 s5m s6 s9 s8plate s10; do
        scene "$name" 20
    done
    rounds 1
    for name in s7-100 s7-400 s7-1000 s7-4000; do
        scene "$name" 60
    done
} >"$csv"

page=$source/docs/benchmarks/peers.md
mkdir -p "${page%/*}"
{
    cat "$source/bench/peers/peers.md.in"
    echo
    echo "Machine: $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1). Engines (Debian): $(versions)."
    echo
    "$programs/peer_table" "$csv"
} >"$page"
cat "$page"
