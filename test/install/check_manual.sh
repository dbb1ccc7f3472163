#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Manual pages format without warnings and name every option; completion completes.   usage: COMMAND
set -eu
stickslip=$1
fail() { echo "$*"; exit 1; }
commands=$("$stickslip" --help | sed -n 's/^  \([a-z]*\)  *[A-Za-z].*/\1/p')
test "$(echo "$commands" | wc -l)" -ge 10 || fail "commands: $commands"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

format() { # a page, as text; groff's warnings are failures
    if command -v groff >/dev/null; then
        groff -man -Tascii -P-c -ww "$1" 2>"$work/warnings" | sed 's/.\x08//g'
        test ! -s "$work/warnings" || fail "$(cat "$work/warnings")"
    else
        sed 's/\\-/-/g' "$1"
    fi
}
"$stickslip" --help=man >"$work/stickslip.1"
format "$work/stickslip.1" | grep -q 'stickslip-run' || fail "the page of the command names no command"
for name in $commands; do
    "$stickslip" "$name" --help=man >"$work/page.1"
    text=$(format "$work/page.1")
    for option in $("$stickslip" "$name" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
        test "$option" = --help || grep -q -e "$option" <<<"$text" || fail "$name: no $option in its page"
    done
done

"$stickslip" list --completion bash >"$work/bash"
# shellcheck disable=SC1091
source "$work/bash"
complete_it() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _stickslip && echo "${COMPREPLY[*]}"; }
test "$(complete_it stickslip ana)" = analyze || fail "stickslip ana<TAB>: $(complete_it stickslip ana)"
test "$(complete_it stickslip run --dura)" = --duration || fail "run --dura<TAB>"
test "$(complete_it stickslip run --csv "$work/ba")" = "$work/bash" || fail "files"
"$stickslip" list --completion zsh >"$work/zsh"
"$stickslip" list --completion fish >"$work/fish"
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        $shell -n "$work/$shell" || fail "$shell does not read its script"
    else
        echo "SKIPPED: $shell is not installed"
    fi
done
code=0
"$stickslip" list --completion tcsh 2>/dev/null || code=$?
test $code -eq 2 || fail "a shell that is not known: exit $code"
echo "pages of $(echo "$commands" | wc -l) commands, completion for bash, zsh, fish"
