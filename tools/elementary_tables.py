#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/core/elementary_tables.h (needs mpmath): constants as sums of two doubles."""
from mpmath import mp, mpf, log, sin, cos, atan, pi, floor

mp.prec = 2000


def two(x):
    hi = float(x)
    return hi, float(x - mpf(hi))


def pair(x):
    hi, lo = two(x)
    return "{%s, %s}" % (hi.hex(), lo.hex())


def parts(x, bits, count):
    """x as `count` doubles of at most `bits` bits each, the last one of 53."""
    out = []
    for k in range(count):
        if k == count - 1:
            out.append(float(x))
            break
        e = int(floor(log(abs(x), 2))) + 1
        unit = mpf(2) ** (e - bits)
        piece = float(floor(x / unit + mpf(0.5)) * unit)
        out.append(piece)
        x -= mpf(piece)
    return ", ".join(p.hex() for p in out)


def table(name, values, per=2):
    rows = [pair(v) for v in values]
    body = ",\n".join("    " + ", ".join(rows[i : i + per]) for i in range(0, len(rows), per))
    print("static const ss_twofold %s[%d] = {\n%s,\n};\n" % (name, len(rows), body))


def reciprocal(i):
    """1 / (i / 128), to eleven bits; exactly 1 at i = 128."""
    return mpf(round(1024 * 128 / i)) / 1024


LOG_FIRST, LOG_LAST = 90, 182
print("/* SPDX-License-Identifier: Apache-2.0 */")
print("/* Made by tools/elementary_tables.py; read by elementary.c alone. */")
print("/* clang-format off */")
print("#ifndef SS_CORE_ELEMENTARY_TABLES_H\n#define SS_CORE_ELEMENTARY_TABLES_H\n")
print("#include <stdint.h>\n\n#include \"core/twofold.h\"\n")
print("enum { LOG_FIRST = %d };\n" % LOG_FIRST)
print("/* 2^(j / 128) */")
table("exp_table", [mpf(2) ** (mpf(j) / 128) for j in range(128)])
print("/* eleven bits of 128 / i, i from LOG_FIRST on, and minus their logarithms */")
n = LOG_LAST - LOG_FIRST + 1
recs = [reciprocal(i) for i in range(LOG_FIRST, LOG_LAST + 1)]
print("static const double log_reciprocal[%d] = {" % n)
print(",\n".join("    " + ", ".join(float(r).hex() for r in recs[i : i + 4]) for i in range(0, n, 4)) + ",\n};\n")
table("log_table", [-log(r) for r in recs])
print("/* sin(j / 64), cos(j / 64), atan(j / 64) */")
table("sin_table", [sin(mpf(j) / 64) for j in range(52)])
table("cos_table", [cos(mpf(j) / 64) for j in range(52)])
table("atan_table", [atan(mpf(j) / 64) for j in range(65)])
print("static const ss_twofold LN2 = %s, LOG10_E = %s;" % (pair(log(2)), pair(1 / log(10))))
print("static const ss_twofold PI = %s, HALF_PI = %s;" % (pair(pi), pair(pi / 2)))
print("static const ss_twofold HALF_LOG_2PI = %s;" % pair(log(2 * pi) / 2))
print("/* ln 2 / 128 in three parts; the first two have 34 bits */")
print("static const double STEP[3] = {%s};" % parts(log(2) / 128, 34, 3))
print("/* ln 2: 42 bits, and the rest */")
print("static const double LN2_PARTS[2] = {%s};\n" % parts(log(2), 42, 2))
print("/* pi / 2 in four parts; the first three have 33 bits */")
print("static const double HALF_PI_PARTS[4] = {%s};\n" % parts(pi / 2, 33, 4))
words, x = [], 2 / pi
for _ in range(44):
    x *= mpf(2) ** 32
    w = int(floor(x))
    words.append(w)
    x -= w
print("/* the binary digits of 2 / pi after the point */")
print("static const uint32_t two_over_pi[44] = {")
print(",\n".join("    " + ", ".join("0x%08x" % w for w in words[i : i + 6]) for i in range(0, 44, 6)) + ",\n};\n")
print("#endif")
