#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Motions do not depend on how a scene is written down.

    same_motion.py STICKSLIP [frames | stacks | orders] [FIRST LAST]

frames: scenes of one to four bodies (boxes, balls, cylinders, capsules, joints with friction; planes and box floors),
run with other directions of friction for every body. stacks: the same of boxes and cylinders that spin and slide on each
other and on the floor, where contacts can share the load in many ways. orders: impacts of a few bodies, with the bodies in another order.
Motions are to be equal to SAME of the largest velocity or coordinate. A scene whose motion changes by more than that
when its velocities at the start change by 1e-15 of themselves tells nothing about rounding: its bound is AMPLIFIED
times the largest change that three such starts make.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

SAME = 1e-12
AMPLIFIED = 100
NUDGES = 20 # starts a rounding off that tell how sensitive a motion is


def direction(r):
    while True:
        v = [r.uniform(-1, 1) for _ in range(3)]
        n = math.sqrt(sum(x * x for x in v))
        if 0.1 < n < 1:
            return [x / n for x in v]


def shape(r):
    kind = r.choice(["box", "sphere", "cylinder", "capsule", "box"])
    if kind == "box":
        size = [r.uniform(0.05, 0.2) for _ in range(3)]
        return {"box": {"size": size}}, max(size), size[2] / 2
    if kind == "sphere":
        a = r.uniform(0.03, 0.1)
        return {"sphere": {"radius": a}}, 2 * a, a
    if kind == "cylinder":
        a, length = r.uniform(0.03, 0.1), r.uniform(0.05, 0.2)
        return {"cylinder": {"radius": a, "length": length}}, max(2 * a, length), length / 2
    a, length = r.uniform(0.03, 0.06), r.uniform(0.05, 0.2)
    return {"capsule": {"radius": a, "length": length}}, length + 2 * a, None


