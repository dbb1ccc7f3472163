#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run files as Python sees them, whole and after the process that wrote them was killed.

usage: run_files.py STICKSLIP SCENES [KILLS]
"""
import glob
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

COMMAND, SCENES = map(os.path.abspath, sys.argv[1:3])
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 30


def read(path):
    """Everything in the file, opened as anybody would; checked for agreement with itself."""
    with h5py.File(path, "r") as f:
        assert f.attrs["format"] in (b"stickslip-run", "stickslip-run"), f.attrs["format"]
        states = f["steps/t"].shape[0]
        for name in f["steps"]:
            assert f["steps"][name].shape[0] == states, name
        contacts = f["contacts/identity"].shape[0]
        for name in f["contacts"]:
            assert f["contacts"][name].shape[0] == contacts, name
        assert int(f["steps/contacts"][:].sum()) == contacts
        first = f["steps/first_contact"][:]
        assert np.array_equal(first, np.concatenate([[0], np.cumsum(f["steps/contacts"][:])[:-1]])[:states])
        t = f["steps/t"][:]
        assert np.all(np.diff(t) > 0)
        for name in ("position", "velocity"):
            assert np.all(np.isfinite(f["bodies"][name][:])), name
        assert f["bodies/name"].shape[0] == f["bodies/position"].shape[1]
        json.loads(f["description"][()])
        return {"states": states, "t": t, "complete": "status" in f["result"].attrs,
                "position": f["bodies/position"][:], "impulse": f["contacts/impulse"][:]}


def whole_run(folder):
    path, table = os.path.join(folder, "whole.h5"), os.path.join(folder, "whole.csv")
    subprocess.run([COMMAND, "run", os.path.join(SCENES, "conveyor.yaml"), "--duration", "0.3", "--out", path,
                    "--csv", table, "--quiet"], check=True)
    run = read(path)
    assert run["complete"] and run["states"] == 151, run["states"]
    csv = np.genfromtxt(table, delimiter=",", names=True, deletechars="")
    assert np.array_equal(csv["t"], run["t"])
    assert np.array_equal(csv["wood.x"], run["position"][:, 2, 0])  # the same bits in both files
    print(f"whole run: {run['states']} states, {len(run['impulse'])} contacts, equal to the CSV")


def check(path):
    out = subprocess.run([COMMAND, "check", path], capture_output=True, text=True)
    return out.returncode, out.stdout + out.stderr


def run_again(folder):
    """A run file is checked by running its scene again: whole, interrupted, altered, with overrides, from elsewhere."""
    path = os.path.join(folder, "again.h5")
    for name, more in (("demo", []), ("conveyor", ["--set", "bodies.wood.mass=3", "--step", "0.001"]), ("pendulum", []),
                       ("slope-2d", ["--model", "cone=polygon:8"])):
        subprocess.run([COMMAND, "run", os.path.join(SCENES, name + ".yaml"), "--duration", "0.2", "--out", path, "--quiet",
                        "--threads", "2", *more], check=True)
        code, text = check(path)
        assert code == 0 and "bit for bit" in text, (name, code, text)
    with h5py.File(path, "r+") as f:
        x = f["bodies/position"]
        x[5, -1, 1] = np.nextafter(x[5, -1, 1], 9)
    code, text = check(path)
    assert code == 1 and "parts      at state 5" in text and "bodies/position" in text, (code, text)
    with h5py.File(path, "r+") as f:
        text = f["scene/resolved"][()]
        del f["scene/resolved"]
        f.create_dataset("scene/resolved", data=np.array(text.replace(b"bodies", b"bodies_"), dtype=f"S{len(text) + 9}"))
    code, text = check(path)
    assert code == 2, (code, text)
    altered_results(folder)
    print("run files checked by running them again")


def altered_results(folder):
    """A run that was cut short, or whose result or bodies are others than the scene's, does not pass for done."""
    path, copy = os.path.join(folder, "result.h5"), os.path.join(folder, "altered.h5")
    subprocess.run([COMMAND, "run", os.path.join(SCENES, "slope-2d.yaml"), "--duration", "0.2", "--out", path, "--quiet"], check=True)

    def cut(f):
        keep = f["steps/t"].shape[0] // 2
        contacts = int(f["steps/contacts"][:keep].sum())
        for table in ("steps", "bodies", "contacts"):
            for x in f[table].values():
                if x.maxshape[0] is None:
                    x.resize(contacts if table == "contacts" else keep, axis=0)

    def describe(f):
        f["description"][()] = f["description"][()].replace(b'"type":"static"', b'"type":"driven"')

    def change(f, name, old, new):
        text = f[name][()].replace(old, new, 1)
        del f[name]
        f.create_dataset(name, data=np.array(text, dtype=f"S{len(text)}"))

    def stopped_and_better(f):
        f["result"].attrs["stopped"] = 1.0
        f["result"].attrs["residual_max"] = 0.0

    def both_texts(f):
        change(f, "scene/text", b"friction", b"fraction")
        change(f, "description", b"friction", b"fraction")

    for alter, code, text in (
            (cut, 1, "result/status"),
            (lambda f: f["result"].attrs.__setitem__("residual_max", 0.0), 1, "result/residual_max"),
            (lambda f: f["result"].attrs.__delitem__("stopped"), 1, "result/stopped"),
            (lambda f: f["result"].attrs.__setitem__("stopped", 1.0), 0, "ended early"),
            (lambda f: f["bodies/mass"].__setitem__(-1, 77.0), 2, "other bodies than its tables"),
            (lambda f: f["bodies/name"].__setitem__(-1, b"other"), 2, "other bodies than its tables"),
            (lambda f: f["bodies/type"].__setitem__(-1, b"static"), 2, "other bodies than its tables"),
            (describe, 2, "other bodies than its description"),
            (lambda f: change(f, "description", b'"planned":', b'"planned":1'), 2, "description is not that of its scene"),
            (lambda f: change(f, "description", b'"solver":"auto"', b'"solver":"pgs"'), 2, "description is not that of its scene"),
            (lambda f: change(f, "scene/text", b"friction", b"fraction"), 2, "description is not that of its scene"),
            (lambda f: change(f, "scene/path", b"slope", b"other"), 2, "description is not that of its scene"),
            (lambda f: f.attrs.__setitem__("generator", np.bytes_(b"9.9.9")), 2, "description is not that of its scene"),
            (lambda f: change(f, "scene/name", b"", b"other "), 2, "not the name of the scene"),
            (lambda f: f["result"].attrs.__setitem__("status", 2.0), 1, "result/status"),
            (lambda f: f["result"].attrs.__setitem__("status", 7.0), 1, "result/status"),
            (lambda f: f["result"].attrs.__setitem__("status", 9.0), 1, "result/status"),
            (lambda f: f["steps/kinetic"].attrs.__setitem__("unit", np.bytes_(b"kJ")), 2, "steps/kinetic: its unit is another"),
            (lambda f: f["steps/residual"].attrs.__delitem__("unit"), 2, "steps/residual: its unit is another"),
            (lambda f: f["bodies/position"].attrs.__setitem__("meaning", np.bytes_(b"anything")), 2, "bodies/position: its meaning is another"),
            (stopped_and_better, 1, "result/residual_max"),
            (both_texts, 0, "scene/text as it stands is not what was run")):
        shutil.copyfile(path, copy)
        with h5py.File(copy, "r+") as f:
            alter(f)
        got = check(copy)
        assert got[0] == code and text in got[1], (got, text)


