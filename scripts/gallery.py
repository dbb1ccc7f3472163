#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every scene of the gallery and writes a page of live reports. usage: gallery.py BUILD [--check]

The list is the table of docs/gallery.md: scene, what it shows, command. --check runs each for a few steps only and writes
nothing that stays."""
import html
import os
import re
import shlex
import subprocess
import sys
import tempfile

build, check = os.path.abspath(sys.argv[1]), "--check" in sys.argv
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
page = open(os.path.join(root, "docs/gallery.md"), encoding="utf8").read()
rows = re.findall(r"^\| ([\w-]+) \| (.+?) \| `(stickslip run [^`]+)` \|$", page, re.M)
assert len(rows) >= 16, f"the gallery has {len(rows)} scenes"
known = {os.path.splitext(f)[0] for f in os.listdir(os.path.join(root, "scenes")) if f.endswith(".yaml")}
for name, _, command in rows:
    scene = shlex.split(command)[2]
    assert scene.startswith("builtin:") and scene[8:] in known, f"{name}: {scene} is no built-in scene"

place = tempfile.mkdtemp() if check else os.path.join(build, "gallery")
os.makedirs(place, exist_ok=True)
items = []
for name, shows, command in rows:
    words = shlex.split(command)
    words[0] = os.path.join(build, "stickslip")
    report = os.path.join(place, f"{name}.html")
    words += ["--report", report, "--quiet"] + (["--duration", "0.02"] if check else [])
    done = subprocess.run(words, capture_output=True, text=True, cwd=place)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    assert os.path.getsize(report) > 100000, report
    items.append(f'<li><a href="{name}.html"><b>{html.escape(name)}</b></a> {html.escape(shows)}<br><code>{html.escape(command)}</code></li>')
    if not check:
        print(name, flush=True)
index = os.path.join(place, "index.html")
with open(index, "w", encoding="utf8") as out:
    out.write("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>stickslip gallery</title>"
              "<style>body{font:16px/1.5 Georgia,serif;max-width:46em;margin:3em auto;padding:0 1em}li{margin:0 0 1em}code{font-size:13px;color:#555}</style>"
              f"<h1>stickslip gallery</h1><p>Each opens as a replay with forces, plots and certificates.<ul>{''.join(items)}</ul></html>\n")
print(f"{len(rows)} scenes, {index if not check else 'each run for a moment'}")
