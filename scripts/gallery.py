#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every scene of the gallery and writes a page of live reports. usage: gallery.py BUILD [--check | --pictures]

The list is the table of docs/gallery.md: scene, what it shows, command, picture. --check runs each for a few steps only and writes
nothing that stays. --pictures draws the pictures of docs/gallery.md again: `stickslip report --picture` in the plane, `--png` in space,
and the moving one of README.md."""
import glob
import html
import json
import os
import re
import shutil
import shlex
import subprocess
import sys
import tempfile

build, check, draw = os.path.abspath(sys.argv[1]), "--check" in sys.argv, "--pictures" in sys.argv
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
page = open(os.path.join(root, "docs/gallery.md"), encoding="utf8").read()
rows = re.findall(r"^\| ([\w-]+) \| (.+?) \| `(stickslip run [^`]+)` \| <img src=\"(images/gallery/[^\"]+)\" width=\"240\"> \|$", page, re.M)
assert len(rows) == len(re.findall(r"^\| .*`stickslip run", page, re.M)), "a row of docs/gallery.md is not like the others"
assert len(rows) >= 16, f"the gallery has {len(rows)} scenes"
known = {os.path.splitext(f)[0] for f in os.listdir(os.path.join(root, "scenes")) if f.endswith(".yaml")}
for name, _, command, picture in rows:
    scene = shlex.split(command)[2]
    assert draw or os.path.exists(os.path.join(root, "docs", picture)), f"{name}: there is no {picture}: gallery.py BUILD --pictures"
    assert scene.startswith("builtin:") and scene[8:] in known, f"{name}: {scene} is no built-in scene"

tool = os.path.join(build, "stickslip")


def run(*words):
    done = subprocess.run([tool, *words], capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(words)}\n{done.stderr}"
    return done.stdout


def make_picture(name, command, picture):
    """At two fifths of the run; the name says whether it is drawn or taken."""
    with tempfile.TemporaryDirectory() as temporary:
        recorded = os.path.join(temporary, "run.h5")
        said = json.loads(run(*shlex.split(command)[1:], "--out", recorded, "--quiet", "--json"))
        t = 0.4 * said["time"]
        out = os.path.join(root, "docs", picture)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        if picture.endswith(".svg"):
            run("report", recorded, "--picture", out, "--time", f"{t:g}", "--quiet")
        else:
            run("report", recorded, "--png", f"t={t:g}", "--size", "800x450", "--quiet")
            shutil.move(glob.glob(os.path.join(temporary, "*.png"))[0], out)
    print(picture, flush=True)


if draw:
    only = [a for a in sys.argv[2:] if not a.startswith("--")]
    for name, _, command, picture in rows:
        if not only or name in only:
            make_picture(name, command, picture)
    with tempfile.TemporaryDirectory() as temporary:
        recorded = os.path.join(temporary, "run.h5")
        run("run", "builtin:dominoes", "--out", recorded, "--quiet")
        run("report", recorded, "--animation", os.path.join(root, "docs/images/dominoes.svg"), "--quiet")
    sys.exit(0)

place = tempfile.mkdtemp() if check else os.path.join(build, "gallery")
os.makedirs(place, exist_ok=True)
items = []
for name, shows, command, picture in rows:
    words = shlex.split(command)
    words[0] = os.path.join(build, "stickslip")
    report = os.path.join(place, f"{name}.html")
    words += ["--report", report, "--quiet"] + (["--duration", "0.02"] if check else [])
    done = subprocess.run(words, capture_output=True, text=True, cwd=place)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    assert os.path.getsize(report) > 100000, report
    if not check:
        shutil.copy(os.path.join(root, "docs", picture), place)
    items.append(f'<li><a href="{name}.html"><img src="{os.path.basename(picture)}" alt="" width="320"><br><b>{html.escape(name)}</b></a> {html.escape(shows)}<br><code>{html.escape(command)}</code></li>')
    if not check:
        print(name, flush=True)
index = os.path.join(place, "index.html")
with open(index, "w", encoding="utf8") as out:
    out.write("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>stickslip gallery</title>"
              "<style>body{font:16px/1.5 Georgia,serif;max-width:46em;margin:3em auto;padding:0 1em}li{margin:0 0 1em}code{font-size:13px;color:#555}</style>"
              f"<h1>stickslip gallery</h1><p>Each opens as a replay with forces, plots and certificates.<ul>{''.join(items)}</ul></html>\n")
print(f"{len(rows)} scenes, {index if not check else 'each run for a moment'}")
