#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A newcomer's path: fresh clone, `make demo` without Node.js or npm, then every command of the tutorial.
# usage: newcomer.sh SOURCE
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git -C "$source" rev-parse --git-dir >/dev/null 2>&1 || { echo "SKIPPED: $source is no clone"; exit 0; }
git clone -q "$source" "$work/clone"
mkdir "$work/bin"
for tool in node nodejs npm; do # whoever asks for them is told off
    printf '#!/bin/sh\necho "%s is not needed" >&2\nexit 99\n' $tool >"$work/bin/$tool"
    chmod +x "$work/bin/$tool"
done
export PATH="$work/bin:$PATH"
if command -v ccache >/dev/null; then export CMAKE_C_COMPILER_LAUNCHER=ccache; fi
make -C "$work/clone" demo >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }
if grep -q "is not needed" "$work/log"; then grep "is not needed" "$work/log"; exit 1; fi
test -s "$work/clone/build/demo.html" || { echo "make demo wrote no page"; tail "$work/log"; exit 1; }
grep -q 'file://.*demo.html' "$work/log" || { echo "make demo does not say where the page is"; exit 1; }
start=$(date +%s)
"$work/clone/scripts/demo.sh" "$work/clone/build" >/dev/null
took=$(($(date +%s) - start))
test "$took" -lt 90 || { echo "the demo itself takes $took s"; exit 1; }
cd "$work/clone"
python3 test/run_examples.py build docs/tutorial.md
echo "fresh clone, demo ($took s), tutorial"
