#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Study files that are wrong in every way that comes to mind: each is refused with exit code 2 and a message that names
the file, never with a crash, a hang or a table of numbers. usage: hostile_studies.py STICKSLIP"""
import os
import subprocess
import sys
import tempfile

command = os.path.abspath(sys.argv[1])
SCENE = """
dimension: 2
params: {mu: 0.3, v0: 1}
materials: {default: {friction: mu}}
bodies:
  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}
  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.05]}}, position: [0, 0.025], velocity: [v0, 0]}
simulation: {step: 0.01, duration: 0.1}
"""
GOOD = {"study": "sweep", "scene": "box.yaml", "vary": "{params.mu: {uniform: [0.2, 0.4]}}", "trials": "2",
        "measure": "{far: \"x('box')\"}"}
# what is changed -> which command refuses it; None takes a key away
BAD = [
    {"study": None}, {"study": "swep"}, {"study": "[sweep]"}, {"scene": None}, {"scene": "nowhere.yaml"}, {"scene": "study.yaml"},
    {"scene": "/dev/null"}, {"vary": "[1, 2]"},
    {"vary": "{params.mu: {uniform: [1]}}"}, {"vary": "{params.mu: {uniform: [2, 1]}}"}, {"vary": "{params.mu: {uniform: [.nan, 1]}}"},
    {"vary": "{params.mu: {grid: [0, 1, 0]}}"}, {"vary": "{params.mu: {grid: [0, 1, 1e12]}}"}, {"vary": "{params.mu: {grid: [0, 1, 2.5]}}"},
    {"vary": "{params.mu: {normal: [0, -1]}}"}, {"vary": "{params.mu: {lognormal: [-1, 0.1]}}", "trials": "x"}, {"vary": "{params.mu: {list: []}}"},
    {"vary": "{params.mu: {choice: {}}}"}, {"vary": "{params.mu: {table: nowhere.csv}}"}, {"vary": "{params.mu: {uniform: [0, 1], normal: [0, 1]}}"},
    {"vary": "{params.mu: {sobol: [0, 1]}}"}, {"vary": "{bodies.nobody.mass: {uniform: [1, 2]}}"}, {"vary": "{bodies.box.mas: {uniform: [1, 2]}}"},
    {"vary": "{\"\": {uniform: [1, 2]}}"}, {"trials": "0"}, {"trials": "-3"}, {"trials": "1e30"}, {"trials": "2.5"}, {"trials": ".inf"},
    {"measure": "{far: \"x('bx')\"}"}, {"measure": "{far: \"x('box'\"}"}, {"measure": "{far: \"os.exit()\"}"}, {"measure": "{far: \"while true do end\"}"},
    {"measure": "{trial: \"1\"}"}, {"measure": "{\"a,b\": \"1\"}"}, {"measure": "[far]"}, {"measure": "{far: {plugin: none}}"},
    {"measure": "{far: {plugins: none}}"}, {"stop": "\"(\""}, {"sampling": "halton"}, {"seed": "minus"},
    {"correlation": "{params.mu: {params.v0: 2}}"}, {"set": "{bodies.box.mass: -1}", "vary": "{params.v9: {list: [1]}}"},
    {"surprise": "1"}, {"field": "{at: [a, b], velocity: [c, d]}"}, {"rungs": "{}"}, {"objective": "{minimise: 3}", "study": "design"},
    {"study": "plan"}, {"vary": "{params.typo: {uniform: [0, 1]}}"}, {"set": "{params.typo: 1}"}, {"stop": "\"at_rest('x')\""},
    {"study": "identify"},
]
LITERAL = ["", "\0\0\0", "- 1\n- 2\n", "{", "study: &a [*a]\n", "study: sweep\n" * 3, "study: sweep\nscene: box.yaml\nvary: " + "[" * 5000, "\xff\xfe", "%YAML 9\n---\n"]


def write(place, name, text):
    with open(os.path.join(place, name), "w", encoding="latin1") as f:
        f.write(text)


def refused(place, what, kinds=("sweep", "design", "plan")):
    for kind in kinds:
        done = subprocess.run([command, kind, "study.yaml", "--quiet", "--threads", "2"], cwd=place, capture_output=True,
                              text=True, errors="replace", timeout=60)
        assert done.returncode == 2, (kind, what, done.returncode, done.stdout[:300], done.stderr[:300])
        assert any(name in done.stderr for name in (".yaml", "nowhere", "/dev/null")), (kind, what, done.stderr[:300])
        assert len(done.stderr) < 2000, (kind, what, done.stderr[:300])


def kinds_for(change):
    return {"design": ("design",), "plan": ("plan",)}.get(change.get("study", ""), ("sweep",))


count = 0
with tempfile.TemporaryDirectory() as folder:
    write(folder, "box.yaml", SCENE)
    write(folder, "study.yaml", "".join(f"{k}: {v}\n" for k, v in GOOD.items()))
    good = subprocess.run([command, "sweep", "study.yaml", "--quiet"], cwd=folder, capture_output=True, text=True)
    assert good.returncode == 0, good.stderr
    refused(folder, "a sweep is no design and no plan", ("design", "plan"))
    for change in BAD:
        keys = {k: v for k, v in {**GOOD, **change}.items() if v is not None}
        write(folder, "study.yaml", "".join(f"{k}: {v}\n" for k, v in keys.items()))
        for name in os.listdir(folder):
            if name.endswith(".h5"):
                os.remove(os.path.join(folder, name))
        refused(folder, change, kinds_for(change))
        count += 1
    for text in LITERAL:
        write(folder, "study.yaml", text)
        refused(folder, text[:30])
        count += 1
print(f"{count} study files refused, each with a reason")
