#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Study files of recorded experiments, on recordings made here in the sets' own formats: validate_studies.py STICKSLIP SOURCE.

What is recorded follows closed forms (one impact by Poisson's law; free flight; sliding to rest), so that what the studies
predict, and what scores say about it, is known.
"""
import math
import os
import shutil
import subprocess
import sys
import tempfile

command, source = sys.argv[1:3]
studies = os.path.join(source, "bench", "validate", "studies")
sys.path.insert(0, studies)
import convert  # noqa: E402
import score  # noqa: E402


def write(path, columns, rows):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(",".join(columns) + "\n")
        file.writelines(",".join(f"{v:.15g}" for v in row) + "\n" for row in rows)


def poisson(v, r, mu, e, gyration):
    """Velocities after an impact at arm r: compression and expansion, each with Coulomb's law (one contact in the plane)."""
    n, d = (0, 1, r[0]), (1, 0, -r[1])
    w = (1, 1, 1 / gyration**2)
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    wnn, wtt, wnt = (sum(x * y * z for x, y, z in zip(a, b, w)) for a, b in ((n, n), (d, d), (n, d)))
    un, ut = dot(n, v), dot(d, v)
    det = wnn * wtt - wnt**2
    pn, pt = -(wtt * un - wnt * ut) / det, -(wnn * ut - wnt * un) / det
    if abs(pt) > mu * pn:
        for s in (1, -1):
            pn = -un / (wnn + s * mu * wnt)
            pt = s * mu * pn
            if pn >= 0 and s * (ut + wnt * pn + wtt * pt) <= 1e-12:
                break
    more = e * pn
    after = ut + wnt * pn + wtt * pt
    pt += max(-mu * more, min(mu * more, -(after + wnt * more) / wtt))
    pn += more
    return [v[k] + w[k] * (n[k] * pn + d[k] * pt) for k in range(3)]


def ellipse(folder):
    """Impacts by the values that stand in the study: its error is zero."""
    mu, e, bias, a, b = 0.19, 0.53, 0.03, 0.035, 0.025
    rows = []
    for k in range(40):
        th, v = 0.37 * k, (0.9 * math.sin(1.3 * k), -1.5 - 0.02 * k, 20 * math.cos(0.7 * k))
        t = th + bias
        h = math.hypot(a * math.sin(t), b * math.cos(t))
        r = (-(a * a - b * b) * math.sin(t) * math.cos(t) / h, -h)
        after = poisson(v, r, mu, e, 0.0192)
        rows.append([k, 0, 0, th, *v, 0, 0, 0, *after, r[0], -r[1], 0])
    rows.append([99, 0, 0, 0, 0, -1, 0, 0, 0, 0, 9, 9, 9, 0, 0.025, 1])  # rejected by its flag
    write(f"{folder}/ellipse_impact/impacts.csv", "impact x y th vx vy vth x2 y2 th2 vx2 vy2 vth2 n_th d_th flag".split(), rows)


def cube(folder):
    """Tosses that end where a corner could touch next: flight alone, by the study's gravity and a spin about a fixed axis."""
    rows = []
    for toss in range(3):
        w, v, axis = 3 + toss, (0.5, -0.2, -0.3 * toss), (0.6, 0, 0.8)
        fall = lambda t: v[2] * t - 0.5 * 9.61 * t * t
        for frame in range(30):
            t = frame * convert.DT
            p = [0.1 + v[0] * t, v[1] * t, 0.0905 + fall(t) - fall(29 * convert.DT)]
            q = [math.cos(w * t / 2), *(math.sin(w * t / 2) * x for x in axis)]
            rows.append([toss, frame, t, *p, *q, v[0], v[1], v[2] - 9.61 * t, *(w * x for x in axis)])
    write(f"{folder}/cube_toss/tosses.csv", "toss frame t px py pz qw qx qy qz vx vy vz wx wy wz".split(), rows)


def sliding(folder):
    """Struck to 1.5 m/s within 50 ms, then at rest by mu g; dust adds 0.04."""
    for k, name in enumerate(("clean_hit_1", "clean_hit_2", "clean_hit_3", "dirty_hit_1", "dirty_hit_2", "dirty_hit_3")):
        mu, top, rows = (0.24 if name.startswith("dirty") else 0.2), 1.2 + 0.1 * k, []
        for i in range(400):
            t = 0.005 * i
            s = 0.5 * top / 0.05 * min(t, 0.05) ** 2
            u = min(max(t - 0.05, 0), top / (mu * 9.81))
            s += top * u - 0.5 * mu * 9.81 * u * u
            rows.append([t, 0.8 * s, 0.3, 0.6 * s])
        write(f"{folder}/sliding_box/{name}.csv", "t x y z".split(), rows)


def page(folder, name):
    out = subprocess.run([sys.executable, os.path.join(studies, "run.py"), command, folder, "--all", f"--only={name}"], check=True, capture_output=True, text=True)
    row = out.stdout.strip().split("\n")[-1]
    assert row.startswith(f"| {name} |"), out.stdout
    return row


def figures(row):
    """The first mean of a row and how many recordings it is of."""
    cells = [c.strip() for c in row.split("|")]
    words = cells[3].replace("(", " ").split()
    return int(cells[2]), float(next(w for w in words if w[0].isdigit()))


with tempfile.TemporaryDirectory() as folder:
    ellipse(folder)
    count, error = figures(page(folder, "ellipse_impact"))
    assert count == 40 and error < 1e-4, (count, error)
    print(f"ellipse_impact: {error} of {count} impacts by the law of the study")

    sliding(folder)
    row = page(folder, "sliding_box")
    count, error = figures(row)
    assert count == 6 and error < 2 and "mu 0.200" in row and "dust 0.040" in row, row
    print(f"sliding_box: stop error {error} mm, mu and dust as recorded")

    cube(folder)
    convert.cube_toss(f"{folder}/cube_toss", f"{folder}/cube_toss.csv", True)
    for file in ("cube.yaml", "cube_toss.yaml"):
        shutil.copy(os.path.join(studies, file), folder)
    still = ["--set", "nuisance.scatter={runs: 1}"]
    subprocess.run([command, "identify", f"{folder}/cube_toss.yaml", "--set", "method=none", *still, "--quiet", "--csv", f"{folder}/seen.csv"], check=True)
    tosses = score.cube_toss(f"{folder}/seen.csv")
    assert len(tosses) == 3 and max(t["e_q"] for t in tosses) < 1e-7, tosses
    print("cube_toss: flights as recorded, spins from the body's frame")

# scores by hand: 3 mm and 0.1 rad off everywhere
sample = {"b.x": (0.003, 0), "b.y": (0, 0), "b.z": (0, 0), "b.qw": (math.cos(0.05), 1), "b.qx": (0, 0), "b.qy": (0, 0), "b.qz": (math.sin(0.05), 0)}
one = score.toss({0.0: sample, 0.1: sample}, "b", 0.0524)
assert abs(one["e_q"] - (0.003**2 / 0.0524 + 0.01)) < 1e-12 and abs(one["mm"] - 3) < 1e-9
s = score.summary([1.0, 2.0, 3.0, 4.0, 100.0])
assert s["median"] == 3 and s["trimmed"] == 2.5 and s["mean"] == 22 and s["low"] < 22 < s["high"]
print("scores: as by hand")
