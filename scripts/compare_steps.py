#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What steps of one body cost in two builds of the command, side by side.

    scripts/compare_steps.py OLD/stickslip NEW/stickslip [--times N] [--step H]

Instructions of a step, counted by callgrind, of a sphere that rolls, a box that slides down a slope, a box and
a disc in the plane, and a box that flies, by both integrators, and the part of them that the certificate of the motion takes; with --times N also seconds:
the median of N alternations of both builds, so that other load on the machine meets both. An OLD that does not know
an integrator runs without it. Starting up is not counted: it is what a run of twice the steps takes more.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

STEPS = 500
FLOOR = "  - {name: floor, type: static, shape: {%s: {normal: %s}}}\n"
SCENES = {
    "sphere": "materials: {default: {friction: 0.2}}\nbodies:\n" + FLOOR % ("plane", "[0, 0, 1]") +
              "  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1], velocity: [2, 0, 0]}\n",
    "box on a slope": "gravity: [3, 0, -9.3]\nmaterials: {default: {friction: 0.3}}\nbodies:\n" + FLOOR % ("plane", "[0, 0, 1]") +
                      "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}\n",
    "box in the plane": "dimension: 2\ngravity: [3, -9.3]\nmaterials: {default: {friction: 0.3}}\nbodies:\n" + FLOOR % ("halfplane", "[0, 1]") +
                        "  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [1, 1]}}, position: [0, 0.5]}\n",
    "disc in the plane": "dimension: 2\nmaterials: {default: {friction: 0.3}}\nbodies:\n" + FLOOR % ("halfplane", "[0, 1]") +
                         "  - {name: disc, type: dynamic, mass: 1, shape: {disc: {radius: 1}}, position: [0, 1], velocity: [2, 0]}\n",
    "free flight": "bodies:\n  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [1, 2, 3]}}, angular_velocity: [1, 2, 3]}\n",
}


def run_of(command, scene, integrator, h, steps):
    run = [command, "run", scene, "--step", repr(h), "--duration", repr(steps * h), "--quiet"]
    chosen = run + ["--model", "integrator=" + integrator]
    known = subprocess.run(chosen[:6] + ["0"] + chosen[7:], capture_output=True).returncode == 0
    return chosen if known else run


def callgrind(run, folder):
    """Instructions of all of it, and of the certificate of the motion with what it calls."""
    out = os.path.join(folder, "callgrind.out")
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out] + run, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        sys.exit("%s\n%s" % (" ".join(run), done.stderr[-2000:]))
    listed = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out], capture_output=True, text=True).stdout
    part = re.search(r"^ *([0-9,]+) .*:ss_certify_motion\b", listed, re.M)
    return int(found.group(1)), int(part.group(1).replace(",", "")) if part else 0


def of_a_step(command, scene, integrator, h, folder):
    few, many = (callgrind(run_of(command, scene, integrator, h, n), folder) for n in (STEPS, 2 * STEPS))
    return [(b - a) / STEPS for a, b in zip(few, many)]


def seconds(run):
    start = time.perf_counter()
    subprocess.run(run, check=True, capture_output=True)
    return time.perf_counter() - start


def ratio_of_times(commands, scene, integrator, h, rounds):
    runs = [run_of(c, scene, integrator, h, 100 * STEPS) for c in commands]
    taken = [[seconds(run) for run in runs] for _ in range(rounds)]
    return statistics.median(new / old for old, new in taken)


def option(name, default):
    return type(default)(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


def main():
    commands, times, h = [os.path.abspath(c) for c in sys.argv[1:3]], option("--times", 0), option("--step", 1e-4)
    print("instructions a step (h = %g)            old       new   new/old   certificate old   new%s" % (h, "   time new/old" if times else ""))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SCENES.items():
            scene = os.path.join(folder, "scene.yaml")
            with open(scene, "w") as f:
                f.write(text)
            for integrator in ("euler", "midpoint"):
                old, new = (of_a_step(c, scene, integrator, h, folder) for c in commands)
                line = "%-18s %-10s %15.0f %9.0f %9.3f %15.1f %% %5.1f %%" % (
                    name, integrator, old[0], new[0], new[0] / old[0], 100 * old[1] / old[0], 100 * new[1] / new[0])
                if times:
                    line += "%13.3f" % ratio_of_times(commands, scene, integrator, h, times)
                print(line, flush=True)


if __name__ == "__main__":
    main()
