#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library against recorded experiments: tables on standard output, and as a page of the docs.
#
#   bench/validate/run.sh BUILD DATA SOURCE [--frozen] [--all] [--identify] [--only=SET]
#
# Four sets are compared by BUILD/bench/validate/validate, six by study files and the command (studies/run.py). DATA is a folder
# with the sets; it is not part of the repository. With options the tables are printed and the page is left as it is.
set -eu
build=$1 data=$2 source=$3
shift 3

if [ ! -d "$data/tripod_push" ] || [ ! -d "$data/mit_push_endpoints" ]; then
    echo "validate: SKIPPED, NOTHING WAS COMPARED: no recorded experiments in $data" >&2
    echo "validate: name their folder: make validate DATA=folder" >&2
    exit 0
fi

OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
program=$build/bench/validate/validate
parameters=$source/bench/validate/parameters.csv
studies="python3 $source/bench/validate/studies/run.py $build/stickslip $data"
if [ $# -gt 0 ]; then
    case " $* " in
    *--only=cube_toss*|*--only=elbow_toss*|*--only=square_drop*|*--only=ellipse_impact*|*--only=two_finger_push*|*--only=sliding_box*)
        exec $studies "$@" ;;
    *--only=*) exec "$program" "$data" "$parameters" "$@" ;;
    esac
    "$program" "$data" "$parameters" "$@"
    exec $studies "$@"
fi

tables=$(mktemp)
trap 'rm -f "$tables"' EXIT
$studies >"$tables"
echo >>"$tables"
"$program" "$data" "$parameters" >>"$tables"
cat "$source/bench/validate/validate.md.in" "$tables" >"$source/docs/benchmarks/validate.md"
cat "$tables"
