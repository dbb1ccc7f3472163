#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demonstration of `make demo`: a built-in scene, its results in the terminal, a run file, and a
# page to open in any browser.
set -eu
build=${1:-build}
cat <<'TEXT'

A wrecking ball swings on its rod into a wall of blocks. Crates of ice, wood and rubber lie on a
ramp: one slips away, one creeps down, one sticks. A belt carries a pebble and a drum towards a gate
that a motor turns. No stiffness, no damping, no tuning: every step is the exact solution of a
complementarity problem, certified by code that did not compute it.

TEXT
"$build/stickslip" run builtin:demo --out "$build/demo.h5" --csv "$build/demo.csv"
if "$build/stickslip" report "$build/demo.h5" -o "$build/demo.html" >/dev/null; then
    cat <<TEXT

Open this page in any browser; it needs no network:

    file://$(cd "$build" && pwd)/demo.html
TEXT
fi
cat <<TEXT

Next: '$build/stickslip run builtin:demo --set params.mu=0.2 --report out.html', or
'$build/stickslip view scenes/conveyor.yaml', or '$build/stickslip verify'.
TEXT
