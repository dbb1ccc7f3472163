#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bill of materials and the NOTICE name what the command is linked with. usage: check_sbom.py SOURCE BUILD"""
import json
import os
import re
import subprocess
import sys
import tempfile

source, build = sys.argv[1:3]
with tempfile.TemporaryDirectory() as place:
    spdx, notice = os.path.join(place, "x.spdx.json"), os.path.join(place, "NOTICE")
    for option, path in (("--spdx", spdx), ("--notice", notice)):
        subprocess.run([sys.executable, os.path.join(source, "tools/sbom.py"), build, option, path], check=True)
    document, text = json.load(open(spdx, encoding="utf8")), open(notice, encoding="utf8").read()

assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"])
ids = [p["SPDXID"] for p in document["packages"]]
assert len(set(ids)) == len(ids) and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids), ids
known = set(ids) | {"SPDXRef-DOCUMENT"}
assert all(r["spdxElementId"] in known and r["relatedSpdxElement"] in known for r in document["relationships"])
names = {p["name"] for p in document["packages"]}
assert {"stickslip", "three", "uplot", "fflate"} <= names
for word in ("libc6", "libyaml"):
    assert any(word in n for n in names), (word, names)
for name in names - {"stickslip"}:
    assert name in text, name
for licence in ("MIT License", "Apache License"):
    assert licence in text or licence.replace(" License", "") in text, licence
print(f"{len(ids)} packages, NOTICE of {len(text)} characters")
