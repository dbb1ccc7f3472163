#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/benchmarks/precision.md and its picture from the CSV of `bench/run.sh precision`.

usage: precision.py CSV SOURCE MACHINE VERSIONS
"""
import collections
import csv
import math
import os
import sys

SCENES = [
    ("s11-100", "100 spheres"), ("s11-1000", "1000 spheres"), ("s11-4000", "4000 spheres"),
    ("s12-100", "100 boxes"), ("s12-1000", "1000 boxes"), ("s12-4000", "4000 boxes"),
    ("s13", "wall of 200 bricks"),
]
ENGINES = ["stickslip", "bullet", "ode", "mujoco", "siconos"]
COLOURS = {"stickslip": "#1f5fbf", "bullet": "#c03028", "ode": "#2e8b40", "mujoco": "#b07a10",
           "siconos": "#7a3fa0"}

TEXT = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Made by `make bench-peers` (bench/peers/precision.py); do not edit. -->
# Work and precision in piles

All settings of all engines take the same 24 steps of 5 ms from the same state: a pour that has settled for 1.2 s (stickslip, `motion: 0.1`; a pile that needs more than 90 s of CPU time
for that is taken as it is then), and a wall of bricks as it is built. The time is CPU time of a step, one thread, after the first 8; every setting has 6 s for
them, and is ended after 12 s, which single steps of some take; short ones are taken again from the start until 0.25 s are clocked. All are judged by one measure from *their own* contacts, impulses and velocities
(`bench/peers/precision.c`): the motion error c of [piles.md](../theory/piles.md), the velocity by which the worst contact misses Coulomb's and the contact law, in parts of
g h (median over the steps that are judged), and by the deepest overlap, from positions alone. `out of time`, `no room`, `unstable` and `gave up` are results too.

![Time of a step against the motion error]({picture})

- Engines that push overlaps apart by velocities, or are soft, miss the law of contact by that: more iterations do not bring their c down. That is a choice of theirs,
  and right for games and for control; here it is the difference.
- Siconos solves each step to 1e-6 by nonsmooth Gauss-Seidel (5000 iterations at most, which most steps with boxes take). Its c is small: the measure is fair to who solves the same problem.
  Contacts enter its problem once bodies overlap, and what they overlapped by stays: its overlaps are not those of its solver. (Its list of contacts after a step is already the next step's,
  with contacts that have just begun to overlap and have no impulse yet; those of the problem that was solved are judged.)
- `no room`: this version of MuJoCo keeps a world in one buffer of less than 2 GB, which holds the square of the number of its rows: some 8000 rows with 1000 bodies, 3000 with 4000.
  Contacts beyond are dropped with a warning, which ends the attempt here. `unstable`: it found an acceleration that is no number, or huge, and began anew.
- `quadratic` is the default of stickslip: exact for small islands, `motion: 0.01` for large ones.
"""


def read(path):
    found = collections.defaultdict(dict)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            found[row["scene"], row["engine"], row["setting"]][row["metric"]] = float(row["value"])
    return found