def floor_of(r):
    if r.random() < 0.5:
        return {"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 0, 1]}}}
    return {"name": "floor", "type": "static", "shape": {"box": {"size": [4, 4, 0.4]}}, "position": [0, 0, -0.2]}


def tower(seed):
    """Bodies above each other, flat and flush or tilted and thrown, some of them joined."""
    r = random.Random(seed)
    materials = {"default": {"friction": r.choice([0.2, 0.4, 0.6, 0.9]), "restitution": r.choice([0, 0, 0.3, 0.6])}}
    bodies, joints, z, flat = [floor_of(r)], [], 0, r.random() < 0.5
    for i in range(r.randint(1, 4)):
        form, size, half = shape(r)
        b = {"name": "b%d" % i, "type": "dynamic", "mass": r.uniform(0.2, 3), "shape": form}
        lies = flat and half is not None
        half = half if lies else 0.9 * size
        z += half + (0 if flat else r.uniform(0, 0.01))
        b["position"] = [r.uniform(-0.02, 0.02), r.uniform(-0.02, 0.02), z]
        z += half
        if not lies:
            axis, angle = direction(r), r.uniform(0, 3)
            b["quat_wxyz"] = [math.cos(angle / 2)] + [math.sin(angle / 2) * x for x in axis]
        b["velocity"] = [r.uniform(-0.6, 0.6), r.uniform(-0.6, 0.6), 0 if flat else r.uniform(-1, 0)]
        b["angular_velocity"] = [0, 0, r.uniform(-3, 3)] if flat else [r.uniform(-3, 3) for _ in range(3)]
        bodies.append(b)
        if i > 0 and r.random() < 0.35:
            middle = [(x + y) / 2 for x, y in zip(bodies[-2]["position"], b["position"])]
            j = {"name": "j%d" % i, "bodies": ["b%d" % (i - 1), b["name"]], "anchor": middle, "friction": r.uniform(0.001, 0.05)}
            j.update(r.choice([{"type": "revolute", "axis": direction(r)}, {"type": "spherical"}]))
            joints.append(j)
    scene = {"materials": materials, "bodies": bodies, "simulation": {"step": r.choice([0.001, 0.002, 0.005])}}
    if joints:
        scene["joints"] = joints
    return scene, 20


def stack(seed):
    r = random.Random(seed)
    u = r.uniform
    materials = {"default": {"friction": r.choice([0.2, 0.4, 0.6, 0.9])}}
    bodies, z = [floor_of(r)], 0
    for i in range(r.randint(2, 4)):
        kind, a, height = r.choice(["box", "box", "cylinder"]), u(0.05, 0.15), u(0.05, 0.15)
        form = {"box": {"size": [2 * a, 2 * u(0.05, 0.15), height]}} if kind == "box" else {"cylinder": {"radius": a, "length": height}}
        angle = u(0, 3)
        bodies.append({"name": "b%d" % i, "type": "dynamic", "mass": u(0.3, 3), "shape": form,
                       "position": [u(-0.01, 0.01), u(-0.01, 0.01), z + height / 2],
                       "quat_wxyz": [math.cos(angle / 2), 0, 0, math.sin(angle / 2)],
                       "velocity": [u(-0.3, 0.3), u(-0.3, 0.3), 0], "angular_velocity": [0, 0, u(-5, 5)]})
        z += height
    return {"materials": materials, "bodies": bodies, "simulation": {"step": r.choice([0.001, 0.002, 0.005])}}, 10


def other_frames(scene, seed):
    r = random.Random(seed)
    for b in scene["bodies"]:
        b["friction_direction"] = direction(r)


def strike(seed):
    """A ball into a triangle or a row of others, a box into a corner, a rod on the floor, a disc that spins into a groove."""
    r = random.Random(seed)
    u = r.uniform
    scene = {"materials": {"default": {"friction": r.choice([0, 0.3, 0.6, 1, 2]), "restitution": r.choice([0, 0, 0.5, 0.8, 1])}}}
    flat = r.random() < 0.4
    if flat:
        scene["dimension"] = 2
    at = (lambda x, y, z: [x, z]) if flat else (lambda x, y, z: [x, y, z])
    bodies = scene["bodies"] = []

    def ball(name, p, radius, v, spin=0):
        b = {"name": name, "type": "dynamic", "mass": u(0.5, 2), "shape": {"disc" if flat else "sphere": {"radius": radius}},
             "position": at(*p), "velocity": at(*v), "angular_velocity": spin if flat else [0, -spin, 0]}
        bodies.append(b)

    def box(name, p, size, v, angle, spin):
        b = {"name": name, "type": "dynamic", "mass": u(0.5, 2), "shape": {"box": {"size": at(*size)}}, "position": at(*p), "velocity": at(*v)}
        b.update({"angle": angle, "angular_velocity": spin} if flat else
                 {"quat_wxyz": [math.cos(angle / 2), 0, -math.sin(angle / 2), 0], "angular_velocity": [0, -spin, 0.3 * spin]})
        bodies.append(b)

    def wall(name, n):
        bodies.append({"name": name, "type": "static", "shape": {"halfplane" if flat else "plane": {"normal": at(*n)}}})

    kind, radius = r.choice(["triangle", "row", "corner", "rod", "groove"]), 0.05
    if kind == "triangle":
        scene["gravity"] = at(0, 0, 0)
        ball("b", (0, 0, 1.001 * radius), radius, (0, 0, 0))
        ball("c", (0, 0, -1.001 * radius), radius, (0, 0, 0))
        ball("a", (-math.sqrt(3) * radius - 0.006, 0, u(-0.1, 0.1) * radius), radius, (u(1, 3), u(-0.2, 0.2), 0), u(-20, 20))
    elif kind == "row":
        wall("floor", (0, 0, 1))
        for i in range(r.randint(2, 3)):
            ball("b%d" % i, (i * (2 * radius + 0.0001), 0, radius), radius, (0, 0, 0))
        ball("a", (-2 * radius - 0.001, 0, radius + u(0, 0.02)), radius, (u(1, 4), u(-0.1, 0.1), 0), u(-20, 20))
    elif kind == "corner":
        wall("floor", (0, 0, 1))
        wall("wall", (1, 0, 0))
        box("a", (0.14, 0, 0.14), (0.15, 0.1, 0.2), (-u(0.5, 2), 0, -u(0.5, 2)), u(-0.4, 0.4), u(-5, 5))
        ball("b", (0.35, 0, 0.05), 0.05, (-u(0.5, 3), 0, 0))
    elif kind == "rod":
        wall("floor", (0, 0, 1))
        box("a", (0, 0, 0.26), (0.04, 0.04, 0.5), (u(-3, 3), 0, -u(0.5, 2)), u(0.1, 0.9), u(-5, 5))
        box("b", (0.45, 0, 0.05), (0.1, 0.1, 0.1), (0, 0, 0), 0, 0)
    else:
        a = u(0.3, 0.7)
        wall("left", (math.sin(a), 0, math.cos(a)))
        wall("right", (-math.sin(a), 0, math.cos(a)))
        ball("a", (0, 0, radius / math.cos(a) + 0.003), radius, (0, 0, -u(0.5, 2)), u(-60, 60))
    scene["simulation"] = {"step": r.choice([0.001, 0.002, 0.005])}
    return scene, r.choice([4, 10])


def other_order(scene, seed):
    random.Random(seed).shuffle(scene["bodies"])


def nudge(scene, seed):
    r = random.Random(seed)
    for b in scene["bodies"]:
        if b["type"] == "dynamic":
            b["velocity"] = [v * (1 + r.choice([-1, 1]) * 1e-15) if v else r.choice([-1, 1]) * 1e-16 for v in b["velocity"]]


def motion(command, scene, steps, folder, change=None, seed=0):
    scene = json.loads(json.dumps(scene))
    if change:
        change(scene, seed)
    scene["simulation"]["duration"] = steps * scene["simulation"]["step"]
    path = os.path.join(folder, "scene.yaml")
    with open(path, "w") as f:
        json.dump(scene, f)
    done = subprocess.run([command, "run", path, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("scene %s ends with %d: %s" % (json.dumps(scene), done.returncode, done.stderr))
    return json.loads(done.stdout)["bodies"]


def numbers(body):
    for key in "position", "velocity", "angular_velocity":
        yield from body[key] if isinstance(body[key], list) else [body[key]]


def apart(a, b):
    size = max(abs(x) for name in a for x in numbers(a[name]))
    return max(abs(x - y) for name in a for x, y in zip(numbers(a[name]), numbers(b[name]))) / (size or 1)


def sensitivity(a, d, moved):
    """How far starts that are a rounding off end from a: the most of NUDGES, or enough to explain d."""
    by = 0
    for k in range(NUDGES):
        by = max(by, apart(a, moved(k)))
        if d <= AMPLIFIED * by:
            break
    return by


def main():
    command, what = sys.argv[1], sys.argv[2]
    make, change = {"frames": (tower, other_frames), "stacks": (stack, other_frames), "orders": (strike, other_order)}[what]
    first, last = (int(x) for x in sys.argv[3:5]) if len(sys.argv) > 4 else (0, 40 if what == "frames" else 30)
    bad = chaotic = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            scene, steps = make(seed)
            a = motion(command, scene, steps, folder)
            d = apart(a, motion(command, scene, steps, folder, change, seed + 1))
            if d > SAME:
                by = sensitivity(a, d, lambda k: motion(command, scene, steps, folder, nudge, seed + k))
                chaotic += d <= AMPLIFIED * by
                bad += d > AMPLIFIED * by
                print("%s %d: %.1e apart, %.1e by starts 1e-15 off%s" % (what, seed, d, by, "" if d <= AMPLIFIED * by else ": too much"))
    print("%d scenes, %d depend on %s, %d follow from the sensitivity of the motion" % (last - first, bad, what, chaotic))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
