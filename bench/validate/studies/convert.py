#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recorded experiments as tables that studies read: convert.py SET DATA OUT [--all].

Each table has one row a sample and a column that tells recordings apart; what a recording starts from stands in its
first row. Without --all a fixed part of a large set is taken: every k-th recording.
"""
import csv
import math
import os
import sys

DT = 1 / 148  # of the tosses


def read(path):
    with open(path, newline="") as file:
        return [{k: v if k in ("object",) else float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def groups(rows, *keys):
    """Rows by recording, in their order."""
    found = {}
    for row in rows:
        found.setdefault(tuple(row[k] for k in keys), []).append(row)
    return found


def write(path, columns, rows):
    with open(path, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(columns)
        for row in rows:
            table.writerow(["" if v is None else f"{v:.9g}" if isinstance(v, float) else v for v in row])


def thin(found, most, everything):
    """Every k-th recording, so that about `most` are left."""
    step = 1 if everything else max(1, len(found) // most)
    return [found[k] for i, k in enumerate(found) if i % step == 0]


# ---- rotations: quaternions w, x, y, z ----


def times(a, b):
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])


def conjugate(q):
    return (q[0], -q[1], -q[2], -q[3])


def turn(q, v):
    return times(times(q, (0, *v)), conjugate(q))[1:]


def rotation_vector(q):
    q = q if q[0] >= 0 else tuple(-x for x in q)
    s = math.sqrt(q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    angle = 2 * math.atan2(s, q[0])
    return tuple(angle / s * x if s > 1e-12 else 0.0 for x in q[1:])


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def pose(row):
    return (row["px"], row["py"], row["pz"]), tuple(row[k] for k in ("qw", "qx", "qy", "qz"))


def line(t, y):
    """Value and slope at t = 0 of the line through the points."""
    n, st, sy = len(t), sum(t), sum(y)
    stt, sty = sum(x * x for x in t), sum(a * b for a, b in zip(t, y))
    slope = (n * sty - st * sy) / (n * stt - st * st)
    return (sy - slope * st) / n, slope


# ---- tosses ----


def toss_start(frames, reach, g):
    """The protocol's first frame s, and velocity and spin (world axes) there: from the flight before it, else as recorded."""
    low = next((i for i, f in enumerate(frames) if f["pz"] <= reach), 0)
    s = max(0, low - 3)
    q = pose(frames[s])[1]
    spin = turn(q, (frames[s]["wx"], frames[s]["wy"], frames[s]["wz"]))
    velocity = (frames[s]["vx"], frames[s]["vy"], frames[s]["vz"])
    if s >= 4:
        flight = frames[: s + 1]
        t = [(i - s) * DT for i in range(s + 1)]
        vz = line(t, [f["pz"] + 0.5 * g * x * x for f, x in zip(flight, t)])[1]
        span = s * DT
        velocity = ((frames[s]["px"] - frames[0]["px"]) / span, (frames[s]["py"] - frames[0]["py"]) / span, vz)
        q0 = pose(frames[0])[1]
        spin = turn(q0, tuple(x / span for x in rotation_vector(times(conjugate(q0), q))))
    return s, velocity, spin


def toss_rows(frames, s, states):
    """One row a frame; `states(frame)` gives pose columns, `first` what the first row has besides."""
    return [[f"{int(frames[0]['toss'])}", (i - s) * DT, *states(frames[i])] for i in range(s, len(frames))]


def cube_toss(data, out, everything):
    rows = []
    for frames in thin(groups(read(f"{data}/tosses.csv"), "toss"), 70, everything):
        s, v, w = toss_start(frames, math.sqrt(3) * 0.0524, 9.61)
        mine = toss_rows(frames, s, lambda f: [*pose(f)[0], *pose(f)[1]])
        rows += [[*row, *((*v, *w) if i == 0 else [None] * 6)] for i, row in enumerate(mine)]
    write(out, "toss t px py pz qw qx qy qz vx vy vz wx wy wz".split(), rows)


HINGE, ARM = (-0.035, 0.06, 0.0), (0.035, 0.0, 0.0)  # in link 1; of link 2's centre from the hinge


def second_link(frame):
    p, q = pose(frame)
    q2 = times(q, (math.cos(frame["th"] / 2), 0, math.sin(frame["th"] / 2), 0))
    return tuple(a + b + c for a, b, c in zip(p, turn(q, HINGE), turn(q2, ARM))), q2


def elbow_start(frame, v, w):
    """Velocities of both links where link 1 has v and w, and the hinge its recorded rate."""
    p, q = pose(frame)
    p2, q2 = second_link(frame)
    w2 = tuple(a + frame["thd"] * b for a, b in zip(w, turn(q, (0, 1, 0))))
    v2 = tuple(a + b + c for a, b, c in zip(v, cross(w, turn(q, HINGE)), cross(w2, turn(q2, ARM))))
    return [*v, *w, *v2, *w2]


def elbow_toss(data, out, everything):
    rows = []
    for frames in thin(groups(read(f"{data}/tosses.csv"), "toss"), 12, everything):
        s, v, w = toss_start(frames, 0.13, 9.61)  # link 1's centre so low: one of the links may touch
        start = elbow_start(frames[s], v, w)
        mine = toss_rows(frames, s, lambda f: [*pose(f)[0], *pose(f)[1], *second_link(f)[0], *second_link(f)[1]])
        rows += [[*row, *(start if i == 0 else [None] * 12)] for i, row in enumerate(mine)]
    names = [a + b for b in ("1", "2") for a in ("px", "py", "pz", "qw", "qx", "qy", "qz")]
    names += [a + b for b in ("1", "2") for a in ("vx", "vy", "vz", "wx", "wy", "wz")]
    write(out, ["toss", "t", *names], rows)


