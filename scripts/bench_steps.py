#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a step of a rolling disc costs in each model, in instructions counted by callgrind.

    scripts/bench_steps.py build/stickslip [--check]

Instructions of a run of 2 N steps less those of N steps, over N: starting up is not counted, and other
load on the machine does not matter. --check: exit code 1 when contacts that give cost 3 times the rigid step
or more, geometry at the end of the step 6 times or more.
"""
import os
import re
import subprocess
import sys
import tempfile

STEPS = 2000
SCENE = """
dimension: 2
gravity: [0, -9.81]
materials: {default: {friction: 0.4}, soft: {friction: 0.4, compliance: {stiffness: 1e5, damping: 100}}}
bodies:
  - {name: floor, type: static, material: soft, shape: {halfplane: {normal: [0, 1]}}}
  - {name: disc, type: dynamic, mass: 1, inertia: 0.5, shape: {disc: {radius: 1}}, position: [0, 1], velocity: [-3, 0], angular_velocity: 3}
simulation: {step: 0.001, duration: 10}
"""
MODELS = [  # name, model, the row it is measured by, bar
    ("rigid, euler", "integrator=euler", 0, None),
    ("rigid, midpoint", "integrator=midpoint", 1, None),
    ("compliant, euler", "contact=compliant,integrator=euler", 0, 3),
    ("compliant, midpoint", "contact=compliant,integrator=midpoint", 1, 3),
    ("implicit geometry, euler", "geometry=implicit,integrator=euler", 0, 6),
]


def instructions(command, scene, model, steps):
    run = [command, "run", scene, "--model", model, "--duration", str(steps * 0.001), "--quiet"]
    out = os.path.join(os.path.dirname(scene), "callgrind.out")
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out] + run,
                          capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        sys.exit("%s\n%s" % (" ".join(run), done.stderr[-2000:]))
    return int(found.group(1))


def main():
    command, check = sys.argv[1], "--check" in sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "disc.yaml")
        with open(scene, "w") as f:
            f.write(SCENE)
        cost = []
        for name, model, base, bar in MODELS:
            few, many = (instructions(command, scene, model, n) for n in (STEPS, 2 * STEPS))
            cost.append((many - few) / STEPS)
            ratio = cost[-1] / cost[base]
            limit = "" if bar is None else "   (below %d)" % bar
            print("%-26s %8.0f instructions a step, %5.2f times%s" % (name, cost[-1], ratio, limit))
            if check and bar is not None and not ratio < bar:
                sys.exit(1)


if __name__ == "__main__":
    main()
