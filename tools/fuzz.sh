#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds every fuzz target of test/fuzz with clang's libFuzzer and sanitizers and runs each for a
# while.
#
#   tools/fuzz.sh [SECONDS_EACH] [TARGET...]      default: 20 seconds, all of them
#
# What was found before is kept in build-fuzz/corpus and built upon. A crash leaves its input in
# build-fuzz/crash-* and ends with exit code 1.
set -eu
seconds=${1:-20}
[ $# = 0 ] || shift
cd "$(dirname "$0")/.."
cmake -S . -B build-fuzz -G Ninja --log-level=WARNING -DCMAKE_C_COMPILER=clang \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSS_FUZZ=ON -DSS_BUILD_BENCH=OFF \
    -DSS_SANITIZE=address,undefined,fuzzer-no-link
targets=${*:-$(cd test/fuzz && ls fuzz_*.c | sed 's/\.c$//; /^fuzz_replay$/d')}
# shellcheck disable=SC2086
cmake --build build-fuzz --target $targets
cd build-fuzz
for target in $targets; do
    echo "== $target, $seconds s"
    test/fuzz/"$target" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix=crash- -print_final_stats=1 corpus/"${target#fuzz_}" 2>"$target.log" ||
        { tail -40 "$target.log"; exit 1; }
    grep -E "number_of_executed_units|new_units_added" "$target.log"
done