UNCERTAIN = """
bodies:
  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1.1], velocity: [2, 0, 0]}
simulation: {step: 0.02, duration: 0.4, model: {cone: {polygon: 64}}, solver: enumerate, on_failure: POLICY}
"""


def failed_runs(folder):
    """Of a run that failed its certificate the file comes out again, and that it failed is said."""
    scene, path = os.path.join(folder, "uncertain.yaml"), os.path.join(folder, "uncertain.h5")
    for policy, code, words in (("stop", 1, "failed     the step after t = "), ("mark", 0, "marked     ")):
        with open(scene, "w") as f:
            f.write(UNCERTAIN.replace("POLICY", policy))
        ran = subprocess.run([COMMAND, "run", scene, "--out", path, "--quiet"], capture_output=True, text=True)
        assert ran.returncode == (3 if policy == "stop" else 0), ran
        got = check(path)
        assert got[0] == code and "same " in got[1] and words in got[1], got
        told = json.loads(subprocess.run([COMMAND, "check", path, "--json"], capture_output=True, text=True).stdout)
        assert told["same"] and told["text_as_run"] and told["certificate_failed"] == (policy == "stop"), told
        assert (told["marked"] > 0) == (policy == "mark"), told
    print("runs that failed are told from runs that did not")


def wait_for_exchange(path, deadline):
    before = os.stat(path).st_ino
    while os.stat(path).st_ino == before and time.time() < deadline:
        time.sleep(0.0005)


