#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run files that are damaged, lie about their sizes or want something else than to be read: each command that
reads them ends with exit code 2 and a message, and never crashes.

usage: malformed_run_files.py STICKSLIP [FLIPS]
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

COMMAND = os.path.abspath(sys.argv[1])
FLIPS = int(sys.argv[2]) if len(sys.argv) > 2 else 150


def replace(f, path, **how):
    del f[path]
    return f.create_dataset(path, **how)


def shape(path, wanted):
    def change(f):
        replace(f, path, data=np.zeros(wanted, f[path].dtype))
    return change


def claim(path, wanted):
    """An array of huge dimensions of which nothing is stored."""
    def change(f):
        dtype = f[path].dtype
        replace(f, path, shape=wanted, dtype=dtype, chunks=(1,) * (len(wanted) - 1) + (min(64, wanted[-1]),))
    return change


def numbers(path, index, value):
    def change(f):
        f[path][index] = value
    return change


def more_texts(path):
    def change(f):
        old = list(f[path][:])
        replace(f, path, data=np.array(old + [b"more"] * 1000))
    return change


def description(text):
    def change(f):
        replace(f, "description", data=np.array(text.encode(), dtype=f"S{len(text) + 1}"))
    return change


def variable_text(f):
    text = f["description"][()].decode()
    replace(f, "description", data=text, dtype=h5py.string_dtype())


def external_storage(f):
    t = f["steps/t"]
    replace(f, "steps/t", shape=t.shape, dtype=t.dtype, external=[("/etc/passwd", 0, 8 * t.shape[0])])


def external_link(f):
    del f["steps/t"]
    f["steps/t"] = h5py.ExternalLink("good.h5", "/steps/t")


def external_group(f):
    del f["contacts"]
    f["contacts"] = h5py.ExternalLink("good.h5", "/contacts")


def virtual(f):
    t = f["steps/t"]
    layout = h5py.VirtualLayout(shape=t.shape, dtype=t.dtype)
    layout[:] = h5py.VirtualSource("good.h5", "steps/t", shape=t.shape)
    del f["steps/t"]
    f.create_virtual_dataset("steps/t", layout)


def unknown_filter(f):
    data = f["steps/t"][:]
    replace(f, "steps/t", data=data, chunks=(len(data),), scaleoffset=3)


def compound(f):
    n = f["steps/t"].shape[0]
    replace(f, "steps/t", data=np.zeros(n, dtype=[("a", "f8"), ("b", "f8")]))


def soft_link(path):
    def change(f):
        f.move(path, "elsewhere")
        f[path] = h5py.SoftLink("/elsewhere")
    return change


def soft_group(path):
    """Tables that a run need not have, behind a link: they must not be taken for missing."""
    def change(f):
        f.create_dataset("elsewhere/force", data=np.zeros((f["steps/t"].shape[0], 1, 12)))
        if path in f:
            del f[path]
        f[path] = h5py.SoftLink("/elsewhere")
    return change


def retyped(path, dtype):
    def change(f):
        replace(f, path, data=f[path][...].astype(dtype))
    return change


def wide_figure(f):
    f["result"].attrs["steps"] = np.zeros(1000)
    f["result"].attrs["status"] = np.zeros(1000)


