#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gear, the bracket and the cup of scenes/meshes against unions of convex pieces cut by hand: small balls shot at them from their
sides end at the same places, and both spin with the same energy. usage: meshes_against_unions.py STICKSLIP SCENES/MESHES"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

command, meshes = sys.argv[1:]
CLOSE, ALIKE, RADIUS, RIM = 1e-6, 1e-12, 5e-4, 5e-6  # metres; part of the energy; metres; metres


def corner(r, degrees):
    return (r * math.cos(math.radians(degrees)), r * math.sin(math.radians(degrees)))


def prism(outline, low, high):
    return [[*p, z] for z in (low, high) for p in outline]


def gear():
    root = [corner(0.016, 30 * i + a) for i in range(12) for a in (-9.6, 9.6)]
    teeth = [[corner(r, 30 * i + a) for r, a in ((0.016, -9.6), (0.02, -4.2), (0.02, 4.2), (0.016, 9.6))] for i in range(12)]
    return [prism(p, -0.005, 0.005) for p in [root, *teeth]]


def bracket():
    hole = [(0.044 + 0.004 * math.cos(math.pi * k / 4), 0.006 + 0.004 * math.sin(math.pi * k / 4)) for k in range(8)]
    upper, lower = hole[:5], [hole[k % 8] for k in range(4, 9)]
    box = lambda x, y: [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])]  # noqa: E731
    flat = [box((0, hole[4][0]), (0, 0.012)), [(0, 0.012), (0.016, 0.012), (0.012, 0.016), (0, 0.016)], box((0, 0.012), (0.016, 0.05)),
            box((hole[0][0], 0.06), (0, 0.012))]
    flat += [[a, b, (b[0], 0.012), (a[0], 0.012)] for a, b in zip(upper, upper[1:])]
    flat += [[a, b, (b[0], 0), (a[0], 0)] for a, b in zip(lower, lower[1:])]
    return [prism(p, -0.01, 0.01) for p in flat]


def cup():
    ring = lambda r: [corner(r, 15 * k) for k in range(25)]  # noqa: E731
    outer, inner = ring(0.03), ring(0.026)
    walls = [[inner[k], outer[k], outer[k + 1], inner[k + 1]] for k in range(24)]
    return [prism(outer[:24], 0, 0.006)] + [prism(w, 0.006, 0.06) for w in walls]


def run(scene):
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "s.yaml")
        with open(path, "w", encoding="utf8") as out:
            json.dump(scene, out)
        done = subprocess.run([command, "run", path, "--quiet", "--json"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def shot(shape, axis, sign, centre, half, seconds):
    """Balls that fly along an axis, 7 x 7 across, and stay where friction holds them."""
    draw = random.Random(10 * axis + sign)
    bodies = [{"name": "part", "type": "static", "shape": shape}]
    for i in range(49):
        at = [centre[k] + half[k] * ((i % 7 if k == (axis + 1) % 3 else i // 7) - 3 + draw.uniform(-0.4, 0.4)) / 3.3 for k in range(3)]
        at[axis] = centre[axis] - sign * (half[axis] + 0.003)
        bodies.append({"name": f"p{i}", "type": "dynamic", "mass": 1e-3, "group": 1, "shape": {"sphere": {"radius": RADIUS}}, "position": at, "velocity": [sign * (k == axis) for k in range(3)]})
    gravity = [9.81 * sign * (k == axis) for k in range(3)]
    scene = {"gravity": gravity, "materials": {"default": {"friction": 0.8}}, "bodies": bodies, "simulation": {"step": 0.0002, "duration": seconds}}
    return [b["position"] for name, b in run(scene)["bodies"].items() if name != "part"]


def spin(shape, turn):
    body = {"name": "part", "type": "dynamic", "density": 1000, "shape": shape, "velocity": [0.1, 0, 0], "angular_velocity": turn}
    return run({"gravity": [0, 0, 0], "bodies": [body], "simulation": {"step": 0.001, "duration": 0.001}})["energy"]


PARTS = (("gear", gear(), (0, 0, 0), (0.02, 0.02, 0.005)), ("bracket", bracket(), (0.03, 0.025, 0), (0.03, 0.025, 0.01)),
         ("cup", cup(), (0, 0, 0.03), (0.03, 0.03, 0.03)))
for name, pieces, centre, half in PARTS:
    path = os.path.abspath(os.path.join(meshes, name + ".obj"))
    mesh, union = {"mesh": {"file": path}}, {"union": [{"convex": {"points": p}} for p in pieces]}
    stopped, worst = 0, 0
    for axis in range(3):
        for sign in (-1, 1):
            a, b = (shot(s, axis, sign, centre, half, 0.03) for s in (mesh, union))
            gaps = [math.dist(p, q) for p, q in zip(a, b)]
            worst = max(worst, *gaps)
            # one ball of all comes to rest on the border of two facets of the rim, where the pieces differ
            assert sorted(gaps)[-2] < CLOSE and max(gaps) < RIM, (name, axis, sign, sorted(gaps)[-5:], a[gaps.index(max(gaps))], b[gaps.index(max(gaps))])
            stopped += sum(sign * (p[axis] - centre[axis]) < half[axis] + 0.001 for p in a)
    assert stopped > 49 * 2, (name, stopped)
    for turn in ([3, 0, 0], [0, 3, 0], [0, 0, 3], [1, 2, 3]):
        one, other = spin(mesh, turn), spin(union, turn)
        assert abs(one["kinetic"] - other["kinetic"]) < ALIKE * one["kinetic"], (name, turn, one, other)
    print(f"{name}: {len(pieces)} pieces by hand, {stopped} balls held, at most {worst:.1e} m apart", flush=True)