def part_of(path, deadline):
    """The file of a run that is going on."""
    while time.time() < deadline:
        for name in glob.glob(glob.escape(path) + ".??????.part"):
            if os.path.getsize(name) > 0:
                return name
        time.sleep(0.002)
    raise AssertionError("no run file appeared")


def killed_runs(folder):
    path = os.path.join(folder, "killed.h5")
    longest, unfinished = 0, 0
    for k in range(KILLS):
        process = subprocess.Popen([COMMAND, "run", os.path.join(SCENES, "conveyor.yaml"), "--duration", "1000",
                                    "--step", "0.0005", "--out", path, "--quiet"])
        deadline = time.time() + 60
        part = part_of(path, deadline)
        chance = random.Random(k)
        if k % 2 == 0:
            time.sleep(chance.uniform(0, 1))
        else:  # around a commit: the name has just been given to another file
            for _ in range(1 + k % 3):
                wait_for_exchange(part, deadline)
            time.sleep(chance.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not os.path.exists(path)
        run = read(part)
        assert not run["complete"]
        if k == 0 and run["states"] > 0:
            assert check(part)[0] == 0, check(part)
        longest = max(longest, run["states"])
        unfinished += run["states"] > 1
        if run["states"] > 0 and k % 10 == 0:
            out = subprocess.run([COMMAND, "report", part, "--svg", os.path.join(folder, "k.svg")], capture_output=True, text=True)
            assert out.returncode == 0, out.stderr
        for name in os.listdir(folder):
            if name.startswith("killed.h5"):
                os.remove(os.path.join(folder, name))
    assert unfinished >= KILLS // 3, f"only {unfinished} of {KILLS} killed runs got beyond their start"
    print(f"killed {KILLS} times: every file opened and agreed with itself; up to {longest} states")


def growing_run(folder):
    """A file can be read again and again while it grows, also by a reader who keeps it open."""
    path = os.path.join(folder, "growing.h5")
    process = subprocess.Popen([COMMAND, "run", os.path.join(SCENES, "conveyor.yaml"), "--duration", "1000",
                                "--step", "0.0005", "--out", path, "--quiet"])
    seen, held = [], None
    part = part_of(path, time.time() + 60)
    until = time.time() + 5
    while time.time() < until or (len(set(seen)) < 3 and time.time() < until + 30):
        time.sleep(0.05)
        seen.append(read(part)["states"])
        if held is None and seen[-1] > 0:
            held = h5py.File(part, "r")
            kept = held["steps/t"][:]
    assert process.poll() is None, "the run ended by itself"
    assert np.array_equal(held["steps/t"][:], kept)
    held.close()
    process.send_signal(signal.SIGINT)
    process.wait()
    assert seen == sorted(seen) and len(set(seen)) >= 3, seen
    last = read(path)
    assert last["states"] >= seen[-1]
    assert sorted(n for n in os.listdir(folder) if n.startswith("growing")) == ["growing.h5"]
    print(f"growing run: read {len(seen)} times, {seen[0]} to {last['states']} states")


SCENE = """
bodies:
  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1]}
simulation: {step: 0.01, duration: 0.1}
"""
FAILS = SCENE + """
forces:
  - {name: c, type: controller, body: ball, function: 'function(t, s) return t > 0.05 and 0/0 or 0 end'}
"""


def start(folder, *words, **how):
    return subprocess.Popen([COMMAND, "run", *words], cwd=folder, stderr=subprocess.PIPE, text=True, **how)


def ended(process):
    message = process.communicate()[1]
    return process.returncode, message


def nothing_is_lost(folder):
    """What is there already is never touched: neighbours, an older run, devices, pipes, what links lead to."""
    place = os.path.join(folder, "lost")
    os.mkdir(place)
    at = lambda name: os.path.join(place, name)
    for name, text in (("ok.yaml", SCENE), ("fails.yaml", FAILS), ("a.h5.old", "mine"), ("a.h5.next", "mine"),
                       ("victim", "mine"), ("b.h5.lock", "mine")):
        with open(at(name), "w") as f:
            f.write(text)
    before = set(os.listdir(place))
    assert ended(start(place, "ok.yaml", "--out", "a.h5", "--quiet"))[0] == 0
    assert set(os.listdir(place)) == before | {"a.h5"} and open(at("a.h5.old")).read() == "mine"
    good = open(at("a.h5"), "rb").read()
    code, message = ended(start(place, "fails.yaml", "--out", "a.h5"))
    assert code == 2 and open(at("a.h5"), "rb").read() == good
    part = [n for n in os.listdir(place) if n.endswith(".part")]
    assert len(part) == 1 and part[0] in message, (part, message)
    assert read(at(part[0]))["states"] == 6 or read(at(part[0]))["states"] == 7
    code, _ = ended(start(place, "ok.yaml", "--out", "a.h5"))
    assert code == 0 and os.path.exists(at(part[0])), "a later run removed the part of an earlier one"
    os.mkfifo(at("pipe"))
    os.mkdir(at("folder"))
    os.symlink("nowhere", at("dangling"))
    os.symlink("victim", at("c.h5.lock"))
    for name in ("pipe", "folder", "dangling", "ok.yaml", "b.h5", "c.h5", "run.csv"):
        code, message = ended(start(place, "ok.yaml", "--out", name))
        assert code in (2, 4) and message, (name, code, message)
    assert open(at("victim")).read() == "mine" and open(at("b.h5.lock")).read() == "mine"
    os.symlink("a.h5", at("link.h5"))
    good = open(at("a.h5"), "rb").read()
    code, message = ended(start(place, "ok.yaml", "--out", "link.h5", "--quiet"))
    assert code == 2 and "is a link" in message, (code, message)
    assert os.path.islink(at("link.h5")) and open(at("a.h5"), "rb").read() == good
    print("nothing of the user's was touched")


def two_runs(folder):
    first = start(folder, os.path.join(SCENES, "conveyor.yaml"), "--duration", "1000", "--out", "two.h5", "--quiet")
    part = part_of(os.path.join(folder, "two.h5"), time.time() + 60)
    code, message = ended(start(folder, os.path.join(SCENES, "conveyor.yaml"), "--out", "two.h5"))
    assert code == 2 and "another run" in message, (code, message)
    first.send_signal(signal.SIGKILL)
    ended(first)
    states = read(part)["states"]
    assert ended(start(folder, os.path.join(SCENES, "conveyor.yaml"), "--duration", "0.1", "--out", "two.h5", "--quiet"))[0] == 0
    assert read(part)["states"] == states and read(os.path.join(folder, "two.h5"))["complete"]
    print("two runs to one file: the second was refused, a killed one holds nobody up")


def full_disk(folder):
    """A limit on the size of files fails as a full disk does: what was written can be read."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
    code, message = ended(start(folder, os.path.join(SCENES, "demo.yaml"), "--duration", "100", "--out", "full.h5", preexec_fn=limit))
    assert code == 4, (code, message)
    part = glob.glob(os.path.join(folder, "full.h5.??????.part"))
    assert len(part) == 1 and not os.path.exists(os.path.join(folder, "full.h5"))
    states = read(part[0])["states"]
    assert states > 0
    assert subprocess.run([COMMAND, "report", part[0], "--svg", os.path.join(folder, "full.svg"), "--quiet"]).returncode == 0
    print(f"full disk: exit code 4, {states} states can be read")
    code, message = ended(start(folder, os.path.join(SCENES, "demo.yaml"), "--duration", "100", "--csv", "full.csv", preexec_fn=limit))
    assert code == 4 and "full.csv" in message, (code, message)
    part = glob.glob(os.path.join(folder, "full.csv.??????.part"))
    assert len(part) == 1 and os.path.basename(part[0]) in message and not os.path.exists(os.path.join(folder, "full.csv"))
    rows = open(part[0]).read().split("\n")
    assert rows[-1] == "" and len(rows) > 100 and {row.count(",") for row in rows[:-1]} == {rows[0].count(",")}
    print(f"full disk: {len(rows) - 2} rows of a table stay, all of them whole")


def texts_of_pages(folder):
    """Characters that turn the direction of writing do not reach a page, however a file brings them there."""
    scene, path, page = (os.path.join(folder, "bidi" + end) for end in (".yaml", ".h5", ".html"))
    with open(scene, "w", encoding="utf-8") as f:
        f.write('name: "\u202eabc\u2066"\n' + SCENE)
    subprocess.run([COMMAND, "run", scene, "--out", path, "--report", page, "--quiet"], check=True)
    for make in ([], ["report", path, "-o", page, "--quiet"]):
        if make:
            with h5py.File(path, "r+") as f: # as a file of somebody else may have them
                text = f["description"][()].replace(b"\\\\u202e", "\u202e".encode()).replace(b"\\\\u2066", "\u2066".encode())
                assert "\u202e".encode() in text
                del f["description"]
                f.create_dataset("description", data=np.array(text, dtype=f"S{len(text)}"))
            subprocess.run([COMMAND, *make], check=True)
        text = open(page, encoding="utf-8").read()
        assert "\\u202e" in text and "\u202e" not in text and "\u2066" not in text
    print("no text turns the direction of writing in a page")


def times(folder):
    """Times that are no numbers or go back are refused by whoever reads the file."""
    path, copy = os.path.join(folder, "times.h5"), os.path.join(folder, "times_altered.h5")
    subprocess.run([COMMAND, "run", os.path.join(SCENES, "slope-2d.yaml"), "--duration", "0.2", "--out", path, "--quiet"], check=True)
    for t in (np.nan, np.inf, -1.0):
        shutil.copyfile(path, copy)
        with h5py.File(copy, "r+") as f:
            f["steps/t"][5] = t
        for words in (["report", copy, "-o", os.path.join(folder, "times.html")], ["check", copy]):
            out = subprocess.run([COMMAND, *words], capture_output=True, text=True)
            assert out.returncode == 2 and "steps/t" in out.stderr, (t, words, out)
    print("times that do not grow are refused")


with tempfile.TemporaryDirectory() as place:
    whole_run(place)
    run_again(place)
    failed_runs(place)
    texts_of_pages(place)
    times(place)
    nothing_is_lost(place)
    two_runs(place)
    full_disk(place)
    growing_run(place)
    killed_runs(place)
