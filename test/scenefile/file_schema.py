#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema accepts every scene and study of the project and refuses slips. usage: COMMAND SOURCE"""
import copy
import json
import os
import re
import subprocess
import sys

import jsonschema
import yaml

command, source = sys.argv[1:3]


class Loader(yaml.SafeLoader):
    """YAML 1.2, as editors and stickslip read it: `on` is a word."""


Loader.yaml_implicit_resolvers = {first: [(tag, form) for tag, form in forms if not tag.endswith(":bool")]
                                  for first, forms in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))


def unique(pairs):
    assert len({k for k, _ in pairs}) == len(pairs), f"a key twice: {pairs}"
    return dict(pairs)


def examples():  # files, and whole scenes and studies in the pages of the manual
    for place, _, names in os.walk(source):
        if "node_modules" in place or f"{os.sep}build" in place or "/.git" in place:
            continue
        for name in sorted(names):
            if name.endswith((".yaml", ".yml")):
                yield os.path.join(place, name), open(os.path.join(place, name), encoding="utf8").read()
            elif name.endswith(".md") and f"{os.sep}docs" in place:
                page = open(os.path.join(place, name), encoding="utf8").read()
                for block in re.findall(r"^```yaml[^\n]*\n(.*?)^```", page, re.M | re.S):
                    yield os.path.join(place, name), block


schema = json.loads(subprocess.run([command, "list", "--schema"], check=True, capture_output=True, text=True).stdout,
                    object_pairs_hook=unique)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)

seen = {"scene": 0, "study": 0}
for path, text in examples():
    tree = yaml.load(text, Loader)
    if isinstance(tree, dict) and ("bodies" in tree or "study" in tree):
        errors = list(validator.iter_errors(tree))
        assert not errors, f"{path}: {errors[0].message} at {list(errors[0].absolute_path)}"
        seen["study" if "study" in tree else "scene"] += 1
assert seen["scene"] >= 30 and seen["study"] >= 3, seen

scene = {"bodies": [{"name": "ball", "type": "dynamic", "mass": 1, "shape": {"sphere": {"radius": 1}}}],
         "joints": [{"name": "j", "type": "revolute", "bodies": ["ball", "world"]}],
         "materials": {"default": {"friction": 0.3}},
         "forces": [{"type": "constant", "body": "ball", "force": [1, 0, 0]}],
         "simulation": {"step": 0.01, "model": {"cone": {"polygon": 8}, "gap": "velocity"}}}
study = {"study": "sweep", "scene": "a.yaml", "vary": {"params.mu": {"grid": [0, 1, 3]}}, "measure": {"a": "time"}}
for good in (scene, study):
    validator.validate(good)
SLIPS = [(scene, ("bodies", 0, "masss"), 1), (scene, ("bodies", 0, "mass"), -1), (scene, ("bodies", 0, "type"), "dynamical"),
         (scene, ("bodies", 0, "shape", "sphere", "radios"), 1), (scene, ("bodies", 0, "shape", "spere"), {}),
         (scene, ("joints", 0, "type"), "hinge"), (scene, ("materials", "default", "frction"), 1),
         (scene, ("forces", 0, "type"), "konstant"), (scene, ("simulation", "model", "cone"), {"poligon": 8}),
         (scene, ("simulation", "stepp"), 1), (scene, ("bodys",), []), (study, ("vary", "params.mu"), {"gird": [0, 1, 3]}),
         (study, ("study",), "sweeep"), (study, ("mesure",), {})]
for base, path, value in SLIPS:
    bad = copy.deepcopy(base)
    at = bad
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    assert list(validator.iter_errors(bad)), f"accepted {value!r} at {path}"
print(f"{seen['scene']} scenes and {seen['study']} studies accepted, {len(SLIPS)} slips refused")
