#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A good file is never called damaged because there is little memory: a command that reads HDF5 ends
# well (0) or says that there is no memory (4), without a word of HDF5's own, whatever `ulimit -v`.
#   little_memory.sh EXECUTABLE FOLDER
set -u
exe=$1 folder=$2 problem=$2/problem.h5
rm -rf "$folder" && mkdir -p "$folder" || exit 1
"$exe" run builtin:slope --duration 0.05 --quiet --out "$folder/run.h5" --dump-problem "$problem@3" \
  >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }

under() {
  kilobytes=$1
  shift
  (ulimit -v "$kilobytes" && exec "$exe" "$@") >"$folder/out" 2>"$folder/err"
}

# The least in which the program starts: what is asked of it begins above.
least=20000
until under "$least" list; do
  least=$((least + 2000))
  [ "$least" -lt 2000000 ] || { echo "does not start in 2 GB"; exit 1; }
done

# From there until it works, and one step more.
sweep() {
  none=0 kilobytes=$((least + 200))
  while :; do
    under "$kilobytes" "$@"
    code=$?
    case $code in
      0) break ;;
      4) none=$((none + 1)) ;;
      *) echo "$* in $kilobytes kB: exit code $code"; cat "$folder/err"; exit 1 ;;
    esac
    if [ "$(wc -l <"$folder/err")" -ne 1 ] || ! grep -q "memory" "$folder/err"; then
      echo "$* in $kilobytes kB says:"; cat "$folder/err"; exit 1
    fi
    kilobytes=$((kilobytes + 800))
    [ "$kilobytes" -lt $((least + 200000)) ] || { echo "$* never works"; exit 1; }
  done
  [ "$none" -gt 0 ] || { echo "$*: no limit was small enough to be tested"; exit 1; }
}

sweep check "$folder/run.h5"
sweep report "$folder/run.h5" -o "$folder/run.html"
sweep solve "$problem"
