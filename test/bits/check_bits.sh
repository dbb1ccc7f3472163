#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Same input, same bits: every built-in scene ends in the same state hash whatever compiler and
# optimisation level built the command.   usage: check_bits.sh SOURCE BUILD
set -eu
source=$1
build=$2

# variant NAME COMPILER TYPE: another build of the command, kept in the build folder
variant() {
    cmake -S "$source" -B "$build/bits-$1" -G Ninja --log-level=ERROR -DCMAKE_C_COMPILER="$2" \
        -DCMAKE_BUILD_TYPE="$3" -DSS_BUILD_TESTS=OFF -DSS_BUILD_BENCH=OFF >/dev/null
    cmake --build "$build/bits-$1" --target stickslip_command >"$build/bits-$1/log" ||
        { tail -n 20 "$build/bits-$1/log"; exit 1; }
    echo "$build/bits-$1/stickslip"
}

# every built-in scene, half a second of it at its own step
hashes() {
    for name in $(cd "$source/scenes" && ls -- *.yaml | sed 's/\.yaml$//'); do
        echo "$name $("$1" run "builtin:$name" --duration 0.5 --json | sed -n 's/.*"state_hash": "\(.*\)".*/\1/p')"
    done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hashes "$build/stickslip" >"$work/release"
test -s "$work/release"
! grep -q ' $' "$work/release" || { echo "a scene has no hash:"; cat "$work/release"; exit 1; }
bad=0
compare() {
    hashes "$2" >"$work/$1"
    if ! diff "$work/release" "$work/$1"; then
        echo "$1: other bits than the release build"
        bad=1
    fi
}
compare gcc-O0 "$(variant gcc-O0 gcc Debug)"
if command -v clang >/dev/null; then
    compare clang-O3 "$(variant clang-O3 clang Release)"
else
    echo "SKIPPED: clang is not installed, only gcc -O0 was compared"
fi
echo "$(wc -l <"$work/release") scenes compared"
exit "$bad"
