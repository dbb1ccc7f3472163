#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library against recorded experiments: tables on standard output, and as a page of the docs.
#
#   bench/validate/run.sh PROGRAM DATA SOURCE [--frozen] [--all] [--identify]
#
# DATA is a folder with tripod_push and mit_push_endpoints; it is not part of the repository. With options
# the tables are printed and the page is left as it is.
set -eu
program=$1 data=$2 source=$3
shift 3

if [ ! -d "$data/tripod_push" ] || [ ! -d "$data/mit_push_endpoints" ]; then
    echo "validate: SKIPPED, NOTHING WAS COMPARED: no recorded experiments in $data" >&2
    echo "validate: name their folder: make validate DATA=folder" >&2
    exit 0
fi

OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
parameters=$source/bench/validate/parameters.csv
if [ $# -gt 0 ]; then
    exec "$program" "$data" "$parameters" "$@"
fi

tables=$(mktemp)
trap 'rm -f "$tables"' EXIT
"$program" "$data" "$parameters" >"$tables"
cat "$source/bench/validate/validate.md.in" "$tables" >"$source/docs/benchmarks/validate.md"
cat "$tables"
