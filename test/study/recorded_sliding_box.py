#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recorded experiment, where it is: recorded_sliding_box.py STICKSLIP SOURCE [DATA]. Boxes that were struck and slide to rest.

Friction and what dust adds come out as the experimenters give them (0.19 clean, 0.24 dusty), and of hits that were left out the
first tenth of a second says where they stop. Exit code 77 (skipped), loudly, where there are no recordings.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

command, source = sys.argv[1:3]
data = sys.argv[3] if len(sys.argv) > 3 else os.path.join(source, "..", "shared", "data")
studies = os.path.join(source, "bench", "validate", "studies")
sys.path.insert(0, studies)
import convert  # noqa: E402

NAME = "sliding_box"
if not os.path.isdir(os.path.join(data, NAME)):
    print(f"SKIPPED, NOTHING WAS COMPARED: there are no recorded experiments in {data}")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    for file in ("slide.yaml", "sliding_box.yaml"):
        shutil.copy(os.path.join(studies, file), folder)
    convert.SETS[NAME](os.path.join(data, NAME), os.path.join(folder, f"{NAME}.csv"), True)
    out = subprocess.run([command, "identify", os.path.join(folder, f"{NAME}.yaml"), "--set", "confidence={profile: false}", "--json"],
                         check=False, capture_output=True, text=True)
model = json.loads(out.stdout)["models"][0]
found = {p["name"]: p["value"] for p in model["parameters"] if not p["nuisance"]}
clean, dusty = found["params.mu"], found["params.mu"] + found["params.dust"]
share = [r["unseen_end"] / r["travel"] for r in model["recordings"]]
print(f"friction {clean:.4f} clean, {dusty:.4f} dusty; stop error of hits left out, share of the way: {['%.3f' % s for s in share]}")
assert abs(clean - 0.19) < 0.015, clean
assert abs(dusty - 0.24) < 0.015, dusty
assert len(share) == 6 and sorted(share)[3] < 0.06 and max(share) < 0.25, share
