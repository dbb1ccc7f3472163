#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scenes and problem files that are too large, too long, full of odd bytes; outputs that cannot be written: exit codes
and messages, and no long wait.

usage: hostile_input.py STICKSLIP
"""
import io
import os
import subprocess
import sys
import tempfile
import time
import zipfile

COMMAND = os.path.abspath(sys.argv[1])
BALL = "bodies:\n  - {name: ball, type: dynamic, mass: 1, shape: {%s}%s}\n"


def run(folder, *words, **how):
    return subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, timeout=120, **how)


def check(folder, text, code, part=b"", seconds=60):
    with open(os.path.join(folder, "s.yaml"), "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    start = time.process_time(), time.time()
    out = run(folder, "check", "s.yaml", "--quiet")
    assert out.returncode == code, (text[:80], out.returncode, out.stderr[:300])
    assert part in out.stderr, (text[:80], out.stderr[:300])
    assert time.time() - start[1] < seconds, f"{time.time() - start[1]} s for {text[:40]}"
    return out.stderr


def scenes(folder):
    sound = BALL % ("sphere: {radius: 1}", "")
    check(folder, sound, 0)
    check(folder, b"\xef\xbb\xbf" + sound.encode(), 0)
    check(folder, b'"bo\\0dies": []\n', 2, b"the character 0")
    message = check(folder, b'"\\e[31mred": 1\n', 2, b"\\x1b[31mred")
    assert b"\x1b" not in message
    check(folder, BALL % ("box: {size: [1e30, 1, 1]}", ""), 2, b"body 'ball': its shape is 1e+30 m")
    check(folder, BALL % ("sphere: {radius: 1}", ", position: [0, 1e30, 0]"), 2, b"body 'ball'")
    check(folder, BALL % ("sphere: {radius: 1}", ", velocity: [0, 1e30, 0]"), 2, b"body 'ball'")
    check(folder, (BALL % ("sphere: {radius: 1}", "")).replace("mass: 1", "mass: 1e40"), 2, b"mass must lie between 1e-30 and 1e+30 kg, got 1e+40")
    check(folder, (BALL % ("sphere: {radius: 1}", "")).replace("mass: 1", "mass: 1e-40"), 2, b"mass must lie between")
    check(folder, BALL % ("sphere: {radius: 1e-30}", ""), 2, b"body 'ball': its shape is 2e-30 m long; at least 1e-09 m")
    check(folder, BALL % ("sphere: {radius: 1e-8}", ""), 0)
    check(folder, BALL % ("sphere: {radius: 1}", ", inertia: [1e-60, 1e-60, 1e-60]"), 2, b"moments of inertia must lie between")
    check(folder, "gravity: [0, 0, -1e30]\n" + sound, 2, b":1:10: gravity must be at most 1e+09 m/s^2")
    for times, part in (("step: 1e-30, duration: 1e-29", b"step must lie between 1e-12 and 1e+09 s, got 1e-30"),
                        ("step: 1e10, duration: 1e11", b"step must lie between"),
                        ("step: 0.01, duration: 1, start: 1e12", b"are lost in the rounding of times up to 1e+12 s")):
        check(folder, sound + "simulation: {%s}\n" % times, 2, part)
    check(folder, "templates:\n  t: {bodies: [{use: t}]}\nbodies: [{use: t}]\n", 2, b"does a template use itself?")
    check(folder, "templates:\n  t: {bodies: [{use: u}, {use: u}]}\n  u: {shape: {use: t}}\nbodies: [{use: t}]\n", 2,
          b"does a template use itself?")
    many = 200_000
    check(folder, "bodies: []\n" + "".join(f"k{i}: 0\n" for i in range(many)), 2, b"there is no section")
    check(folder, "params:\n" + "".join(f"  k{i}: 0\n" for i in range(many)), 2, b"more than 4096 params")
    check(folder, "materials:\n" + "".join(f"  k{i}: {{}}\n" for i in range(many)), 2, b"more than 2048 materials")
    check(folder, "a: {" + ", ".join(f"k{i}: 0" for i in range(many)) + ", k7: 1}\n", 2, b"the key 'k7' is there twice")
    print("scenes: limits, odd bytes and 200 000 keys")


def array(values):
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    import struct
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(values)}d", *values)


def bomb(folder):
    with zipfile.ZipFile(os.path.join(folder, "bomb.npz"), "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("mus.npy", array([0.5]))
        with z.open("G.npy", "w") as g:
            for _ in range(1024):
                g.write(bytes(1 << 20))
    assert os.path.getsize(os.path.join(folder, "bomb.npz")) < 2_000_000
    out = run(folder, "solve", "bomb.npz")
    assert out.returncode == 2 and b"unpacks to 1024 MB" in out.stderr, (out.returncode, out.stderr)
    print("an archive that unpacks to 1 GB is refused")


def full_output(folder):
    with open(os.path.join(folder, "s.yaml"), "w") as f:
        f.write(BALL % ("sphere: {radius: 1}", "") + "simulation: {step: 0.01, duration: 0.1}\n")
    for words in (["--help"], ["--version"], ["list"], ["run", "s.yaml"], ["run", "s.yaml", "--json"], ["check", "s.yaml"],
                  ["check", "--help"], ["analyze", "s.yaml", "--json"], ["verify", "--list"]):
        with open("/dev/full", "w") as full:
            out = subprocess.run([COMMAND, *words], cwd=folder, stdout=full, stderr=subprocess.PIPE, timeout=120)
        assert out.returncode == 4 and b"standard output" in out.stderr, (words, out.returncode, out.stderr)
    print("a standard output that fails ends in exit code 4")


def step_limit(folder):
    slow = "'function(t, s) local k = 0 if t > 0.015 then for i = 1, 20000 do k = k + i end end return 0 end'"
    with open(os.path.join(folder, "slow.yaml"), "w") as f:
        f.write(BALL % ("sphere: {radius: 1}", "") + "simulation: {step: 0.01, duration: 100}\nforces:\n" +
                "".join(f"  - {{name: c{i}, type: controller, body: ball, function: {slow}}}\n" for i in range(2000)))
    out = run(folder, "run", "slow.yaml", "--step-limit", "0.05", "--out", "slow.h5", "--json")
    assert out.returncode == 4 and b"step_limit = 0.05 s" in out.stderr, (out.returncode, out.stderr)
    assert os.path.exists(os.path.join(folder, "slow.h5"))
    out = run(folder, "run", "slow.yaml", "--step-limit", "0", "--duration", "0.03", "--quiet")
    assert out.returncode == 0, out.stderr
    print("a step that takes too long ends the run")


def names(folder):
    for words, part in ((["chekc"], b"did you mean 'check'"), (["run", "s.yaml", "--csv", "a.h5"], b"--csv writes"),
                        (["run", "s.yaml", "--csv", "a.csv", "--joints", "a.csv"], b"both write"),
                        (["run", "s.yaml", "--csv", "s.yaml"], b"--csv"), (["report", "no.h5"], b"no.h5")):
        out = run(folder, *words)
        assert out.returncode == 2 and part in out.stderr, (words, out.returncode, out.stderr)


with tempfile.TemporaryDirectory() as place:
    scenes(place)
    bomb(place)
    full_output(place)
    names(place)
    step_limit(place)
