#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demonstration of `make demo`: a built-in scene, its results in the terminal, a CSV to plot.
set -eu
build=${1:-build}
cat <<'TEXT'

Crates of wood, rubber and ice are set down on a running belt. Each slides until it moves with the
belt, then sticks; a gate moves slowly against the flow and stops them. A ball rolls against it, is slowed
and carried back. No stiffness, no damping, no tuning: every step is the exact solution of a
complementarity problem, certified by code that did not compute it.

TEXT
"$build/stickslip" run builtin:conveyor --csv "$build/demo.csv"
cat <<TEXT

Next: '$build/stickslip run scenes/conveyor.yaml --set params.belt=0.5', or 'stickslip verify'.
TEXT
