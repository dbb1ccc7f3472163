#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plug-ins at run time: the samples do what they say, by closed forms; those that do not fit are refused with the
reason; scenes get theirs only where that is allowed. usage: plugins.py STICKSLIP SAMPLES MISFITS"""
import csv
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

command, samples, misfits = (os.path.abspath(p) for p in sys.argv[1:4])
place = tempfile.mkdtemp()


def write(name, text):
    path = os.path.join(place, name)
    with open(path, "w", encoding="utf8") as f:
        f.write(text)
    return path


def call(*arguments, code=0):
    done = subprocess.run([command, *arguments], capture_output=True, text=True, cwd=place)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


def sample(name):
    return ["--plugin", os.path.join(samples, f"{name}.so")]


def run(scene, name, *options):
    return json.loads(call("run", scene, "--json", *sample(name), *options))


def near(a, b, tolerance, what):
    assert abs(a - b) <= tolerance, (what, a, b, a - b)


# ---- shape and pair ----

def box_moments(size, r, n=60):
    """Volume and moments of inertia of a rounded box by midpoints over one octant, independent of the sample."""
    outer = [s / 2 + r for s in size]
    cell = [o / n for o in outer]
    sums = [0.0] * 4
    for i, j, k in itertools.product(range(n), repeat=3):
        p = [(i + .5) * cell[0], (j + .5) * cell[1], (k + .5) * cell[2]]
        d = math.sqrt(sum(max(x - s / 2, 0) ** 2 for x, s in zip(p, size)))
        if d <= r:
            sums[0] += 1
            for axis in range(3):
                sums[1 + axis] += p[(axis + 1) % 3] ** 2 + p[(axis + 2) % 3] ** 2
    return [8 * cell[0] * cell[1] * cell[2] * s for s in sums]


tilt = 0.3
ROUNDED = """
dimension: 3
gravity: ["9.81*sin(a)", 0, "-9.81*cos(a)"]
params: {a: %g, mu: %g}
materials: {default: {friction: "mu"}}
bodies:
  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: box, type: dynamic, density: 1000, shape: {rounded_box: {size: [0.2, 0.1, 0.04], radius: 0.01}}, position: [0, 0, 0.03]}
simulation: {step: 0.01, duration: 1, model: {integrator: euler}}
"""
scene = write("rounded.yaml", ROUNDED % (tilt, 0.2))
told = run(scene, "shape")
a = 9.81 * (math.sin(tilt) - 0.2 * math.cos(tilt))
near(told["bodies"]["box"]["velocity"][0], a * 1, 1e-12, "slides like a box")
near(told["bodies"]["box"]["position"][2], 0.03, 1e-12, "stands on its corners")
assert told["contacts_max"] == 4, told["contacts_max"]
told = run(write("held.yaml", ROUNDED % (tilt, 0.4)), "shape")
near(told["bodies"]["box"]["position"][0], 0, 1e-13, "is held by friction")
free = """
gravity: [0, 0, 0]
bodies: [{name: box, type: dynamic, density: 1000, shape: {rounded_box: {size: [0.2, 0.1, 0.04], radius: 0.01}}, %s}]
simulation: {step: 0.01, duration: 0.01}
"""
volume, *inertia = box_moments([0.2, 0.1, 0.04], 0.01)
energy = run(write("free.yaml", free % "velocity: [1, 0, 0]"), "shape")["energy"]["kinetic"]
near(energy / (500 * volume), 1, 3e-3, "mass")
for axis in range(3):
    spin = [0, 0, 0]
    spin[axis] = 1
    energy = run(write("free.yaml", free % f"angular_velocity: {spin}"), "shape")["energy"]["kinetic"]
    near(energy / (500 * inertia[axis]), 1, 3e-3, f"inertia {axis}")
# against a shape for which it brings no pair: the general routine, where one point is nearest
stack = write("stack.yaml", """
bodies:
  - {name: box, type: static, shape: {rounded_box: {size: [0.2, 0.2, 0.2], radius: 0.05}}, euler: [0.6, 0.5, 0]}
  - {name: ball, type: dynamic, shape: {sphere: {radius: 0.05}}, position: [0.01, 0.02, 0.4]}
