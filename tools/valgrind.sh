#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The core tests under valgrind: no invalid access, no use of undefined values, no leak.
# usage: valgrind.sh BUILD
set -eu
cd "$(dirname "$0")/.."
build=$1
bad=0
for name in test_expr test_scene_bad test_scene_good test_run test_lemke test_first_light; do
    program="$build/test/$name"
    test -x "$program" || { echo "valgrind.sh: $program is not built"; exit 2; }
    echo "== $name"
    valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect \
        "$program" >/dev/null || { echo "$name: failed under valgrind"; bad=1; }
done
exit "$bad"
