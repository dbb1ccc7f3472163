#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run files as Python sees them, whole and after the process that wrote them was killed.

usage: run_files.py STICKSLIP SCENES [KILLS]
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

COMMAND, SCENES = sys.argv[1:3]
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


def wait_for_exchange(path, deadline):
    before = os.stat(path).st_ino
    while os.stat(path).st_ino == before and time.time() < deadline:
        time.sleep(0.0005)


def killed_runs(folder):
    path = os.path.join(folder, "killed.h5")
    longest, unfinished = 0, 0
    for k in range(KILLS):
        process = subprocess.Popen([COMMAND, "run", os.path.join(SCENES, "conveyor.yaml"), "--duration", "1000",
                                    "--step", "0.0005", "--out", path, "--quiet"])
        deadline = time.time() + 60
        while not os.path.exists(path) and time.time() < deadline:
            time.sleep(0.002)
        assert os.path.exists(path), "no run file appeared"
        chance = random.Random(k)
        if k % 2 == 0:
            time.sleep(chance.uniform(0, 1))
        else:  # around a commit: the name has just been given to another file
            for _ in range(1 + k % 3):
                wait_for_exchange(path, deadline)
            time.sleep(chance.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        run = read(path)
        assert not run["complete"]
        longest = max(longest, run["states"])
        unfinished += run["states"] > 1
        if run["states"] > 0 and k % 10 == 0:
            out = subprocess.run([COMMAND, "report", path, "--svg", os.path.join(folder, "k.svg")], capture_output=True, text=True)
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
    until = time.time() + 5
    while time.time() < until or (len(set(seen)) < 3 and time.time() < until + 30):
        time.sleep(0.05)
        if os.path.exists(path):
            seen.append(read(path)["states"])
            if held is None and seen[-1] > 0:
                held = h5py.File(path, "r")
                kept = held["steps/t"][:]
    assert process.poll() is None, "the run ended by itself"
    assert np.array_equal(held["steps/t"][:], kept)
    held.close()
    process.send_signal(signal.SIGINT)
    process.wait()
    assert seen == sorted(seen) and len(set(seen)) >= 3, seen
    last = read(path)
    assert last["states"] >= seen[-1]
    assert not os.path.exists(path + ".next")
    print(f"growing run: read {len(seen)} times, {seen[0]} to {last['states']} states")


with tempfile.TemporaryDirectory() as place:
    whole_run(place)
    growing_run(place)
    killed_runs(place)