simulation: {step: 0.005, duration: 0.6}
""")
told = run(stack, "shape")
assert told["penetration_max"] < 1e-4 and told["contacts_max"] == 1, told  # surfaces curve within a step
assert told["bodies"]["ball"]["position"][2] < 0 and told["energy"]["dissipated"] > 0, told
call("run", stack, "--report", "page.html", *sample("shape"))
assert os.path.getsize(os.path.join(place, "page.html")) > 10000
assert "there is no shape 'rounded_box'" in call("run", stack, code=2) or "rounded_box" in call("run", stack, code=2)

# ---- force: a circular orbit returns, with an error of second order in the step ----

ORBIT = """
gravity: [0, 0, 0]
bodies: [{name: moon, type: particle, mass: 2, position: [1, 0, 0], velocity: [0, 2, 0]}]
forces: [{name: pull, type: attraction, bodies: [world, moon], settings: {strength: "k"}}]
params: {k: 8}
simulation: {step: %.17g, duration: %.17g}
"""
errors = []
for n in (200, 400):
    period = math.pi
    x, y, z = run(write("orbit.yaml", ORBIT % (period / n, period)), "force")["bodies"]["moon"]["position"]
    errors.append(math.hypot(x - 1, y))
assert errors[0] < 2e-2 and 3.5 < errors[0] / errors[1] < 4.5, errors
bad = write("bad.yaml", (ORBIT % (0.01, 1)).replace("strength", "strenth"))
message = call("run", bad, *sample("force"), code=2)
assert "bad.yaml:4" in message and "did you mean 'strength'" in message, message
bad = write("bad.yaml", (ORBIT % (0.01, 1)).replace('"k"', "1e13"))
message = call("run", bad, *sample("force"), code=2)
assert "bad.yaml:4" in message and "between" in message, message
bad = write("bad.yaml", (ORBIT % (0.01, 1)).replace("position: [1, 0, 0], velocity: [0, 2, 0]", "position: [0, 0, 0]"))
message = call("run", bad, *sample("force"), code=2)
assert "attraction" in message and "failed" in message, message
message = call("run", write("bad.yaml", (ORBIT % (0.01, 1)).replace("attraction", "atraction")), *sample("force"), code=2)
assert "did you mean 'attraction'" in message, message

# ---- kinds of bodies ----

movers = write("movers.yaml", """
gravity: [0, 0, 0]
bodies:
  - {name: cart, type: shuttle, settings: {stroke: 0.4, period: 2, z: 3}, shape: {sphere: {radius: 0.1}}}
  - {name: fish, type: swimmer, mass: 2, settings: {drag: 3}, shape: {sphere: {radius: 0.1}}, velocity: [4, 0, 0]}
simulation: {step: 0.001, duration: 1.5}
""")
told = run(movers, "body")["bodies"]
near(told["cart"]["position"][0], 0.2, 1e-12, "shuttle")
near(told["cart"]["velocity"][0], -0.4, 1e-9, "shuttle's velocity")
near(told["fish"]["velocity"][0], 4 / (1 + 3 / 2 * 4 * 1.5), 1e-5, "swimmer")
message = call("run", write("bad.yaml", open(movers).read().replace("period: 2", "period: 0")), *sample("body"), code=2)
assert "bad.yaml:4" in message and "period" in message, message
message = call("run", write("bad.yaml", open(movers).read().replace("type: swimmer", "type: swimer")), *sample("body"), code=2)
assert "did you mean 'swimmer'" in message, message
message = call("run", write("bad.yaml", open(movers).read().replace("z: 3}", "z: 3}, motion: {x: 0}")), *sample("body"), code=2)
assert "has a motion of its own" in message, message
message = call("run", movers, code=2)
assert "movers.yaml:4" in message and "shuttle" in message, message
message = call("run", write("bad.yaml", open(movers).read().replace("type: swimmer, mass: 2", "type: dynamic, mass: 2")), *sample("body"), code=2)
assert "only kinds of plug-ins have settings" in message, message

# ---- axis values: of an overlap of 1 mm a fifth goes in each step ----

inside = write("inside.yaml", """
gravity: [0, 0, 0]
bodies:
  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: ball, type: dynamic, shape: {sphere: {radius: 1}}, position: [0, 0, 0.999]}
simulation: {step: 0.01, duration: 0.03, model: {integrator: euler, inertia: damped}}
""".replace("mass", "mass").replace("shape: {sphere: {radius: 1}}", "damping: [1, 1], shape: {sphere: {radius: 1}}"))
told = run(inside, "axis", "--model", "gap=eased")
near(told["bodies"]["ball"]["position"][2], 1 - 1e-3 * 0.8 ** 3, 1e-12, "gap: eased")
assert told["model"]["gap"] == "eased", told["model"]
near(run(inside, "axis")["bodies"]["ball"]["position"][2], 1, 1e-12, "gap: position")
message = call("run", inside, *sample("axis"), "--model", "gap=easd", code=2)
assert "gap" in message, message
hinge = """
dimension: 2
gravity: [0, 0]
bodies:
  - {name: rod, type: dynamic, mass: 1, inertia: 1, position: [0, 0], damping: [1, 1]}