# ---- in the plane ----


def square_drop(data, out, everything):
    """Start: least squares of the frames before the first contact, a parabola in z; angle and height corrected as the set's README says."""
    rows = []
    for frames in thin(groups(read(f"{data}/drops.csv"), "drop"), 60, everything):
        for f in frames:
            f["th"], f["z"] = f["th"] + math.radians(1.9), f["z"] - 0.0015
        lowest = lambda f: f["z"] - 0.03 * (abs(math.sin(f["th"])) + abs(math.cos(f["th"])))
        touch = next((i for i, f in enumerate(frames) if lowest(f) < 0.002), len(frames) - 1)
        s = max(touch - 1, 0)
        flight = frames[max(0, s - 14): s + 1]
        if len(flight) < 3:
            continue
        t = [f["t"] - frames[s]["t"] for f in flight]
        (x, vx), (th, w) = line(t, [f["x"] for f in flight]), line(t, [f["th"] for f in flight])
        z, vz = line(t, [f["z"] + 0.5 * 9.81 * a * a for f, a in zip(flight, t)])
        for i, f in enumerate(frames[s:]):
            first = [x, z, th, vx, vz, w] if i == 0 else [None] * 6
            rows.append([f"{int(f['drop'])}", f["t"] - frames[s]["t"], f["x"], f["z"], f["th"], *first])
    write(out, "drop t x z th x0 z0 th0 vx0 vz0 w0".split(), rows)


def ellipse_impact(data, out, everything):
    rows = []
    kept = [r for r in read(f"{data}/impacts.csv") if r["flag"] == 0]
    for r in thin({i: [r] for i, r in enumerate(kept)}, 300, everything):
        r, name = r[0], f"{int(r[0]['impact'])}"
        rows.append([name, 0.0, r["vx"], r["vy"], r["vth"], r["th"], r["vx"], r["vy"], r["vth"]])
        rows.append([name, 1e-4, r["vx2"], r["vy2"], r["vth2"], None, None, None, None])
    write(out, "impact t vx vy w th0 vx0 vy0 w0".split(), rows)


def sliding_box(data, out, _):
    """From 40 ms after the peak of the speed (the robot is off) to the end; y is vertical in the source."""
    rows = []
    for file in sorted(f for f in os.listdir(data) if f.endswith(".csv")):
        samples = read(f"{data}/{file}")
        speed = lambda i: math.hypot(samples[i + 3]["x"] - samples[i - 3]["x"], samples[i + 3]["z"] - samples[i - 3]["z"]) / (samples[i + 3]["t"] - samples[i - 3]["t"])
        peak = max(range(3, len(samples) - 3), key=speed)
        start = next(i for i in range(peak, len(samples)) if samples[i]["t"] > samples[peak]["t"] + 0.04)
        for s in samples[start:]:
            rows.append([file[:-4], s["t"] - samples[start]["t"], s["x"], s["z"], float(file.startswith("dirty"))])
    write(out, "hit t x y dirty".split(), rows)


def two_finger_push(data, out, everything):
    """One recording for each push of each run: the hand is lifted between pushes. Lost frames (near zero) are gaps."""
    rows, paths = [], os.path.splitext(out)[0]
    # the rectangle alone: of the butterfly the size is not known, of the triangle where its frame lies
    known = [r for r in read(f"{data}/runs.csv") if r["object"].startswith("bigrect")]
    for frames in thin(groups(known, "object", "run", "action"), 24, everything):
        seen = [f for f in frames if abs(f["x"]) + abs(f["y"] + 0.3175) < 0.25 and f["y"] < -0.2]
        frames = [f for f in frames if seen and f["t"] >= seen[0]["t"]]
        if len(seen) < 12:
            continue
        name = f"{frames[0]['object']}-{int(frames[0]['run'])}-{int(frames[0]['action'])}"
        write_hand(f"{paths}-{name}.csv", frames)
        rows += push_rows(name, f"{os.path.basename(paths)}-{name}.csv", frames, set(id(f) for f in seen))
    write(out, "push t x y th motion".split(), rows)


def unwrapped(angles):
    out = []
    for a in angles:
        out.append(a if not out else a + 2 * math.pi * round((out[-1] - a) / (2 * math.pi)))
    return out


def write_hand(path, frames):
    turned = unwrapped([f["hth"] for f in frames])
    write(path, "t x y angle".split(), [[f["t"] - frames[0]["t"], f["hx"], f["hy"], a] for f, a in zip(frames, turned)])


def push_rows(name, motion, frames, seen):
    turned = unwrapped([f["th"] for f in frames if id(f) in seen])
    angle = dict(zip([id(f) for f in frames if id(f) in seen], turned))
    rows = []
    for i, f in enumerate(frames):
        place = [f["x"], f["y"], angle[id(f)]] if id(f) in seen else [None] * 3
        rows.append([name, f["t"] - frames[0]["t"], *place, motion])
    return rows


SETS = {f.__name__: f for f in (cube_toss, elbow_toss, square_drop, ellipse_impact, sliding_box, two_finger_push)}

if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in SETS:
        sys.exit(f"usage: convert.py {{{','.join(SETS)}}} DATA OUT [--all]")
    SETS[sys.argv[1]](sys.argv[2], sys.argv[3], "--all" in sys.argv[4:])
