#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Same bits on every processor: scenes end in the same state hash when the C library and BLAS are
# told that the processor has no wide vectors and no fused multiplication.
# usage: check_processors.sh SOURCE COMMAND
set -eu
source=$1
command=$2

hashes() {
    for name in $(cd "$source/scenes" && ls -- *.yaml | sed 's/\.yaml$//'); do
        echo "$name $("$command" run "builtin:$name" --duration 0.2 --json | sed -n 's/.*"state_hash": "\(.*\)".*/\1/p')"
    done
    # every function of an expression, at many arguments
    "$command" run "$source/test/bits/functions.yaml" --json | grep -E 'state_hash|"x"|position'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hashes >"$work/here"
! grep -q ' $' "$work/here" || { echo "a scene has no hash:"; cat "$work/here"; exit 1; }
bad=0
compare() {
    hashes >"$work/$1"
    if ! diff "$work/here" "$work/$1"; then
        echo "$1: other bits"
        bad=1
    fi
}
# old and new names of glibc; unknown ones are ignored
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA,-FMA4,-AVX512F
OPENBLAS_CORETYPE=Prescott
export GLIBC_TUNABLES OPENBLAS_CORETYPE
compare plain
OPENBLAS_CORETYPE=Haswell
compare haswell
echo "$(wc -l <"$work/here") lines compared"
exit "$bad"
