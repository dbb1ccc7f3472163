#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Four things that must not come back.
# Tolerances without a name: numbers like 1e-9 in src/ outside tolerances.h, comments, texts and coefficients of more than
# eight digits aside. Each folder has a ceiling in
# tools/literals.txt, which may only fall; a folder without a line there has none.
# Two files of one name in src/ (tolerances.h and CMakeLists.txt aside).
# Tests of which value an axis of the model has: its class says what follows from it (src/model/axes.h).
# Casts to void **, through which a pointer of another type would be stored.
# With --write the ceilings become what is there.
set -eu
cd "$(dirname "$0")/.."
count() { # folder
    find "src/$1" -name '*.[ch]' ! -name tolerances.h | sort | xargs cat | awk '
        { # comments out: // does not occur
            line = ""
            rest = $0
            while (rest != "") {
                if (inside) {
                    end = index(rest, "*/")
                    if (end == 0) { rest = ""; break }
                    rest = substr(rest, end + 2); inside = 0
                } else {
                    start = index(rest, "/*")
                    if (start == 0) { line = line rest; rest = ""; break }
                    line = line substr(rest, 1, start - 1)
                    rest = substr(rest, start + 2); inside = 1
                }
            }
            gsub(/"[^"]*"/, "", line) # texts
            gsub(/[0-9]\.[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]*e-[0-9]+/, "", line) # coefficients of formulas
            sum += gsub(/[0-9]e-[0-9]/, "", line)
        }
        END { print sum + 0 }'
}
folders=$(sed -n '/^set(SS_FOLDERS/,/)/p' cmake/folders.cmake | tr '\n' ' ' | sed 's/set(SS_FOLDERS//; s/).*//')
if [ "${1:-}" = --write ]; then
    for folder in $folders; do echo "$folder $(count "$folder")"; done >tools/literals.txt
    exit 0
fi
bad=0
for folder in $folders; do
    now=$(count "$folder")
    most=$(awk -v f="$folder" '$1 == f { print $2 }' tools/literals.txt)
    most=${most:-0}
    if [ "$now" -gt "$most" ]; then
        echo "src/$folder: $now numbers like 1e-9 without a name, at most $most: put them in src/$folder/tolerances.h"; bad=1
    elif [ "$now" -lt "$most" ]; then
        echo "src/$folder: $now numbers like 1e-9, fewer than $most: lower its ceiling in tools/literals.txt"
    fi
done
twice=$(find src -type f ! -name CMakeLists.txt ! -name tolerances.h -printf '%f\n' | sort | uniq -d)
[ -z "$twice" ] || { echo "two files of one name in src/: $twice"; bad=1; }
axes=$(grep -rnE 'axes(\.|->)[a-z_]+ *[!=]= *[A-Z]|[!=]= *SS_(INERTIA|JOINTS|GEOMETRY|INTEGRATOR|CORNERS|LEVEL)_[A-Z]+\b' src cli \
    --include='*.[ch]' || true)
[ -z "$axes" ] || { echo "the value of an axis is tested; ask its class (src/model/axes.h): $axes"; bad=1; }
stored=$(grep -rnE '\(void \*\*\)' src cli include python --include='*.[ch]' || true)
[ -z "$stored" ] || { echo "a cast to void ** stores through the wrong type; return the pointer instead: $stored"; bad=1; }
exit $bad