def make_cases(good):
    with h5py.File(good, "r") as f:
        states, bodies, contacts = f["steps/t"].shape[0], f["bodies/name"].shape[0], f["contacts/gap"].shape[0]
    return {
        "more names than bodies": more_texts("bodies/name"),
        "more types than bodies": more_texts("bodies/type"),
        "a description with more bodies": description('{"bodies":[' + ",".join(["{}"] * 1000) + '],"geoms":[],"joints":[]}'),
        "a description that is no object": description("[1, 2]"),
        "a description that is no JSON": description('{"bodies": [}'),
        "a description that nests": description('{"a":' * 5000),
        "a description of variable length": variable_text,
        "t with two columns": shape("steps/t", (states, 2)),
        "velocities with 100 columns": shape("bodies/velocity", (states, bodies, 100)),
        "impulses with 100 columns": shape("contacts/impulse", (contacts, 100)),
        "impulses without columns": shape("contacts/impulse", (contacts,)),
        "fewer states in one table": shape("steps/h", (states - 1,)),
        "2^31 bodies": claim("bodies/position", (states, 2**31, 3)),
        "2^32 bodies": claim("bodies/position", (states, 2**32, 3)),
        "2^40 states": claim("bodies/position", (2**40, bodies, 3)),
        "2^40 states in t": claim("steps/t", (2**40,)),
        "4 coordinates": shape("bodies/position", (states, bodies, 4)),
        "no bodies": shape("bodies/position", (states, 0, 3)),
        "negative count of contacts": numbers("steps/contacts", 3, -1),
        "large count of contacts": numbers("steps/contacts", 3, 2**31 - 1),
        "negative offset": numbers("steps/first_contact", 2, -5),
        "large offset": numbers("steps/first_contact", 2, 2**31 - 1),
        "texts for numbers": lambda f: replace(f, "steps/t", data=np.array([b"x"] * states)),
        "integers for reals": lambda f: replace(f, "steps/t", data=np.zeros(states, "i4")),
        "reals for counts": lambda f: replace(f, "steps/contacts", data=np.full(states, np.nan)),
        "a compound type": compound,
        "external storage": external_storage,
        "an external link": external_link,
        "an external group": external_group,
        "a virtual array": virtual,
        "an unknown filter": unknown_filter,
        "a group for an array": lambda f: (f.__delitem__("steps/t"), f.create_group("steps/t")),
        "a negative step": numbers("steps/h", 3, -1e308),
        "a step that is no number": numbers("steps/h", 2, np.nan),
        "an infinite position": numbers("bodies/position", (2, 1, 0), np.inf),
        "a solver that there is not": numbers("steps/solver", 2, 200),
        "an outcome that there is not": numbers("steps/outcome", 2, 200),
        "a flag that there is not": numbers("steps/flags", 2, 32),
        "a motion that there is not": numbers("steps/motion", 2, 3),
        "a state of a contact that there is not": numbers("contacts/state", 0, 3),
        "a negative count of iterations": numbers("steps/iterations", 2, -1),
        "single numbers for doubles": retyped("steps/kinetic", "f4"),
        "counts of 64 bits": retyped("steps/rows", "i8"),
        "counts with the sign of bytes": retyped("steps/solver", "i1"),
        "numbers the other way round": retyped("steps/h", ">f8"),
        "masses in a group": lambda f: (f.__delitem__("bodies/mass"), f.create_group("bodies/mass")),
        "masses as texts": lambda f: replace(f, "bodies/mass", data=np.array([b"x"] * bodies)),
        "compound masses": lambda f: replace(f, "bodies/mass", data=np.zeros(bodies, dtype=[("a", "f8"), ("b", "f8")])),
        "one mass more": shape("bodies/mass", (bodies + 1,)),
        "masses behind a link": soft_link("bodies/mass"),
        "no masses": lambda f: f.__delitem__("bodies/mass"),
        "a negative mass": numbers("bodies/mass", 1, -1),
        "a mass that is no number": numbers("bodies/mass", 1, np.nan),
        "another type of body": lambda f: replace(f, "bodies/type", data=np.array([b"static", b"liquid"])),
        "types as numbers": lambda f: replace(f, "bodies/type", data=np.zeros(bodies)),
        "energies behind a link": soft_link("steps/kinetic"),
        "forces behind a link": soft_group("forces"),
        "joints behind a link": soft_group("joints"),
        "no format": lambda f: f.attrs.__delitem__("format"),
        "another version": lambda f: f.attrs.__setitem__("version", np.bytes_(b"1")),
    }


def run(folder, *words):
    return subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True, errors="replace", timeout=60)


def readers(name):
    return (["report", name, "-o", "out.html", "--quiet"], ["report", name, "--every", "2", "-o", "out.html", "--quiet"],
            ["report", name, "--svg", "out.svg", "--quiet"])


