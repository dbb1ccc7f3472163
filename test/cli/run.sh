#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Command tests as text.
#
#   test/cli/run.sh STICKSLIP FILE...      run FILE.test or the examples of FILE.md
#
# A .test file is a list of cases:
#   # a comment
#   $ COMMAND          what sh runs, in a fresh folder that all cases of the file share;
#                      `stickslip` is the command under test, $SRC the source tree
#   < TEXT             a line of its standard input
#   > TEXT             a line of its standard output; all lines must be there, and no others
#   ! TEXT             the same for standard error
#   ? CODE             its exit code (0 when absent)
#   % SCRIPT           a sed script for what is expected and what comes, from here on: hides times
#                      and the like
# In a Markdown page the cases are the ```console blocks: "$ COMMAND", then its output, then perhaps
# "[exit CODE]"; standard error is not compared. "<!-- % SCRIPT -->" is a sed script and
# "<!-- $ COMMAND -->" a command, neither of which readers need to see.
# Exit code: 0 when every case passes.
set -u
command=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
SRC=$(cd "$(dirname "$0")/../.." && pwd)
export SRC
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$command" "$work/bin/stickslip"
PATH=$work/bin:$PATH
export PATH
passed=0 failed=0

# Markdown to the language above; a line that ends in a backslash goes on.
from_markdown() {
    awk '
        /^```console/ { inside = 1; next }
        /^```/        { inside = 0; next }
        inside && /^\$ /               { print; next }
        inside && /^\[exit [0-9]+\]$/  { gsub(/[^0-9]/, ""); print "? " $0; next }
        inside                         { print "> " $0; next }
        /^<!-- [%$] .* -->$/           { sub(/^<!-- /, ""); sub(/ -->$/, ""); print }
    ' "$1"
}

# compare WHAT EXPECTED GOT: complain with a diff
compare() {
    sed "$script" "$2" >"$2.shown"
    sed "$script" "$3" >"$3.shown"
    if ! cmp -s "$2.shown" "$3.shown"; then
        echo "$file: line $line: \$ $case_command"
        echo "  $1 differs (- expected, + got):"
        diff -u "$2.shown" "$3.shown" | sed '1,2d; s/^/    /'
        good=no
    fi
}

run_case() {
    [ -n "$case_command" ] || return 0
    good=yes
    (cd "$work/cases" && sh -c "$case_command") <"$work/in" >"$work/got.out" 2>"$work/got.err"
    got=$?
    compare "standard output" "$work/want.out" "$work/got.out"
    [ "$markdown" = yes ] || compare "standard error" "$work/want.err" "$work/got.err"
    if [ "$got" != "$code" ]; then
        echo "$file: line $line: \$ $case_command"
        echo "  exit code $got, expected $code"
        good=no
    fi
    if [ $good = yes ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

new_case() {
    case_command=$1 code=0 line=$number
    : >"$work/in"
    : >"$work/want.out"
    : >"$work/want.err"
}

run_file() {
    file=$1 markdown=no number=0 script=
    case $file in
    *.md) markdown=yes; from_markdown "$file" >"$work/cases.test" ;;
    *) cp "$file" "$work/cases.test" ;;
    esac
    rm -rf "$work/cases"
    mkdir "$work/cases"
    new_case ""
    while IFS= read -r text || [ -n "$text" ]; do
        number=$((number + 1))
        rest=${text#??}
        case $text in
        '$ '*) run_case; new_case "$rest" ;;
        '% '*) run_case; new_case ""; script="$script
$rest" ;;
        '< '* | '<') printf '%s\n' "$rest" >>"$work/in" ;;
        '> '* | '>') [ "$text" = '>' ] && rest=; printf '%s\n' "$rest" >>"$work/want.out" ;;
        '! '* | '!') [ "$text" = '!' ] && rest=; printf '%s\n' "$rest" >>"$work/want.err" ;;
        '? '*) code=$rest ;;
        '#'* | '') ;;
        *) echo "$file: line $number: cannot be understood: $text"; failed=$((failed + 1)) ;;
        esac
    done <"$work/cases.test"
    run_case
}

for each in "$@"; do
    case $each in /*) ;; *) each=$(pwd)/$each ;; esac
    before=$((passed + failed))
    run_file "$each"
    if [ $((passed + failed)) = $before ]; then
        echo "$each: there is no case in it"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
