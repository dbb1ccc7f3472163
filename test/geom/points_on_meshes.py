#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Points among the gear, the bracket and the cup of scenes/meshes, pulled many ways: none ends inside, by the winding number of the
mesh's own triangles, although the parts are many pieces. usage: points_on_meshes.py STICKSLIP SCENES/MESHES"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

command, meshes = sys.argv[1:]
DEEP = 2e-6  # metres: 1e-4 of a part, which the certificate lets pass, is 2e-6 to 6e-6
PULLS = ((0, 0, -9.81), (5, 3, -6), (9.81, 0, 0), (0, -9.81, 0), (-3, -7, 2), (0, 0, 9.81))


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def read(path):
    with open(path, encoding="utf8") as lines:
        words = [line.split() for line in lines]
    at = [[float(x) for x in w[1:4]] for w in words if w[:1] == ["v"]]
    faces = [[at[int(x.split("/")[0]) - 1] for x in w[1:]] for w in words if w[:1] == ["f"]]
    return at, [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]


def inside(triangles, x):
    turns = 0
    for t in triangles:
        a, b, c = (sub(v, x) for v in t)
        la, lb, lc = (math.hypot(*v) for v in (a, b, c))
        turns += 2 * math.atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)
    return turns > 2 * math.pi


def deep(triangles, x):
    """Inside, and still so a little way off in every direction."""
    around = [[x[k] + DEEP * d[k] for k in range(3)] for d in ((1, .1, .2), (-1, .2, .1), (.1, 1, -.2), (.2, -1, .1), (-.1, .2, 1), (.1, .1, -1))]
    return all(inside(triangles, y) for y in (x, *around))


def ends(path, pull, step, points):
    bodies = [{"name": f"p{i}", "type": "particle", "mass": 1e-3, "group": 1, "shape": {"point": {}}, "position": x, "velocity": v} for i, (x, v) in enumerate(points)]
    scene = {"gravity": pull, "materials": {"default": {"friction": 0.2}}, "simulation": {"step": step, "duration": 0.1},
             "bodies": [{"name": "part", "type": "static", "shape": {"mesh": {"file": path}}}, *bodies]}
    with tempfile.TemporaryDirectory() as place:
        file = os.path.join(place, "s.yaml")
        with open(file, "w", encoding="utf8") as out:
            json.dump(scene, out)
        done = subprocess.run([command, "run", file, "--quiet", "--json"], capture_output=True, text=True)
        assert done.returncode == 0, (path, pull, step, done.stderr)
        return [b["position"] for name, b in json.loads(done.stdout)["bodies"].items() if name != "part"]


for name in ("gear", "bracket", "cup"):
    path = os.path.abspath(os.path.join(meshes, name + ".obj"))
    corners, triangles = read(path)
    low, high = ([pick(v[k] for v in corners) for k in range(3)] for pick in (min, max))
    draw, count = random.Random(name), 0
    for pull in PULLS:
        for step in (0.001, 0.0003):
            points = [([draw.uniform(a - 0.004, b + 0.004) for a, b in zip(low, high)], [draw.uniform(-0.5, 0.5) for _ in range(3)]) for _ in range(60)]
            points = [p for p in points if not inside(triangles, p[0])]
            for (x, v), y in zip(points, ends(path, pull, step, points)):
                assert not deep(triangles, y), (name, pull, step, x, v, y)
                count += 1
    print(f"{name}: {count} points, none inside", flush=True)