def refused(folder, good):
    for what, change in make_cases(good).items():
        bad = os.path.join(folder, "bad.h5")
        shutil.copy(good, bad)
        with h5py.File(bad, "r+") as f:
            change(f)
        for words in readers("bad.h5")[:1 if "offset" not in what else 2]:
            out = run(folder, *words)
            assert out.returncode == 2, f"{what}: exit code {out.returncode}: {out.stderr}"
            assert "bad.h5: " in out.stderr and "damaged" in out.stderr or "version" in out.stderr, f"{what}: {out.stderr}"
            assert "crashed" not in out.stderr, f"{what}: {out.stderr}"
    print(f"{len(make_cases(good))} malformed files: all refused")


def figures(folder, good):
    """An attribute of the wrong size is no figure; the run is shown without it."""
    bad = os.path.join(folder, "bad.h5")
    shutil.copy(good, bad)
    with h5py.File(bad, "r+") as f:
        wide_figure(f)
    assert run(folder, *readers("bad.h5")[0]).returncode == 0


def unwritten(folder, good):
    """An array of which nothing was ever written is all zeros, as HDF5 has it."""
    shutil.copy(good, os.path.join(folder, "bad.h5"))
    with h5py.File(os.path.join(folder, "bad.h5"), "r+") as f:
        replace(f, "steps/penetration", shape=f["steps/t"].shape, dtype="f8")
    assert run(folder, *readers("bad.h5")[0]).returncode == 0


def markup(folder, good):
    bad = os.path.join(folder, "bad.h5")
    shutil.copy(good, bad)
    with h5py.File(bad, "r+") as f:
        text = f["description"][()].decode().replace('"path":', '"</script><img src=x onerror=alert(1)>":1,"path":')
        description(text)(f)
    assert run(folder, *readers("bad.h5")[0]).returncode == 0
    page = open(os.path.join(folder, "out.html"), encoding="utf8").read()
    assert "<img src=x" not in page and "\\u003cimg src=x" in page
    policy = page[page.index("Content-Security-Policy"):page.index("</title>")]
    assert "unsafe-inline" not in policy and "sha256-" in policy
    print("markup in a description stays text")


def not_files(folder):
    os.mkfifo(os.path.join(folder, "pipe.h5"))
    os.mkdir(os.path.join(folder, "folder.h5"))
    open(os.path.join(folder, "empty.h5"), "w").close()
    for name in ("pipe.h5", "folder.h5", "empty.h5", "missing.h5"):
        out = run(folder, "report", name, "-o", "out.html", "--quiet")
        assert out.returncode == 2 and name in out.stderr, (name, out.returncode, out.stderr)


def flipped(folder, good):
    data = open(good, "rb").read()
    seen = {}
    for k in range(FLIPS):
        chance, b = random.Random(k), bytearray(data)
        for _ in range(chance.choice([1, 1, 2, 8, 64])):
            b[chance.randrange(len(b))] ^= 1 << chance.randrange(8)
        if k % 10 == 9:
            b = b[:chance.randrange(len(b))]
        with open(os.path.join(folder, "flip.h5"), "wb") as f:
            f.write(b)
        out = run(folder, *readers("flip.h5")[k % 3])
        assert out.returncode in (0, 2), f"flip {k}: exit code {out.returncode}: {out.stderr}"
        assert out.returncode == 0 or "flip.h5" in out.stderr, out.stderr
        seen[out.returncode] = seen.get(out.returncode, 0) + 1
    print(f"{FLIPS} files with flipped bits: exit codes {seen}")


SCENE = """
bodies:
  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}
simulation: {step: 0.01, duration: 0.1}
"""

with tempfile.TemporaryDirectory() as place:
    with open(os.path.join(place, "scene.yaml"), "w") as f:
        f.write(SCENE)
    sound = os.path.join(place, "good.h5")
    assert run(place, "run", "scene.yaml", "--out", "good.h5", "--quiet").returncode == 0
    for words in readers("good.h5"):
        assert run(place, *words).returncode == 0
    refused(place, sound)
    figures(place, sound)
    unwritten(place, sound)
    markup(place, sound)
    not_files(place)
    flipped(place, sound)