def panel(out, found, scene, title, x0, y0, size):
    """One scene: log c to the right, log ms up."""
    points = [(e, s, m) for (name, e, s), m in found.items() if name == scene and "motion_error" in m]
    low_x, high_x = -5, 2
    times = [math.log10(max(m["ms_per_step"], 1e-3)) for _, _, m in points] or [0]
    low_y, high_y = math.floor(min(times)), math.ceil(max(times)) + (math.ceil(max(times)) == math.floor(min(times)))

    def at(c, ms):
        c = min(max(math.log10(max(c, 1e-12)), low_x), high_x)
        return (x0 + size * (c - low_x) / (high_x - low_x),
                y0 + size * (1 - (math.log10(max(ms, 1e-3)) - low_y) / (high_y - low_y)))

    out.append(f'<rect x="{x0}" y="{y0}" width="{size}" height="{size}" fill="none" stroke="#888"/>')
    out.append(f'<text x="{x0}" y="{y0 - 8}" font-weight="bold">{title}</text>')
    for k in range(low_x, high_x + 1):
        x = x0 + size * (k - low_x) / (high_x - low_x)
        out.append(f'<line x1="{x:.1f}" y1="{y0}" x2="{x:.1f}" y2="{y0 + size}" stroke="#ddd"/>'
                   f'<text x="{x:.1f}" y="{y0 + size + 14}" text-anchor="middle">1e{k}</text>')
    for k in range(low_y, high_y + 1):
        y = y0 + size * (1 - (k - low_y) / (high_y - low_y))
        out.append(f'<line x1="{x0}" y1="{y:.1f}" x2="{x0 + size}" y2="{y:.1f}" stroke="#ddd"/>'
                   f'<text x="{x0 - 4}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** k:g}</text>')
    for engine in ENGINES:
        mine = sorted(((m["motion_error"], m["ms_per_step"]) for e, _, m in points if e == engine), reverse=True)
        spots = [at(c, ms) for c, ms in mine]
        if len(spots) > 1:
            out.append('<polyline fill="none" stroke="%s" stroke-opacity="0.5" points="%s"/>' %
                       (COLOURS[engine], " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)))
        out.extend(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{COLOURS[engine]}"/>' for x, y in spots)


def picture(found, path):
    scenes = [s for s in SCENES if any(name == s[0] and "motion_error" in m for (name, _, _), m in found.items())]
    columns, size, gap = 3, 240, 60
    rows = (len(scenes) + columns - 1) // columns
    wide, high = columns * (size + gap) + 20, rows * (size + gap + 10) + 50
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="11">',
           f'<rect width="{wide}" height="{high}" fill="white"/>']
    for i, (scene, title) in enumerate(scenes):
        panel(out, found, scene, title + ": ms a step against c", 45 + (i % columns) * (size + gap),
              30 + (i // columns) * (size + gap + 10), size)
    for i, engine in enumerate(ENGINES):
        out.append(f'<circle cx="{60 + 120 * i}" cy="{high - 18}" r="4" fill="{COLOURS[engine]}"/>'
                   f'<text x="{70 + 120 * i}" y="{high - 14}">{engine}</text>')
    out.append("</svg>")
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


WHY = {"out_of_time": "out of time", "no_room": "no room", "unstable": "unstable", "crashed": "crashed", "gave_up": "gave up"}


def table(found, scene):
    lines = ["| engine | setting | ms a step | c | deepest overlap |", "|---|---|---|---|---|"]
    for engine in ENGINES:
        for (name, e, setting), m in found.items():
            if name != scene or e != engine:
                continue
            if "motion_error" in m:
                lines.append(f"| {e} | {setting} | {m['ms_per_step']:.3g} | {m['motion_error']:.2g} | {m['penetration_m']:.2g} m |")
            else:
                why = next((text for metric, text in WHY.items() if metric in m), "no state to begin with")
                lines.append(f"| {e} | {setting} | {why} | – | – |")
    return lines


def measured(found, scene, engine):
    return {s: m for (name, e, s), m in found.items() if name == scene and e == engine and "motion_error" in m}


def beside_bullet(found):
    """Our fastest setting beside that of Bullet's whose time is nearest to it."""
    lines = ["| | stickslip | Bullet | time | overlap |", "|---|---|---|---|---|"]
    for scene, title in SCENES:
        ours, theirs = measured(found, scene, "stickslip"), measured(found, scene, "bullet")
        if not ours or not theirs:
            continue
        mine, m = min(ours.items(), key=lambda x: x[1]["ms_per_step"])
        name, b = min(theirs.items(), key=lambda x: abs(math.log(x[1]["ms_per_step"] / m["ms_per_step"])))
        lines.append("| %s | %s: %.3g ms, %.1e m | %s: %.3g ms, %.1e m | %.2g of Bullet's | %.0f times less |" % (
            title, mine, m["ms_per_step"], m["penetration_m"], name, b["ms_per_step"], b["penetration_m"],
            m["ms_per_step"] / b["ms_per_step"], b["penetration_m"] / max(m["penetration_m"], 1e-12)))
    return lines


def main():
    found, source, machine, versions = read(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    os.makedirs(os.path.join(source, "docs/images"), exist_ok=True)
    picture(found, os.path.join(source, "docs/images/precision.svg"))
    lines = [TEXT.format(picture="../images/precision.svg"), f"Machine: {machine}. Engines (Debian): {versions}.", ""]
    absent = [e for e in ENGINES if not any(engine == e for _, engine, _ in found)]
    if absent:
        lines += ["Not installed, hence missing: " + ", ".join(absent) + ".", ""]
    lines += ["## Overlaps at the same time", "", "The fastest setting of ours beside that of Bullet's whose time is nearest:", ""] + beside_bullet(found) + [""]
    for scene, title in SCENES:
        lines += [f"## {title[0].upper() + title[1:]}", ""]
        settled = [m["settled_s"] for (name, _, _), m in found.items() if name == scene and "settled_s" in m]
        if settled and settled[0] < 1.2 - 1e-9:
            lines += [f"Settled for {settled[0]:.2f} s.", ""]
        lines += table(found, scene) + [""]
    with open(os.path.join(source, "docs/benchmarks/precision.md"), "w") as file:
        file.write("\n".join(lines))


if __name__ == "__main__":
    main()