joints: [{name: pin, type: %s, bodies: [world, rod], anchor: [0, 0]}]
simulation: {step: 0.01, duration: 0.02, model: {integrator: euler, joints: eased}}
"""
assert run(write("hinge.yaml", hinge % "revolute"), "axis")["model"]["joints"] == "eased"

# ---- measure, in studies; recorder; solver ----

slide = write("slide.yaml", ROUNDED % (0.3, 0.2))
study = write("study.yaml", """
study: sweep
name: way
scene: slide.yaml
vary: {params.mu: {list: [0.1, 0.2, 0.3]}}
measure: {came: {plugin: way}, also: "x('box')"}
""")
call("sweep", study, "--csv", "way.csv", "--out", "way.h5", "--quiet", "--threads", "2", *sample("measure"), *sample("shape"))
rows = list(csv.DictReader(open(os.path.join(place, "way.csv"))))
assert len(rows) == 3
for row in rows:
    near(float(row["came"]), float(row["also"]), 1e-12, "way")
    assert float(row["came"]) > 0 or float(row["params.mu"]) > math.tan(0.3), row
message = call("sweep", study, "--quiet", *sample("shape"), code=2)
assert "study.yaml:6" in message and "measure 'way'" in message, message

call("run", slide, *sample("shape"), *sample("recorder"), "--record", "xyz=run.xyz", "--record", "csv=run.csv", "--quiet")
frames = open(os.path.join(place, "run.xyz")).read().split("2\nt=")[1:]
assert len(frames) == 101 and "box" in frames[-1], len(frames)
rows = list(csv.DictReader(open(os.path.join(place, "run.csv"))))
near(float(frames[-1].split("box ")[1].split()[0]), float(rows[-1]["box.x"]), 0, "xyz")
assert "did you mean 'xyz'" in call("run", slide, *sample("shape"), *sample("recorder"), "--record", "xyzz=a", code=2)
assert "NAME=FILE" in call("run", slide, *sample("shape"), "--record", "csv", code=2)
call("run", slide, *sample("shape"), *sample("recorder"), "--record", "xyz=/no/such/folder/x", "--quiet", code=4)

problem = write("p.dat", "2\n2 1\n1 2\n-5\n-6\n")
told = call("list", "--json", *sample("solver"))
assert any(s["name"] == "damped-jacobi" for s in json.loads(told)["solvers"])

# ---- scenes that name theirs ----

shutil.copy(os.path.join(samples, "shape.so"), os.path.join(place, "shape.so"))
named = write("named.yaml", "plugins: [shape.so]\n" + (ROUNDED % (0.3, 0.2)).lstrip())
message = call("run", named, code=2)
assert "named.yaml:1" in message and "--allow-plugins" in message, message
call("run", named, "--allow-plugins", "--quiet")
call("run", named, *sample("shape"), "--quiet")
call("check", named, *sample("shape"))
call("run", write("byname.yaml", open(named).read().replace("shape.so", "rounded")), *sample("shape"), "--quiet")
call("run", write("missing.yaml", open(named).read().replace("shape.so", "gone.so")), "--allow-plugins", code=2)
call("run", write("wrong.yaml", open(named).read().replace("[shape.so]", "shape.so")), "--allow-plugins", code=2)
call("run", write("wrong.yaml", open(named).read().replace("[shape.so]", "[{a: 1}]")), "--allow-plugins", code=2)
study2 = write("named-study.yaml", open(study).read().replace("slide.yaml", "named.yaml").replace("{plugin: way}", "\"x('box')\"").replace(', also: "x(\'box\')"', ""))
call("sweep", study2, "--quiet", "--out", "n.h5", code=2)
call("sweep", study2, "--quiet", "--out", "n.h5", "--allow-plugins", "--threads", "2")
# without a permission nothing is opened, even when it is there
assert "cannot be loaded" not in message

# ---- those that do not fit ----

reasons = {0: "no ss_plugin_table", 1: "interface 99", 2: "structs", 3: "ss_field has 7 bytes", 4: "built for stickslip 9.9",
           5: "one word", 6: "'spring' exists already", 7: "gap and joints, not of 'cone'", 8: "like a built-in value",
           9: "ss_that_nobody_has", 10: "kinematic with `place`"}
for number, reason in reasons.items():
    message = call("run", "builtin:demo", "--plugin", os.path.join(misfits, f"misfit_{number}.so"), code=2)
    assert reason in message and f"misfit_{number}.so" in message, (number, message)
assert "cannot be loaded" in call("list", "--plugin", "gone.so", code=2)
assert "cannot be loaded" in call("list", "--plugin", write("text.so", "no program\n"), code=2)
assert "cannot be loaded" in call("list", "--plugin", place, code=2)
assert "needs a value" in call("list", "--plugin", code=2)
ball = write("ball.yaml", """
bodies:
  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: ball, type: dynamic, shape: {sphere: {radius: 1}}, position: [0, 0, 1]}
""")
message = call("run", ball, "--plugin", os.path.join(misfits, "misfit_11.so"), code=2)
assert "no unit normal" in message, message
# twice the same is once; another of the same name is refused
call("list", *sample("force"), *sample("force"))
shutil.copy(os.path.join(samples, "force.so"), os.path.join(place, "copy.so"))
assert "'attraction' is loaded" in call("list", *sample("force"), "--plugin", "copy.so", code=2)

shutil.rmtree(place)
print("plug-ins: done")
