#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Layout, static analysis and the order of folders.   usage: lint.sh BUILD (with
# compile_commands.json)
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
bad=0
all=$(git ls-files '*.c' '*.h')
checked=$(git ls-files 'src/*.c' 'cli/*.c')
jobs=$(nproc)

say() { printf '\n== %s\n' "$1"; }

say 'clang-format'
# shellcheck disable=SC2086  # names hold no blanks
clang-format --dry-run -Werror $all || bad=1
say 'clang-tidy'
cmake --build "$build" --target stickslip_command >/dev/null || bad=1
# A file that this build leaves out (an optional library is missing) has no compile command.
known=$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$build/compile_commands.json" | sort -u)
for file in $checked; do
    echo "$known" | grep -qx "$PWD/$file" && echo "$file"
done | xargs -P "$jobs" -n 4 clang-tidy -p "$build" --quiet 2>/dev/null || bad=1
say 'cppcheck'
# invalidPointerCast: one buffer is cut into arrays of several types, each aligned for its own.
cppcheck --project="$build/compile_commands.json" --enable=warning,performance,portability \
    --inline-suppr --error-exitcode=1 --quiet -j "$jobs" --std=c11 \
    --suppress=missingIncludeSystem --suppress=invalidPointerCast --suppress='*:*/build*/*' --suppress=normalCheckLevelMaxBranches \
    -i "$build" || bad=1
say 'folders'
tools/check_includes.sh || bad=1
if [ "$bad" -eq 0 ]; then
    printf '\nlint: clean\n'
fi
exit "$bad"
