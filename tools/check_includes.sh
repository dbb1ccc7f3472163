#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The order of folders: a file in src/X includes public headers, its own folder and folders listed
# before X in cmake/folders.cmake; a file in cli/ includes public headers and its own folder.
set -eu
cd "$(dirname "$0")/.."
folders=$(sed -n '/^set(SS_FOLDERS/,/)/p' cmake/folders.cmake | tr '\n' ' ' |
    sed 's/set(SS_FOLDERS//; s/).*//')
list=$(mktemp)
trap 'rm -f "$list"' EXIT
find src cli -name '*.[ch]' | sort | xargs grep -nE '^#include "' >"$list" || true
awk -F: -v folders="$folders" '
    BEGIN {
        count = split(folders, names, " ")
        for (i = 1; i <= count; i++) place[names[i]] = i
    }
    function complain(why) { printf "%s:%s: %s: %s\n", $1, $2, $3, why; bad++ }
    {
        split($1, path, "/")
        target = $3
        sub(/^#include "/, "", target)
        sub(/".*/, "", target)
        slashes = split(target, part, "/")
        checked++
        if (part[1] == "stickslip" || slashes == 1) next
        if (path[1] == "cli") {
            if (!(part[1] == "verify" || part[1] == "cli")) complain("cli/ sees public headers only")
        } else if (!(path[2] in place)) {
            complain("folder " path[2] " is not listed in cmake/folders.cmake")
        } else if (!(part[1] in place)) {
            complain("no such folder: " part[1])
        } else if (place[part[1]] > place[path[2]]) {
            complain("src/" path[2] " comes before src/" part[1] " in cmake/folders.cmake")
        }
    }
    END {
        if (checked == 0) { print "check_includes.sh: found no includes to check"; exit 1 }
        exit bad > 0
    }' "$list"
