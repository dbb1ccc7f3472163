#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Same bits on every processor: src/ and the public headers call no function of the C library whose
# last bits depend on it (core/elementary.h has ours).   usage: check_elementary.sh [SOURCE]
set -eu
cd "${1:-.}"
names='sin|cos|tan|asin|acos|atan|atan2|sincos|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot'
names="$names|sinh|cosh|tanh|asinh|acosh|atanh|erf|erfc|tgamma|lgamma|fma"
# comments and texts do not count
found=$(find src include -name '*.[ch]' | sort | while read -r file; do
    sed -e 's/"[^"]*"//g' -e 's,/\*.*\*/,,' -e 's,^ *\*.*,,' -e 's,/\*.*,,' "$file" |
        grep -nE "(^|[^A-Za-z0-9_.>])($names)f?l?\(" | sed "s,^,$file:,"
done || true)
found=$(printf '%s\n' "$found" | grep -vE 'UNARY\(|BINARY\(' | grep -v '^$' || true)
if [ -n "$found" ]; then
    printf '%s\n' "$found"
    echo "these give other bits on other processors; use core/elementary.h"
    exit 1
fi
