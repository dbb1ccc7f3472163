#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/contributing/where-things-go.md names files: they exist.
set -eu
cd "$(dirname "$0")/.."
page=docs/contributing/where-things-go.md
names=$(grep -oE '`[a-z]+/[A-Za-z0-9_./-]+`' "$page" | tr -d '`' | sort -u)
[ "$(echo "$names" | wc -l)" -ge 15 ] || { echo "$page: names hardly any file"; exit 1; }
bad=0
for name in $names; do
    [ -e "$name" ] || { echo "$page: there is no $name"; bad=1; }
done
exit $bad
